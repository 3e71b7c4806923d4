//===- Losses.cpp - Keras's names of losses and metrics -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Compile.h"

#include "llvm/ADT/STLExtras.h"

using namespace belfry;
using llvm::StringRef;

namespace {
/// A kind, and Keras's other names for it: class, aliases.
struct Names {
  StringRef kind;
  std::vector<StringRef> others;
};
} // namespace

static const std::vector<Names> &losses() {
  static const std::vector<Names> names = {
      {"binary_crossentropy", {"BinaryCrossentropy", "bce", "BCE"}},
      {"categorical_crossentropy", {"CategoricalCrossentropy"}},
      {"sparse_categorical_crossentropy", {"SparseCategoricalCrossentropy"}},
      {"mean_squared_error", {"MeanSquaredError", "mse", "MSE"}},
      {"mean_absolute_error", {"MeanAbsoluteError", "mae", "MAE"}},
      {"mean_absolute_percentage_error",
       {"MeanAbsolutePercentageError", "mape", "MAPE"}},
      {"mean_squared_logarithmic_error",
       {"MeanSquaredLogarithmicError", "msle", "MSLE"}},
      {"huber", {"Huber", "huber_loss"}},
      {"log_cosh", {"LogCosh", "logcosh"}},
      {"poisson", {"Poisson"}},
      {"kl_divergence", {"KLDivergence", "kld", "KLD"}},
      {"hinge", {"Hinge"}},
      {"squared_hinge", {"SquaredHinge"}},
      {"categorical_hinge", {"CategoricalHinge"}},
      {"cosine_similarity", {"CosineSimilarity"}},
  };
  return names;
}

static const std::vector<Names> &metrics() {
  static const std::vector<Names> names = {
      {"accuracy", {"Accuracy", "acc"}},
      {"binary_accuracy", {"BinaryAccuracy"}},
      {"categorical_accuracy", {"CategoricalAccuracy"}},
      {"sparse_categorical_accuracy", {"SparseCategoricalAccuracy"}},
      {"mean_squared_error", {"MeanSquaredError", "mse", "MSE"}},
      {"mean_absolute_error", {"MeanAbsoluteError", "mae", "MAE"}},
  };
  return names;
}

static std::optional<StringRef> find(const std::vector<Names> &table,
                                     StringRef name) {
  for (const Names &names : table)
    if (names.kind == name || llvm::is_contained(names.others, name))
      return names.kind;
  return std::nullopt;
}

static std::string suggestFrom(const std::vector<Names> &table,
                               StringRef name) {
  std::vector<StringRef> kinds, all;
  for (const Names &names : table) {
    kinds.push_back(names.kind);
    all.push_back(names.kind);
    all.insert(all.end(), names.others.begin(), names.others.end());
  }
  std::string text = suggest(name, all, kinds);
  // What is close in writing may be far in meaning, so all are named.
  if (!StringRef(text).starts_with("known: "))
    text += " " + suggest("", {}, kinds);
  return text;
}

std::optional<LossKind> belfry::findLoss(StringRef name) {
  std::optional<StringRef> kind = find(losses(), name);
  if (!kind)
    return std::nullopt;
  return LossKind{*kind, kind->ends_with("crossentropy"),
                  kind->starts_with("sparse_")};
}

std::optional<StringRef> belfry::findMetric(StringRef name) {
  return find(metrics(), name);
}

std::string belfry::suggestLoss(StringRef name) {
  return suggestFrom(losses(), name);
}
std::string belfry::suggestMetric(StringRef name) {
  return suggestFrom(metrics(), name);
}
