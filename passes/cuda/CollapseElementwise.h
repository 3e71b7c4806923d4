//===- CollapseElementwise.h - ops over arrays as over one row --*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_COLLAPSEELEMENTWISE_H
#define BELFRY_PASSES_CUDA_COLLAPSEELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace belfry {

/// Of an op that was collapsed: the shape of what it writes, as it was
/// (`?x400`).
constexpr llvm::StringLiteral kShapeAttr = "belfry.shape";

/// Makes an op that takes element i of whole arrays to element i of others,
/// with no use of i, one over a single dimension, whose extent is not in its
/// type: what differs in nothing but the extents becomes one kernel, and no
/// index is divided. The order of elements is the same. `extentOf` gives the
/// extent of an operand that is not in its type. Leaves other ops alone.
void collapseElementwise(
    mlir::linalg::LinalgOp op,
    llvm::function_ref<mlir::OpFoldResult(mlir::Value, int64_t)> extentOf);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_COLLAPSEELEMENTWISE_H
