//===- DistributionElementwise.cpp - transfer functions of elementwise ops ===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops keep a sharded dimension where all operands share it. They
// keep a partial sum where they are linear in the operands that are partial.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/DistributionModel.h"

using namespace mlir;
using namespace belfry::nn;

/// Operands that are all sharded along one dimension, or all replicated: the
/// result is as they are. Anything else has to be whole. A replicated operand
/// beside a sharded one has the whole extent, unless it is a scalar of a tower.
static void alike(Transfer &t) {
  DistState first = t[0];
  for (unsigned i = 1; i < t.size(); ++i)
    if (t[i] != first) {
      // Values without rows (a tower's number) go with replicated ones.
      auto hasNoRows = [&](const DistState &s) {
        return s.isReplicated() || s.isSharded(-1);
      };
      bool scalars = true;
      for (unsigned k = 0; k < t.size(); ++k)
        scalars &= hasNoRows(t[k]);
      if (scalars)
        return t.giveAll(DistState::sharded(-1));
      return t.needAll();
    }
  if (first.isPartial())
    return t.needAll();
  t.giveAll(first);
}

namespace {

struct UnaryDistribution : DistributionModel<UnaryDistribution, UnaryOp> {
  static void apply(UnaryOp op, Transfer &t) {
    if (t[0].isPartial(PartialKind::Sum) && op.getKind() == UnaryKind::Neg)
      return t.giveAll(t[0]);
    alike(t);
  }
};

struct BinaryDistribution : DistributionModel<BinaryDistribution, BinaryOp> {
  static void apply(BinaryOp op, Transfer &t) {
    if (!t.anyPartial())
      return alike(t);
    PartialKind sum = PartialKind::Sum;
    switch (op.getKind()) {
    case BinaryKind::Add:
    case BinaryKind::Sub:
      if (t[0].isPartial(sum) && t[1].isPartial(sum))
        return t.giveAll(t[0]);
      break;
    case BinaryKind::Mul:
      if ((t[0].isPartial(sum) && t[1].isReplicated()) ||
          (t[0].isReplicated() && t[1].isPartial(sum)))
        return t.giveAll(DistState::partialOf(sum));
      break;
    case BinaryKind::Div:
      // Integer division is not linear.
      if (t[0].isPartial(sum) && t[1].isReplicated() &&
          isa<FloatType>(getElementTypeOrSelf(op)))
        return t.giveAll(t[0]);
      break;
    case BinaryKind::Max:
    case BinaryKind::Min: {
      PartialKind kind =
          op.getKind() == BinaryKind::Max ? PartialKind::Max : PartialKind::Min;
      auto fits = [&](const DistState &s) {
        return s.isReplicated() || s.isPartial(kind);
      };
      if (fits(t[0]) && fits(t[1]))
        return t.giveAll(DistState::partialOf(kind));
      break;
    }
    default:
      break;
    }
    t.needAll();
  }
};

struct CompareDistribution : DistributionModel<CompareDistribution, CompareOp> {
  static void apply(CompareOp, Transfer &t) { alike(t); }
};

struct SelectDistribution : DistributionModel<SelectDistribution, SelectOp> {
  static void apply(SelectOp op, Transfer &t) {
    auto isPart = [&](unsigned i, Value v) {
      return t[i].isPartial(PartialKind::Sum) || isZeroConstant(v);
    };
    if (t.anyPartial() && t[0].isReplicated() && isPart(1, op.getOnTrue()) &&
        isPart(2, op.getOnFalse()))
      return t.giveAll(DistState::partialOf(PartialKind::Sum));
    alike(t);
  }
};

struct ConvertDistribution : DistributionModel<ConvertDistribution, ConvertOp> {
  static void apply(ConvertOp op, Transfer &t) {
    // Sums of integers are added up as integers, which is exact. f16 and bf16
    // are made of the whole sum, rounded once.
    Type from = getElementTypeOrSelf(op.getOperand()),
         to = getElementTypeOrSelf(op);
    bool floats = isa<FloatType>(from) && isa<FloatType>(to) && !isNarrow(to);
    if (t[0].isPartial() && floats)
      return t.giveAll(t[0]);
    alike(t);
  }
};

} // namespace

void belfry::nn::attachElementwiseDistribution(MLIRContext *context) {
  UnaryDistribution::attach(context);
  BinaryDistribution::attach(context);
  CompareDistribution::attach(context);
  SelectDistribution::attach(context);
  ConvertDistribution::attach(context);
}
