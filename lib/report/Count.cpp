//===- Count.cpp - flops and bytes of an op -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/report/Count.h"

#include "dialects/nn/RowMultiple.h"
#include "dialects/tower/Tower.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

static int64_t sizeOfElement(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

RowCount belfry::elementsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t fixed = 1;
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      fixed *= extent;
  if (dynamicDim(type) < 0)
    return {0, fixed};
  return {fixed * rowMultiple(value).value_or(1), 0};
}

RowCount belfry::bytesOf(Value value) {
  RowCount count = elementsOf(value);
  int64_t size =
      sizeOfElement(cast<RankedTensorType>(value.getType()).getElementType());
  return {count.perRow * size, count.fixed * size};
}

static RowCount product(RowCount a, RowCount b) {
  return {a.perRow * b.fixed + a.fixed * b.perRow + a.perRow * b.perRow,
          a.fixed * b.fixed};
}

/// Elements that are added up for each element of the result.
static RowCount contracted(DotOp dot) {
  auto type = cast<RankedTensorType>(dot.getLhs().getType());
  RowCount count{0, 1};
  for (int64_t d : dot.getLhsContract()) {
    int64_t extent = type.getDimSize(d);
    count =
        product(count, ShapedType::isDynamic(extent)
                           ? RowCount{rowMultiple(dot.getLhs()).value_or(1), 0}
                           : RowCount{0, extent});
  }
  return count;
}

/// Products a kernel (KH, KW, C, F) needs for each element and channel.
static int64_t window(Value kernel) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(kernel.getType()).getShape();
  return shape[0] * shape[1] * shape[2];
}

static RowCount flopsOf(Operation *op) {
  auto scaled = [](RowCount count, int64_t by) {
    return RowCount{count.perRow * by, count.fixed * by};
  };
  return llvm::TypeSwitch<Operation *, RowCount>(op)
      .Case<UnaryOp, BinaryOp, CompareOp, SelectOp>(
          [](Operation *o) { return elementsOf(o->getResult(0)); })
      .Case<nn::ReduceOp, ArgMaxOp>(
          [](Operation *o) { return elementsOf(o->getOperand(0)); })
      .Case([](ScatterAddOp o) { return elementsOf(o.getUpdates()); })
      .Case([&](DotOp o) {
        return scaled(product(elementsOf(o.getResult()), contracted(o)), 2);
      })
      .Case([&](Conv2DOp o) {
        return scaled(elementsOf(o.getResult()), 2 * window(o.getKernel()));
      })
      .Case([&](Conv2DInputGradOp o) {
        return scaled(elementsOf(o.getGrad()), 2 * window(o.getKernel()));
      })
      .Case([&](Conv2DKernelGradOp o) {
        return scaled(elementsOf(o.getGrad()), 2 * window(o.getResult()));
      })
      .Default([](Operation *) { return RowCount(); });
}

/// Whether only the shape of an operand is read.
static bool isShapeOperand(Operation *op, Value operand) {
  if (isa<DimSizeOp>(op))
    return true;
  Value like = llvm::TypeSwitch<Operation *, Value>(op)
                   .Case<BroadcastOp, IotaOp, RandomOp>(
                       [](auto o) { return Value(o.getLike()); })
                   .Default([](Operation *) { return Value(); });
  return like && like == operand;
}

OpCount belfry::countOp(Operation *op) {
  OpCount count;
  // Views move nothing, and a scan's body counts by itself.
  if (isa<BroadcastOp, TransposeOp, ReshapeOp, SliceOp, ReverseOp, ConstantOp,
          DimSizeOp, ScanOp>(op))
    return count;
  count.flops = flopsOf(op);
  for (Value operand : op->getOperands())
    if (!isShapeOperand(op, operand))
      count.read += bytesOf(operand);
  for (Value result : op->getResults())
    count.written += bytesOf(result);
  return count;
}
