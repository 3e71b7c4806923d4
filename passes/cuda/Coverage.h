//===- Coverage.h - the proof that every op has a kernel --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_COVERAGE_H
#define BELFRY_PASSES_CUDA_COVERAGE_H

#include "passes/cuda/KernelRegistry.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace belfry {

/// What was proven of a module: each of `ops` has a kernel.
struct Coverage {
  int64_t ops = 0;
  /// Which of them, by the name of their kernels' family. A sequence of ops
  /// counts under `scan`, and each op in it under its own.
  std::map<std::string, int64_t> families;
};

/// Holds every core op and collective of the training functions against the
/// registry, or every op of the phases, which come later. Where some have no
/// kernel it fails with one list of them all: an error for each kind of op and
/// element types, behind one that counts them where there are several kinds.
llvm::FailureOr<Coverage> verifyCoverage(mlir::ModuleOp module,
                                         const KernelRegistry &registry);

/// `elementwise 12, scan 2`: the families with their counts.
std::string describeFamilies(const Coverage &coverage);

/// The families whose code is in the kernel of an op of a phase, its own among
/// them, by name.
llvm::SmallVector<std::string> familiesWithin(mlir::Operation *op,
                                              const KernelRegistry &registry);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_COVERAGE_H
