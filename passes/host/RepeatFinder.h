//===- RepeatFinder.h - what stands in a sequence again ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_REPEATFINDER_H
#define BELFRY_PASSES_HOST_REPEATFINDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace belfry {

/// `length` tokens that stand at each of `starts`, which ascend; no two places
/// overlap.
struct Repeat {
  unsigned length = 0;
  llvm::SmallVector<unsigned> starts;
};

/// The repeat that is worth most to write once and to call: with the weight W
/// of its tokens and k places (k − 1)·W − k·callCost, which has to be
/// `leastSaving` at least. Equal tokens have equal weights. Of equals the
/// longest, then the first. Takes O(n log² n) for n tokens, and for each run of
/// k equal parts k² more.
std::optional<Repeat> findRepeat(llvm::ArrayRef<unsigned> tokens,
                                 llvm::ArrayRef<int64_t> weights,
                                 int64_t callCost, int64_t leastSaving);

} // namespace belfry

#endif // BELFRY_PASSES_HOST_REPEATFINDER_H
