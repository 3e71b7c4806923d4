//===- RowMultiple.cpp - how long a dynamic dimension is ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/RowMultiple.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace belfry::nn;

int64_t belfry::nn::dynamicDim(Type type) {
  auto shape = cast<RankedTensorType>(type).getShape();
  for (auto [d, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      return static_cast<int64_t>(d);
  return -1;
}

int64_t belfry::nn::staticElements(Type type) {
  int64_t product = 1;
  for (int64_t size : cast<RankedTensorType>(type).getShape())
    if (!ShapedType::isDynamic(size))
      product *= size;
  return product;
}

/// The operand whose dynamic dimension the result's is.
static Value rowSource(Operation *op) {
  auto isDynamic = [](Value v) { return v && dynamicDim(v.getType()) >= 0; };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<BroadcastOp>([&](BroadcastOp broadcast) {
        return broadcast.getLike() ? broadcast.getLike()
                                   : broadcast.getOperand();
      })
      .Case<DotOp>([&](DotOp dot) {
        // A contracted dimension is gone.
        bool left = isDynamic(dot.getLhs()) &&
                    !llvm::is_contained(dot.getLhsContract(),
                                        dynamicDim(dot.getLhs().getType()));
        return left ? dot.getLhs() : dot.getRhs();
      })
      .Case<GatherOp>([&](GatherOp gather) {
        return isDynamic(gather.getIds()) ? gather.getIds() : gather.getTable();
      })
      .Case<RandomOp>([](RandomOp random) { return random.getLike(); })
      .Default([&](Operation *other) {
        for (Value operand : other->getOperands())
          if (isDynamic(operand))
            return operand;
        return Value();
      });
}

/// What a value of a scan's body, or a result of a scan, has its rows from.
static Value scanSource(Value v) {
  if (auto result = dyn_cast<OpResult>(v)) {
    auto scan = cast<ScanOp>(result.getOwner());
    unsigned i = result.getResultNumber(), inits = scan.getInits().size();
    return i < inits ? scan.getInits()[i]
                     : scan.getYield().getOutputs()[i - inits];
  }
  auto arg = cast<BlockArgument>(v);
  auto scan = dyn_cast<ScanOp>(arg.getOwner()->getParentOp());
  return scan ? scan->getOperand(arg.getArgNumber()) : Value();
}

std::optional<int64_t> belfry::nn::rowMultiple(Value v) {
  // Follow the rows to where they come from; only reshapes change the multiple,
  // as a fraction up ÷ down.
  int64_t up = 1, down = 1;
  auto scale = [&](int64_t more, int64_t less) {
    int64_t common = std::gcd(up * more, down * less);
    up = up * more / common;
    down = down * less / common;
  };
  while (v && dynamicDim(v.getType()) >= 0) {
    if (isa<BlockArgument>(v) || v.getDefiningOp<ScanOp>()) {
      Value source = scanSource(v);
      if (!source) // an argument of the function
        return up % down == 0 ? std::optional<int64_t>(up / down)
                              : std::nullopt;
      v = source;
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      int64_t from = staticElements(reshape.getOperand().getType());
      int64_t to = staticElements(reshape.getResult().getType());
      if (down * to == 0)
        return std::nullopt;
      scale(from, to);
    }
    // Packed rows are those of all steps.
    auto stepsOf = [](Value mask) {
      return std::max<int64_t>(
          cast<RankedTensorType>(mask.getType()).getDimSize(0), 1);
    };
    if (auto pack = dyn_cast<PackStepsOp>(op))
      scale(stepsOf(pack.getMask()), 1);
    if (auto unpack = dyn_cast<UnpackStepsOp>(op))
      scale(1, stepsOf(unpack.getMask()));
    v = rowSource(op);
  }
  return std::nullopt;
}

Value belfry::nn::rowOrigin(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    // Packed rows are others than those of the steps.
    if (isa<PackStepsOp, UnpackStepsOp>(op))
      break;
    if (auto reshape = dyn_cast<ReshapeOp>(op);
        reshape && staticElements(reshape.getOperand().getType()) !=
                       staticElements(reshape.getType()))
      break;
    Value source = rowSource(op);
    if (!source || dynamicDim(source.getType()) < 0 ||
        source.getParentBlock() != v.getParentBlock())
      break;
    v = source;
  }
  return v;
}
