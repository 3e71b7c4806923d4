//===- WidenNarrowFloats.cpp - f16 and bf16 are computed with in f32 ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --widen-narrow-floats
//
// 1. Each op that computes with elements of 16 bits becomes the op on f32
//    between conversions; a conversion that skips f32 becomes two.
// 2. What every step of a loop widens is widened before the loop.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Builders.h"
#include "passes/Passes.h"

namespace belfry {
#define GEN_PASS_DEF_WIDENNARROWFLOATS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// `type` with elements of f32 where they are narrower.
static Type widened(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return nn::isNarrow(tensor.getElementType())
             ? tensor.clone(Float32Type::get(type.getContext()))
             : tensor;
}

/// `value` as `type`; what is made for `op` stands where the op was placed.
static Value converted(OpBuilder &b, Operation *op, Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto convert = nn::ConvertOp::create(b, op->getLoc(), type, value);
  convert->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return convert;
}

static void widen(Operation *op) {
  OpBuilder b(op);
  Operation *wide = op;
  Value result = op->getResult(0);
  Type type = result.getType();
  if (isa<nn::ConvertOp>(op)) {
    // The operand in f32, and from there to the result's type.
    Type between = cast<RankedTensorType>(type).clone(b.getF32Type());
    wide = converted(b, op, op->getOperand(0), between).getDefiningOp();
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(converted(b, op, operand, widened(operand.getType())));
    wide = op->clone();
    wide->setOperands(operands);
    wide->getResult(0).setType(widened(type));
    b.insert(wide);
  }
  result.replaceAllUsesWith(converted(b, op, wide->getResult(0), type));
  op->erase();
}

/// Closes the loop over the widened value where its body does nothing with a
/// closed one but widen it.
static void hoistConversions(nn::ScanOp scan) {
  OpBuilder b(scan);
  for (auto [operand, argument] :
       llvm::zip(scan.getClosedMutable(), scan.getClosedArgs())) {
    Type wide = widened(argument.getType());
    auto widens = [&](Operation *user) {
      return isa<nn::ConvertOp>(user) && user->getResult(0).getType() == wide;
    };
    if (wide == argument.getType() || argument.use_empty() ||
        !llvm::all_of(argument.getUsers(), widens))
      continue;
    Operation *first = *argument.user_begin();
    Value value =
        nn::ConvertOp::create(b, first->getLoc(), wide, operand.get());
    value.getDefiningOp()->setDiscardableAttrs(
        first->getDiscardableAttrDictionary());
    operand.set(value);
    argument.setType(wide);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
  }
}

namespace {
struct WidenNarrowFloatsPass
    : belfry::impl::WidenNarrowFloatsBase<WidenNarrowFloatsPass> {
  using WidenNarrowFloatsBase::WidenNarrowFloatsBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<nn::ScanOp> scans;
    getOperation()->walk([&](Operation *op) {
      if (nn::computesInNarrow(op))
        ops.push_back(op);
      if (auto scan = dyn_cast<nn::ScanOp>(op))
        scans.push_back(scan);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    llvm::for_each(ops, widen);
    // Inner loops are walked first: what leaves one may leave the next too.
    llvm::for_each(scans, hoistConversions);
    numWidened += ops.size();
  }
};
} // namespace
