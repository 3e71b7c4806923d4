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

#include "passes/cuda/KernelShapes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace belfry {

/// The op that adds one more element to a reduction's result, or another
/// partial result. Null where the op is no reduction that is understood; `why`,
/// if it is there, says why then.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op,
                            std::string *why = nullptr);

/// The next op of the block that touches memory, or its terminator.
mlir::Operation *nextOnMemory(mlir::Operation *op);

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

/// The tiles of a transpose along each of the op's loops.
mlir::SmallVector<mlir::OpFoldResult>
transposeTiles(mlir::OpBuilder &b, mlir::Location loc,
               const Transpose &transpose,
               llvm::ArrayRef<mlir::OpFoldResult> extents);

/// The loops of a scatter-add: those of the ids, then those along an update.
struct Scatter {
  mlir::SmallVector<mlir::scf::ForOp> loops;
  int64_t idRank = 0, dim = 0; ///< of the target, the dimension of the ids
  mlir::memref::StoreOp store;
};
/// Nothing where the op is none (kScatterAttr).
std::optional<Scatter> scatterOf(mlir::Operation *op);
/// How many places of the target's dimension, of `extent`, a block owns.
mlir::OpFoldResult rowsOfScatter(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::OpFoldResult extent);

/// Elements of a block: enough for each thread that a launch is worth it.
constexpr int64_t kBlockElements = 4 * kBlockThreads;

class BlockCode {
public:
  BlockCode(mlir::OpBuilder &b, mlir::Location loc, mlir::gpu::GPUFuncOp kernel,
            mlir::IRMapping &map, bool tensorCores = false);

  /// The extents of the op's loops, as values or constants.
  mlir::SmallVector<mlir::OpFoldResult> extents(mlir::linalg::LinalgOp op);
  /// Their product over the loops of one kind.
  mlir::Value count(mlir::linalg::LinalgOp op, mlir::utils::IteratorType kind);

  /// Elements [first, end) of an op without reductions, in row-major order of
  /// its loops.
  void elements(mlir::linalg::LinalgOp op, mlir::Value first, mlir::Value end);
  /// The same for so few of them that their number is an i32. A thread loads
  /// for `together` elements before it stores any, so that loads do not wait
  /// for each other.
  void fewElements(mlir::linalg::LinalgOp op, mlir::Value first,
                   mlir::Value end, int64_t together);
  /// Tile `number` of a transpose, in BlockTranspose.cpp.
  void transposeTile(mlir::linalg::LinalgOp op, const Transpose &transpose,
                     mlir::Value number);
  /// Outputs [first, end) of a reduction that combinerOf() understands.
  llvm::LogicalResult reduction(mlir::linalg::LinalgOp op, mlir::Value first,
                                mlir::Value end);
  /// Tile `tile` of a product's C, by rows of tiles.
  void productTile(mlir::linalg::LinalgOp op, mlir::Value tile);
  /// All of C.
  void product(mlir::linalg::LinalgOp op);
  /// Iterations [first, end) of a loop whose iterations are independent.
  void iterations(mlir::scf::ForOp loop, mlir::Value first, mlir::Value end);
  mlir::Value tripCount(mlir::scf::ForOp loop);
  /// The updates of the places that block `number` owns, in BlockScatter.cpp.
  void scatter(const Scatter &scatter, mlir::Value number);
  /// By one thread.
  void alone(mlir::Operation *op);
  /// The ops of a block in order, each by all threads, with barriers between
  /// them.
  llvm::LogicalResult sequence(mlir::Block &block);

  llvm::LogicalResult single(mlir::Operation *op);
  /// What block `number` has of a loop over blocks of rows, as a sequence.
  llvm::LogicalResult rowsOf(mlir::scf::ForOp loop, mlir::Value number);

  /// What block `number` has of a nest of independent loops: one iteration of
  /// the innermost one, as a sequence.
  llvm::LogicalResult nest(llvm::ArrayRef<mlir::scf::ForOp> loops,
                           mlir::Value number);
  /// Maps the body of a loop over parts of a sum, up to the sum itself, for the
  /// part of this block; each part has as many blocks. What follows is built
  /// for its blocks.
  void beginPart(mlir::scf::ForOp loop, int64_t blocks);

