//===- NnVerifyTraining.cpp - verifiers of models and their training ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Limits.h"
#include "dialects/nn/Verify.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// nn.parameter, nn.model, nn.return
//===----------------------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  if (getSymName().empty())
    return emitOpError("has an empty name");
  if (getPath().empty())
    return emitOpError() << "'" << getSymName() << "' has an empty path";
  if (getLayer().empty())
    return emitOpError() << "'" << getSymName() << "' has an empty layer";
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError() << "'" << getSymName() << "' has type " << getType()
                         << ", expected a static tensor";
  if (!getInitializer().getAs<StringAttr>("name"))
    return emitOpError() << "'" << getSymName()
                         << "' has an initializer without a name";
  return success();
}

LogicalResult ModelOp::verify() {
  if (!getBody().hasOneBlock())
    return emitOpError() << "'" << getSymName() << "' has a body of "
                         << getBody().getBlocks().size()
                         << " blocks, expected 1";
  Block &body = getBody().front();
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return emitOpError() << "'" << getSymName()
                         << "' does not end with nn.return";
  return success();
}

LogicalResult ReturnOp::verify() {
  auto model = cast<ModelOp>((*this)->getParentOp());
  ArrayRef<Type> types = model.getResultTypes();
  if (getOutputs().size() != types.size())
    return emitOpError("returns ")
           << getOutputs().size() << " outputs, but model '"
           << model.getSymName() << "' has " << types.size();
  for (auto [i, output] : llvm::enumerate(getOutputs()))
    if (failed(verifyType(*this, "output " + Twine(i), output.getType(),
                          types[i])))
      return failure();
  if (getMaskOf().size() != getMasks().size())
    return emitOpError("has ")
           << getMasks().size() << " masks, but " << getMaskOf().size()
           << " outputs that they belong to";
  SmallVector<bool> masked(getOutputs().size(), false);
  for (auto [mask, index] : llvm::zip_equal(getMasks(), getMaskOf())) {
    if (index < 0 || index >= static_cast<int64_t>(getOutputs().size()))
      return emitOpError("has a mask of output ")
             << index << ", but there are " << getOutputs().size();
    if (masked[index])
      return emitOpError("has two masks of output ") << index;
    masked[index] = true;
    ArrayRef<int64_t> own = tensorType(mask).getShape();
    RankedTensorType output = tensorType(getOutputs()[index]);
    if (static_cast<int64_t>(own.size()) > output.getRank() ||
        own != output.getShape().take_front(own.size()))
      return emitOpError("has a mask of type ")
             << mask.getType() << " for an output of type " << output
             << ": its shape is not that of the leading dimensions";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// nn.compile
//===----------------------------------------------------------------------===//

LogicalResult CompileOp::verify() {
  OptimizerOp first;
  llvm::StringMap<LossOp> losses;
  for (Operation &op : getBody().front()) {
    if (auto loss = dyn_cast<LossOp>(op)) {
      auto [it, isNew] = losses.try_emplace(loss.getOutput(), loss);
      if (isNew)
        continue;
      InFlightDiagnostic diag = loss.emitOpError("is the second of output '")
                                << loss.getOutput() << "'";
      diag.attachNote(it->second.getLoc()) << "the first is here";
      return diag;
    }
    if (auto optimizer = dyn_cast<OptimizerOp>(op)) {
      if (!first) {
        first = optimizer;
        continue;
      }
      InFlightDiagnostic diag =
          optimizer.emitOpError("is the second optimizer");
      diag.attachNote(first.getLoc()) << "the first is here";
      return diag;
    }
    if (!isa<MetricOp>(op))
      return op.emitOpError(
          "stands in nn.compile, which takes losses, metrics and an optimizer");
  }
  return success();
}

/// Checks that losses and metrics name outputs of the model.
static LogicalResult verifyOutputs(CompileOp compile, ModelOp model) {
  SmallVector<StringRef> names;
  for (unsigned i = 0, e = model.getNumResults(); i < e; ++i)
    if (auto name = model.getResultAttrOfType<StringAttr>(i, kNameAttr))
      names.push_back(name.getValue());
  for (Operation &op : compile.getBody().front()) {
    auto output = op.getAttrOfType<StringAttr>("output");
    if (!output || llvm::is_contained(names, output.getValue()))
      continue;
    InFlightDiagnostic diag = op.emitOpError("is of output '")
                              << output.getValue() << "', which model '"
                              << model.getSymName() << "' does not have; "
                              << describeKnown(output.getValue(), names);
    diag.attachNote(model.getLoc()) << "the model is here";
    return diag;
  }
  return success();
}

LogicalResult CompileOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto model = symbols.lookupNearestSymbolFrom<ModelOp>(*this, getModelAttr());
  if (!model)
    return emitOpError("names '")
           << getModel() << "', which is no nn.model of the module";
  return verifyOutputs(*this, model);
}

//===----------------------------------------------------------------------===//
// nn.loss, nn.metric, nn.optimizer
//===----------------------------------------------------------------------===//

static constexpr StringRef kLosses[] = {"binary_crossentropy",
                                        "binary_focal_crossentropy",
                                        "categorical_crossentropy",
                                        "categorical_focal_crossentropy",
                                        "categorical_generalized_cross_entropy",
                                        "categorical_hinge",
                                        "circle",
                                        "cosine_similarity",
                                        "ctc",
                                        "dice",
                                        "hinge",
                                        "huber",
                                        "kl_divergence",
                                        "log_cosh",
                                        "mean_absolute_error",
                                        "mean_absolute_percentage_error",
                                        "mean_squared_error",
                                        "mean_squared_logarithmic_error",
                                        "poisson",
                                        "sparse_categorical_crossentropy",
                                        "squared_hinge",
                                        "tversky"};

/// Metrics that are no losses too.
static constexpr StringRef kMetrics[] = {"accuracy",
                                         "auc",
                                         "binary_accuracy",
                                         "binary_iou",
                                         "categorical_accuracy",
                                         "concordance_correlation",
                                         "f1_score",
                                         "false_negatives",
                                         "false_positives",
                                         "fbeta_score",
                                         "iou",
                                         "mean_iou",
                                         "one_hot_iou",
                                         "one_hot_mean_iou",
                                         "pearson_correlation",
                                         "precision",
                                         "precision_at_recall",
                                         "r2_score",
                                         "recall",
                                         "recall_at_precision",
                                         "root_mean_squared_error",
                                         "sensitivity_at_specificity",
                                         "sparse_categorical_accuracy",
                                         "sparse_top_k_categorical_accuracy",
                                         "specificity_at_sensitivity",
                                         "top_k_categorical_accuracy",
                                         "true_negatives",
                                         "true_positives"};

/// Checks the numbers among the attributes of a loss or metric, each under its
/// own name.
static LogicalResult verifyNumbers(Operation *op, StringRef kind) {
  for (NamedAttribute attr : op->getAttrs()) {
    auto number = dyn_cast<FloatAttr>(attr.getValue());
    if (!number)
      continue;
    StringRef name = attr.getName().strref();
    std::string wrong =
        describeOutOfRange(kind, name, number.getValueAsDouble());
    if (!wrong.empty())
      return op->emitOpError()
             << "'" << kind << "': '" << name << "': " << wrong;
  }
  return success();
}

static constexpr StringRef kReductions[] = {"sum_over_batch_size", "sum",
                                            "mean_with_sample_weight"};

LogicalResult LossOp::verify() {
  if (!llvm::is_contained(kLosses, getKind()))
    return emitOpError("has the kind '") << getKind() << "', which is no loss; "
                                         << describeKnown(getKind(), kLosses);
  if (!llvm::is_contained(kReductions, getReduction()))
    return emitOpError("has the reduction '")
           << getReduction() << "'; "
           << describeKnown(getReduction(), kReductions);
  if (getBypassActivation() && !getKind().ends_with("crossentropy"))
    return emitOpError("bypasses the activation, which '")
           << getKind() << "' cannot";
  return verifyNumbers(*this, getKind());
}

LogicalResult MetricOp::verify() {
  if (!llvm::is_contained(kLosses, getKind()) &&
      !llvm::is_contained(kMetrics, getKind())) {
    SmallVector<StringRef> known(std::begin(kMetrics), std::end(kMetrics));
    llvm::append_range(known, kLosses);
    return emitOpError("has the kind '")
           << getKind() << "', which is no metric; "
           << describeKnown(getKind(), known);
  }
  if (getName().empty())
    return emitOpError() << "'" << getKind() << "' has an empty name";
  return verifyNumbers(*this, getKind());
}

LogicalResult OptimizerOp::verify() {
  using Names = SmallVector<StringRef>;
  const std::pair<StringRef, Names> kinds[] = {
      {"sgd", {"learning_rate", "momentum", "weight_decay"}},
      {"rmsprop",
       {"learning_rate", "rho", "momentum", "epsilon", "weight_decay"}},
      {"adam",
       {"learning_rate", "beta_1", "beta_2", "epsilon", "weight_decay"}},
      {"adamw",
       {"learning_rate", "beta_1", "beta_2", "epsilon", "weight_decay"}}};
  const auto *kind =
      llvm::find_if(kinds, [&](auto &k) { return k.first == getKind(); });
  if (kind == std::end(kinds)) {
    auto names = llvm::map_to_vector(kinds, [](auto &k) { return k.first; });
    return emitOpError("has the kind '")
           << getKind() << "', which is no optimizer; "
           << describeKnown(getKind(), names);
  }
  for (NamedAttribute hyper : getHypers()) {
    StringRef name = hyper.getName().strref();
    if (!llvm::is_contained(kind->second, name))
      return emitOpError() << "'" << getKind() << "' has no argument '" << name
                           << "'; " << describeKnown(name, kind->second);
    auto number = dyn_cast<FloatAttr>(hyper.getValue());
    if (!number)
      return emitOpError() << "'" << getKind() << "' has " << hyper.getValue()
                           << " as '" << name
                           << "', expected a floating-point number";
    std::string wrong =
        describeOutOfRange(getKind(), name, number.getValueAsDouble());
    if (!wrong.empty())
      return emitOpError() << "'" << getKind() << "': '" << name
                           << "': " << wrong;
  }
  if (!getHypers().contains("learning_rate"))
    return emitOpError() << "'" << getKind() << "' has no 'learning_rate'";
  auto flag = [&](StringRef name, bool set, bool allowed) -> LogicalResult {
    if (set && !allowed)
      return emitOpError() << "'" << getKind() << "' has no '" << name << "'";
    return success();
  };
  bool isAdam = getKind().starts_with("adam");
  return failure(
      failed(flag("nesterov", getNesterov(), getKind() == "sgd")) ||
      failed(flag("amsgrad", getAmsgrad(), isAdam)) ||
      failed(flag("centered", getCentered(), getKind() == "rmsprop")));
}
