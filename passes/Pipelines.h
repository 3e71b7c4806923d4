//===- Pipelines.h - the stages, as functions -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PIPELINES_H
#define BELFRY_PASSES_PIPELINES_H

#include "passes/Optimizations.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace belfry {

struct HostOptions {
  std::string cpu = "x86-64-v3"; ///< LLVM's name of the processor
  std::string features;          ///< LLVM's feature string, may be empty
  bool profileOps = false;       ///< measure each op while the program runs
  Optimizations optimizations;   ///< what the program is built with
};

/// parallel or placed → lowered.
void buildLowerStage(mlir::OpPassManager &pm,
                     const Optimizations &optimizations);
/// lowered → bufferized.
void buildBufferizeStage(mlir::OpPassManager &pm,
                         const Optimizations &optimizations);
/// bufferized → target, for the host.
void buildHostTargetStage(mlir::OpPassManager &pm, const HostOptions &options);
/// The three.
void buildHostLoweringPipeline(mlir::OpPassManager &pm,
                               const HostOptions &options);

/// Makes the stages flags of belfry-opt.
void registerHostPipelines();

} // namespace belfry

#endif // BELFRY_PASSES_PIPELINES_H
