//===- NarrowFloatsTest.cpp - conversions of 16 bits as arithmetic --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --expand-math makes of arith.truncf and arith.extf, compiled for this
// machine, and for one without instructions for the formats, against
// belfry/NarrowFloats.h: all bits, NaN's included.
//
//===----------------------------------------------------------------------===//

#include "belfry/NarrowFloats.h"
#include "test/unit/math/Jit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace belfry::test {
namespace {

/// Every number of the format, the points between two of them and what is
/// beside those, and every 4099th other f32.
template <typename T> std::vector<float> arguments() {
  std::vector<float> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    T number;
    number.bits = static_cast<uint16_t>(bits);
    auto word = std::bit_cast<uint32_t>(static_cast<float>(number));
    // Half a unit of the last place is in bit 12, or 15, of normal numbers.
    for (uint32_t half : {0u, 1u << 12, 1u << 15})
      for (uint32_t beside : {0u, 1u, ~0u})
        values.push_back(std::bit_cast<float>(word + half + beside));
  }
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 4099)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return values;
}

template <typename T> void check(const char *type, const char *cpu) {
  std::string body = std::string("%h = arith.truncf %x : f32 to ") + type +
                     "\n%r = arith.extf %h : " + type + " to f32";
  CompiledLoop loop(body, "f32", cpu);
  std::vector<float> x = arguments<T>(), out(x.size());
  loop.function(x.data(), x.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]),
              std::bit_cast<uint32_t>(static_cast<float>(T(x[i]))))
        << type << " of " << std::hexfloat << x[i];
}

TEST(NarrowFloats, HalfHere) { check<Half>("f16", ""); }
TEST(NarrowFloats, HalfWithoutInstructions) { check<Half>("f16", "x86-64"); }
TEST(NarrowFloats, BFloat16Here) { check<BFloat16>("bf16", ""); }
TEST(NarrowFloats, BFloat16WithoutInstructions) {
  check<BFloat16>("bf16", "x86-64");
}

} // namespace
} // namespace belfry::test
