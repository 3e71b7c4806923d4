//===- Interpreter.h - runs functions of nn core and tower ops --*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference meaning of a program above lowering. A tower.replicate runs on
// as many threads as there are towers, which meet in each collective; sums
// over towers follow the tree of docs/architecture.md, so results are those of
// a training binary up to the rounding of the ops inside of a tower.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_INTERPRETER_H
#define BELFRY_INTERPRETER_INTERPRETER_H

#include "dialects/nn/Interpret.h"
#include "dialects/tower/Tower.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace belfry {

/// The rows [begin, begin + count) of one tower.
struct RowBlock {
  int64_t begin = 0;
  int64_t count = 0;
};

/// The rows of tower `index` out of `towers`. Fails, with a message, where the
/// policy is strict and `towers` does not divide `rows`.
mlir::FailureOr<RowBlock> cutRows(tower::Slicing slicing, int64_t rows,
                                  int64_t index, int64_t towers,
                                  std::string &message);

/// Combines the towers' values in the fixed binary tree over the tower index.
/// Values have one type and shape; there is at least one.
nn::HostTensor combineTowers(tower::ReduceKind kind,
                             llvm::ArrayRef<nn::HostTensor> values);

struct InterpreterOptions {
  nn::Precision precision = nn::Precision::F32;
  /// The number of towers, in place of the one that tower.replicate names.
  std::optional<int64_t> towers;
};

/// Runs a function. Arguments have the types of the function's, where a float
/// tensor may have any float type: it is converted to the precision's.
/// Results hold floats in the precision's type. Emits one error and fails on
/// arguments that do not fit, on an op without a rule and on operands that an
/// op's contract excludes, in whichever tower.
mlir::LogicalResult interpret(mlir::func::FuncOp function,
                              llvm::ArrayRef<nn::HostTensor> arguments,
                              const InterpreterOptions &options,
                              llvm::SmallVectorImpl<nn::HostTensor> &results);

} // namespace belfry

#endif // BELFRY_INTERPRETER_INTERPRETER_H
