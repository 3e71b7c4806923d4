//===- InterpretElementwise.cpp - meaning of elementwise ops --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that are not correctly rounded in general (exp, tanh, …) are
// computed in double and rounded once: the f32 reference is as good as f32
// gets.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

/// Fails unless the operands have one shape at run time.
static LogicalResult checkShapes(Operation *op, Operands operands,
                                 InterpretContext &context) {
  for (const HostTensor &operand : operands.drop_front())
    if (operand.getShape() != operands[0].getShape())
      return context.fail(op, "has operands of different shapes, " +
                                  operands[0].typeString() + " and " +
                                  operand.typeString());
  return success();
}

/// result[i] = f(operand[i])
template <typename To, typename From, typename F>
static HostTensor map(const HostTensor &operand, F &&f) {
  HostTensor result(hostTypeOf<To>(), operand.getShape());
  ArrayRef<From> from = operand.values<From>();
  MutableArrayRef<To> to = result.mutableValues<To>();
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = static_cast<To>(f(from[i]));
  return result;
}

/// result[i] = f(lhs[i], rhs[i])
template <typename To, typename From, typename F>
static HostTensor map(const HostTensor &lhs, const HostTensor &rhs, F &&f) {
  HostTensor result(hostTypeOf<To>(), lhs.getShape());
  ArrayRef<From> l = lhs.values<From>(), r = rhs.values<From>();
  MutableArrayRef<To> to = result.mutableValues<To>();
  for (size_t i = 0; i < l.size(); ++i)
    to[i] = static_cast<To>(f(l[i], r[i]));
  return result;
}

//===----------------------------------------------------------------------===//
// nn.constant
//===----------------------------------------------------------------------===//

template <typename T, typename Value, typename F>
static bool fillConstant(ElementsAttr value, HostTensor &result, F &&convert) {
  auto elements = value.tryGetValues<Value>();
  if (!elements)
    return false;
  MutableArrayRef<T> to = result.mutableValues<T>();
  size_t i = 0;
  for (const Value &v : *elements)
    to[i++] = convert(v);
  return true;
}

