//===- KernelShapes.h - how work is cut into blocks -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block of threads has of an op, and how its threads share it. All of it
// follows from the types and the index arithmetic of the phase, and from
// nothing that a device says, so that every device makes the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_KERNELSHAPES_H
#define BELFRY_PASSES_CUDA_KERNELSHAPES_H

#include "passes/cuda/KernelAttrs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace belfry {

/// The rows of a tower that shapes are chosen for, where only a run knows them.
constexpr int64_t kExpectedRows = 128;
/// As many blocks keep the multiprocessors of a large GPU busy.
constexpr int64_t kEnoughBlocks = 96;

/// An index value of a phase for kExpectedRows rows.
int64_t expectedValue(mlir::OpFoldResult value);
/// An extent of a memref of a phase for kExpectedRows rows.
int64_t expectedExtent(mlir::Value memref, int64_t d);
/// The extent itself, a number or an index value of the phase.
mlir::OpFoldResult extentOf(mlir::OpBuilder &b, mlir::Value memref, int64_t d);

/// The rows of a block of a loop over time, of `rows`: as few as make no more
/// than kExpectedRows blocks, and at most those of the host's.
mlir::OpFoldResult rowsOfBlock(mlir::OpBuilder &b, mlir::scf::ForOp loop,
                               mlir::Value rows);

/// How the threads of a block are dealt to a reduction: `outputs` of them side
/// by side, each with `lanes` that share what is reduced. Powers of two, whose
/// product is kBlockThreads; they depend on the op's static extents only.
struct ReductionLayout {
  int64_t outputs = kBlockThreads, lanes = 1;
  /// Whether lanes are next to each other, since what is reduced is.
  bool lanesInner = false;
};
ReductionLayout layoutOf(mlir::linalg::LinalgOp op);

/// An op on elements that reads its input number `input` along its loop `from`
/// and writes along its loop `to`.
struct Transpose {
  static constexpr int64_t kSide = 32; ///< of a block's tile, in both loops
  unsigned input, from, to;
};
/// Nothing where the op is none, or too thin for tiles.
std::optional<Transpose> transposeOf(mlir::linalg::LinalgOp op);

/// Whether the op is a sum of products of two matrices, C[m,n] +=
/// A[m,k]·B[k,n].
bool isProduct(mlir::Operation *op);

/// The sum of which a loop marked kPartsAttr does a part in each iteration.
mlir::linalg::LinalgOp sumOf(mlir::Operation *parts);

/// The part of a product's C that a block makes, `rows` × `columns`. A thread
/// has kOwn × kOwn elements of it; where that leaves threads over, groups of
/// them share the sums: `depth` of the contracted dimension are in workgroup
/// memory at a time, of which each group takes an equal part. Powers of two.
struct ProductTile {
  static constexpr int64_t kOwn = 4;
  int64_t rows = 64, columns = 64, depth = 16;

  int64_t threadsAcross() const { return columns / kOwn; }
  int64_t groupThreads() const { return rows / kOwn * threadsAcross(); }
  int64_t groups() const { return kBlockThreads / groupThreads(); }
};
ProductTile tileOf(mlir::linalg::LinalgOp product);
/// The one that multiplies most often what it loads, however few such tiles C
/// has; its depth is not set.
ProductTile largestTileOf(mlir::linalg::LinalgOp product);

/// The loops of a nest whose iterations are independent, `loop` first, each the
/// only op in the one around it.
llvm::SmallVector<mlir::scf::ForOp> parallelNest(mlir::scf::ForOp loop);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELSHAPES_H
