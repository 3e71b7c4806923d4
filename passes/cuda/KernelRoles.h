//===- KernelRoles.h - what the ops of phases are for -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_KERNELROLES_H
#define BELFRY_PASSES_CUDA_KERNELROLES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace belfry {

/// Of each op of a phase that touches memory: `forward` where outputs or losses
/// need it, else `backward` where gradients do, else `metrics` where metrics
/// do, else `optimizer`. Behind a comma `random` where it draws random numbers,
/// `mask` where all that it writes is i1. Functions without a buffer table have
/// no roles.
llvm::DenseMap<mlir::Operation *, std::string>
kernelRoles(mlir::ModuleOp module);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELROLES_H
