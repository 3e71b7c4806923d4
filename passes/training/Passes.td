//===- training/Passes.td -----------------------------------------------------------===//
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

#endif // BELFRY_PASSES_TRAINING_TD
