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
/// whole program. Lists have commas. Where a launch is one of several ops, a
/// list of such dictionaries, each with its `layer`.
constexpr llvm::StringLiteral kLaunchAttr = "belfry.launch";

/// Of a module whose phases call belfry_launch: its kernels, in order, each a
/// dictionary of `name`, `threads` of a block and the bytes of its arguments,
/// `words`, and of the element types that tensor cores multiply,
/// `tensor_cores`; its launches, each of `kernel`, an index, `layer`, `phase`,
/// `function`, and what kLaunchAttr said, `op`.
constexpr llvm::StringLiteral kKernelsAttr = "belfry.kernels";
constexpr llvm::StringLiteral kSitesAttr = "belfry.launches";

/// The block of bytes that holds the constants of all phases, and the alignment
/// of each in it.
constexpr llvm::StringLiteral kConstantsName = "belfry_constants";
constexpr int64_t kConstantAlignment = 64;

/// Of a reduction or a product: the constant that it starts from, in place of
/// what its output holds.
constexpr llvm::StringLiteral kStartAttr = "belfry.start";

/// Of a loop of one product or reduction, which does a part of it in each
/// iteration: iterations are independent.
constexpr llvm::StringLiteral kPartsAttr = "belfry.parts";

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELATTRS_H
