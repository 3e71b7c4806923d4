//===- Distribution.h - how a value is spread over towers -------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The states of the distribution analysis. A value inside of tower.replicate is
//
//   replicated       every tower holds the same, whole value
//   sharded(d)       each tower holds a block of dimension d, in tower order
//   partial(k)       the value is the k (sum, max, min) of what the towers hold
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_DISTRIBUTION_H
#define BELFRY_NN_DISTRIBUTION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace belfry::nn {

enum class PartialKind { Sum, Max, Min };

struct DistState {
  enum class Kind { Replicated, Sharded, Partial };

  Kind kind = Kind::Replicated;
  int64_t dim = -1;                       ///< of a sharded value
  PartialKind partial = PartialKind::Sum; ///< of a partial value

  static DistState replicated() { return {}; }
  static DistState sharded(int64_t dim) { return {Kind::Sharded, dim, {}}; }
  static DistState partialOf(PartialKind k) { return {Kind::Partial, -1, k}; }

  bool isReplicated() const { return kind == Kind::Replicated; }
  bool isSharded() const { return kind == Kind::Sharded; }
  bool isSharded(int64_t d) const { return isSharded() && dim == d; }
  bool isPartial() const { return kind == Kind::Partial; }
  bool isPartial(PartialKind k) const { return isPartial() && partial == k; }
  bool operator==(const DistState &o) const {
    return kind == o.kind && (!isSharded() || dim == o.dim) &&
           (!isPartial() || partial == o.partial);
  }
  bool operator!=(const DistState &o) const { return !(*this == o); }
};

/// What a transfer function answers: either operands to be made whole first
/// (an all-reduce of a partial value, an all-gather of a sharded one), or the
/// states of the results.
struct DistTransfer {
  llvm::SmallVector<unsigned> makeWhole;
  llvm::SmallVector<DistState> results;
};

} // namespace belfry::nn

#endif // BELFRY_NN_DISTRIBUTION_H
