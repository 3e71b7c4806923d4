//===- KernelBuilder.h - a loop nest as a function --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_KERNELBUILDER_H
#define BELFRY_PASSES_HOST_KERNELBUILDER_H

#include "passes/Optimizations.h"
#include "passes/host/HostViews.h"

#include "mlir/IR/IRMapping.h"

namespace belfry {

/// A dimension of a loop nest: extent, kind, and the stride of each operand.
struct NestDim {
  Affine size;
  bool parallel = true;
  llvm::SmallVector<Affine> strides;
  /// The dimensions of the linalg op that it stands for.
  llvm::SmallVector<unsigned> original;
};

/// Sorts the few dimensions of a nest, stably.
template <typename Less>
void sortDims(llvm::SmallVectorImpl<NestDim> &dims, Less less) {
  for (size_t i = 1; i < dims.size(); ++i)
    for (size_t k = i; k > 0 && less(dims[k], dims[k - 1]); --k)
      std::swap(dims[k], dims[k - 1]);
}

/// An operand of a loop nest: an array, or a scalar.
struct NestOperand {
  int pointer = -1;   ///< which pointer of the kernel
  mlir::Value scalar; ///< outside of the kernel
  mlir::Type element;
  bool isArray() const { return pointer >= 0; }
};

/// A linalg op, taken apart.
struct Nest {
  llvm::SmallVector<NestDim> dims;
  llvm::SmallVector<NestOperand> operands; ///< inputs, then outputs
  unsigned inputs = 0;
  mlir::Block *body = nullptr; ///< null: stores the only input
  bool usesIndex = false;
};

class KernelBuilder {
public:
  KernelBuilder(mlir::Operation *op, mlir::Value rows,
                const Optimizations &optimizations)
      : op(op), loc(mlir::UnknownLoc::get(op->getContext())), rows(rows),
        optimizations(optimizations), b(op->getContext()) {}

  /// Builds the function, in front of nothing: the caller puts it somewhere.
  /// Fails with an error.
  llvm::LogicalResult build();

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> arguments; ///< of a call, from outside
  /// Where the work is worth sharing among threads, and one of its loops is
  /// parallel: that loop. The function's first two arguments are then its first
  /// index and the one after the last, and don't stand among `arguments`.
  struct Split {
    int64_t multiple = 1; ///< where it may be cut
    Affine count;         ///< of iterations
    int64_t cost = 0;     ///< of an iteration, times `costFactors`
    llvm::SmallVector<Affine> costFactors;
  };
  std::optional<Split> split;
  bool mayShare = true; ///< whether there may be one
  /// An array that the kernel touches.
  struct Access {
    mlir::Value base;
    bool written;
  };
  llvm::SmallVector<Access> accesses() const;
  /// Builds the values of `arguments` that are pointers, at `at`.
  void buildArguments(mlir::OpBuilder &at);

  /// Marks loops whose iterations touch nothing that another one writes; their
  /// accesses are all within the loop itself.
  static constexpr llvm::StringLiteral kParallelAttr = "belfry.parallel";

private:
  mlir::FailureOr<Nest> takeApart(mlir::linalg::LinalgOp linalg);
  int pointerOf(const View &view, bool written);
  bool isApart(unsigned pointer) const;
  mlir::Value inside(Affine affine);
  mlir::Value imported(mlir::Value outside);
  mlir::Value argument(mlir::Value outside, mlir::Type type);

  void collapse(Nest &nest);
  void planSplit(Nest &nest);
  void planSplit(mlir::scf::ForOp loop);
  void setSplit(Split plan);
  void buildElementwise(Nest &nest);
  void buildReduction(Nest &nest);
  bool buildRowReduction(Nest &nest);
  void buildScalarLoops(Nest &nest);
  void buildElement(Nest &nest, const llvm::SmallVector<mlir::Value> &at);
  // Updates of slots.
  bool mayMeetTinyNumbers(const Nest &nest) const;
  void buildUpdate(Nest &nest);
  mlir::scf::ForOp buildBlock(Nest &nest, mlir::Value first, mlir::Value last);
  mlir::Value anyTiny(Nest &nest, mlir::Value first, mlir::Value end);
  mlir::Value unknownZero();
  llvm::LogicalResult buildLoopKernel(mlir::scf::ForOp loop);
  llvm::LogicalResult replaceAccesses(mlir::Operation *root);

  /// The range of a loop over a dimension. That of a loop which threads share
  /// comes from outside: kernels that differ in its extent alone are one.
  std::pair<mlir::Value, mlir::Value> boundsOf(const Nest &nest, unsigned dim) {
    if (static_cast<int>(dim) == splitDim)
      return {splitBegin, splitEnd};
    mlir::Value first = inside(Affine::of(0));
    return {first, inside(nest.dims[dim].size)};
  }
  /// Loops over dims [from, to), innermost last; `body` gets the offsets.
  using Offsets = llvm::SmallVector<mlir::Value>;
  void loops(Nest &nest, unsigned from, unsigned to, Offsets offsets,
             llvm::function_ref<void(const Offsets &)> body);
  Offsets advance(Nest &nest, unsigned dim, const Offsets &offsets,
                  mlir::Value index);
  Offsets start(Nest &nest);
  mlir::Value addressOf(int pointer, mlir::Type element, mlir::Value offset);
  mlir::Value load(int pointer, mlir::Type element, mlir::Value offset,
                   int64_t lanes = 0);
  void store(mlir::Value value, int pointer, mlir::Type element,
             mlir::Value offset);
  void cloneBody(Nest &nest, mlir::IRMapping &map,
                 mlir::Operation *except = nullptr, int64_t lanes = 0);

  mlir::Operation *op;
  mlir::Location loc;
  mlir::Value rows;
  const Optimizations &optimizations;
  mlir::OpBuilder b;
  llvm::DenseMap<mlir::Value, mlir::Value> counts; ///< outside → inside
  llvm::SmallVector<View> pointers;                ///< base and offset matter
  llvm::SmallVector<bool> pointersWritten;
  int splitDim = -1; ///< of the nest, with its bounds
  mlir::Value splitBegin, splitEnd;
  llvm::SmallVector<mlir::Value> pointersInside;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> scalars;
  llvm::DenseMap<mlir::Value, mlir::Value> importedValues;
  llvm::DenseMap<std::tuple<int64_t, int64_t, mlir::Value>, mlir::Value>
      affines;
  llvm::SmallVector<mlir::Value> indices; ///< of the loops, by linalg dimension
};

} // namespace belfry

#endif // BELFRY_PASSES_HOST_KERNELBUILDER_H
