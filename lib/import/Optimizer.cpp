//===- Optimizer.cpp - optimizers and their arguments ---------------------===//
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
struct OptimizerKind {
  StringRef kind;
  std::vector<std::pair<StringRef, double>> hypers;
  std::vector<StringRef> flags;
};
} // namespace

/// Keras 3.15.1's defaults.
static const std::vector<OptimizerKind> &optimizerKinds() {
  static const std::vector<OptimizerKind> kinds = {
      {"sgd", {{"learning_rate", 0.01}, {"momentum", 0}}, {"nesterov"}},
      {"rmsprop",
       {{"learning_rate", 0.001},
        {"rho", 0.9},
        {"momentum", 0},
        {"epsilon", 1e-7}},
       {"centered"}},
      {"adam",
       {{"learning_rate", 0.001},
        {"beta_1", 0.9},
        {"beta_2", 0.999},
        {"epsilon", 1e-7}},
       {"amsgrad"}},
      {"adamw",
       {{"learning_rate", 0.001},
        {"weight_decay", 0.004},
        {"beta_1", 0.9},
        {"beta_2", 0.999},
        {"epsilon", 1e-7}},
       {"amsgrad"}},
  };
  return kinds;
}

/// Keras's optimizers that are not supported.
static const StringRef otherOptimizers[] = {"Adadelta",
                                            "Adafactor",
                                            "Adagrad",
                                            "Adamax",
                                            "Ftrl",
                                            "Lamb",
                                            "Lion",
                                            "LossScaleOptimizer",
                                            "Muon",
                                            "Nadam",
                                            "ScheduleFreeAdamW",
                                            "MultiOptimizer"};

/// The way out of an error about the optimizer of a file.
static constexpr llvm::StringLiteral kGiveAnother =
    "; --optimizer gives another one";

/// Arguments that every optimizer has. With the values listed here they change
/// nothing; all others are refused.
static bool changesNothing(StringRef key, JsonView value) {
  if (key == "name" || key == "ema_momentum" || key == "jit_compile" ||
      key == "is_legacy_optimizer" || key == "dtype")
    return true;
  if (key == "use_ema")
    return !value.getBool();
  return false;
}
static bool isGeneralArgument(StringRef key) {
  return llvm::is_contained({"clipnorm", "clipvalue", "global_clipnorm",
                             "use_ema", "ema_momentum",
                             "ema_overwrite_frequency", "loss_scale_factor",
                             "gradient_accumulation_steps", "name",
                             "jit_compile", "is_legacy_optimizer", "dtype"},
                            key);
}

llvm::LogicalResult belfry::emitOptimizer(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          const ObjectSpec &spec) {
  StringRef name = spec.name;
  const OptimizerKind *kind = nullptr;
  for (const OptimizerKind &one : optimizerKinds())
    if (name.equals_insensitive(one.kind))
      kind = &one;
  if (!kind) {
    std::vector<StringRef> known;
    std::string supported;
    for (const OptimizerKind &one : optimizerKinds()) {
      known.push_back(one.kind);
      supported += (supported.empty() ? "" : ", ") + one.kind.str();
    }
    for (StringRef other : otherOptimizers)
      if (name.equals_insensitive(other))
        return spec.json.error("optimizer '" + name +
                               "' is not supported, only " + supported +
                               kGiveAnother);
    return spec.json.error("unknown optimizer '" + name + "'; " +
                           suggest(name, known));
  }

  JsonView config = spec.config;
  ImportDiagnostics &diags = spec.json.getDiagnostics();
  size_t before = diags.getErrors().size();
  llvm::SmallVector<mlir::NamedAttribute> hypers;
  llvm::SmallVector<StringRef> flags;
  for (const std::string &key : config.keys()) {
    JsonView value = config[key];
    bool isHyper = llvm::any_of(
        kind->hypers, [&](const auto &hyper) { return hyper.first == key; });
    if (isHyper || key == "weight_decay") {
      if (value.isObject())
        (void)value.error("a schedule (" + value["class_name"].getString() +
                          ") is not supported, only a number" + kGiveAnother);
      else if (!value.isNull())
        hypers.push_back(builder.getNamedAttr(
            key, builder.getF64FloatAttr(value.getNumberFor(kind->kind, key))));
    } else if (llvm::is_contained(kind->flags, key)) {
      if (!value.isNull() && value.getBool())
        flags.push_back(*llvm::find(kind->flags, key));
    } else if (isGeneralArgument(key)) {
      if (!value.isNull() && !changesNothing(key, value))
        (void)value.error("is not supported (got " + value.shown() + ")" +
                          kGiveAnother);
    } else {
      std::vector<StringRef> known = kind->flags;
      for (const auto &hyper : kind->hypers)
        known.push_back(hyper.first);
      if (!llvm::is_contained(known, "weight_decay"))
        known.push_back("weight_decay");
      (void)spec.json.error("optimizer '" + kind->kind + "' has no argument '" +
                            key + "'; " + suggest(key, known));
    }
  }
  for (auto [key, number] : kind->hypers)
    if (llvm::none_of(hypers, [&](mlir::NamedAttribute attribute) {
          return attribute.getName() == key;
        }))
      hypers.push_back(
          builder.getNamedAttr(key, builder.getF64FloatAttr(number)));
  if (diags.getErrors().size() != before)
    return llvm::failure();
  nn::OptimizerOp::create(builder, loc, kind->kind,
                          builder.getDictionaryAttr(hypers),
                          llvm::is_contained(flags, "nesterov"),
                          llvm::is_contained(flags, "amsgrad"),
                          llvm::is_contained(flags, "centered"));
  return llvm::success();
}
