//===- GradientShape.cpp - gradients of reductions and data movement ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/GradientModel.h"

using namespace mlir;
using namespace belfry::nn;

namespace {

struct BroadcastGradient : GradientModel<BroadcastGradient, BroadcastOp> {
  static LogicalResult build(BroadcastOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    SmallVector<int64_t> added;
    for (int64_t d = 0; d < op.getType().getRank(); ++d)
      if (!llvm::is_contained(op.getDims(), d))
        added.push_back(d);
    out[0] = b.reduce(ReduceKind::Sum, grads[0], added);
    return success();
  }
};

struct ReduceGradient : GradientModel<ReduceGradient, ReduceOp> {
  static LogicalResult build(ReduceOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    Value x = op.getOperand();
    if (op.getKind() == ReduceKind::Sum) {
      out[0] = b.unreduce(grads[0], x, op.getDims());
      return success();
    }
    // Elements that attain the extreme share its gradient in equal parts.
    Value attains = b.compare(CompareKind::Eq, x,
                              b.unreduce(op.getResult(), x, op.getDims()));
    Value share = b.convert(attains, tensorType(x).getElementType());
    Value count = b.reduce(ReduceKind::Sum, share, op.getDims());
    out[0] = b.mul(share, b.unreduce(b.div(grads[0], count), x, op.getDims()));
    return success();
  }
};

struct TransposeGradient : GradientModel<TransposeGradient, TransposeOp> {
  static LogicalResult build(TransposeOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    SmallVector<int64_t> inverse(op.getPerm().size());
    for (auto [to, from] : llvm::enumerate(op.getPerm()))
      inverse[from] = static_cast<int64_t>(to);
    out[0] = b.transpose(grads[0], inverse);
    return success();
  }
};

struct ReshapeGradient : GradientModel<ReshapeGradient, ReshapeOp> {
  static LogicalResult build(ReshapeOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (wanted[0])
      out[0] = b.reshape(grads[0], tensorType(op.getOperand()).getShape());
    return success();
  }
};

struct SliceGradient : GradientModel<SliceGradient, SliceOp> {
  static LogicalResult build(SliceOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    RankedTensorType from = tensorType(op.getOperand()), to = op.getType();
    SmallVector<int64_t> low, high, interior;
    for (int64_t d = 0; d < from.getRank(); ++d) {
      if (from.isDynamicDim(d)) {
        low.push_back(0), high.push_back(0), interior.push_back(0);
        continue;
      }
      int64_t size = to.getDimSize(d), stride = op.getStride()[d];
      int64_t spread = size > 0 ? (size - 1) * stride + 1 : 0;
      low.push_back(op.getStart()[d]);
      high.push_back(from.getDimSize(d) - op.getStart()[d] - spread);
      interior.push_back(stride - 1);
    }
    Value zero = b.scalar(to.getElementType(), 0.0);
    out[0] = PadOp::create(b.getBuilder(), b.getLoc(), grads[0], zero, low,
                           high, interior);
    return success();
  }
};

struct PadGradient : GradientModel<PadGradient, PadOp> {
  static LogicalResult build(PadOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    RankedTensorType from = tensorType(op.getOperand());
    SmallVector<int64_t> start, limit, stride;
    for (int64_t d = 0; d < from.getRank(); ++d) {
      if (from.isDynamicDim(d)) {
        start.push_back(0), limit.push_back(-1), stride.push_back(1);
        continue;
      }
      int64_t size = from.getDimSize(d), step = op.getInterior()[d] + 1;
      start.push_back(op.getLow()[d]);
      limit.push_back(op.getLow()[d] + (size > 0 ? (size - 1) * step + 1 : 0));
      stride.push_back(step);
    }
    Value inner = SliceOp::create(b.getBuilder(), b.getLoc(), grads[0], start,
                                  limit, stride);
    if (wanted[0])
      out[0] = inner;
    if (wanted[1])
      out[1] = b.sub(b.reduceAll(ReduceKind::Sum, grads[0]),
                     b.reduceAll(ReduceKind::Sum, inner));
    return success();
  }
};

struct ReverseGradient : GradientModel<ReverseGradient, ReverseOp> {
  static LogicalResult build(ReverseOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (wanted[0])
      out[0] = ReverseOp::create(b.getBuilder(), b.getLoc(), grads[0].getType(),
                                 grads[0], op.getDims());
    return success();
  }
};

struct ConcatGradient : GradientModel<ConcatGradient, ConcatOp> {
  static LogicalResult build(ConcatOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    int64_t dim = static_cast<int64_t>(op.getDim()), at = 0;
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      RankedTensorType type = tensorType(operand);
      int64_t size = type.getDimSize(dim);
      if (wanted[i]) {
        SmallVector<int64_t> start(type.getRank(), 0),
            stride(type.getRank(), 1), limit;
        for (int64_t d = 0; d < type.getRank(); ++d)
          limit.push_back(type.isDynamicDim(d) ? -1 : type.getDimSize(d));
        start[dim] = at;
        limit[dim] = at + size;
        out[i] = SliceOp::create(b.getBuilder(), b.getLoc(), grads[0], start,
                                 limit, stride);
      }
      at += size;
    }
    return success();
  }
};

} // namespace

void belfry::nn::attachShapeGradients(MLIRContext *context) {
  BroadcastGradient::attach(context);
  ReduceGradient::attach(context);
  TransposeGradient::attach(context);
  ReshapeGradient::attach(context);
  SliceGradient::attach(context);
  PadGradient::attach(context);
  ReverseGradient::attach(context);
  ConcatGradient::attach(context);
}
