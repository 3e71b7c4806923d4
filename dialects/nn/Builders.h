//===- Builders.h - short forms for building core ops -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decompositions, gradients and losses have in common.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_BUILDERS_H
#define BELFRY_NN_BUILDERS_H

#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"

namespace belfry::nn {

inline mlir::RankedTensorType tensorType(mlir::Value v) {
  return llvm::cast<mlir::RankedTensorType>(v.getType());
}
inline bool hasFloatElements(mlir::Value v) {
  return llvm::isa<mlir::FloatType>(tensorType(v).getElementType());
}

/// Builds core ops at one location. All functions insert at the builder's
/// point; element types of operands have to agree.
class CoreBuilder {
public:
  CoreBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// A scalar constant.
  mlir::Value scalar(mlir::Type element, double value);
  /// `value` everywhere, with the shape of `ref` and, unless given, its
  /// element type.
  mlir::Value splat(mlir::Value ref, double value, mlir::Type element = {});

  mlir::Value unary(UnaryKind kind, mlir::Value x);
  mlir::Value binary(BinaryKind kind, mlir::Value x, mlir::Value y);
  /// With a constant on the right, or on the left.
  mlir::Value binary(BinaryKind kind, mlir::Value x, double y);
  mlir::Value binary(BinaryKind kind, double x, mlir::Value y);
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return binary(BinaryKind::Add, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return binary(BinaryKind::Sub, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return binary(BinaryKind::Mul, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return binary(BinaryKind::Div, x, y);
  }
  mlir::Value mul(mlir::Value x, double y) {
    return binary(BinaryKind::Mul, x, y);
  }
  mlir::Value compare(CompareKind kind, mlir::Value x, mlir::Value y);
  mlir::Value compare(CompareKind kind, mlir::Value x, double y);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);
  /// To another element type; nothing where it has that already.
  mlir::Value convert(mlir::Value x, mlir::Type element);

  /// `x`, whose dimension k becomes dimension `dims[k]`, with the shape of
  /// `ref`.
  mlir::Value broadcastLike(mlir::Value x, mlir::Value ref,
                            llvm::ArrayRef<int64_t> dims);
  /// A scalar everywhere, with the shape of `ref`.
  mlir::Value broadcastScalar(mlir::Value x, mlir::Value ref) {
    return broadcastLike(x, ref, {});
  }
  /// `x` without the dimensions `dims`, with them again: what a reduction over
  /// `dims` of something shaped like `ref` gave, repeated along them.
  mlir::Value unreduce(mlir::Value x, mlir::Value ref,
                       llvm::ArrayRef<int64_t> dims);
  mlir::Value reduce(ReduceKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims);
  /// Over all dimensions.
  mlir::Value reduceAll(ReduceKind kind, mlir::Value x);
  /// The maximum over `dims` as a constant for the differentiator: what a
  /// stable softmax subtracts, which cancels in its gradient.
  mlir::Value maxWithoutGradient(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// Along a dimension, stable for large values.
  mlir::Value softmax(mlir::Value x, int64_t axis);
  mlir::Value logSoftmax(mlir::Value x, int64_t axis);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace belfry::nn

#endif // BELFRY_NN_BUILDERS_H
