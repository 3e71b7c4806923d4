//===- PackIgnored.h - what is read where a mask selects only ---*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PACKIGNORED_H
#define BELFRY_PASSES_LOWERING_PACKIGNORED_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"

namespace belfry {

/// Computes what only the rows and steps that `mask` (steps, rows) selects are
/// read of for those rows, where that meets what is packed already. Returns how
/// many ops it has changed.
int64_t packIgnored(mlir::Block &block, mlir::Value mask);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PACKIGNORED_H
