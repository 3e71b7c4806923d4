//===- CollapseElementwise.cpp - ops over arrays as over one row ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/CollapseElementwise.h"

#include "passes/cuda/KernelTypes.h"
#include "passes/host/HostViews.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

/// Whether the operand is a whole array that the loops take in row-major order;
/// if not, it has to be a single element.
static bool isWhole(linalg::LinalgOp op, OpOperand &operand) {
  return op.getMatchingIndexingMap(&operand).isIdentity();
}

static bool canCollapse(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp, linalg::FillOp>(op) || op.getNumLoops() == 0 ||
      op.getNumReductionLoops() > 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingIndexingMap(&operand).getNumResults() == 0 &&
        !op.isDpsInit(&operand))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !type.getLayout().isIdentity() || !isWhole(op, operand))
      return false;
  }
  return !op.getBlock()
              ->walk([](linalg::IndexOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

void belfry::collapseElementwise(
    linalg::LinalgOp op, function_ref<OpFoldResult(Value, int64_t)> extentOf) {
  if (!canCollapse(op))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto shape = cast<MemRefType>(op.getDpsInits().back().getType());
  OpFoldResult size = b.getIndexAttr(1);
  for (int64_t d = 0; d < shape.getRank(); ++d)
    size = mulIndex(b, loc, size,
                    shape.isDynamicDim(d)
                        ? extentOf(op.getDpsInits().back(), d)
                        : OpFoldResult(b.getIndexAttr(shape.getDimSize(d))));
  // A number that the kernel is not to know.
  Value extent = indexValue(b, loc, size);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isWhole(op, operand)) {
      operands.push_back(operand.get());
      maps.push_back(AffineMap::get(1, 0, b.getContext()));
      continue;
    }
    auto type = cast<MemRefType>(operand.get().getType());
    auto row = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
    operands.push_back(memref::ReinterpretCastOp::create(
        b, loc, row, bufferBehind(operand.get()), b.getIndexAttr(0),
        ArrayRef<OpFoldResult>{extent},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}));
    maps.push_back(b.getMultiDimIdentityMap(1));
  }
  unsigned inputs = op.getNumDpsInputs();
  auto row =
      linalg::GenericOp::create(b, loc, ValueRange(operands).take_front(inputs),
                                ValueRange(operands).drop_front(inputs), maps,
                                utils::IteratorType::parallel);
  row.getRegion().takeBody(op->getRegion(0));
  row->setAttr(kShapeAttr, b.getStringAttr(shapeText(shape)));
  op.erase();
}
