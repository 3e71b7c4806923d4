//===- GradientIndex.cpp - gradients of indexing; ops that have none ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/GradientModel.h"

using namespace mlir;
using namespace belfry::nn;

namespace {

struct GatherGradient : GradientModel<GatherGradient, GatherOp> {
  static LogicalResult build(GatherOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    Value zeros = b.splat(op.getTable(), 0.0);
    out[0] =
        ScatterAddOp::create(b.getBuilder(), b.getLoc(), zeros.getType(), zeros,
                             op.getIds(), grads[0], op.getBatchDims());
    return success();
  }
};

struct ScatterAddGradient : GradientModel<ScatterAddGradient, ScatterAddOp> {
  static LogicalResult build(ScatterAddOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (wanted[0])
      out[0] = grads[0];
    if (wanted[2])
      out[2] = GatherOp::create(b.getBuilder(), b.getLoc(), grads[0],
                                op.getIds(), op.getBatchDims());
    return success();
  }
};

/// Ops of which no operand has a gradient: they read shapes or integers only,
/// or their result is an integer.
template <typename OpT>
struct NoGradient : GradientModel<NoGradient<OpT>, OpT> {
  static LogicalResult build(OpT, CoreBuilder &, ValueRange, ArrayRef<bool>,
                             SmallVectorImpl<Value> &) {
    return success();
  }
};

} // namespace

void belfry::nn::attachIndexGradients(MLIRContext *context) {
  GatherGradient::attach(context);
  ScatterAddGradient::attach(context);
  NoGradient<ConstantOp>::attach(context);
  NoGradient<CompareOp>::attach(context);
  NoGradient<ArgMaxOp>::attach(context);
  NoGradient<IotaOp>::attach(context);
  NoGradient<DimSizeOp>::attach(context);
  NoGradient<RandomOp>::attach(context);
}
