//===- TreeReduce.cpp - sums over towers in shared memory -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/local/TreeReduce.h"

#include "runtime/core/Slicing.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace belfry::rt;

namespace {

/// Elements reduced at a time: the operands of a chunk stay in the first cache.
constexpr int64_t kChunk = 512;
/// Chunks of scratch: enough for the tree over 65536 towers (16 levels
/// and a tower's own chunk, where it is widened).
constexpr int64_t kLevels = 19;

struct Sum {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
};
// NaN passes through max and min; `a != a` is what finds it.
struct Max {
  template <typename T> static T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

template <typename Op, typename T, typename C>
void combine(T *out, const C *a, const C *b, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = T(Op::template apply<C>(a[i], b[i]));
}

/// What elements of a type are combined as: those of 16 bits as f32, rounded
/// once at the end.
template <typename T>
using Combined = std::conditional_t<sizeof(T) == 2, float, T>;

/// The towers [lo, hi) of one chunk. Returns where the result is: the tower's
/// own array for a single tower, else `scratch`, which holds kChunk elements a
/// level of the tree.
template <typename T, typename Op>
const Combined<T> *reduceChunk(const std::vector<const void *> &from,
                               int64_t lo, int64_t hi, int64_t first, int64_t n,
                               Combined<T> *scratch) {
  if (hi - lo == 1) {
    const T *own = static_cast<const T *>(from[lo]) + first;
    if constexpr (std::is_same_v<T, Combined<T>>)
      return own;
    else
      return std::copy_n(own, n, scratch) - n;
  }
  int64_t mid = treeSplit(lo, hi);
  const Combined<T> *left =
      reduceChunk<T, Op>(from, lo, mid, first, n, scratch);
  const Combined<T> *right =
      reduceChunk<T, Op>(from, mid, hi, first, n, scratch + kChunk);
  combine<Op>(scratch, left, right, n);
  return scratch;
}

template <typename T, typename Op>
void reduceAll(const std::vector<const void *> &from,
               const std::vector<void *> &to, int64_t first, int64_t last) {
  auto towers = int64_t(from.size());
  // A level of the tree below the top one needs a chunk, or two.
  std::array<Combined<T>, kChunk * kLevels> scratch;
  auto *target = static_cast<T *>(to.front());
  int64_t mid = towers > 1 ? treeSplit(0, towers) : 0;
  for (int64_t at = first; at < last; at += kChunk) {
    int64_t n = std::min(kChunk, last - at);
    auto bytes = size_t(n) * sizeof(T);
    if (towers > 1) {
      const Combined<T> *left =
          reduceChunk<T, Op>(from, 0, mid, at, n, scratch.data());
      const Combined<T> *right =
          reduceChunk<T, Op>(from, mid, towers, at, n, scratch.data() + kChunk);
      // Element by element, so the target may be one of the operands.
      combine<Op>(target + at, left, right, n);
    } else if (from[0] != target) {
      std::memmove(target + at, static_cast<const T *>(from[0]) + at, bytes);
    }
    for (size_t i = 1; i < to.size(); ++i)
      std::memmove(static_cast<T *>(to[i]) + at, target + at, bytes);
  }
}

template <typename T>
void reduceKind(ReduceKind kind, const std::vector<const void *> &from,
                const std::vector<void *> &to, int64_t first, int64_t last) {
  switch (kind) {
  case ReduceKind::Sum:
    return reduceAll<T, Sum>(from, to, first, last);
  case ReduceKind::Max:
    return reduceAll<T, Max>(from, to, first, last);
  case ReduceKind::Min:
    return reduceAll<T, Min>(from, to, first, last);
  }
}

} // namespace

void belfry::rt::treeReduce(ReduceKind kind, DType dtype,
                            const std::vector<const void *> &from,
                            const std::vector<void *> &to, int64_t first,
                            int64_t last) {
  withType(dtype, [&](auto element) {
    reduceKind<decltype(element)>(kind, from, to, first, last);
  });
}

std::pair<int64_t, int64_t>
belfry::rt::elementShare(int64_t count, int64_t device, int64_t devices) {
  constexpr int64_t line = 64;
  int64_t lines = (count + line - 1) / line;
  return {std::min(count, lines * device / devices * line),
          std::min(count, lines * (device + 1) / devices * line)};
}
