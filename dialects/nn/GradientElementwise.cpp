//===- GradientElementwise.cpp - gradients of elementwise ops -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At ties and edges the gradients are those of Keras on TensorFlow; the table
// is in docs/gradients.md.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/GradientModel.h"

#include <numbers>

using namespace mlir;
using namespace belfry::nn;

namespace {

struct UnaryGradient : GradientModel<UnaryGradient, UnaryOp> {
  static LogicalResult build(UnaryOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (!wanted[0])
      return success();
    out[0] =
        derivative(op.getKind(), b, op.getOperand(), op.getResult(), grads[0]);
    return success();
  }

  static Value derivative(UnaryKind kind, CoreBuilder &b, Value x, Value y,
                          Value g) {
    switch (kind) {
    case UnaryKind::Neg:
      return b.unary(UnaryKind::Neg, g);
    case UnaryKind::Abs:
      return b.mul(g, b.unary(UnaryKind::Sign, x));
    case UnaryKind::Exp:
      return b.mul(g, y);
    case UnaryKind::Expm1:
      return b.mul(g, b.binary(BinaryKind::Add, y, 1.0));
    case UnaryKind::Log:
      return b.div(g, x);
    case UnaryKind::Log1p:
      return b.div(g, b.binary(BinaryKind::Add, x, 1.0));
    case UnaryKind::Sqrt:
      return b.div(b.mul(g, 0.5), y);
    case UnaryKind::Rsqrt:
      // d x^(-1/2) = -1/2 x^(-3/2)
      return b.mul(b.mul(g, -0.5), b.mul(y, b.mul(y, y)));
    case UnaryKind::Tanh:
      return b.mul(g, b.binary(BinaryKind::Sub, 1.0, b.mul(y, y)));
    case UnaryKind::Sigmoid:
      return b.mul(g, b.mul(y, b.binary(BinaryKind::Sub, 1.0, y)));
    case UnaryKind::Erf:
      return b.mul(g, b.mul(b.unary(UnaryKind::Exp,
                                    b.unary(UnaryKind::Neg, b.mul(x, x))),
                            2.0 * std::numbers::inv_sqrtpi));
    case UnaryKind::Sin:
      return b.mul(g, b.unary(UnaryKind::Cos, x));
    case UnaryKind::Cos:
      return b.mul(g, b.unary(UnaryKind::Neg, b.unary(UnaryKind::Sin, x)));
    case UnaryKind::Sign:
    case UnaryKind::Floor:
    case UnaryKind::Ceil:
    case UnaryKind::Not:
    case UnaryKind::IsFinite:
      return {}; // zero, or no number
    }
    llvm_unreachable("unknown unary kind");
  }
};

struct BinaryGradient : GradientModel<BinaryGradient, BinaryOp> {
  static LogicalResult build(BinaryOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    Value x = op.getLhs(), y = op.getRhs(), z = op.getResult(), g = grads[0];
    if (wanted[0])
      out[0] = left(op.getKind(), b, x, y, g);
    if (wanted[1])
      out[1] = right(op.getKind(), b, x, y, z, g);
    return success();
  }

  /// maximum gives x where x >= y, minimum gives x where x <= y.
  static Value takesLeft(BinaryKind kind, CoreBuilder &b, Value x, Value y) {
    return b.compare(
        kind == BinaryKind::Max ? CompareKind::Ge : CompareKind::Le, x, y);
  }

  static Value left(BinaryKind kind, CoreBuilder &b, Value x, Value y,
                    Value g) {
    switch (kind) {
    case BinaryKind::Add:
    case BinaryKind::Sub:
    case BinaryKind::Rem:
      return g;
    case BinaryKind::Mul:
      return b.mul(g, y);
    case BinaryKind::Div:
      return b.div(g, y);
    case BinaryKind::Max:
    case BinaryKind::Min:
      return b.select(takesLeft(kind, b, x, y), g, b.splat(g, 0.0));
    case BinaryKind::Pow:
      return b.mul(g, b.mul(y, b.binary(BinaryKind::Pow, x,
                                        b.binary(BinaryKind::Sub, y, 1.0))));
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
      return {};
    }
    llvm_unreachable("unknown binary kind");
  }

  static Value right(BinaryKind kind, CoreBuilder &b, Value x, Value y, Value z,
                     Value g) {
    switch (kind) {
    case BinaryKind::Add:
      return g;
    case BinaryKind::Sub:
      return b.unary(UnaryKind::Neg, g);
    case BinaryKind::Mul:
      return b.mul(g, x);
    case BinaryKind::Div:
      return b.unary(UnaryKind::Neg, b.div(b.mul(g, z), y));
    case BinaryKind::Max:
    case BinaryKind::Min:
      return b.select(takesLeft(kind, b, x, y), b.splat(g, 0.0), g);
    case BinaryKind::Pow: {
      // x^y ln x, and 0 where x is not positive.
      Value positive = b.compare(CompareKind::Gt, x, 0.0);
      Value log =
          b.unary(UnaryKind::Log, b.select(positive, x, b.splat(x, 1.0)));
      return b.mul(g, b.mul(z, log));
    }
    case BinaryKind::Rem:
      // x - trunc(x/y) y, and trunc(x/y) = (x - rem)/y.
      return b.unary(UnaryKind::Neg, b.mul(g, b.div(b.sub(x, z), y)));
    case BinaryKind::And:
    case BinaryKind::Or:
    case BinaryKind::Xor:
      return {};
    }
    llvm_unreachable("unknown binary kind");
  }
};

struct SelectGradient : GradientModel<SelectGradient, SelectOp> {
  static LogicalResult build(SelectOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    Value g = grads[0], zero = b.splat(g, 0.0);
    if (wanted[1])
      out[1] = b.select(op.getCondition(), g, zero);
    if (wanted[2])
      out[2] = b.select(op.getCondition(), zero, g);
    return success();
  }
};

struct ConvertGradient : GradientModel<ConvertGradient, ConvertOp> {
  static LogicalResult build(ConvertOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (wanted[0])
      out[0] =
          b.convert(grads[0], tensorType(op.getOperand()).getElementType());
    return success();
  }
};

} // namespace

void belfry::nn::attachElementwiseGradients(MLIRContext *context) {
  UnaryGradient::attach(context);
  BinaryGradient::attach(context);
  SelectGradient::attach(context);
  ConvertGradient::attach(context);
}
