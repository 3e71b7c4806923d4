//===- Autodiff.h - reverse-mode differentiation ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_AUTODIFF_H
#define BELFRY_NN_AUTODIFF_H

#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace belfry::nn {

/// The float values of `ops` (in program order) that depend on one of `sources`
/// through float values.
llvm::DenseSet<mlir::Value>
findActiveValues(llvm::ArrayRef<mlir::Operation *> ops,
                 mlir::ValueRange sources);

/// Reverse-mode differentiation of straight-line code of core ops.
///
///   1. addGradient() sets the gradients of the values to start from;
///   2. run() goes through the ops backwards and builds their gradients;
///   3. gradient() has the sums of what reached a value, or null.
class Differentiator {
public:
  explicit Differentiator(mlir::OpBuilder &builder) : builder(builder) {}

  /// Called before the gradient of an op's operand is built, with the
  /// gradients of the op's results. Returns true to take it over.
  using Intercept =
      llvm::function_ref<bool(mlir::OpOperand &, mlir::ValueRange)>;

  void addGradient(mlir::Value of, mlir::Value gradient);
  mlir::Value gradient(mlir::Value of) const { return gradients.lookup(of); }

  /// Builds gradients at the builder's insertion point. Emits an error at an op
  /// that has none and is reached. `ops` are in program order.
  llvm::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops,
                          const llvm::DenseSet<mlir::Value> &active,
                          Intercept intercept = nullptr);

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

} // namespace belfry::nn

#endif // BELFRY_NN_AUTODIFF_H
