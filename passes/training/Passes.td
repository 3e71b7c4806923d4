//===- training/Passes.td - from a model to training functions ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TRAINING_TD
#define BELFRY_PASSES_TRAINING_TD

include "mlir/Pass/PassBase.td"

def NnDecompose : Pass<"nn-decompose", "::mlir::ModuleOp"> {
  let summary = "replaces layers by core ops";
  let description = [{
    Every op with LayerOpInterface, in models and functions and in regions inside
    of them, is replaced by its decomposition. The core ops have the location of
    their layer. Afterwards no layer op is left.

    ```mlir
    %y = nn.dense %x, %k bias %b activation = tanh : …
    // becomes
    %0 = nn.dot %x, %k contract = [1] * [0] : …
    %1 = nn.broadcast %b dims = [1] like %0 : …
    %2 = nn.binary add %0, %1 : …
    %y = nn.unary tanh %2 : …
    ```
  }];
  let options = [
    Option<"training", "training", "bool", /*default=*/"false",
           "dropout and its kin act, as in a training step">,
  ];
  let dependentDialects = ["::belfry::nn::NnDialect"];
}

def NnBuildTrainStep : Pass<"nn-build-train-step", "::mlir::ModuleOp"> {
  let summary = "turns a model and its nn.compile into functions that train, evaluate and predict";
  let description = [{
    Replaces the module's nn.model and nn.compile by three functions of core
    ops: `@predict`, and, where a loss is given, `@evaluate` and, where an
    optimizer is given too, `@train`. Arguments and results carry `nn.role`
    and the user's names (docs/architecture.md, "Training functions").

    The loss of an output is the sum of its weighted elements over the number of
    those that count, over the whole batch; gradients are taken by reverse-mode
    differentiation of the sum, and scaled once at the end where one divisor
    serves all outputs.
  }];
  let options = [
    ListOption<"functions", "functions", "std::string",
               "which functions to build (default: predict, evaluate, train)">
  ];
  let statistics = [
    Statistic<"numGradients", "gradients", "parameters that have a gradient">,
    Statistic<"numUnused", "unused", "trainable parameters that the loss does not depend on">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::belfry::nn::NnDialect"];
}

#endif // BELFRY_PASSES_TRAINING_TD
