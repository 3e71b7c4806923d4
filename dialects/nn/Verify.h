//===- Verify.h - what verifiers share --------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_VERIFY_H
#define BELFRY_NN_VERIFY_H

#include "dialects/nn/Builders.h"

namespace belfry::nn {

inline bool isFloat(mlir::Type element) {
  return llvm::isa<mlir::FloatType>(element);
}
inline bool isBool(mlir::Type element) { return element.isInteger(1); }
/// An integer that is not a truth value.
inline bool isInteger(mlir::Type element) {
  return llvm::isa<mlir::IntegerType>(element) && !isBool(element);
}
inline bool isNumber(mlir::Type element) {
  return isFloat(element) || isInteger(element);
}

/// Traits of MLIR take a dynamic extent and a static one for the same: checks
/// that operands and results of `op` have the very same shape.
llvm::LogicalResult verifyOneShape(mlir::Operation *op);

/// The same, of types.
llvm::LogicalResult verifyOneType(mlir::Operation *op);

/// `type` with another shape.
inline mlir::RankedTensorType withShape(mlir::RankedTensorType type,
                                        llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, type.getElementType());
}

/// Checks that what `op` calls `what` has type `expected`.
llvm::LogicalResult verifyType(mlir::Operation *op, const llvm::Twine &what,
                               mlir::Type type, mlir::Type expected);

/// Checks that a shape operand is there exactly where `needed`, and has a
/// dynamic dimension.
llvm::LogicalResult verifyLike(mlir::Operation *op, mlir::Value like,
                               bool needed);

/// Checks that the entries of `dims` are distinct and below `rank`.
llvm::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);

/// The end of an error about an unknown name: the nearest of the known ones, or
/// all of them.
std::string describeKnown(llvm::StringRef name,
                          llvm::ArrayRef<llvm::StringRef> known);

} // namespace belfry::nn

#endif // BELFRY_NN_VERIFY_H
