//===- RowMultiple.h - how long a dynamic dimension is ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_ROWMULTIPLE_H
#define BELFRY_NN_ROWMULTIPLE_H

#include "dialects/nn/Nn.h"

namespace belfry::nn {

/// The dynamic dimension of a tensor type, or −1.
int64_t dynamicDim(mlir::Type type);

/// The number of elements of a tensor type; its dynamic dimension counts as 1.
int64_t staticElements(mlir::Type type);

/// The extent of the dynamic dimension of `v` as a multiple of the rows of the
/// batch: 1 for an input, T after a reshape of (B, T, F) to (B·T, F). None
/// where `v` has no dynamic dimension, or where its extent follows no whole
/// multiple.
std::optional<int64_t> rowMultiple(mlir::Value v);

/// A value of the same block, or an argument of it, whose dynamic dimension has
/// the same extent as that of `v` and which does not hang on more than `v`
/// does: the last one upwards. `v` itself where it has no dynamic dimension.
mlir::Value rowOrigin(mlir::Value v);

} // namespace belfry::nn

#endif // BELFRY_NN_ROWMULTIPLE_H
