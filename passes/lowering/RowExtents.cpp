//===- RowExtents.cpp - dynamic extents as multiples of rows --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/RowExtents.h"

#include "dialects/nn/RowMultiple.h"
#include "dialects/tower/Tower.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry;

static bool isDynamic(Value value) {
  return value && !cast<RankedTensorType>(value.getType()).hasStaticShape();
}

int64_t belfry::elementBytes(Type element) {
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}

/// The operand from which the dynamic dimension of `result` comes.
static Value sourceOf(OpResult result) {
  Operation *op = result.getOwner();
  if (auto dot = dyn_cast<nn::DotOp>(op)) {
    bool fromLhs = isDynamic(dot.getLhs()) &&
                   !llvm::is_contained(dot.getLhsContract(),
                                       nn::dynamicDim(dot.getLhs().getType()));
    return fromLhs ? dot.getLhs() : dot.getRhs();
  }
  if (auto gather = dyn_cast<nn::GatherOp>(op))
    return isDynamic(gather.getIds()) ? Value(gather.getIds())
                                      : Value(gather.getTable());
  if (auto scan = dyn_cast<nn::ScanOp>(op)) {
    unsigned index = result.getResultNumber();
    unsigned carried = scan.getInits().size();
    return index < carried ? scan.getInits()[index]
                           : scan.getYield().getOutputs()[index - carried];
  }
  if (auto replicate = dyn_cast<tower::ReplicateOp>(op))
    return replicate.getBody().front().getTerminator()->getOperand(
        result.getResultNumber());
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && isDynamic(operand))
      return operand;
  return {};
}

/// The steps of a mask by steps and rows.
static int64_t stepsOf(Value mask) {
  return cast<RankedTensorType>(mask.getType()).getDimSize(0);
}

FailureOr<int64_t> RowExtents::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned index = argument.getArgNumber();
    if (auto scan = dyn_cast<nn::ScanOp>(parent))
      return multiple(scan->getOperand(index));
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      if (auto attr =
              function.getArgAttrOfType<IntegerAttr>(index, kExtentAttr))
        return attr.getInt();
    return 1;
  }
  auto result = cast<OpResult>(value);
  Value source = sourceOf(result);
  if (!source)
    return result.getOwner()->emitOpError(
        "makes a dynamic dimension that no operand has");
  FailureOr<int64_t> m = multiple(source);
  if (failed(m))
    return failure();
  if (auto pack = dyn_cast<nn::PackStepsOp>(result.getOwner()))
    return *m * stepsOf(pack.getMask());
  if (auto unpack = dyn_cast<nn::UnpackStepsOp>(result.getOwner()))
    return *m / std::max<int64_t>(stepsOf(unpack.getMask()), 1);
  if (!isa<nn::ReshapeOp>(result.getOwner()))
    return m;
  int64_t from = *m * nn::staticElements(source.getType()),
          to = nn::staticElements(value.getType());
  if (to == 0 || from % to != 0)
    return result.getOwner()->emitOpError("gives a dynamic extent of ")
           << from << '/' << to
           << " times the rows, which is not a whole multiple";
  return from / to;
}

FailureOr<int64_t> RowExtents::multiple(Value value) {
  if (!isDynamic(value))
    return 0;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  FailureOr<int64_t> m = compute(value);
  if (succeeded(m))
    known[value] = *m;
  return m;
}

FailureOr<std::pair<int64_t, int64_t>> RowExtents::elements(Value value) {
  FailureOr<int64_t> m = multiple(value);
  if (failed(m))
    return failure();
  int64_t count = nn::staticElements(value.getType());
  if (!isDynamic(value))
    return std::pair<int64_t, int64_t>(0, count);
  return std::pair<int64_t, int64_t>(*m * count, 0);
}
