//===- StagePipeline.h - Belfry's own pipeline, stage by stage --*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a model to LLVM dialect in named stages (docs/architecture.md,
// "Levels"). One build function a stage serves belfryc, belfry-report and
// belfry-opt's
// --belfry-pipeline. Each stage ends with --verify-stage, which says what may
// no longer exist and notes the stage in the module.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_STAGEPIPELINE_H
#define BELFRY_PASSES_STAGEPIPELINE_H

#include "passes/Pipelines.h"
#include "passes/Stage.h"

#include "dialects/tower/Tower.h"

#include "mlir/Pass/PassManager.h"

namespace belfry {

struct PipelineOptions {
  std::string target = "host";
  int64_t towers = 1;
  tower::Slicing slicing = tower::Slicing::Balanced;
  HostOptions host;
};

/// The targets that this version compiles for.
llvm::ArrayRef<llvm::StringRef> knownTargets();

/// import → train-step: functions of core ops, differentiated.
void buildTrainStepStage(mlir::OpPassManager &pm);
/// train-step → parallel: the functions run in towers.
void buildParallelStage(mlir::OpPassManager &pm, int64_t towers,
                        tower::Slicing slicing,
                        const Optimizations &optimizations);
/// parallel → placed: every op has a device and a kernel.
void buildPlacedStage(mlir::OpPassManager &pm, tower::DeviceKind device,
                      const HostOptions &options);
/// The passes that lead to `stage` from the one before it, its verifier
/// included. Nothing for Stage::Import but the verifier.
void buildStage(mlir::OpPassManager &pm, Stage stage,
                const PipelineOptions &options);

/// Of a module: `gpu` where it goes to one of the targets for GPUs, whose
/// programs are made without some optimisations from placement on.
constexpr llvm::StringLiteral kTargetAttr = "belfry.target";

/// Notes the target in a module that is at `stage`. Fails where it was placed
/// for another one.
llvm::Error noteTarget(mlir::ModuleOp module, Stage stage,
                       llvm::StringRef target);

/// Registers --belfry-pipeline='target=… towers=N …'.
void registerBelfryPipeline();

/// The stages of `--belfry-pipeline='OPTIONS'` and their passes, a line each,
/// for --print-pipeline. Fails, after an error on `errors`, on bad options.
llvm::LogicalResult printPipeline(llvm::StringRef options,
                                  llvm::raw_ostream &os,
                                  llvm::raw_ostream &errors);

} // namespace belfry

#endif // BELFRY_PASSES_STAGEPIPELINE_H
