//===- Optimizers.cpp - the update of a parameter -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/training/Optimizers.h"

#include "dialects/nn/DistributionModel.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace {
struct Argument {
  StringLiteral name;
  bool required;
};
struct Kind {
  StringLiteral name;
  ArrayRef<Argument> arguments;
};
} // namespace

static const Argument sgd[] = {
    {"learning_rate", true}, {"momentum", false}, {"weight_decay", false}};
static const Argument rmsprop[] = {{"learning_rate", true},
                                   {"rho", true},
                                   {"momentum", false},
                                   {"epsilon", true},
                                   {"weight_decay", false}};
static const Argument adam[] = {{"learning_rate", true},
                                {"beta_1", true},
                                {"beta_2", true},
                                {"epsilon", true},
                                {"weight_decay", false}};
static const Kind kinds[] = {
    {"sgd", sgd}, {"rmsprop", rmsprop}, {"adam", adam}, {"adamw", adam}};
static const StringLiteral names[] = {"sgd", "rmsprop", "adam", "adamw"};

ArrayRef<StringLiteral> belfry::knownOptimizers() { return names; }

FailureOr<Optimizer> Optimizer::get(OptimizerOp op) {
  const Kind *kind = llvm::find_if(
      kinds, [&](const Kind &k) { return k.name == op.getKind(); });
  if (kind == std::end(kinds)) {
    op.emitError("unknown optimizer '")
        << op.getKind() << "'; known are "
        << llvm::join(ArrayRef<StringLiteral>(names), ", ");
    return failure();
  }
  Optimizer result;
  result.name = kind->name.str();
  result.nesterov = op.getNesterov();
  result.amsgrad = op.getAmsgrad();
  result.centered = op.getCentered();
  for (NamedAttribute attr : op.getHypers())
    if (llvm::none_of(kind->arguments, [&](const Argument &a) {
          return a.name == attr.getName();
        })) {
      op.emitError("optimizer '") << kind->name << "' has no argument '"
                                  << attr.getName().strref() << "'";
      return failure();
    }
  for (const Argument &argument : kind->arguments) {
    Attribute attr = op.getHypers().get(argument.name);
    if (!attr && !argument.required)
      continue;
    auto number = dyn_cast_or_null<FloatAttr>(attr);
    if (!number) {
      op.emitError("optimizer '")
          << kind->name << "' needs a number for '" << argument.name << "'";
      return failure();
    }
    double value = number.getValueAsDouble();
    // A momentum of 0 keeps nothing, as in Keras.
    if (argument.name == "momentum" && value == 0.0)
      continue;
    result.numbers.emplace_back(argument.name.str(), value);
  }
  bool momentum = result.has("momentum");
  if (result.name == "sgd") {
    if (momentum)
      result.slotNames = {"momentum"};
  } else if (result.name == "rmsprop") {
    result.slotNames = {"velocity"};
    if (momentum)
      result.slotNames.push_back("momentum");
    if (result.centered)
      result.slotNames.push_back("average_gradient");
  } else {
    result.isInterleaved = true;
    result.slotNames = {"momentum", "velocity"};
    if (result.amsgrad)
      result.slotNames.push_back("velocity_hat");
  }
  return result;
}

bool Optimizer::has(StringRef name) const {
  return llvm::any_of(numbers, [&](auto &n) { return n.first == name; });
}

