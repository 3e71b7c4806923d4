//===- DistributionProduct.cpp - transfer functions of products, convolutions,
// scan ----------------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/DistributionModel.h"
#include "dialects/nn/RowMultiple.h"

using namespace mlir;
using namespace belfry::nn;

namespace {

struct DotDistribution : DistributionModel<DotDistribution, DotOp> {
  static void apply(DotOp op, Transfer &t) {
    DistState sum = DistState::partialOf(PartialKind::Sum);
    // Linear in either side.
    if (t.anyPartial()) {
      if ((t[0] == sum && t[1].isReplicated()) ||
          (t[1] == sum && t[0].isReplicated()))
        return t.giveAll(sum);
      return t.needPartial();
    }
    auto position = [](ArrayRef<int64_t> dims, const DistState &s) -> int64_t {
      const auto *it = llvm::find(dims, s.dim);
      return s.isSharded() && it != dims.end() ? it - dims.begin() : -1;
    };
    int64_t leftSum = position(op.getLhsContract(), t[0]),
            rightSum = position(op.getRhsContract(), t[1]);
    int64_t leftBatch = position(op.getLhsBatch(), t[0]),
            rightBatch = position(op.getRhsBatch(), t[1]);
    if (leftSum >= 0 || rightSum >= 0)
      return leftSum == rightSum ? t.giveAll(sum) : t.needAll();
    if (leftBatch != rightBatch)
      return t.needAll();
    if (leftBatch < 0 && t[0].isSharded() && t[1].isSharded())
      return t.needAll();
    t.giveAll(DistState::sharded(dynamicDim(op.getType())));
  }
};

/// Rows are independent of each other; the kernel is everyone's.
template <typename OpT>
struct ConvDistribution : DistributionModel<ConvDistribution<OpT>, OpT> {
  static void apply(OpT, Transfer &t) {
    if (t[0].isSharded(0) && t[1].isReplicated())
      return t.giveAll(t[0]);
    DistState sum = DistState::partialOf(PartialKind::Sum);
    if ((t[0] == sum && t[1].isReplicated()) ||
        (t[1] == sum && t[0].isReplicated()))
      return t.giveAll(sum);
    t.needAll();
  }
};

struct ConvKernelGradDistribution
    : DistributionModel<ConvKernelGradDistribution, Conv2DKernelGradOp> {
  static void apply(Conv2DKernelGradOp, Transfer &t) {
    DistState sum = DistState::partialOf(PartialKind::Sum);
    if (t[0].isSharded(0) && t[1].isSharded(0))
      return t.giveAll(sum);
    if ((t[0] == sum && t[1].isReplicated()) ||
        (t[1] == sum && t[0].isReplicated()))
      return t.giveAll(sum);
    t.needAll();
  }
};

struct ScanDistribution : DistributionModel<ScanDistribution, ScanOp> {
  /// States of the body's arguments follow from the operands', with one
  /// dimension less for sequences. A carried value has one state for all steps.
  /// Where the body adds partial values to one that starts at zero, it is a
  /// partial sum from the start.
  static void apply(ScanOp op, Transfer &t) {
    unsigned inits = op.getInits().size();
    if (op.getMask() && t[t.size() - 1].isPartial())
      return t.needAll();
    SmallVector<DistState> carried;
    for (unsigned i = 0; i < inits; ++i)
      carried.push_back(t[i]);
    if (tryCarried(op, t, carried))
      return;
    bool sums = false;
    for (auto [state, init] : llvm::zip_equal(carried, op.getInits()))
      if (state.isReplicated() && dynamicDim(init.getType()) < 0 &&
          isZeroConstant(init)) {
        state = DistState::partialOf(PartialKind::Sum);
        sums = true;
      }
    if (!sums || !tryCarried(op, t, carried))
      t.needAll();
  }

  /// Gives the results' states if the carried values keep theirs.
  static bool tryCarried(ScanOp op, Transfer &t, ArrayRef<DistState> carried) {
    unsigned inits = op.getInits().size(), sequences = op.getSequences().size();
    DenseMap<Value, DistState> states;
    for (auto [arg, state] : llvm::zip_equal(op.getCarriedArgs(), carried))
      states[arg] = state;
    for (auto [i, arg] : llvm::enumerate(op.getSequenceArgs())) {
      DistState state = t[inits + i];
      if (state.isSharded())
        state.dim -= 1;
      states[arg] = state;
    }
    for (auto [i, arg] : llvm::enumerate(op.getClosedArgs()))
      states[arg] = t[inits + sequences + i];
    if (failed(propagateStates(op.getBody().front(), states)))
      return false;
    for (auto [next, state] :
         llvm::zip_equal(op.getYield().getCarry(), carried))
      if (states.lookup(next) != state)
        return false;
    for (DistState state : carried)
      t.give(state);
    for (Value v : op.getYield().getOutputs()) {
      DistState state = states.lookup(v);
      if (state.isSharded())
        state.dim += 1;
      t.give(state);
    }
    return true;
  }
};

} // namespace

void belfry::nn::attachProductDistribution(MLIRContext *context) {
  DotDistribution::attach(context);
  ConvDistribution<Conv2DOp>::attach(context);
  ConvDistribution<Conv2DInputGradOp>::attach(context);
  ConvKernelGradDistribution::attach(context);
}

void belfry::nn::attachScanDistribution(MLIRContext *context) {
  ScanDistribution::attach(context);
}
