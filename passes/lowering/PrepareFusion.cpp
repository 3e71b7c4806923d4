//===- PrepareFusion.cpp - data movement out of the way of fusion ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops share a loop when their shapes agree. Three rewrites bring
// ops to one shape where a part of a value is cut out or put together between:
//
//   * a sum of values padded with zeros to disjoint ranges is a concatenation;
//   * an elementwise op that only slices read is done on the slices;
//   * an elementwise op on a concatenation, with operands that do not vary
//     along it, is done on the parts.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/FormUnits.h"

namespace belfry {
#define GEN_PASS_DEF_PREPAREFUSION
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat())
    return false;
  Attribute splat = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(splat))
    return number.getValue().isZero();
  return cast<IntegerAttr>(splat).getValue().isZero();
}

/// A clone of the elementwise `op` on other operands, of another shape.
static Value cloneOn(OpBuilder &b, Operation *op, ValueRange operands,
                     ArrayRef<int64_t> shape) {
  IRMapping map;
  for (auto [before, after] : llvm::zip(op->getOperands(), operands))
    map.map(before, after);
  Operation *clone = b.clone(*op, map);
  auto element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  clone->getResult(0).setType(RankedTensorType::get(shape, element));
  return clone->getResult(0);
}

namespace {

/// A value that is zero but for a range of one dimension.
struct Part {
  Value value;
  int64_t low, size;
};

struct PadsToConcat : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != nn::BinaryKind::Add)
      return failure();
    // Only the root of a tree of additions.
    if (op->hasOneUse())
      if (auto user = dyn_cast<nn::BinaryOp>(*op->user_begin());
          user && user.getKind() == nn::BinaryKind::Add)
        return failure();
    SmallVector<Part> parts;
    int64_t dim = -1;
    SmallVector<Value> pending{op.getLhs(), op.getRhs()};
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (auto add = value.getDefiningOp<nn::BinaryOp>();
          add && add.getKind() == nn::BinaryKind::Add && value.hasOneUse()) {
        pending.push_back(add.getLhs());
        pending.push_back(add.getRhs());
        continue;
      }
      auto pad = value.getDefiningOp<nn::PadOp>();
      if (!pad || !isZero(pad.getValue()))
        return failure();
      auto type = cast<RankedTensorType>(pad.getOperand().getType());
      for (int64_t d = 0; d < type.getRank(); ++d) {
        if (pad.getInterior()[d] != 0)
          return failure();
        if (pad.getLow()[d] == 0 && pad.getHigh()[d] == 0)
          continue;
        if ((dim >= 0 && dim != d) || pad.getLow()[d] < 0 ||
            pad.getHigh()[d] < 0)
          return failure();
        dim = d;
      }
      if (dim < 0)
        return failure();
      parts.push_back(
          {pad.getOperand(), pad.getLow()[dim], type.getDimSize(dim)});
    }
    llvm::sort(parts,
               [](const Part &x, const Part &y) { return x.low < y.low; });
    int64_t at = 0;
    for (const Part &part : parts) {
      if (part.low != at)
        return failure();
      at += part.size;
    }
    if (at != cast<RankedTensorType>(op.getType()).getDimSize(dim))
      return failure();
    SmallVector<Value> values;
    for (const Part &part : parts)
      values.push_back(part.value);
    rewriter.replaceOpWithNewOp<nn::ConcatOp>(op, op.getType(), values,
                                              rewriter.getI64IntegerAttr(dim));
    return success();
  }
};

struct SliceOfMap : OpRewritePattern<nn::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SliceOp op,
                                PatternRewriter &rewriter) const override {
    Operation *map = op.getOperand().getDefiningOp();
    // A product is added in place, to all columns at once.
    if (!isMap(map) || accumulationOf(map))
      return failure();
    auto elements = [](Type type) {
      int64_t count = 1;
      for (int64_t extent : cast<RankedTensorType>(type).getShape())
        count *= ShapedType::isDynamic(extent) ? 1 : extent;
      return count;
    };
    int64_t read = 0;
    for (Operation *user : map->getUsers()) {
      if (!isa<nn::SliceOp>(user))
        return failure();
      read += elements(user->getResult(0).getType());
    }
    // Nothing is computed twice.
    if (read > elements(map->getResult(0).getType()))
      return failure();
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
    SmallVector<Operation *> users(map->getUsers());
    for (Operation *user : users) {
      auto slice = cast<nn::SliceOp>(user);
      shape = cast<RankedTensorType>(slice.getType()).getShape();
      rewriter.setInsertionPoint(slice);
      SmallVector<Value> operands;
      for (Value operand : map->getOperands())
        operands.push_back(nn::SliceOp::create(
            rewriter, slice.getLoc(),
            RankedTensorType::get(
                shape,
                cast<RankedTensorType>(operand.getType()).getElementType()),
            operand, slice.getStartAttr(), slice.getLimitAttr(),
            slice.getStrideAttr()));
      rewriter.replaceOp(slice, cloneOn(rewriter, map, operands, shape));
    }
    rewriter.eraseOp(map);
    return success();
  }
};

struct MapOfConcat : RewritePattern {
  MapOfConcat(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMap(op))
      return failure();
    nn::ConcatOp concat;
    for (Value operand : op->getOperands())
      if (auto made = operand.getDefiningOp<nn::ConcatOp>())
        concat = made;
    if (!concat)
      return failure();
    int64_t dim = concat.getDim();
    for (Value operand : op->getOperands()) {
      if (operand == concat.getResult())
        continue;
      auto broadcast = operand.getDefiningOp<nn::BroadcastOp>();
      if (!broadcast || llvm::is_contained(broadcast.getDims(), dim))
        return failure();
    }
    SmallVector<Value> parts;
    for (Value part : concat.getOperands()) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(part.getType()).getShape();
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        if (operand == concat.getResult()) {
          operands.push_back(part);
          continue;
        }
        auto broadcast = operand.getDefiningOp<nn::BroadcastOp>();
        auto type = RankedTensorType::get(
            shape, cast<RankedTensorType>(operand.getType()).getElementType());
        operands.push_back(nn::BroadcastOp::create(
            rewriter, operand.getLoc(), type, broadcast.getOperand(),
            broadcast.getLike(), broadcast.getDimsAttr()));
      }
      parts.push_back(cloneOn(rewriter, op, operands, shape));
    }
    rewriter.replaceOpWithNewOp<nn::ConcatOp>(
        op, op->getResult(0).getType(), parts, rewriter.getI64IntegerAttr(dim));
    return success();
  }
};

struct PrepareFusionPass : belfry::impl::PrepareFusionBase<PrepareFusionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PadsToConcat, SliceOfMap, MapOfConcat>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
