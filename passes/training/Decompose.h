//===- Decompose.h - layers to core ops -------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TRAINING_DECOMPOSE_H
#define BELFRY_PASSES_TRAINING_DECOMPOSE_H

#include "dialects/nn/Nn.h"

namespace belfry {

/// Replaces every layer inside of `root`, at any depth, by core ops. The ops
/// have the layer's location, so that they carry its name. Fails when some
/// layer has no decomposition, after an error for each of them.
llvm::LogicalResult decomposeLayers(mlir::Operation *root,
                                    const nn::DecomposeContext &context);

} // namespace belfry

#endif // BELFRY_PASSES_TRAINING_DECOMPOSE_H
