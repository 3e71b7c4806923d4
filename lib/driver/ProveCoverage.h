//===- ProveCoverage.h - that a module's ops have kernels -------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_PROVECOVERAGE_H
#define BELFRY_LIB_DRIVER_PROVECOVERAGE_H

#include "passes/Pipelines.h"
#include "passes/Stage.h"

#include <string>

namespace belfry {

/// Proves that every op of a module at `stage`, `placed` or `bufferized`, has a
/// kernel for GPUs. What has none is reported as errors of MLIR. With
/// `byLowering` a bufferized module's kernels are also made, in a copy, and
/// lowered to NVVM. Gives a line that says what was proven.
llvm::FailureOr<std::string> proveCoverage(mlir::ModuleOp module, Stage stage,
                                           const HostOptions &options,
                                           bool byLowering);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_PROVECOVERAGE_H