static LogicalResult constantRule(ConstantOp op, Operands,
                                  InterpretContext &context, Results &results) {
  RankedTensorType type = tensorType(op);
  HostTensor result(context.getHostType(type.getElementType()),
                    type.getShape());
  auto toDouble = [](APFloat v) {
    bool lossy;
    v.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return v.convertToDouble();
  };
  bool filled = dispatch(result.getType(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, uint8_t>)
      return fillConstant<T, APInt>(op.getValue(), result,
                                    [](const APInt &v) { return !v.isZero(); });
    else if constexpr (std::is_integral_v<T>)
      return fillConstant<T, APInt>(op.getValue(), result, [](const APInt &v) {
        return static_cast<T>(v.getSExtValue());
      });
    else
      return fillConstant<T, APFloat>(
          op.getValue(), result,
          [&](const APFloat &v) { return static_cast<T>(toDouble(v)); });
  });
  if (!filled)
    return context.fail(op, "has a value whose elements cannot be read");
  results.push_back(std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.unary
//===----------------------------------------------------------------------===//

/// A function of floats, computed in double.
static double unaryOfFloat(UnaryKind kind, double x) {
  switch (kind) {
  case UnaryKind::Neg:
    return -x;
  case UnaryKind::Abs:
    return std::fabs(x);
  case UnaryKind::Sign:
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x; // ±0 and NaN stay
  case UnaryKind::Exp:
    return std::exp(x);
  case UnaryKind::Expm1:
    return std::expm1(x);
  case UnaryKind::Log:
    return std::log(x);
  case UnaryKind::Log1p:
    return std::log1p(x);
  case UnaryKind::Sqrt:
    return std::sqrt(x);
  case UnaryKind::Rsqrt:
    return 1.0 / std::sqrt(x);
  case UnaryKind::Tanh:
    return std::tanh(x);
  case UnaryKind::Sigmoid:
    // The exponential that cannot overflow.
    return x >= 0 ? 1.0 / (1.0 + std::exp(-x))
                  : std::exp(x) / (1.0 + std::exp(x));
  case UnaryKind::Erf:
    return std::erf(x);
  case UnaryKind::Sin:
    return std::sin(x);
  case UnaryKind::Cos:
    return std::cos(x);
  case UnaryKind::Floor:
    return std::floor(x);
  case UnaryKind::Ceil:
    return std::ceil(x);
  case UnaryKind::Not:
  case UnaryKind::IsFinite:
    break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

static LogicalResult unaryRule(UnaryOp op, Operands operands,
                               InterpretContext &context, Results &results) {
  UnaryKind kind = op.getKind();
  const HostTensor &x = operands[0];
  HostType type = x.getType();
  bool ofInteger = kind == UnaryKind::Neg || kind == UnaryKind::Abs ||
                   kind == UnaryKind::Sign;
  if (type == HostType::Bool && kind == UnaryKind::Not) {
    results.push_back(map<uint8_t, uint8_t>(x, [](uint8_t b) { return !b; }));
    return success();
  }
  if (isInteger(type) && ofInteger) {
    dispatchComputed(type, [&]<typename T>() {
      results.push_back(map<T, T>(x, [&](T i) -> T {
        if (kind == UnaryKind::Sign)
          return (i > 0) - (i < 0);
        return kind == UnaryKind::Neg || i < 0 ? subOf<T>(0, i) : i;
      }));
    });
    return success();
  }
  if (isFloat(type) && kind != UnaryKind::Not) {
    dispatchComputed(type, [&]<typename T>() {
      if (kind == UnaryKind::IsFinite)
        results.push_back(map<uint8_t, T>(
            x, [](T v) { return std::isfinite(static_cast<double>(v)); }));
      else
        results.push_back(map<T, T>(x, [&](T v) {
          return unaryOfFloat(kind, static_cast<double>(v));
        }));
    });
    return success();
  }
  return context.fail(op, "applies '" + stringifyEnum(kind) + "' to " +
                              hostTypeName(type));
}

//===----------------------------------------------------------------------===//
// nn.binary
//===----------------------------------------------------------------------===//

template <typename T> static T binaryOfFloat(BinaryKind kind, T x, T y) {
  switch (kind) {
  case BinaryKind::Add:
    return x + y;
  case BinaryKind::Sub:
    return x - y;
  case BinaryKind::Mul:
    return x * y;
  case BinaryKind::Div:
    return x / y;
  case BinaryKind::Max:
    return maxOf(x, y);
  case BinaryKind::Min:
    return minOf(x, y);
  case BinaryKind::Pow:
    return static_cast<T>(
        std::pow(static_cast<double>(x), static_cast<double>(y)));
  case BinaryKind::Rem:
    return std::fmod(x, y);
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    break;
  }
  return std::numeric_limits<T>::quiet_NaN();
}

/// Of the one quotient that is out of range the low bits are kept; division by
/// zero gives 0, and the dividend as the remainder.
template <typename T> static T binaryOfInteger(BinaryKind kind, T x, T y) {
  switch (kind) {
  case BinaryKind::Add:
    return addOf(x, y);
  case BinaryKind::Sub:
    return subOf(x, y);
  case BinaryKind::Mul:
    return mulOf(x, y);
  case BinaryKind::Div:
    return y == 0 ? T(0) : y == T(-1) ? subOf(T(0), x) : static_cast<T>(x / y);
  case BinaryKind::Rem:
    return y == 0 ? x : y == T(-1) ? T(0) : static_cast<T>(x % y);
  case BinaryKind::Max:
    return maxOf(x, y);
  case BinaryKind::Min:
    return minOf(x, y);
  case BinaryKind::And:
    return x & y;
  case BinaryKind::Or:
    return x | y;
  case BinaryKind::Xor:
    return x ^ y;
  case BinaryKind::Pow:
    break;
  }
  return 0;
}

static bool isBitwise(BinaryKind kind) {
  return kind == BinaryKind::And || kind == BinaryKind::Or ||
         kind == BinaryKind::Xor;
}

static LogicalResult binaryRule(BinaryOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  if (failed(checkShapes(op, operands, context)))
    return failure();
  BinaryKind kind = op.getKind();
  const HostTensor &x = operands[0], &y = operands[1];
  HostType type = x.getType();
  bool fits = type == HostType::Bool ? isBitwise(kind)
              : isInteger(type)      ? kind != BinaryKind::Pow
                                     : !isBitwise(kind);
  if (!fits)
    return context.fail(op, "applies '" + stringifyEnum(kind) + "' to " +
                                hostTypeName(type));
  dispatchComputed(type, [&]<typename T>() {
    results.push_back(map<T, T>(x, y, [&](T a, T b) {
      if constexpr (std::is_floating_point_v<T>)
        return binaryOfFloat(kind, a, b);
      else
        return binaryOfInteger(kind, a, b);
    }));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// nn.compare, nn.select, nn.convert
//===----------------------------------------------------------------------===//

template <typename T> static bool compare(CompareKind kind, T x, T y) {
  switch (kind) {
  case CompareKind::Eq:
    return x == y;
  case CompareKind::Ne:
    return x != y;
  case CompareKind::Lt:
    return x < y;
  case CompareKind::Le:
    return x <= y;
  case CompareKind::Gt:
    return x > y;
  case CompareKind::Ge:
    return x >= y;
  }
  return false;
}

static LogicalResult compareRule(CompareOp op, Operands operands,
                                 InterpretContext &context, Results &results) {
  if (failed(checkShapes(op, operands, context)))
    return failure();
  dispatchComputed(operands[0].getType(), [&]<typename T>() {
    results.push_back(map<uint8_t, T>(operands[0], operands[1], [&](T x, T y) {
      return compare(op.getKind(), x, y);
    }));
  });
  return success();
}

static LogicalResult selectRule(SelectOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  if (failed(checkShapes(op, operands, context)))
    return failure();
  HostTensor result(operands[1].getType(), operands[1].getShape());
  dispatch(result.getType(), [&]<typename T>() {
    ArrayRef<uint8_t> condition = operands[0].values<uint8_t>();
    ArrayRef<T> onTrue = operands[1].values<T>(),
                onFalse = operands[2].values<T>();
    MutableArrayRef<T> to = result.mutableValues<T>();
    for (size_t i = 0; i < condition.size(); ++i)
      to[i] = condition[i] ? onTrue[i] : onFalse[i];
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult convertRule(ConvertOp op, Operands operands,
                                 InterpretContext &context, Results &results) {
  results.push_back(operands[0].convertTo(
      context.getHostType(tensorType(op).getElementType())));
  return success();
}

void interp::attachElementwiseRules(MLIRContext &context) {
  attach<ConstantOp, constantRule>(context);
  attach<UnaryOp, unaryRule>(context);
  attach<BinaryOp, binaryRule>(context);
  attach<CompareOp, compareRule>(context);
  attach<SelectOp, selectRule>(context);
  attach<ConvertOp, convertRule>(context);
}
