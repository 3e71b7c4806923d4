//===- LayersActivation.cpp - activation functions as core ops ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with a kink are written with nn.select, not with max and min: the
// comparison decides which side the gradient takes at the kink. Where one side
// of a select could overflow, its argument is first replaced by one that is
// safe: zero times the gradient of an overflow would be NaN.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Decompose.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace belfry::nn;

namespace {

/// The activation functions over one builder.
class ActivationBuilder {
public:
  explicit ActivationBuilder(CoreBuilder &core) : core(core) {}

  /// x where x > 0, else 0. NaN stays.
  Value relu(Value x) {
    Value zero = core.splat(x, 0.0);
    return core.select(core.compare(CompareKind::Le, x, zero), zero, x);
  }

  /// min(max(x, 0), 6), with no gradient at either bound.
  Value relu6(Value x) {
    Value six = core.splat(x, 6.0);
    return core.select(core.compare(CompareKind::Ge, x, six), six, relu(x));
  }

  /// Keras's ReLU: x above the threshold, at most `max_value`; below it
  /// alpha·(x − threshold).
  Value reluOf(Value x, const ActivationOptions &options) {
    double threshold = options.threshold.value_or(0.0);
    double slope = options.alpha.value_or(0.0);
    Value zero = core.splat(x, 0.0);
    Value limit = core.splat(x, threshold);
    Value y = core.select(core.compare(CompareKind::Le, x, limit), zero, x);
    if (options.maxValue) {
      Value most = core.splat(x, *options.maxValue);
      // With a threshold below zero what passes may be negative: the clip
      // has zero as its lower bound.
      if (threshold < 0.0)
        y = core.select(core.compare(CompareKind::Lt, y, zero), zero, y);
      CompareKind above = *options.maxValue == 6.0 && threshold == 0.0
                              ? CompareKind::Ge
                              : CompareKind::Gt;
      y = core.select(core.compare(above, y, most), most, y);
    }
    if (slope == 0.0)
      return y;
    Value below = relu(core.sub(limit, x));
    return core.sub(y, core.mul(below, slope));
  }

  Value leakyRelu(Value x, double slope) {
    Value positive = core.compare(CompareKind::Gt, x, 0.0);
    return core.select(positive, x, core.mul(x, slope));
  }

  /// x above 0, else alpha·(eˣ − 1).
  Value elu(Value x, double alpha) {
    Value zero = core.splat(x, 0.0);
    Value positive = core.compare(CompareKind::Gt, x, zero);
    Value y = core.unary(UnaryKind::Expm1, core.select(positive, zero, x));
    if (alpha != 1.0)
      y = core.mul(y, alpha);
    return core.select(positive, x, y);
  }

  /// ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|).
  Value softplus(Value x) {
    Value zero = core.splat(x, 0.0);
    Value positive = core.compare(CompareKind::Gt, x, zero);
    Value decayed =
        core.unary(UnaryKind::Exp,
                   core.select(positive, core.unary(UnaryKind::Neg, x), x));
    return core.add(core.select(positive, x, zero),
                    core.unary(UnaryKind::Log1p, decayed));
  }

  /// The exact form x·Φ(x), or its tanh approximation.
  Value gelu(Value x, bool approximate) {
    Value inner;
    if (approximate) {
      Value cube = core.mul(core.mul(x, x), x);
      Value sum = core.add(x, core.mul(cube, 0.044715));
      inner = core.unary(UnaryKind::Tanh,
                         core.mul(sum, std::sqrt(2.0 / std::numbers::pi)));
    } else {
      inner =
          core.unary(UnaryKind::Erf, core.mul(x, 1.0 / std::numbers::sqrt2));
    }
    Value weight = core.binary(BinaryKind::Add, inner, 1.0);
    return core.mul(core.mul(x, 0.5), weight);
  }

  /// x less its maximum along the axis. The maximum is only there for the
  /// range of exp: its gradient is zero, and is not built.
  Value shifted(Value x, int64_t axis) {
    Value most = core.reduce(ReduceKind::Max, x, axis);
    most.getDefiningOp()->setAttr(kNoGradientAttr,
                                  core.getBuilder().getUnitAttr());
    return core.sub(x, core.unreduce(most, x, axis));
  }

  Value softmax(Value x, int64_t axis) {
    Value e = core.unary(UnaryKind::Exp, shifted(x, axis));
    Value sum = core.reduce(ReduceKind::Sum, e, axis);
    return core.div(e, core.unreduce(sum, x, axis));
  }

  Value logSoftmax(Value x, int64_t axis) {
    Value z = shifted(x, axis);
    Value sum =
        core.reduce(ReduceKind::Sum, core.unary(UnaryKind::Exp, z), axis);
    return core.sub(z, core.unreduce(core.unary(UnaryKind::Log, sum), x, axis));
  }

private:
  CoreBuilder &core;
};

// Klambauer et al., Self-Normalizing Neural Networks (2017), appendix 1.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

} // namespace

FailureOr<Value>
belfry::nn::decomposeActivation(OpBuilder &builder, Location loc,
                                Activation kind, Value x,
                                const ActivationOptions &options) {
  CoreBuilder core(builder, loc);
  ActivationBuilder make(core);
  int64_t rank = tensorType(x).getRank();
  int64_t axis = options.axis.value_or(rank - 1);
  if ((kind == Activation::Softmax || kind == Activation::LogSoftmax) &&
      (axis < 0 || axis >= rank))
    return emitError(loc) << "activation '" << stringifyEnum(kind)
                          << "' runs along axis " << axis
                          << ", but the rank is " << rank;
  switch (kind) {
  case Activation::Linear:
    return x;
  case Activation::Relu:
    return make.reluOf(x, options);
  case Activation::Tanh:
    return core.unary(UnaryKind::Tanh, x);
  case Activation::Sigmoid:
    return core.unary(UnaryKind::Sigmoid, x);
  case Activation::HardSigmoid:
    return core.mul(make.relu6(core.binary(BinaryKind::Add, x, 3.0)),
                    1.0 / 6.0);
  case Activation::Softmax:
    return make.softmax(x, axis);
  case Activation::Elu:
    return make.elu(x, options.alpha.value_or(1.0));
  case Activation::Selu:
    return core.mul(make.elu(x, kSeluAlpha), kSeluScale);
  case Activation::Softplus:
    return make.softplus(x);
  case Activation::Softsign:
    return core.div(
        x, core.binary(BinaryKind::Add, core.unary(UnaryKind::Abs, x), 1.0));
  case Activation::Silu:
    return core.mul(x, core.unary(UnaryKind::Sigmoid, x));
  case Activation::Gelu:
    return make.gelu(x, options.approximate);
  case Activation::Exponential:
    return core.unary(UnaryKind::Exp, x);
  case Activation::LeakyRelu:
    return make.leakyRelu(x, options.alpha.value_or(0.2));
  case Activation::Relu6:
    return make.relu6(x);
  case Activation::Mish:
    return core.mul(x, core.unary(UnaryKind::Tanh, make.softplus(x)));
  case Activation::LogSoftmax:
    return make.logSoftmax(x, axis);
  }
  llvm_unreachable("a kind of activation without a case");
}
