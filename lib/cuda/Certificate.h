//===- Certificate.h - which kernel each op has -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_CUDA_CERTIFICATE_H
#define BELFRY_LIB_CUDA_CERTIFICATE_H

#include "lib/cuda/Ptx.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace belfry {

/// The coverage certificate of a module whose phases launch kernels: each op of
/// a phase with layer, dtype, shape and kernel, and each kernel with what it
/// takes on the architectures that it was assembled for. docs/gpu-target.md has
/// the fields.
llvm::json::Value certificateOf(mlir::ModuleOp module,
                                llvm::ArrayRef<Cubin> cubins);

} // namespace belfry

#endif // BELFRY_LIB_CUDA_CERTIFICATE_H
