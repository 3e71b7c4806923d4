//===- RowBlocks.h - loops over time by blocks of rows ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over time whose steps treat each row by itself can run all its steps
// for some of the rows, then for the others: threads then meet once a loop, and
// what a step hands to the next stays in a thread's cache.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_ROWBLOCKS_H
#define BELFRY_PASSES_LOWERING_ROWBLOCKS_H

#include "dialects/nn/Nn.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace belfry {

/// On a loop `scf.for %row = 0 to rows step n` whose body does the rows from
/// %row on, at most n, and touches no other row of what it writes: what a row
/// costs, in the unit of belfry_loop (Runtime.h).
constexpr llvm::StringLiteral kRowBlocksAttr = "belfry.row_blocks";
/// On the number of rows that such a body does: the smaller one of n and of
/// what is left.
constexpr llvm::StringLiteral kBlockRowsAttr = "belfry.block_rows";

/// The innermost such loop around `op`, or null.
mlir::scf::ForOp rowBlocksAround(mlir::Operation *op);
/// The op of such a loop's body that says how many rows a block has, or null.
mlir::Operation *blockRowsOf(mlir::scf::ForOp loop);

/// Whether each row of the results depends on the same row of the operands
/// alone, and not on which one it is.
bool isByRow(mlir::Operation *op);

/// Whether all that the loop carries and makes has rows, which its steps treat
/// each by itself. A mask does not matter.
bool runsByRows(nn::ScanOp scan, RowExtents &extents);

/// What a row costs over all steps, roughly.
int64_t costOfRow(nn::ScanOp scan);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_ROWBLOCKS_H
