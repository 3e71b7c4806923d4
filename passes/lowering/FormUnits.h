//===- FormUnits.h - which ops become one kernel ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the ops of a block into units. Elementwise ops of one shape that use
// each other's results become one unit, one loop nest that may store several
// of its values; every other op is a unit. Random numbers are a unit of their
// own with the ops that read nothing else, since they are made by blocks. Units
// are in an order in which every unit comes after those that it reads.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_FORMUNITS_H
#define BELFRY_PASSES_LOWERING_FORMUNITS_H

#include "dialects/nn/Nn.h"
#include "passes/Optimizations.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/IR/Block.h"

namespace belfry {

/// On an op that makes a value again (--recompute-values): it shares no loop
/// with what it reads.
constexpr llvm::StringLiteral kAgainAttr = "belfry.again";

struct Unit {
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order
  bool elementwise = false;
  /// The first op draws random numbers, which the others work on.
  bool random = false;
};

/// Whether each element of the result depends on the same element of the
/// operands only, and not on where it stands. `op` may be null.
bool isMap(mlir::Operation *op);
/// Whether each element of the result depends on the same element of the
/// operands only (and on its index), so that the op can share a loop.
bool isElementwise(mlir::Operation *op);
/// Whether the op only gives another view of its operand.
bool isViewOp(mlir::Operation *op);
/// The value of whose buffer the views of `block` make `value`.
mlir::Value viewedValue(mlir::Value value, mlir::Block &block);

/// A sum that a product adds to in place: an element of a sequence that the
/// loop is the only one to read, plus a product that only the sum reads.
struct Accumulation {
  nn::DotOp product;
  mlir::Value start; ///< the element, an argument of the loop's body
};
std::optional<Accumulation> accumulationOf(mlir::Operation *add);

/// Whether the buffer of `sequence` holds nothing that anyone reads once the
/// loop `scan` has read it.
bool endsWith(mlir::Value sequence, nn::ScanOp scan);

/// Whether a masked loop reads and writes packed rows only: its lowering needs
/// no mask inside.
bool runsOnPackedRows(nn::ScanOp scan);
/// What stands for an output of a loop: itself or, of a loop over packed rows,
/// the packed rows that are read of it. Null where nothing is.
mlir::Value packedOutput(nn::ScanOp scan, mlir::Value output);

/// Whether only the shape of the operand is read.
bool isShapeOperand(mlir::OpOperand &operand);
/// The op that reads the elements of `value`, if there is one such operand.
mlir::Operation *onlyReader(mlir::Value value);

llvm::SmallVector<Unit> formUnits(mlir::Block &block, RowExtents &extents,
                                  const Optimizations &optimizations);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_FORMUNITS_H
