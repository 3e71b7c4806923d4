//===- ParallelLoops.h - what of a loop can run side by side ----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PARALLELLOOPS_H
#define BELFRY_PASSES_LOWERING_PARALLELLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace belfry {

/// On a loop around ops, no kernel itself, no iteration of which touches what
/// another one writes.
constexpr llvm::StringLiteral kParallelAttr = "belfry.parallel";

/// On the outermost loop of a scatter-add, a kernel: how many of its loops,
/// from the outermost one on, are those of the ids, and which dimension of the
/// target an id is a place in. An array of two i64.
constexpr llvm::StringLiteral kScatterAttr = "belfry.scatter";

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PARALLELLOOPS_H
