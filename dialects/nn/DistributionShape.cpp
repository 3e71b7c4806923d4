//===- DistributionShape.cpp - transfer functions of reductions, data movement,
// indexing
// ----------------------------------------------------------------===//
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

/// An op without operands, or whose operands say nothing.
template <typename OpT>
struct Replicated : DistributionModel<Replicated<OpT>, OpT> {
  static void apply(OpT, Transfer &t) { t.giveAll(DistState::replicated()); }
};

struct BroadcastDistribution
    : DistributionModel<BroadcastDistribution, BroadcastOp> {
  static void apply(BroadcastOp op, Transfer &t) {
    int64_t rows = dynamicDim(op.getType());
    bool newRows = op.getLike() != nullptr;
    if (t[0].isPartial()) {
      if (newRows && !t[1].isReplicated())
        return t.needAll();
      return t.giveAll(t[0]);
    }
    if (newRows)
      return t.giveAll(t[1].isSharded() ? DistState::sharded(rows)
                                        : DistState::replicated());
    t.giveAll(t[0].isSharded() ? DistState::sharded(op.getDims()[t[0].dim])
                               : t[0]);
  }
};

static PartialKind partialKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return PartialKind::Sum;
  case ReduceKind::Max:
  case ReduceKind::Or: // of i1, the larger one
    return PartialKind::Max;
  case ReduceKind::Min:
  case ReduceKind::And:
    return PartialKind::Min;
  }
  llvm_unreachable("unknown reduction");
}

struct ReduceDistribution : DistributionModel<ReduceDistribution, ReduceOp> {
  static void apply(ReduceOp op, Transfer &t) {
    PartialKind kind = partialKind(op.getKind());
    if (t[0].isPartial())
      return t[0].isPartial(kind) ? t.giveAll(t[0]) : t.needAll();
    if (llvm::is_contained(op.getDims(), t[0].dim))
      return t.giveAll(DistState::partialOf(kind));
    t.giveAll(DistState::sharded(dynamicDim(op.getType())));
  }
};

struct ArgMaxDistribution : DistributionModel<ArgMaxDistribution, ArgMaxOp> {
  static void apply(ArgMaxOp op, Transfer &t) {
    if (t[0].isPartial())
      return t.needAll();
    t.giveAll(DistState::sharded(dynamicDim(op.getType())));
  }
};

struct TransposeDistribution
    : DistributionModel<TransposeDistribution, TransposeOp> {
  static void apply(TransposeOp op, Transfer &t) {
    t.giveAll(t[0].isSharded() ? DistState::sharded(dynamicDim(op.getType()))
                               : t[0]);
  }
};

/// The product of the extents before the dynamic dimension.
static int64_t leadingElements(RankedTensorType type) {
  int64_t product = 1;
  for (int64_t size : type.getShape().take_front(dynamicDim(type)))
    product *= size;
  return product;
}

struct ReshapeDistribution : DistributionModel<ReshapeDistribution, ReshapeOp> {
  static void apply(ReshapeOp op, Transfer &t) {
    if (!t[0].isSharded())
      return t.giveAll(t[0]);
    // The blocks of towers stay blocks where as many elements stand before the
    // rows as did, and a whole multiple of the rows comes out.
    auto from = cast<RankedTensorType>(op.getOperand().getType());
    if (leadingElements(from) != leadingElements(op.getType()) ||
        !rowMultiple(op.getResult()))
      return t.needAll();
    t.giveAll(DistState::sharded(dynamicDim(op.getType())));
  }
};

/// slice, pad: dynamic dimensions are left alone.
template <typename OpT>
struct WithinDistribution : DistributionModel<WithinDistribution<OpT>, OpT> {
  static void apply(OpT op, Transfer &t) {
    if (t.size() > 1 && !t[1].isReplicated())
      return t.needAll(); // the value that pads
    if (t[0].isPartial() && t.size() > 1 && !isZeroConstant(op->getOperand(1)))
      return t.needAll();
    t.giveAll(t[0]);
  }
};

struct ReverseDistribution : DistributionModel<ReverseDistribution, ReverseOp> {
  static void apply(ReverseOp op, Transfer &t) {
    // Reversed rows are another tower's.
    if (t[0].isSharded() && llvm::is_contained(op.getDims(), t[0].dim))
      return t.needAll();
    t.giveAll(t[0]);
  }
};