  mlir::Value block(); ///< its number in the grid, or among those of a part
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
  /// Indices that are `offset` items, an i32, behind those of `base`.
  mlir::SmallVector<mlir::Value>
  indicesBehind(mlir::ValueRange base, mlir::Value offset,
                llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The place of an operand at these loop indices.
  mlir::SmallVector<mlir::Value> place(mlir::linalg::LinalgOp op,
                                       mlir::OpOperand *operand,
                                       mlir::ValueRange at);
  mlir::Value operandAt(mlir::linalg::LinalgOp op, mlir::OpOperand *operand,
                        mlir::ValueRange at);
  /// The same, or poison where the body does not read the operand.
  mlir::Value argumentAt(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                         mlir::ValueRange at);
  void storeResults(mlir::linalg::LinalgOp op, mlir::ValueRange results,
                    mlir::ValueRange at);
  /// The body of the op, with these values for its arguments.
  mlir::SmallVector<mlir::Value> body(mlir::linalg::LinalgOp op,
                                      mlir::ValueRange arguments,
                                      mlir::ValueRange at);
  /// What an output starts from: a constant, or what `before` builds.
  mlir::Value startOr(mlir::linalg::LinalgOp op,
                      llvm::function_ref<mlir::Value()> before);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value x, mlir::Value y);
  /// The thread's lane of `lanes`, and which of the `beside` groups of lanes it
  /// is in; lanes are next to each other, or the groups are.
  std::pair<mlir::Value, mlir::Value> laneOf(int64_t lanes, int64_t beside,
                                             bool lanesInner);
  /// An element of a matrix of a product whose sums are of type `sum`; one of
  /// 16 bits is widened.
  mlir::Value factorAt(mlir::Value matrix, mlir::ValueRange at, mlir::Type sum);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum);
  mlir::Value zero(mlir::Type element);
  mlir::Value less(mlir::Value x, mlir::Value y);
  /// What `then` builds where the condition holds, else these values.
  mlir::SmallVector<mlir::Value>
  choose(mlir::Value condition,
         llvm::function_ref<mlir::SmallVector<mlir::Value>()> then,
         mlir::ValueRange otherwise);

  mlir::Value sumOf(mlir::Value x, mlir::Value y);

  /// All of C, in few rows, in BlockRowProducts.cpp.
  void productRows(mlir::linalg::LinalgOp op);
  /// All of C, each element by one thread.
  void productElements(mlir::linalg::LinalgOp op);
  struct RowLayout;
  static RowLayout rowLayoutOf(mlir::linalg::LinalgOp op, int64_t rows);
  void rowsAtOnce(mlir::linalg::LinalgOp op, mlir::Value m, int64_t rows);
  mlir::SmallVector<mlir::Value>
  addLanes(const RowLayout &layout, mlir::Value lane, mlir::ValueRange sums);
  mlir::Value laneMemory(mlir::Type element);

  // Parts of a product's tile, in BlockProducts.cpp.
  struct Panel;
  struct TilePlace;
  Panel panelOf(mlir::Value matrix, unsigned sideDim, mlir::Value first,
                int64_t side, int64_t depth, mlir::Type element);
  /// What a thread moves of the panel that begins at `first` of the contracted
  /// dimension.
  mlir::SmallVector<mlir::Value> fetch(const Panel &panel, mlir::Value first);
  void put(const Panel &panel, mlir::ValueRange elements);
  TilePlace placeIn(const ProductTile &tile, mlir::Value row,
                    mlir::Value column);
  mlir::SmallVector<mlir::Value> multiplyPanels(const Panel &left,
                                                const Panel &right,
                                                const TilePlace &at,
                                                mlir::ValueRange sums);
  mlir::SmallVector<mlir::Value> addGroups(const TilePlace &at,
                                           mlir::ValueRange sums);

  // Tiles by tensor cores, in BlockMma.cpp.
  struct WordPanel;
  struct LanePlace;
  bool takesTensorCores(mlir::linalg::LinalgOp op) const;
  void mmaTile(mlir::linalg::LinalgOp op, mlir::Value tile);
  WordPanel wordPanelOf(mlir::Value matrix, unsigned sideDim, mlir::Value first,
                        int64_t side, int64_t depth);
  /// What a thread moves of the panel that begins at `first` of the contracted
  /// dimension.
  mlir::SmallVector<mlir::Value> fetchWords(const WordPanel &panel,
                                            mlir::Value first);
  void putWords(const WordPanel &panel, mlir::ValueRange words);
  mlir::SmallVector<mlir::Value>
  multiplyWords(const WordPanel &left, const WordPanel &right,
                const LanePlace &at, mlir::Value word, mlir::ValueRange sums);
  mlir::SmallVector<mlir::Value> addWarps(int64_t groups,
                                          mlir::ValueRange sums);

  mlir::Value inside(mlir::Value outside) {
    return map.lookupOrDefault(outside);
  }
  mlir::Value dim(mlir::Value memref, int64_t d);
  /// Memory of the block; `alignment` in bytes, 0 for the element's own.
  mlir::Value workgroup(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                        int64_t alignment = 0);
  void barrier();
  mlir::Value thread();
  bool isMapped(mlir::Operation &op);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::gpu::GPUFuncOp kernel;
  mlir::IRMapping &map; ///< from outside of the kernel to its own values
  mlir::Value threadId, blockId;
  bool inRows = false; ///< extents are those of a block of rows, or static
  bool inNest = false; ///< of independent loops
  bool tensorCores;    ///< take products of 16 bits
  llvm::DenseMap<mlir::Type, mlir::Value> laneMemories;
};

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_BLOCKCODE_H
