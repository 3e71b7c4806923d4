//===- RowExtents.h - dynamic extents as multiples of rows ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor has at most one dynamic dimension, whose extent is m·rows. This
// analysis finds m.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_ROWEXTENTS_H
#define BELFRY_PASSES_LOWERING_ROWEXTENTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace belfry {

/// Attribute of an argument of a phase function: m of its dynamic dimension.
constexpr llvm::StringLiteral kExtentAttr = "belfry.extent";

class RowExtents {
public:
  /// m where the value has a dynamic dimension, else 0. Fails with an error at
  /// the op where m is not a whole number.
  mlir::FailureOr<int64_t> multiple(mlir::Value value);

  /// The number of elements as a·rows + b: one of the two is zero.
  mlir::FailureOr<std::pair<int64_t, int64_t>> elements(mlir::Value value);

private:
  mlir::FailureOr<int64_t> compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> known;
};

/// Bytes of an element in a buffer: an i1 takes one.
int64_t elementBytes(mlir::Type element);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_ROWEXTENTS_H