struct ConcatDistribution : DistributionModel<ConcatDistribution, ConcatOp> {
  static void apply(ConcatOp, Transfer &t) {
    for (unsigned i = 1; i < t.size(); ++i)
      if (t[i] != t[0])
        return t.needAll();
    t.giveAll(t[0]);
  }
};

struct IotaDistribution : DistributionModel<IotaDistribution, IotaOp> {
  static void apply(IotaOp op, Transfer &t) {
    // The dynamic dimension is not the one that is counted.
    t.giveAll(t[0].isSharded() ? DistState::sharded(dynamicDim(op.getType()))
                               : DistState::replicated());
  }
};

struct DimSizeDistribution : DistributionModel<DimSizeDistribution, DimSizeOp> {
  static void apply(DimSizeOp op, Transfer &t) {
    bool rows = t[0].isSharded(static_cast<int64_t>(op.getDim()));
    t.giveAll(rows ? DistState::partialOf(PartialKind::Sum)
                   : DistState::replicated());
  }
};

struct RandomDistribution : DistributionModel<RandomDistribution, RandomOp> {
  static void apply(RandomOp op, Transfer &t) {
    // The seed and the step are those of the run; the offset of the rows is the
    // tower's own.
    for (unsigned i = 0; i < t.size(); ++i)
      if (op->getOperand(i) != op.getRowOffset() &&
          op->getOperand(i) != op.getLike() && !t[i].isReplicated())
        t.need(i);
    if (!op.getLike())
      return t.giveAll(op.getRowOffset() ? DistState::sharded(-1)
                                         : DistState::replicated());
    t.giveAll(t[t.size() - 1].isSharded()
                  ? DistState::sharded(dynamicDim(op.getType()))
                  : DistState::replicated());
  }
};

struct GatherDistribution : DistributionModel<GatherDistribution, GatherOp> {
  static void apply(GatherOp op, Transfer &t) {
    int64_t batch = static_cast<int64_t>(op.getBatchDims());
    bool inBatch =
        t[0].isSharded() && t[1].isSharded(t[0].dim) && t[0].dim < batch;
    if (inBatch ||
        (t[0].isReplicated() && t[1].isSharded() && t[1].dim >= batch))
      return t.giveAll(DistState::sharded(dynamicDim(op.getType())));
    // Linear in the table.
    if (t[0].isPartial(PartialKind::Sum) && t[1].isReplicated())
      return t.giveAll(t[0]);
    t.needAll();
  }
};

struct ScatterAddDistribution
    : DistributionModel<ScatterAddDistribution, ScatterAddOp> {
  static void apply(ScatterAddOp op, Transfer &t) {
    int64_t batch = static_cast<int64_t>(op.getBatchDims());
    bool together = t[1].isSharded() && t[2].isSharded(t[1].dim);
    if (together && t[1].dim < batch && t[0].isSharded(t[1].dim))
      return t.giveAll(t[0]);
    // Every tower adds its own rows; the table that they start from counts
    // once.
    bool fromZero = t[0].isPartial(PartialKind::Sum) ||
                    (t[0].isReplicated() && isZeroConstant(op.getInit()));
    if (together && t[1].dim >= batch && fromZero)
      return t.giveAll(DistState::partialOf(PartialKind::Sum));
    t.needAll();
  }
};

} // namespace

void belfry::nn::attachShapeDistribution(MLIRContext *context) {
  Replicated<ConstantOp>::attach(context);
  BroadcastDistribution::attach(context);
  ReduceDistribution::attach(context);
  ArgMaxDistribution::attach(context);
  TransposeDistribution::attach(context);
  ReshapeDistribution::attach(context);
  WithinDistribution<SliceOp>::attach(context);
  WithinDistribution<PadOp>::attach(context);
  ReverseDistribution::attach(context);
  ConcatDistribution::attach(context);
  IotaDistribution::attach(context);
  DimSizeDistribution::attach(context);
  RandomDistribution::attach(context);
  GatherDistribution::attach(context);
  ScatterAddDistribution::attach(context);
}
