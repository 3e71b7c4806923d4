//===- Optimizers.h - the update of a parameter -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TRAINING_OPTIMIZERS_H
#define BELFRY_PASSES_TRAINING_OPTIMIZERS_H

#include "dialects/nn/Builders.h"

namespace belfry {

/// An optimizer as nn.optimizer describes it: which numbers it takes at run
/// time, what it keeps for each parameter, and its update. Formulas: Keras
/// 3.15.1.
class Optimizer {
public:
  /// Emits an error and fails on an unknown kind or argument.
  static llvm::FailureOr<Optimizer> get(nn::OptimizerOp op);

  llvm::StringRef kind() const { return name; }
  /// Run-time arguments with their defaults, in a fixed order.
  llvm::ArrayRef<std::pair<std::string, double>> hypers() const {
    return numbers;
  }
  /// The names of what is kept for a parameter. `interleaved` says how Keras
  /// orders slots: all of a parameter together, or all parameters' first slot
  /// first.
  llvm::ArrayRef<std::string> slots() const { return slotNames; }
  bool interleaved() const { return isInterleaved; }

  /// Computes what does not depend on the parameter. `hyper` gives the f64
  /// scalar of a name; `step` is the number of updates made before.
  void buildScalars(nn::CoreBuilder &b,
                    llvm::function_ref<mlir::Value(llvm::StringRef)> hyper,
                    mlir::Value step);
  /// The new value of a parameter; replaces the slots' values by new ones.
  /// `squared` is the square of the gradient, null for its elements' squares.
  mlir::Value buildUpdate(nn::CoreBuilder &b, mlir::Value parameter,
                          mlir::Value gradient, mlir::Value squared,
                          llvm::MutableArrayRef<mlir::Value> slots);

private:
  mlir::Value scalar(nn::CoreBuilder &b, llvm::StringRef name,
                     mlir::Value like);
  bool has(llvm::StringRef name) const;

  std::string name;
  llvm::SmallVector<std::pair<std::string, double>> numbers;
  llvm::SmallVector<std::string> slotNames;
  bool isInterleaved = false, nesterov = false, amsgrad = false,
       centered = false;
  llvm::SmallVector<std::pair<std::string, mlir::Value>> scalars; ///< f64
};

/// The square of a gradient that is a sum of slices by index, as that of an
/// embedding is: the sum of the slices' squares, since Keras on TensorFlow
/// keeps such a gradient as slices and squares them one by one. Null for a
/// gradient of any other kind.
mlir::Value squareOfSlices(nn::CoreBuilder &b, mlir::Value gradient);

/// The names that nn.optimizer knows, for error messages.
llvm::ArrayRef<llvm::StringLiteral> knownOptimizers();

} // namespace belfry

#endif // BELFRY_PASSES_TRAINING_OPTIMIZERS_H
