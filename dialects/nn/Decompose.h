//===- Decompose.h - what decompositions of layers share --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activation functions and random masks as core ops. All functions build at
// the builder's insertion point.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_DECOMPOSE_H
#define BELFRY_NN_DECOMPOSE_H

#include "dialects/nn/Builders.h"

#include <optional>

namespace belfry::nn {

/// The arguments that some activations have; see nn.activation.
struct ActivationOptions {
  std::optional<double> alpha;
  std::optional<double> maxValue;
  std::optional<double> threshold;
  bool approximate = false;
  std::optional<int64_t> axis;
};

/// `kind` of `x`, elementwise, or along `options.axis` (default: the last
/// dimension) for softmax and log_softmax. Has x's type. The meaning is that
/// of Keras 3: hard_sigmoid is relu6(x + 3)/6, gelu is exact. Gradients of
/// what is built are those of Keras on TensorFlow at kinks (0 at x = 0 for
/// relu), and are finite wherever the function's own is. Emits an error and
/// fails where the axis is out of range.
llvm::FailureOr<mlir::Value>
decomposeActivation(mlir::OpBuilder &builder, mlir::Location loc,
                    Activation kind, mlir::Value x,
                    const ActivationOptions &options = {});

/// `x` broadcast to `shape`: dimension k of `x` becomes dimension `dims[k]`. A
/// new dynamic dimension has the extent of the dynamic dimension of `like`.
mlir::Value broadcastTo(CoreBuilder &core, mlir::Value x,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims, mlir::Value like);

/// `value` everywhere, of type `type`, a dynamic dimension as that of `like`.
mlir::Value splatOf(CoreBuilder &core, mlir::RankedTensorType type,
                    double value, mlir::Value like);

/// Elements [begin, end) of dimension `dim` of `x`.
mlir::Value sliceDim(CoreBuilder &core, mlir::Value x, int64_t dim,
                     int64_t begin, int64_t end);

/// Inverted dropout: where uniform numbers of `shape` from `stream` are at
/// least `rate`, true. A dynamic dimension of `shape` is that of `like`.
mlir::Value dropoutKeep(CoreBuilder &core, mlir::Type element,
                        llvm::ArrayRef<int64_t> shape, mlir::Value like,
                        double rate, uint32_t stream);

} // namespace belfry::nn

#endif // BELFRY_NN_DECOMPOSE_H
