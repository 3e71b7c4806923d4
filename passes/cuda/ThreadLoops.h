//===- ThreadLoops.h - threads of a block as loops -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_THREADLOOPS_H
#define BELFRY_PASSES_CUDA_THREADLOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace belfry {

/// Builds what blocks [first, end) of the grid do, at `b`: for each block the
/// kernel's body, cut at its barriers, with a loop over all threads for each
/// piece. `map` has the kernel's arguments. The kernel keeps the form that
/// docs/gpu-target.md, "Kernels", describes; fails with an error at what is not
/// of it, such as a barrier that depends on the thread.
llvm::LogicalResult buildThreadLoops(mlir::OpBuilder &b,
                                     mlir::gpu::GPUFuncOp kernel,
                                     mlir::IRMapping map, mlir::Value first,
                                     mlir::Value end);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_THREADLOOPS_H
