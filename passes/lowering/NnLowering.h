//===- NnLowering.h - core ops to loops over buffers ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of --lower-nn-to-linalg for one phase function. Programs are pure
// data flow, so places are chosen while lowering: a value goes where its last
// user wants it (a result's buffer, a part of a concatenation, a step of a
// stacked output, the carried buffer of a loop, a parameter), else to a buffer
// of its own, and is only copied where two users want it in two places or
// where the old content of its place is still read.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_NNLOWERING_H
#define BELFRY_PASSES_LOWERING_NNLOWERING_H

#include "dialects/nn/Nn.h"
#include "passes/lowering/FormUnits.h"
#include "passes/lowering/Views.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace belfry {

/// Marks a loop nest that is one kernel (a linalg op is one by itself).
constexpr llvm::StringLiteral kKernelAttr = "belfry.kernel";
/// On such a loop too where its iterations are independent: how often each runs
/// the innermost body, but for the loops in it whose extent is a multiple of
/// the rows. Any part of the iterations may run by itself; a bound that is no
/// constant is in the body the end of the part.
constexpr llvm::StringLiteral kIndependentAttr = "belfry.independent";

/// Marks a constant outside of kernels that is an argument of theirs, so that
/// kernels which differ in it alone are one.
constexpr llvm::StringLiteral kArgumentAttr = "belfry.argument";

/// Marks a copy of a matrix into the layout in which products read it fastest.
/// What it says without the mark is true too: rows as they were, further apart.
constexpr llvm::StringLiteral kPackAttr = "belfry.pack";

/// A value that has to be at a place when a block ends.
struct Sink {
  mlir::Value value;
  View place;
  /// Whose buffer the place is; its content is lost when the sink is written.
  mlir::Value old;
};

class NnLowering {
public:
  NnLowering(mlir::OpBuilder &builder, mlir::Value rows, mlir::Value rowOffset,
             const Optimizations &optimizations)
      : b(builder), math(rows), rowOffset(rowOffset),
        optimizations(optimizations) {}

  /// Lowers the ops of `block` in front of the insertion point and fills the
  /// sinks. The views of the block's arguments have to be set.
  llvm::LogicalResult lowerBlock(mlir::Block &block,
                                 llvm::ArrayRef<Sink> sinks);

  void setView(mlir::Value value, View view) { views[value] = std::move(view); }
  void setScalar(mlir::Value old, mlir::Value value) {
    scalars.map(old, value);
  }
  /// The view of a buffer as a whole, with the extents of `value`.
  View wholeView(mlir::Value buffer, mlir::Value value);
  llvm::SmallVector<Affine> sizesOf(mlir::Value value);
  mlir::Operation *failedAt = nullptr;

private:
  struct Frame; ///< of a block: who reads what, and where values are wanted

  /// The loop over time whose body is being lowered.
  struct Scan {
    nn::ScanOp op;
    mlir::scf::ForOp loop;                    ///< the outermost one
    llvm::DenseMap<mlir::Value, View> packed; ///< matrices that all steps read
    /// The rows of the step, where rows are packed or taken by blocks.
    mlir::Value count;
    /// Of the block at hand (RowBlocks.h); null where there are none.
    mlir::Value first, rows;
    bool shares = false; ///< blocks write a buffer that has no rows
  };

  /// Where the rows that a mask selects stand when they are packed: arrays of
  /// i32, made once a phase. Before the first and after the last step there are
  /// no rows.
  struct Steps {
    View rows; ///< by packed row: its row in its step
    /// By step and row: the packed rows before it.
    View ranks;
    /// By step and row: how many rows before it, in this step and all before,
    /// are selected in a step and not in the one before, or the other way
    /// round. All rows are different before the first step and after the last
    /// one.
    View changes;
    mlir::Value total; ///< all packed rows, an index value
    int64_t steps = 0;
    Affine perStep; ///< rows of a step
  };
  const Steps &stepsOf(mlir::Value mask);
  mlir::Value loadIndex(const View &list, mlir::Value at);
  /// What stands for the rows of `value`, if it is packed or in the body of a
  /// loop over packed rows.
  mlir::Value countOf(mlir::Value value);

  View viewOf(mlir::Value value);
  View allocate(llvm::ArrayRef<Affine> sizes, mlir::Type element);
  /// Where `result` is to be written: its first place, or a new buffer.
  View placeOf(mlir::Value result);
  /// Says that `result` is made at `place`.
  void putAt(mlir::Value result, const View &place);
  /// Copies of a result that has several places.
  void finish(mlir::Value result);
  llvm::SmallVector<View> wantedPlaces(mlir::Value value, unsigned unit);
  View wantedByConcat(nn::ConcatOp concat, unsigned operand);

  bool isPlaced(mlir::OpOperand &operand); ///< of a concatenation

  mlir::Operation *copy(const View &from, const View &to);
  mlir::Operation *fill(const View &to, mlir::Attribute value);
  View dense(const View &view); ///< itself, or a dense copy
  mlir::Value memref(const View &view) { return memrefOf(b, loc, math, view); }
  mlir::Attribute zero(mlir::Type element);

  llvm::LogicalResult lowerUnit(const Unit &unit);
  llvm::LogicalResult lowerOp(mlir::Operation *op);
  llvm::LogicalResult lowerView(mlir::Operation *op);

