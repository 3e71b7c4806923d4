//===- TowerDistribution.cpp - transfer functions of tower ops ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/DistributionModel.h"
#include "dialects/tower/Tower.h"

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::tower;

namespace {

struct SliceDistribution
    : DistributionModel<SliceDistribution, belfry::tower::SliceOp> {
  static constexpr bool kSpreads = true;
  static void apply(belfry::tower::SliceOp op, Transfer &t) {
    if (!t[0].isReplicated())
      return t.needAll();
    t.giveAll(DistState::sharded(static_cast<int64_t>(op.getDim())));
  }
};

/// A number that differs from tower to tower.
template <typename OpT>
struct TowerNumber : DistributionModel<TowerNumber<OpT>, OpT> {
  static constexpr bool kSpreads = true;
  static void apply(OpT, Transfer &t) { t.giveAll(DistState::sharded(-1)); }
};

/// What makes values whole.
template <typename OpT> struct Whole : DistributionModel<Whole<OpT>, OpT> {
  static void apply(OpT, Transfer &t) { t.giveAll(DistState::replicated()); }
};

struct ReduceScatterDistribution
    : DistributionModel<ReduceScatterDistribution, ReduceScatterOp> {
  static constexpr bool kSpreads = true;
  static void apply(ReduceScatterOp op, Transfer &t) {
    t.giveAll(DistState::sharded(static_cast<int64_t>(op.getDim())));
  }
};

} // namespace

void belfry::tower::registerDistributionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TowerDialect *) {
    SliceDistribution::attach(context);
    TowerNumber<IndexOp>::attach(context);
    TowerNumber<RowOffsetOp>::attach(context);
    Whole<AllReduceOp>::attach(context);
    Whole<AllGatherOp>::attach(context);
    ReduceScatterDistribution::attach(context);
  });
}
