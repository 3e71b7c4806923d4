//===- Limits.cpp - which numbers an argument takes -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace belfry;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {
/// From `low` to `high`, each a part of it unless it is open. An empty kind
/// stands for all that have an argument of that name.
struct Limits {
  StringLiteral kind, name;
  double low, high;
  bool openLow = false, openHigh = false;
};
} // namespace

static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

static constexpr Limits kLimits[] = {
    // Optimizers. With a decay of 1 nothing is ever learnt of a gradient, and
    // Adam's correction 1 − βᵗ divides by 0.
    {"", "learning_rate", 0, kNoLimit},
    {"", "weight_decay", 0, kNoLimit},
    {"", "epsilon", 0, kNoLimit},
    {"", "momentum", 0, 1},
    {"", "rho", 0, 1, false, true},
    {"", "beta_1", 0, 1, false, true},
    {"", "beta_2", 0, 1, false, true},
    // Losses.
    {"huber", "delta", 0, kNoLimit, true},
    {"", "label_smoothing", 0, 1},
    // Layers.
    {"", "rate", 0, 1},
    {"", "dropout", 0, 1},
    {"", "recurrent_dropout", 0, 1},
    {"relu", "max_value", 0, kNoLimit},
};

std::optional<nn::NumberRange> nn::rangeOf(StringRef kind, StringRef name) {
  const Limits *found = llvm::find_if(kLimits, [&](const Limits &one) {
    return one.name == name && (one.kind.empty() || one.kind == kind);
  });
  if (found == std::end(kLimits))
    return std::nullopt;
  return NumberRange{found->low, found->high, found->openLow, found->openHigh};
}

std::string nn::describeOutOfRange(StringRef kind, StringRef name,
                                   double value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto shown = [](double number) { return llvm::format("%.9g", number); };
  std::optional<NumberRange> limits = rangeOf(kind, name);
  if (!limits) {
    if (!std::isfinite(value))
      os << "expected a finite number, got " << shown(value);
    return text;
  }
  bool fits = std::isfinite(value) &&
              (limits->openLow ? value > limits->low : value >= limits->low) &&
              (limits->openHigh ? value < limits->high : value <= limits->high);
  if (fits)
    return text;
  os << "expected a number ";
  if (limits->high == kNoLimit)
    os << (limits->openLow ? "above " : "of at least ") << shown(limits->low);
  else
    os << "from " << shown(limits->low)
       << (limits->openHigh ? " to below " : " to ") << shown(limits->high);
  os << ", got " << shown(value);
  return text;
}
