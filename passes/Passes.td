//===- Passes.td - Belfry's passes ---------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One room a folder; each has a section here. Flag, source file and lit test of
// a pass carry the same name.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TD
#define BELFRY_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyStage : Pass<"verify-stage", "::mlir::ModuleOp"> {
  let summary = "checks that a stage left nothing behind that it has to remove";
  let description = [{
    Ends each stage of Belfry's pipeline. Fails, with an error for each kind of
    op that may no longer exist, and otherwise notes the stage as `belfry.stage`,
    so that a driver knows where a file stands.

    | stage | what there may be |
    | --- | --- |
    | `import` | one nn.model, nn.parameter, at most one nn.compile |
    | `train-step` | functions of core ops, every argument and result with a role; no layers, no nn.model |
    | `parallel` | the same, their bodies inside one tower.replicate; collectives only there |
    | `placed` | the same, every core op and collective with `tower.placement` |
    | `lowered` | no op of nn and tower, no tensors; `belfry.phases` names functions that are there |
    | `bufferized` | the same, and no allocation |
    | `target` | the LLVM dialect only |

    nn.parameter stays through all stages: the weights' names and shapes.
  }];
  let options = [
    Option<"stage", "stage", "::belfry::Stage", /*default=*/"::belfry::Stage::Import", "the stage",
           [{::llvm::cl::values(
              clEnumValN(::belfry::Stage::Import, "import", "a model of layers"),
              clEnumValN(::belfry::Stage::TrainStep, "train-step", "functions of core ops"),
              clEnumValN(::belfry::Stage::Parallel, "parallel", "in towers"),
              clEnumValN(::belfry::Stage::Placed, "placed", "with devices and kernels"),
              clEnumValN(::belfry::Stage::Lowered, "lowered", "phases on buffers"),
              clEnumValN(::belfry::Stage::Bufferized, "bufferized", "buffers are planned"),
              clEnumValN(::belfry::Stage::Target, "target", "LLVM dialect"))}]>
  ];
}

// training/, parallel/, placement/, lowering/, host/: one section each.
include "passes/training/Passes.td"
include "passes/parallel/Passes.td"
include "passes/placement/Passes.td"
include "passes/lowering/Passes.td"
include "passes/host/Passes.td"
include "passes/cuda/Passes.td"

#endif // BELFRY_PASSES_TD
