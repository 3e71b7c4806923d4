//===- GradientLinear.h - gradients of a product, also over stacked steps -*-
// C++ -*- ----------------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_GRADIENTLINEAR_H
#define BELFRY_NN_GRADIENTLINEAR_H

#include "dialects/nn/Builders.h"

namespace belfry::nn {

/// The gradient of one side of a product, from the other side and the gradient
/// of the result. With `stacked`, both have the steps of a loop as a further
/// leading dimension, which is summed over: the gradient of a loop-invariant
/// side, for all steps at once.
mlir::Value buildDotGradient(CoreBuilder &b, DotOp op, bool ofLeft,
                             mlir::Value other, mlir::Value resultGrad,
                             bool stacked = false);

} // namespace belfry::nn

#endif // BELFRY_NN_GRADIENTLINEAR_H
