//===- BlockCode.h - what the threads of a block do ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of a kernel for one op on memrefs, as docs/gpu-target.md, "Kernels",
// says: elements dealt to the threads of a block, sums in a fixed order, tiles
// of a product. The same code serves a kernel of its own, where a block takes
// some of the elements, and a part of a kernel, where it takes all of them.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_BLOCKCODE_H
#define BELFRY_PASSES_CUDA_BLOCKCODE_H

#include "passes/cuda/KernelAttrs.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace belfry {

/// How the threads of a block are dealt to a reduction: `outputs` of them side
/// by side, each with `lanes` that share what is reduced. Powers of two, whose
/// product is kBlockThreads; they depend on the op's static extents only.
struct ReductionLayout {
  int64_t outputs = kBlockThreads, lanes = 1;
  /// Whether lanes are next to each other, since what is reduced is.
  bool lanesInner = false;
};
ReductionLayout layoutOf(mlir::linalg::LinalgOp op);

/// The op that adds one more element to a reduction's result, or another
/// partial result. Null where the op is no reduction that is understood; `why`,
/// if it is there, says why then.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op,
                            std::string *why = nullptr);

/// Whether the op is a sum of products of two matrices, C[m,n] +=
/// A[m,k]·B[k,n].
bool isProduct(mlir::Operation *op);

/// The next op of the block that touches memory, or its terminator.
mlir::Operation *nextOnMemory(mlir::Operation *op);

/// Extents of a tile of C that a block makes.
constexpr int64_t kTileRows = 64, kTileColumns = 64;

mlir::OpFoldResult ceilDivIndex(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::OpFoldResult x, int64_t y);

/// The extents of the op's loops; `extentOf` gives a dynamic one of an operand.
llvm::SmallVector<mlir::OpFoldResult> loopExtents(
    mlir::linalg::LinalgOp op,
    llvm::function_ref<mlir::OpFoldResult(mlir::Value, int64_t)> extentOf);

/// The product of the extents of the loops of one kind.
mlir::OpFoldResult iterationsOf(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::linalg::LinalgOp op,
                                llvm::ArrayRef<mlir::OpFoldResult> extents,
                                mlir::utils::IteratorType kind);

class BlockCode {
public:
  BlockCode(mlir::OpBuilder &b, mlir::Location loc, mlir::gpu::GPUFuncOp kernel,
            mlir::IRMapping &map);

  /// The extents of the op's loops, as values or constants.
  mlir::SmallVector<mlir::OpFoldResult> extents(mlir::linalg::LinalgOp op);
  /// Their product over the loops of one kind.
  mlir::Value count(mlir::linalg::LinalgOp op, mlir::utils::IteratorType kind);

  /// Elements [first, end) of an op without reductions, in row-major order of
  /// its loops.
  void elements(mlir::linalg::LinalgOp op, mlir::Value first, mlir::Value end);
  /// Outputs [first, end) of a reduction that combinerOf() understands.
  llvm::LogicalResult reduction(mlir::linalg::LinalgOp op, mlir::Value first,
                                mlir::Value end);
  /// Tile `tile` of a product's C, by rows of tiles.
  void productTile(mlir::linalg::LinalgOp op, mlir::Value tile);
  /// All of C, each element by one thread.
  void productElements(mlir::linalg::LinalgOp op);
  /// Iterations [first, end) of a loop whose iterations are independent.
  void iterations(mlir::scf::ForOp loop, mlir::Value first, mlir::Value end);
  mlir::Value tripCount(mlir::scf::ForOp loop);
  /// By one thread.
  void alone(mlir::Operation *op);
  /// The ops of a block in order, each by all threads, with barriers between
  /// them.
  llvm::LogicalResult sequence(mlir::Block &block);

  llvm::LogicalResult single(mlir::Operation *op);
  /// Iteration `number` of a loop, as a sequence.
  llvm::LogicalResult oneIteration(mlir::scf::ForOp loop, mlir::Value number);

  mlir::Value block(); ///< its number in the grid
  mlir::Value index(int64_t n);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value least(mlir::Value x, mlir::Value y);

private:
  using Body = llvm::function_ref<void(mlir::Value)>;
  /// For each item of [first, end), dealt to the threads in turns.
  void deal(mlir::Value first, mlir::Value end, Body body);
  void loop(mlir::Value first, mlir::Value end, mlir::Value step, Body body);
  void guarded(mlir::Value condition, llvm::function_ref<void()> body);
  /// Indices of the dimensions `sizes` of item `item`, the last one fastest.
  mlir::SmallVector<mlir::Value>
  indices(mlir::Value item, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The place of an operand at these loop indices.
  mlir::SmallVector<mlir::Value> place(mlir::linalg::LinalgOp op,
                                       mlir::OpOperand *operand,
                                       mlir::ValueRange at);
  mlir::Value operandAt(mlir::linalg::LinalgOp op, mlir::OpOperand *operand,
                        mlir::ValueRange at);
  /// The body of the op, with these values for its arguments.
  mlir::SmallVector<mlir::Value> body(mlir::linalg::LinalgOp op,
                                      mlir::ValueRange arguments,
                                      mlir::ValueRange at);
  /// What an output starts from: a constant, or what `before` builds.
  mlir::Value startOr(mlir::linalg::LinalgOp op,
                      llvm::function_ref<mlir::Value()> before);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value x, mlir::Value y);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum);
  mlir::Value inside(mlir::Value outside) {
    return map.lookupOrDefault(outside);
  }
  mlir::Value dim(mlir::Value memref, int64_t d);
  mlir::Value workgroup(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  void barrier();
  mlir::Value thread();

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::gpu::GPUFuncOp kernel;
  mlir::IRMapping &map; ///< from outside of the kernel to its own values
  mlir::Value threadId, blockId;
};

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_BLOCKCODE_H
