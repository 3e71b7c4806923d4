//===- InterpretRules.h - the interpreter's rules ---------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Interpret*.cpp. Each family attaches its own rules; the helpers
// are what several families need.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_INTERPRETRULES_H
#define BELFRY_NN_INTERPRETRULES_H

#include "dialects/nn/Builders.h"
#include "dialects/nn/Interpret.h"

namespace belfry::nn::interp {

using Operands = llvm::ArrayRef<HostTensor>;
using Results = llvm::SmallVectorImpl<HostTensor>;
using Shape = llvm::SmallVector<int64_t, 4>;

/// The external model of one op, from its rule. Rules of arithmetic ops meet no
/// f16 and bf16.
template <typename OpT, llvm::LogicalResult (*Rule)(
                            OpT, Operands, InterpretContext &, Results &)>
struct Model : InterpretableOpInterface::ExternalModel<Model<OpT, Rule>, OpT> {
  llvm::LogicalResult interpret(mlir::Operation *op, Operands operands,
                                InterpretContext &context,
                                Results &results) const {
    auto rule = [&](Operands given, Results &made) {
      return Rule(mlir::cast<OpT>(op), given, context, made);
    };
    if constexpr (OpT::template hasTrait<Arithmetic>())
      return runWidened(op, operands, context, results, rule);
    else
      return rule(operands, results);
  }
};
template <typename OpT, llvm::LogicalResult (*Rule)(
                            OpT, Operands, InterpretContext &, Results &)>
void attach(mlir::MLIRContext &context) {
  OpT::template attachInterface<Model<OpT, Rule>>(context);
}

void attachElementwiseRules(mlir::MLIRContext &context);
void attachShapeRules(mlir::MLIRContext &context);
void attachLinearRules(mlir::MLIRContext &context);
void attachIndexRules(mlir::MLIRContext &context);
void attachRandomRules(mlir::MLIRContext &context);
void attachScanRules(mlir::MLIRContext &context);

int64_t product(llvm::ArrayRef<int64_t> shape);

/// Row-major strides, in elements.
Shape stridesOf(llvm::ArrayRef<int64_t> shape);

/// The shape of a result type, with the dynamic extent taken from the dynamic
/// dimension of `like`, the run-time value of `likeValue` (which may be null).
Shape shapeLike(mlir::RankedTensorType type, mlir::Value likeValue,
                const HostTensor *like);

/// Copies an element for each index of `shape`, between two places given by
/// their strides. Element types agree.
void copyStrided(HostType type, llvm::ArrayRef<int64_t> shape, const void *from,
                 llvm::ArrayRef<int64_t> fromStrides, void *to,
                 llvm::ArrayRef<int64_t> toStrides);

/// Calls `f(offset)` with the offset of each index of `shape`, in row-major
/// order, under `strides`.
template <typename F>
void forEachOffset(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, F &&f) {
  int64_t count = product(shape), offset = 0;
  Shape index(shape.size(), 0);
  for (int64_t n = 0; n < count; ++n) {
    f(offset);
    for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

/// Where a NaN stands on either side the result is NaN; x where both are
/// equal.
template <typename T> T maxOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (x != x || y != y)
      return x != x ? x : y;
  return x >= y ? x : y;
}
template <typename T> T minOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (x != x || y != y)
      return x != x ? x : y;
  return x <= y ? x : y;
}

/// Integer arithmetic wraps: it is done in 64 bits without a sign, of which the
/// low ones are right.
template <typename T> T addOf(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  else
    return x + y;
}
template <typename T> T subOf(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
  else
    return x - y;
}
template <typename T> T mulOf(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  else
    return x * y;
}

} // namespace belfry::nn::interp

#endif // BELFRY_NN_INTERPRETRULES_H
