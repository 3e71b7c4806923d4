//===- Reductions.cpp - arithmetic of collectives -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Reductions.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace belfry::fake;

namespace {
/// The upper half of a float, rounded to nearest even.
struct Bfloat16 {
  uint16_t bits;
  Bfloat16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    bits = value != value ? 0x7fff
                          : uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  Bfloat16() = default;
  operator float() const {
    uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
};
} // namespace

size_t belfry::fake::sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  }
  return 0;
}

template <typename T> static T combine(ncclRedOp_t reduction, T a, T b) {
  // Integers wrap around.
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    if (reduction == ncclSum)
      return T(U(U(a) + U(b)));
    if (reduction == ncclProd)
      return T(U(uint64_t(U(a)) * uint64_t(U(b))));
  }
  switch (reduction) {
  case ncclSum:
    return T(a + b);
  case ncclProd:
    return T(a * b);
  case ncclMax:
    return a < b ? b : a;
  default:
    return b < a ? b : a;
  }
}

template <typename T>
static void reduceAs(ncclRedOp_t reduction, void *to,
                     const std::vector<const void *> &from, size_t first,
                     size_t count, uint64_t seed) {
  constexpr size_t kPiece = 64;
  std::mt19937_64 random(seed);
  std::vector<size_t> order(from.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 0; i < count; ++i) {
    if (i % kPiece == 0)
      std::shuffle(order.begin(), order.end(), random);
    T value = static_cast<const T *>(from[order[0]])[first + i];
    for (size_t r = 1; r < order.size(); ++r)
      value = combine<T>(reduction, value,
                         static_cast<const T *>(from[order[r]])[first + i]);
    static_cast<T *>(to)[i] = value;
  }
}

void belfry::fake::reduce(ncclDataType_t type, ncclRedOp_t reduction, void *to,
                          const std::vector<const void *> &from, size_t first,
                          size_t count, uint64_t seed) {
  switch (type) {
#define TYPE(name, T)                                                          \
  case name:                                                                   \
    return reduceAs<T>(reduction, to, from, first, count, seed);
    TYPE(ncclInt8, int8_t)
    TYPE(ncclUint8, uint8_t)
    TYPE(ncclInt32, int32_t)
    TYPE(ncclUint32, uint32_t)
    TYPE(ncclInt64, int64_t)
    TYPE(ncclUint64, uint64_t)
    TYPE(ncclFloat16, _Float16)
    TYPE(ncclFloat32, float)
    TYPE(ncclFloat64, double)
    TYPE(ncclBfloat16, Bfloat16)
#undef TYPE
  }
}