  // LowerElementwise.cpp
  llvm::LogicalResult lowerElementwise(const Unit &unit);
  mlir::Value scalarOf(mlir::OpBuilder &body, mlir::Operation *op,
                       llvm::function_ref<mlir::Value(mlir::Value)> operand);

  // LowerRandom.cpp
  llvm::LogicalResult lowerRandom(const Unit &unit);

  // LowerShape.cpp
  void lowerReduce(nn::ReduceOp op);
  void lowerArgMax(nn::ArgMaxOp op);
  void lowerPad(nn::PadOp op);
  void lowerConcat(nn::ConcatOp op);
  void lowerReshapeCopy(nn::ReshapeOp op);

  // LowerIndex.cpp
  void lowerGather(nn::GatherOp op);
  void lowerScatterAdd(nn::ScatterAddOp op);

  // LowerLinear.cpp
  /// With `sum` the product is added to what the sum adds it to, in place.
  void lowerDot(nn::DotOp op, nn::BinaryOp sum = {});
  /// The matrix `view` of the value `matrix`, packed before the loop at hand.
  View packed(mlir::Value matrix, const View &view);
  void lowerConv(nn::Conv2DOp op);
  void lowerConvInputGrad(nn::Conv2DInputGradOp op);
  void lowerConvKernelGrad(nn::Conv2DKernelGradOp op);
  void product(const View &a, const View &b, const View &c);
  View padded(const View &input, llvm::ArrayRef<int64_t> padding);

  // LowerScan.cpp
  llvm::LogicalResult lowerScan(nn::ScanOp op);
  /// The body of a loop, at views of one step; an output without one is not
  /// wanted.
  llvm::LogicalResult lowerScanBody(Scan &here, llvm::ArrayRef<View> carried,
                                    llvm::ArrayRef<View> sequences,
                                    llvm::ArrayRef<View> closed,
                                    llvm::ArrayRef<View> outputs);
  /// Whether a step of the loop has a product that can ask for what the next
  /// step touches.
  bool looksAhead(nn::ScanOp op);
  /// Says at the start of a step's body what the next step touches, which
  /// `atNext` gives of a sequence or an output of all steps: a memref.prefetch
  /// of the first element stands for the whole view.
  void lookAhead(nn::ScanOp op, llvm::ArrayRef<View> sequences,
                 llvm::ArrayRef<View> outputs,
                 llvm::function_ref<View(const View &)> atNext);
  /// Places of outputs in the buffers of sequences that end with the loop.
  void reuseSequences(nn::ScanOp op);

  // RowBlocks.cpp
  /// Opens a loop over blocks of the rows `all`; what follows is its body.
  void openBlocks(Scan &here, Affine all);
  /// After the body: says whether blocks may run side by side.
  void closeBlocks(Scan &here);
  /// `count` rows of a view from row `first` on.
  View ofRows(View view, unsigned dim, mlir::Value first, mlir::Value count);

  // LowerSteps.cpp
  llvm::LogicalResult lowerPackedScan(nn::ScanOp op);
  void lowerPackSteps(nn::PackStepsOp op);
  void lowerUnpackSteps(nn::UnpackStepsOp op);
  void moveSteps(const View &steps, const View &packed, mlir::Value mask,
                 bool pack);
  /// Rows `first` to `first + count` of a list between a whole value and its
  /// selected rows, in the direction that `gather` says.
  void moveRows(const View &whole, const View &selected, const Steps &steps,
                mlir::Value first, mlir::Value count, bool gather);
  /// Where the row `row` of step `step` is in a list by step and row.
  mlir::Value entryOf(const Steps &steps, mlir::Value step, mlir::Value row);

  /// A loop nest over `sizes` that is one kernel; `body` gets the indices.
  /// Gives the outermost loop.
  mlir::scf::ForOp kernelLoops(llvm::ArrayRef<Affine> sizes,
                               llvm::function_ref<void(mlir::ValueRange)> body);
  /// A loop of the phase itself, whose body holds kernels and calls.
  void plainLoops(llvm::ArrayRef<Affine> sizes,
                  llvm::function_ref<void(mlir::ValueRange)> body);
  mlir::scf::ForOp loops(llvm::ArrayRef<Affine> sizes, bool kernel,
                         llvm::function_ref<void(mlir::ValueRange)> body);

  mlir::OpBuilder &b;
  mlir::Location loc = mlir::UnknownLoc::get(b.getContext());
  RowMath math;
  mlir::Value rowOffset;
  const Optimizations &optimizations;
  RowExtents extents;
  llvm::DenseMap<mlir::Value, View> views;
  mlir::IRMapping scalars; ///< index and integer values outside of tensors
  /// Places chosen before the value was made: more than one means copies.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<View, 1>> places;
  llvm::DenseMap<mlir::Value, Steps> stepsByMask;
  /// The most that a count can be: the extent of a buffer.
  llvm::DenseMap<mlir::Value, Affine> capacity;
  Frame *frame = nullptr;
  Scan *scan = nullptr;
};

/// Operands of a linalg op: views without their broadcast dimensions, and the
/// maps that say how the loops index them.
struct LinalgOperand {
  View view;
  mlir::AffineMap map;
};
LinalgOperand withoutBroadcast(mlir::MLIRContext *context, const View &view);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_NNLOWERING_H
