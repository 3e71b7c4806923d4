//===- Passes.td - Belfry's passes ---------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One room a folder; each has a section here. Flag, source file and lit test of
// a pass carry the same name.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TD
#define BELFRY_PASSES_TD

include "mlir/Pass/PassBase.td"

// training/, parallel/, placement/, lowering/, host/: one section each.
include "passes/training/Passes.td"
include "passes/parallel/Passes.td"
include "passes/placement/Passes.td"
include "passes/lowering/Passes.td"
include "passes/host/Passes.td"

#endif // BELFRY_PASSES_TD
