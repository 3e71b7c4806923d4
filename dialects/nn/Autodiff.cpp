//===- Autodiff.cpp - reverse-mode differentiation ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Autodiff.h"

#include "dialects/nn/Builders.h"

using namespace mlir;
using namespace belfry::nn;

DenseSet<Value> belfry::nn::findActiveValues(ArrayRef<Operation *> ops,
                                             ValueRange sources) {
  DenseSet<Value> active;
  for (Value v : sources)
    if (hasFloatElements(v))
      active.insert(v);
  for (Operation *op : ops) {
    if (op->hasAttr(kNoGradientAttr) ||
        llvm::none_of(op->getOperands(),
                      [&](Value v) { return active.contains(v); }))
      continue;
    for (Value result : op->getResults())
      if (hasFloatElements(result))
        active.insert(result);
  }
  return active;
}

void Differentiator::addGradient(Value of, Value gradient) {
  Value &sum = gradients[of];
  if (!sum) {
    sum = gradient;
    return;
  }
  // Keep the location of the op whose gradient this is.
  sum = BinaryOp::create(builder, gradient.getLoc(), sum.getType(),
                         BinaryKind::Add, sum, gradient);
}

LogicalResult Differentiator::run(ArrayRef<Operation *> ops,
                                  const DenseSet<Value> &active,
                                  Intercept intercept) {
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> resultGrads;
    for (Value result : op->getResults())
      resultGrads.push_back(gradients.lookup(result));
    if (llvm::none_of(resultGrads, [](Value v) { return v; }))
      continue;
    // The op may be replaced while its gradient is built.
    SmallVector<Value> operands(op->getOperands());
    SmallVector<bool> wanted;
    for (OpOperand &operand : op->getOpOperands())
      wanted.push_back(active.contains(operand.get()) &&
                       !(intercept && intercept(operand, resultGrads)));
    if (llvm::none_of(wanted, [](bool w) { return w; }))
      continue;
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable)
      return op->emitOpError("has no gradient");
    SmallVector<Value> operandGrads;
    if (failed(differentiable.buildGradient(builder, resultGrads, wanted,
                                            operandGrads)))
      return failure();
    for (auto [operand, gradient] : llvm::zip_equal(operands, operandGrads))
      if (gradient)
        addGradient(operand, gradient);
  }
  return success();
}
