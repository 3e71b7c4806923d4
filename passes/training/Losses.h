//===- Losses.h - values of losses and metrics ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TRAINING_LOSSES_H
#define BELFRY_PASSES_TRAINING_LOSSES_H

#include "dialects/nn/Builders.h"

namespace belfry {

/// Keras's ε, which keeps probabilities off 0 and 1.
constexpr double kEpsilon = 1e-7;

/// A loss or metric before it is weighted and summed.
struct ElementValues {
  /// Float; the prediction's shape without its last dimension.
  mlir::Value values;
  /// i1 of that shape, or null: elements that count (ignore_class).
  mlir::Value mask;
  /// What gradients are taken of, or null for `values`. TensorFlow's gradient
  /// of a cross-entropy of logits is softmax − t, also where the targets do not
  /// sum to 1 and the formula's own gradient is another one.
  mlir::Value differentiated{};
};

/// The shape of the elements of a loss of `prediction`: without its last
/// dimension, or with all of them where it has only the batch's.
llvm::SmallVector<int64_t> elementShape(mlir::RankedTensorType prediction);

/// Whether Keras's `kind` is known as a loss, as a metric.
bool isKnownLoss(llvm::StringRef kind);
bool isKnownMetric(llvm::StringRef kind);
/// All known names, for error messages.
llvm::ArrayRef<llvm::StringLiteral> knownLosses();
llvm::ArrayRef<llvm::StringLiteral> knownMetrics();

/// Whether targets of `kind` are class numbers rather than a float a
/// prediction.
bool takesClassNumbers(llvm::StringRef kind);

/// Builds the elements of a loss or metric. `source` is the nn.loss or
/// nn.metric op, whose attributes are Keras's arguments of `kind`. `logits` is
/// what went into the output's activation where the loss is to bypass it, or
/// null. Formulas: Keras 3.15.1, TensorFlow back end. Fails with an error on
/// shapes that do not fit.
llvm::FailureOr<ElementValues>
buildElementValues(nn::CoreBuilder &b, mlir::Operation *source,
                   llvm::StringRef kind, mlir::Value prediction,
                   mlir::Value logits, mlir::Value target);

} // namespace belfry

#endif // BELFRY_PASSES_TRAINING_LOSSES_H