void Optimizer::buildScalars(CoreBuilder &b,
                             function_ref<Value(StringRef)> hyper, Value step) {
  for (auto &[name, value] : numbers)
    scalars.emplace_back(name, hyper(name));
  if (name != "adam" && name != "adamw")
    return;
  // α = lr √(1 − β₂ᵗ) / (1 − β₁ᵗ), t counted from 1; in f64, as all scalars.
  Type f64 = b.getBuilder().getF64Type();
  Value t = b.binary(BinaryKind::Add, b.convert(step, f64), 1.0);
  // Keras makes β an f32 before the power, and 1 − β₂ᵗ feels it.
  auto correction = [&](StringRef beta) {
    Value rounded =
        b.convert(b.convert(hyper(beta), b.getBuilder().getF32Type()), f64);
    return b.binary(BinaryKind::Sub, 1.0,
                    b.binary(BinaryKind::Pow, rounded, t));
  };
  Value alpha = b.div(b.mul(hyper("learning_rate"),
                            b.unary(UnaryKind::Sqrt, correction("beta_2"))),
                      correction("beta_1"));
  scalars.emplace_back("alpha", alpha);
  for (StringRef beta : {"beta_1", "beta_2"})
    scalars.emplace_back(("1-" + beta).str(),
                         b.binary(BinaryKind::Sub, 1.0, hyper(beta)));
}

Value Optimizer::scalar(CoreBuilder &b, StringRef name, Value like) {
  auto *it = llvm::find_if(scalars, [&](auto &s) { return s.first == name; });
  return b.broadcastScalar(
      b.convert(it->second, tensorType(like).getElementType()), like);
}

Value belfry::squareOfSlices(CoreBuilder &b, Value gradient) {
  if (auto sum = gradient.getDefiningOp<BinaryOp>();
      sum && sum.getKind() == BinaryKind::Add) {
    Value lhs = squareOfSlices(b, sum.getLhs());
    Value rhs = lhs ? squareOfSlices(b, sum.getRhs()) : Value();
    return rhs ? b.add(lhs, rhs) : Value();
  }
  auto scatter = gradient.getDefiningOp<ScatterAddOp>();
  if (!scatter || !isZeroConstant(scatter.getInit()))
    return {};
  Value updates = scatter.getUpdates();
  return ScatterAddOp::create(b.getBuilder(), b.getLoc(), gradient.getType(),
                              scatter.getInit(), scatter.getIds(),
                              b.mul(updates, updates), scatter.getBatchDims());
}

Value Optimizer::buildUpdate(CoreBuilder &b, Value w, Value g, Value squared,
                             MutableArrayRef<Value> slots) {
  auto number = [&](StringRef name) { return scalar(b, name, w); };
  Value lr = number("learning_rate");
  if (has("weight_decay"))
    w = b.sub(w, b.mul(w, b.mul(number("weight_decay"), lr)));

  if (name == "sgd") {
    Value step = b.mul(lr, g);
    if (slots.empty())
      return b.sub(w, step);
    Value &m = slots[0];
    m = b.sub(b.mul(m, number("momentum")), step);
    if (!nesterov)
      return b.add(w, m);
    return b.add(w, b.sub(b.mul(m, number("momentum")), step));
  }

  if (!squared)
    squared = b.mul(g, g);
  if (name == "rmsprop") {
    Value rho = number("rho"), rest = b.binary(BinaryKind::Sub, 1.0, rho);
    Value &v = slots[0];
    v = b.add(b.mul(rho, v), b.mul(rest, squared));
    Value under = b.add(v, number("epsilon"));
    if (centered) {
      Value &average = slots.back();
      average = b.add(b.mul(rho, average), b.mul(rest, g));
      under = b.sub(under, b.mul(average, average));
    }
    Value step = b.div(b.mul(lr, g), b.unary(UnaryKind::Sqrt, under));
    if (!has("momentum"))
      return b.sub(w, step);
    Value &m = slots[1];
    m = b.add(b.mul(number("momentum"), m), step);
    return b.sub(w, m);
  }

  // adam, adamw
  Value &m = slots[0], &v = slots[1];
  m = b.add(m, b.mul(b.sub(g, m), number("1-beta_1")));
  v = b.add(v, b.mul(b.sub(squared, v), number("1-beta_2")));
  Value under = v;
  if (amsgrad)
    under = slots[2] = b.binary(BinaryKind::Max, slots[2], v);
  Value root = b.add(b.unary(UnaryKind::Sqrt, under), number("epsilon"));
  return b.sub(w, b.div(b.mul(m, number("alpha")), root));
}
