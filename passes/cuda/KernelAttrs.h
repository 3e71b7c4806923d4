//===- KernelAttrs.h - what is noted at launches ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_KERNELATTRS_H
#define BELFRY_PASSES_CUDA_KERNELATTRS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace belfry {

/// Threads of a block.
constexpr int64_t kBlockThreads = 256;

/// Of a gpu.launch_func in a phase, a dictionary of strings: `family`, `parts`
/// (the families of all code in it), `class` (of its shape), `dtype` (those of
/// all arrays), `shape` of what is written, and `role` (KernelRoles.h) in a
/// whole program. Lists have commas.
constexpr llvm::StringLiteral kLaunchAttr = "belfry.launch";

/// Of a reduction or a product: the constant that it starts from, in place of
/// what its output holds.
constexpr llvm::StringLiteral kStartAttr = "belfry.start";

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELATTRS_H
