//===- GroupKernel.h - the kernel of several launches -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_GROUPKERNEL_H
#define BELFRY_PASSES_CUDA_GROUPKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace belfry {

/// The attributes of a kernel that a dialect gave it, `gpu.kernel` among them.
mlir::DictionaryAttr dialectAttrsOf(mlir::gpu::GPUFuncOp kernel);

/// Launches of a group that follow one another in one block, or one launch.
struct GroupStrand {
  llvm::SmallVector<mlir::gpu::GPUFuncOp, 1> kernels;
  llvm::SmallVector<mlir::gpu::LaunchFuncOp, 1> launches; ///< as many
};

/// Makes one launch, in front of the terminator of the launches' block, of
/// strands that need not wait for each other: the grid is all of theirs, one
/// behind the other. Appends the kernel, `group`, to the module of the first
/// one. What the launches did is in the order in which blocks get it. Does not
/// erase the launches.
mlir::gpu::LaunchFuncOp
buildGroupLaunch(llvm::MutableArrayRef<GroupStrand> strands);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_GROUPKERNEL_H
