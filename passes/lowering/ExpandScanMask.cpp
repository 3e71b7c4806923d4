//===- ExpandScanMask.cpp - masked scans to selects -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mask becomes one more sequence; each carried value becomes a choice
// between the new and the old one, each output a choice between it and zero.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/FormUnits.h"

namespace belfry {
#define GEN_PASS_DEF_EXPANDSCANMASK
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

static void expand(nn::ScanOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> sequences(op.getSequences());
  sequences.push_back(op.getMask());
  nn::YieldOp yield = op.getYield();
  auto unmasked = nn::ScanOp::create(
      b, loc, op.getInits(), sequences, op.getClosed(), Value(),
      op.getReverse(), op.getSteps(), yield.getOutputs().getTypes());
  Block &body = unmasked.getBody().front(), &old = op.getBody().front();
  Value mask = unmasked.getSequenceArgs().back();
  SmallVector<Value> arguments(unmasked.getCarriedArgs());
  llvm::append_range(arguments, unmasked.getSequenceArgs().drop_back());
  llvm::append_range(arguments, unmasked.getClosedArgs());
  for (auto [before, after] : llvm::zip(old.getArguments(), arguments))
    before.replaceAllUsesWith(after);
  body.getOperations().splice(body.end(), old.getOperations());

  b.setInsertionPoint(yield);
  auto maskLike = [&](Value value) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    return nn::BroadcastOp::create(b, loc, type.clone(b.getI1Type()), mask,
                                   Value(), b.getDenseI64ArrayAttr({0}));
  };
  SmallVector<Value> carry, outputs;
  for (auto [value, argument] :
       llvm::zip(yield.getCarry(), unmasked.getCarriedArgs())) {
    if (value == argument) {
      carry.push_back(value);
      continue;
    }
    carry.push_back(nn::SelectOp::create(b, loc, value.getType(),
                                         maskLike(value), value, argument));
  }
  for (Value value : yield.getOutputs()) {
    auto type = cast<RankedTensorType>(value.getType());
    Value zero = nn::ConstantOp::create(
        b, loc, RankedTensorType::get({}, type.getElementType()), 0.0);
    zero = nn::BroadcastOp::create(b, loc, type, zero,
                                   type.hasStaticShape() ? Value() : value,
                                   b.getDenseI64ArrayAttr({}));
    outputs.push_back(
        nn::SelectOp::create(b, loc, type, maskLike(value), value, zero));
  }
  nn::YieldOp::create(b, loc, carry, outputs);
  yield.erase();
  op.replaceAllUsesWith(unmasked->getResults());
  op.erase();
}

namespace {
struct ExpandScanMaskPass
    : belfry::impl::ExpandScanMaskBase<ExpandScanMaskPass> {
  void runOnOperation() override {
    SmallVector<nn::ScanOp> masked;
    getOperation()->walk([&](nn::ScanOp op) {
      if (op.getMask() && !runsOnPackedRows(op))
        masked.push_back(op);
    });
    for (nn::ScanOp op : masked)
      expand(op);
    numExpanded += masked.size();
  }
};
} // namespace
