//===- Limits.cpp - which numbers an argument takes -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Limits.h"

#include "llvm/ADT/STLExtras.h"

using namespace belfry;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {
/// An empty kind stands for all that have an argument of that name.
struct Limits {
  StringLiteral kind, name;
  NumberRange range;
};
} // namespace

static constexpr Limits kLimits[] = {
    // Optimizers. With a decay of 1 nothing is ever learnt of a gradient, and
    // Adam's correction 1 − βᵗ divides by 0.
    {"", "learning_rate", {.least = 0}},
    {"", "weight_decay", {.least = 0}},
    {"", "epsilon", {.least = 0}},
    {"", "momentum", {.least = 0, .most = 1}},
    {"", "rho", {.least = 0, .below = 1}},
    {"", "beta_1", {.least = 0, .below = 1}},
    {"", "beta_2", {.least = 0, .below = 1}},
    // Losses.
    {"huber", "delta", {.above = 0}},
    {"", "label_smoothing", {.least = 0, .most = 1}},
    // Layers.
    {"", "rate", {.least = 0, .most = 1}},
    {"", "dropout", {.least = 0, .most = 1}},
    {"", "recurrent_dropout", {.least = 0, .most = 1}},
    {"relu", "max_value", {.least = 0}},
};

std::optional<NumberRange> nn::rangeOf(StringRef kind, StringRef name) {
  const Limits *found = llvm::find_if(kLimits, [&](const Limits &one) {
    return one.name == name && (one.kind.empty() || one.kind == kind);
  });
  if (found == std::end(kLimits))
    return std::nullopt;
  return found->range;
}

std::string nn::describeOutOfRange(StringRef kind, StringRef name,
                                   double value) {
  return rangeOf(kind, name).value_or(NumberRange()).describe(value);
}
