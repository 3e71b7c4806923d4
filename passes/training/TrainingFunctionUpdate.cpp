//===- TrainingFunctionUpdate.cpp - gradients and update of a function ----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Autodiff.h"
#include "passes/training/Optimizers.h"
#include "passes/training/TrainingFunction.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// Gradients of the trainable parameters, and what they are to be multiplied
/// with (null for 1).
LogicalResult
TrainingFunctionBuilder::differentiate(DenseMap<Value, Value> &gradientOf,
                                       Value &scale) {
  CoreBuilder b(builder, NameLoc::get(builder.getStringAttr("loss")));
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  SmallVector<Value> sources;
  for (auto [parameter, value] : parameters)
    if (parameter.getTrainable())
      sources.push_back(value);
  DenseSet<Value> active = findActiveValues(ops, sources);

  // One divisor for all outputs is taken out of the gradients: they are those
  // of the sums, scaled at the end.
  Type element =
      losses.empty() ? Type() : tensorType(losses[0].sum).getElementType();
  bool allRows =
      llvm::all_of(losses, [](OutputLoss &loss) { return loss.rows; });
  Differentiator differentiator(builder);
  auto weightOf = [](OutputLoss &loss) {
    return loss.op.getWeight().convertToDouble();
  };
  if (losses.size() == 1) {
    Value weight = b.scalar(element, weightOf(losses[0]));
    scale =
        losses[0].divisor ? divideNoNan(b, weight, losses[0].divisor) : weight;
    if (active.contains(losses[0].differentiated))
      differentiator.addGradient(losses[0].differentiated,
                                 b.scalar(element, 1.0));
  } else {
    if (allRows)
      scale = divideNoNan(b, b.scalar(element, 1.0),
                          b.convert(losses[0].rows, element));
    for (OutputLoss &loss : losses) {
      if (!active.contains(loss.differentiated))
        continue;
      Value seed = b.scalar(element, allRows ? weightOf(loss) / loss.perRow
                                             : weightOf(loss));
      if (!allRows && loss.divisor)
        seed = divideNoNan(b, seed, loss.divisor);
      differentiator.addGradient(loss.differentiated, seed);
    }
  }
  if (failed(differentiator.run(ops, active)))
    return failure();
  for (Value source : sources)
    if (Value g = differentiator.gradient(source))
      gradientOf[source] = g;
  return success();
}

LogicalResult TrainingFunctionBuilder::buildUpdate() {
  SmallVector<OptimizerOp> optimizers = compiled<OptimizerOp>();
  if (optimizers.size() > 1)
    return optimizers[1].emitError("second optimizer of model '")
           << model.getSymName() << "'";
  FailureOr<Optimizer> optimizer = Optimizer::get(optimizers[0]);
  if (failed(optimizer))
    return failure();
  module->setAttr(kOptimizerAttr, builder.getStringAttr(optimizer->kind()));

  DenseMap<Value, Value> gradientOf;
  Value scale;
  if (failed(differentiate(gradientOf, scale)))
    return failure();

  // Slots in Keras's order, run-time numbers, the step.
  Location loc = NameLoc::get(builder.getStringAttr("optimizer"));
  SmallVector<std::pair<ParameterOp, Value>> trainable;
  for (auto &entry : parameters)
    if (entry.first.getTrainable())
      trainable.push_back(entry);
  unsigned numSlots = optimizer->slots().size();
  SmallVector<SmallVector<Value>> slots(trainable.size(),
                                        SmallVector<Value>(numSlots));
  auto addSlot = [&](unsigned p, unsigned s) {
    slots[p][s] = addArgument(
        trainable[p].second.getType(), Role::Slot, loc,
        {nameAttr(optimizer->slots()[s]),
         named(kOfAttr,
               builder.getStringAttr(trainable[p].first.getSymName()))});
  };
  // Adam's velocity_hat follows as a block of its own.
  unsigned together = optimizer->interleaved() ? 2 : 0;
  for (unsigned p = 0; p < trainable.size(); ++p)
    for (unsigned s = 0; s < together; ++s)
      addSlot(p, s);
  for (unsigned s = together; s < numSlots; ++s)
    for (unsigned p = 0; p < trainable.size(); ++p)
      addSlot(p, s);
  DenseMap<StringRef, Value> hypers;
  for (auto &[name, value] : optimizer->hypers())
    hypers[name] = addArgument(
        RankedTensorType::get({}, builder.getF64Type()), Role::Hyper, loc,
        {nameAttr(name), named(kValueAttr, builder.getF64FloatAttr(value))});

  CoreBuilder b(builder, loc);
  Value step = StepOp::create(builder, loc);
  optimizer->buildScalars(
      b, [&](StringRef name) { return hypers.lookup(name); }, step);
  SmallVector<std::pair<StringRef, Value>> raw;
  for (auto [p, entry] : llvm::enumerate(trainable)) {
    auto [parameter, value] = entry;
    Value g = gradientOf.lookup(value);
    if (!g) {
      unused.push_back(parameter);
      continue;
    }
    ++gradients;
    raw.emplace_back(parameter.getSymName(), g);
    // SGD squares nothing.
    Value squared = optimizer->kind() == "sgd" ? Value() : squareOfSlices(b, g);
    if (scale) {
      Value factor = b.broadcastScalar(
          b.convert(scale, tensorType(g).getElementType()), g);
      g = b.mul(g, factor);
      if (squared)
        squared = b.mul(b.mul(squared, factor), factor);
    }
    addResult(optimizer->buildUpdate(b, value, g, squared, slots[p]),
              Role::Parameter, parameter.getSymName());
    for (auto [name, slot] : llvm::zip_equal(optimizer->slots(), slots[p]))
      addResult(slot, Role::Slot, name,
                named(kOfAttr, builder.getStringAttr(parameter.getSymName())));
  }
  for (auto [name, g] : raw)
    addResult(g, Role::Gradient, name);
  if (!raw.empty())
    addResult(scale ? scale
                    : b.scalar(tensorType(losses[0].sum).getElementType(), 1.0),
              Role::GradientScale, "");
  return success();
}
