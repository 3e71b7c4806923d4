//===- Passes.h - Belfry's passes -------------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PASSES_H
#define BELFRY_PASSES_PASSES_H

#include "dialects/nn/Nn.h"
#include "dialects/tower/Tower.h"
#include "passes/Stage.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace belfry {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace belfry

#endif // BELFRY_PASSES_PASSES_H
