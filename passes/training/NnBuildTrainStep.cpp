//===- NnBuildTrainStep.cpp - from a model to training functions ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function:
//
//   1. Make a function with the arguments that it needs, and copy the model's
//      body into it; parameters become arguments.
//   2. Keep hold of what goes into the activation of an output whose loss
//      bypasses it, then decompose the layers.
//   3. (evaluate, train) Build the elements of each loss and metric, weight
//   them
//      by sample weight and mask, and sum them.
//   4. (train) Differentiate the sums, scale the gradients, build the
//      optimizer's update of every parameter.
//   5. Return everything under its role.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "passes/training/TrainingFunction.h"

#include "llvm/ADT/StringExtras.h"

namespace belfry {
#define GEN_PASS_DEF_NNBUILDTRAINSTEP
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace {

struct NnBuildTrainStep : belfry::impl::NnBuildTrainStepBase<NnBuildTrainStep> {
  using NnBuildTrainStepBase::NnBuildTrainStepBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    SmallVector<ModelOp> models(module.getOps<ModelOp>());
    if (models.size() != 1)
      return module.emitError("expected one nn.model, got ") << models.size();
    SmallVector<CompileOp> compiles(module.getOps<CompileOp>());
    if (compiles.size() > 1)
      return compiles[1].emitError("second nn.compile of the module");
    CompileOp compile = compiles.empty() ? CompileOp() : compiles[0];
    bool hasLoss = compile && !compile.getBody().getOps<LossOp>().empty();
    bool hasOptimizer =
        hasLoss && !compile.getBody().getOps<OptimizerOp>().empty();

    auto asked = [&](StringRef name) {
      return functions.empty() || llvm::is_contained(functions, name);
    };
    for (StringRef name : functions)
      if (name != "predict" && name != "evaluate" && name != "train")
        return module.emitError("unknown function '")
               << name << "'; known are predict, evaluate, train";
    if (asked("predict") &&
        failed(TrainingFunctionBuilder(module, models[0], compile,
                                       TrainingFunction::Predict)
                   .build("predict")))
      return failure();
    if (hasLoss && asked("evaluate") &&
        failed(TrainingFunctionBuilder(module, models[0], compile,
                                       TrainingFunction::Evaluate)
                   .build("evaluate")))
      return failure();
    if (hasOptimizer && asked("train")) {
      TrainingFunctionBuilder train(module, models[0], compile,
                                    TrainingFunction::Train);
      if (failed(train.build("train")))
        return failure();
      numGradients += train.numGradients();
      numUnused += train.unusedParameters().size();
      if (!train.unusedParameters().empty()) {
        auto names =
            llvm::map_range(train.unusedParameters(), [](ParameterOp p) {
              return ("'" + p.getSymName() + "'").str();
            });
        models[0].emitWarning("the loss does not depend on ")
            << llvm::join(names, ", ") << ", which stays as it is";
      }
    }
    // The model's name lives on as the module's.
    if (!module.getSymName())
      module.setSymName(models[0].getSymName());
    if (compile)
      compile.erase();
    models[0].erase();
    return success();
  }
};

} // namespace
