//===- Compile.cpp - losses, metrics and the optimizer --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Compile.h"

#include "lib/import/CallSyntax.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::Value;

ObjectSpec belfry::readObject(JsonView json) {
  ObjectSpec spec;
  spec.json = json;
  if (!json.isObject()) {
    spec.name = json.getString();
    spec.isString = true;
    return spec;
  }
  spec.name = json["class_name"].getString();
  if (spec.name == "function") {
    spec.name = json["config"].getString();
    return spec;
  }
  spec.config = json["config"];
  // An option's object is the whole of it: its user knows of no config.
  if (json.getPath().empty())
    spec.config = spec.config.asRoot();
  return spec;
}

namespace {

/// An output of the model and what is said about it.
struct Output {
  std::string name;
  RankedTensorType type;
  Value value, mask;
  std::vector<JsonView> losses;
  double weight = 1;
  std::vector<JsonView> metrics, weightedMetrics;
  RankedTensorType target; ///< null where there is no loss
};

class Compiler {
public:
  Compiler(nn::ModelOp model, const ImportOptions &options,
           ImportDiagnostics &diags);
  llvm::LogicalResult run(JsonView compiled);

private:
  llvm::LogicalResult assignLosses(JsonView compiled);
  llvm::LogicalResult assignWeights(JsonView weights);
  llvm::LogicalResult assignMetrics(JsonView metrics, bool weighted);
  llvm::LogicalResult assignOption(StringRef option, StringRef text,
                                   bool isLoss);
  llvm::LogicalResult emitLoss(Output &output, bool isNamed);
  llvm::LogicalResult emitMetrics(bool weighted);
  llvm::LogicalResult emitMetric(Output &output, JsonView json, bool weighted);
  Output *find(StringRef name);
  std::string outputNames() const;
  bool knowsFileLosses();

  nn::ModelOp model;
  const ImportOptions &options;
  ImportDiagnostics &diags;
  mlir::OpBuilder builder;
  mlir::Location loc;
  std::vector<Output> outputs;
  std::deque<llvm::json::Value> owned; ///< what options were parsed into
  llvm::StringMap<unsigned> usedNames; ///< of metrics
};

} // namespace

Compiler::Compiler(nn::ModelOp model, const ImportOptions &options,
                   ImportDiagnostics &diags)
    : model(model), options(options), diags(diags), builder(model.getContext()),
      loc(model.getLoc()) {
  auto returnOp =
      llvm::cast<nn::ReturnOp>(model.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returnOp.getOutputs())) {
    Output output;
    output.name =
        model.getResultAttrOfType<mlir::StringAttr>(unsigned(i), nn::kNameAttr)
            .str();
    output.type = llvm::cast<RankedTensorType>(value.getType());
    output.value = value;
    outputs.push_back(std::move(output));
  }
  for (auto [mask, of] : llvm::zip(returnOp.getMasks(), returnOp.getMaskOf()))
    outputs[size_t(of)].mask = mask;
}

Output *Compiler::find(StringRef name) {
  for (Output &output : outputs)
    if (output.name == name)
      return &output;
  return nullptr;
}

std::string Compiler::outputNames() const {
  std::vector<std::string> names;
  for (const Output &output : outputs)
    names.push_back(output.name);
  return quotedList(names);
}

//===----------------------------------------------------------------------===//
// What belongs to which output
//===----------------------------------------------------------------------===//

llvm::LogicalResult Compiler::assignOption(StringRef option, StringRef text,
                                           bool isLoss) {
  llvm::FailureOr<std::vector<CallItem>> items =
      parseCallList(text, option, diags);
  if (failed(items))
    return llvm::failure();
  bool byOrder =
      isLoss && items->size() > 1 && items->size() == outputs.size() &&
      llvm::all_of(*items,
                   [](const CallItem &item) { return item.output.empty(); });
  for (auto [i, item] : llvm::enumerate(*items)) {
    owned.push_back(std::move(item.object));
    JsonView json(owned.back(), option.str(), diags);
    Output *only = byOrder ? &outputs[i] : nullptr;
    if (!item.output.empty()) {
      only = find(item.output);
      if (!only)
        return diags.error(option + ": no output '" + item.output +
                           "'; the model has " + outputNames());
    }
    for (Output &output : outputs)
      if (!only || only == &output)
        (isLoss ? output.losses : output.metrics).push_back(json);
  }
  return llvm::success();
}

llvm::LogicalResult Compiler::assignLosses(JsonView loss) {
  if (loss.isNull())
    return llvm::success();
  if (loss.isArray()) {
    if (loss.size() != outputs.size())
      return loss.error("expected a loss for each of " + Twine(outputs.size()) +
                        " outputs, got " + Twine(loss.size()));
    for (auto [i, output] : llvm::enumerate(outputs))
      if (!loss[i].isNull())
        output.losses.push_back(loss[i]);
    return llvm::success();
  }
  if (loss.isObject() && !loss["class_name"].isString()) {
    for (const std::string &name : loss.keys()) {
      Output *output = find(name);
      if (!output)
        return loss.error("no output '" + name + "'; the model has " +
                          outputNames());
      if (!loss[name].isNull())
        output->losses.push_back(loss[name]);
    }
    return llvm::success();
  }
  for (Output &output : outputs)
    output.losses.push_back(loss);
  return llvm::success();
}

/// A loss weight; 1 where there is none.
static double weightOf(JsonView json) {
  return json.isNull() ? 1 : json.getNumberFor("", "weight");
}

llvm::LogicalResult Compiler::assignWeights(JsonView weights) {
  if (weights.isNull())
    return llvm::success();
  if (weights.isArray()) {
    if (weights.size() != outputs.size())
      return weights.error("expected a weight for each of " +
                           Twine(outputs.size()) + " outputs, got " +
                           Twine(weights.size()));
    for (auto [i, output] : llvm::enumerate(outputs))
      output.weight = weightOf(weights[i]);
  } else if (weights.isObject()) {
    for (const std::string &name : weights.keys()) {
      Output *output = find(name);
      if (!output)
        return weights.error("no output '" + name + "'; the model has " +
                             outputNames());
      output->weight = weightOf(weights[name]);
    }
  } else {
    for (Output &output : outputs)
      output.weight = weightOf(weights);
  }
  return llvm::success();
}

/// One metric, or a list of them, into `into`.
static void collectMetrics(JsonView json, std::vector<JsonView> &into) {
  if (json.isNull())
    return;
  if (!json.isArray()) {
    into.push_back(json);
    return;
  }
  for (size_t i = 0, e = json.size(); i < e; ++i)
    collectMetrics(json[i], into);
}

llvm::LogicalResult Compiler::assignMetrics(JsonView metrics, bool weighted) {
  if (metrics.isNull())
    return llvm::success();
  auto into = [&](Output &output) -> std::vector<JsonView> & {
    return weighted ? output.weightedMetrics : output.metrics;
  };
  if (metrics.isObject() && !metrics["class_name"].isString()) {
    for (const std::string &name : metrics.keys()) {
      Output *output = find(name);
      if (!output)
        return metrics.error("no output '" + name + "'; the model has " +
                             outputNames());
      collectMetrics(metrics[name], into(*output));
    }
    return llvm::success();
  }
  if (outputs.size() == 1) {
    collectMetrics(metrics, into(outputs.front()));
    return llvm::success();
  }
  size_t entries = metrics.isArray() ? metrics.size() : 1;
  if (entries == 0)
    return llvm::success();
  if (entries != outputs.size())
    return metrics.error("expected metrics for each of " +
                         Twine(outputs.size()) + " outputs, got " +
                         Twine(entries));
  for (auto [i, output] : llvm::enumerate(outputs))
    collectMetrics(metrics[i], into(output));
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// The softmax or sigmoid whose result a value is, if nothing stands between.
static std::optional<nn::Activation> activationOf(Value value) {
  nn::Activation kind = nn::Activation::Linear;
  mlir::Operation *op = value.getDefiningOp();
  if (auto dense = llvm::dyn_cast_or_null<nn::DenseOp>(op))
    kind = dense.getActivation();
  else if (auto activation = llvm::dyn_cast_or_null<nn::ActivationOp>(op))
    kind = activation.getKind();
  if (kind != nn::Activation::Softmax && kind != nn::Activation::Sigmoid)
    return std::nullopt;
  return kind;
}

/// "crossentropy" stands for one of three by the shapes of prediction and
/// target (compile_utils.py, get_loss). The target is not known here: a model
/// with several classes is taken to have whole numbers as targets.
static std::string resolveCrossEntropy(const std::string &name,
                                       RankedTensorType type) {
  std::string lower = StringRef(name).lower();
  if (lower != "crossentropy" && lower != "ce")
    return name;
  return type.getRank() && type.getShape().back() == 1
             ? "binary_crossentropy"
             : "sparse_categorical_crossentropy";
}

llvm::LogicalResult Compiler::emitLoss(Output &output, bool isNamed) {
  if (output.losses.empty())
    return llvm::success();
  JsonView json = output.losses.front();
  if (output.losses.size() > 1)
    return json.error("several losses of output '" + output.name +
                      "' are not supported");
  ObjectSpec spec = readObject(json);
  std::string name = resolveCrossEntropy(spec.name, output.type);
  std::optional<LossKind> kind = findLoss(name);
  if (!kind)
    return json.error("unknown loss '" + spec.name + "'; " +
                      suggestLoss(spec.name));
  if (!output.type.getElementType().isF32() || output.type.getRank() < 1)
    return json.error("output '" + output.name + "' is no tensor of f32");

  std::string reduction = "sum_over_batch_size";
  bool fromLogits = false, ignores = false;
  llvm::SmallVector<mlir::NamedAttribute> extra;
  size_t before = diags.getErrors().size();
  bool smooths = kind->isCrossEntropy && !kind->isSparse;
  std::vector<StringRef> known = {"reduction"};
  if (kind->isCrossEntropy)
    known.push_back("from_logits");
  if (smooths)
    known.push_back("label_smoothing");
  if (kind->isSparse)
    known.push_back("ignore_class");
  if (kind->kind == "huber")
    known.push_back("delta");
  double delta = 1;
  for (const std::string &key : spec.config.keys()) {
    JsonView value = spec.config[key];
    if (key == "name" || key == "dtype" || value.isNull()) {
      if (key == "reduction")
        (void)value.error("a loss without reduction is not supported");
    } else if (key == "axis") {
      int64_t axis = value.getInt();
      if (axis != -1 && axis != output.type.getRank() - 1)
        (void)value.error("only the last axis is supported, got " +
                          value.shown());
    } else if (!llvm::is_contained(known, key)) {
      (void)json.error("loss '" + kind->kind + "' has no argument '" + key +
                       "'; " + suggest(key, known));
    } else if (key == "reduction") {
      reduction = value.getString();
    } else if (key == "from_logits") {
      fromLogits = value.getBool();
    } else if (key == "label_smoothing") {
      if (double number = value.getNumberFor(kind->kind, key))
        extra.push_back(
            builder.getNamedAttr(key, builder.getF64FloatAttr(number)));
    } else if (key == "ignore_class") {
      ignores = true;
      extra.push_back(
          builder.getNamedAttr(key, builder.getI64IntegerAttr(value.getInt())));
    } else {
      delta = value.getNumberFor(kind->kind, key);
    }
  }
  if (reduction == "mean")
    reduction = "sum_over_batch_size";
  if (!llvm::is_contained(
          {"sum_over_batch_size", "sum", "mean_with_sample_weight"}, reduction))
    (void)json.error("reduction '" + reduction +
                     "' is not supported; known: 'sum_over_batch_size', "
                     "'mean', 'sum', 'mean_with_sample_weight'");
  if (kind->kind == "huber")
    extra.push_back(
        builder.getNamedAttr("delta", builder.getF64FloatAttr(delta)));
  // Keras on TensorFlow takes what went into the activation, whatever
  // from_logits says (keras/src/backend/tensorflow/nn.py, _get_logits). With
  // ignore_class it blanks predictions out first, and no longer sees it.
  std::optional<nn::Activation> bypassed;
  if (kind->isCrossEntropy && !ignores)
    bypassed = activationOf(output.value);
  if (fromLogits && bypassed) {
    json.warning("output '" + output.name + "' ends in a " +
                 nn::stringifyActivation(*bypassed) +
                 ", so it has no logits as from_logits says; the loss is "
                 "computed from what goes into the " +
                 nn::stringifyActivation(*bypassed) +
                 ", as Keras on TensorFlow does");
    fromLogits = false;
  }
  if (fromLogits)
    extra.push_back(
        builder.getNamedAttr("from_logits", builder.getBoolAttr(true)));
  if (output.mask &&
      llvm::cast<RankedTensorType>(output.mask.getType()).getRank() >
          output.type.getRank() - 1)
    (void)json.error(
        "the mask that reaches output '" + output.name + "' has rank " +
        Twine(llvm::cast<RankedTensorType>(output.mask.getType()).getRank()) +
        ", its losses have rank " + Twine(output.type.getRank() - 1));
  if (diags.getErrors().size() != before)
    return llvm::failure();

  output.target = output.type;
  if (kind->isSparse) {
    auto shape = llvm::to_vector(output.type.getShape());
    shape.back() = 1;
    output.target = RankedTensorType::get(shape, builder.getI32Type());
  }
  auto op =
      nn::LossOp::create(builder, loc, kind->kind, output.name,
                         builder.getF64FloatAttr(output.weight).getValue(),
                         reduction, bypassed.has_value(), output.target,
                         isNamed ? output.name + "_loss" : "");
  for (mlir::NamedAttribute attribute : extra)
    op->setAttr(attribute.getName(), attribute.getValue());
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Metrics
//===----------------------------------------------------------------------===//

StringRef belfry::resolveAccuracy(RankedTensorType prediction,
                                  RankedTensorType target) {
  if (prediction.getShape().back() == 1)
    return "binary_accuracy";
  if (target.getShape().back() == 1)
    return "sparse_categorical_accuracy";
  return "categorical_accuracy";
}

llvm::LogicalResult Compiler::emitMetric(Output &output, JsonView json,
                                         bool weighted) {
  ObjectSpec spec = readObject(json);
  std::optional<StringRef> kind = findMetric(spec.name);
  std::string lower = StringRef(spec.name).lower();
  bool isAccuracy = spec.isString && (lower == "accuracy" || lower == "acc");
  if (!output.target)
    return json.error("metric '" + spec.name + "' of output '" + output.name +
                      "' needs a loss of that output");
  if (isAccuracy)
    kind = resolveAccuracy(output.type, output.target);
  if (!kind)
    return json.error("metric '" + spec.name + "' is not supported; " +
                      suggestMetric(spec.name) + "; --metrics gives others");

  std::string name = spec.name;
  llvm::SmallVector<mlir::NamedAttribute> extra;
  size_t before = diags.getErrors().size();
  if (!spec.isString && spec.config.isNull()) {
    name = kind->str();
  } else if (!spec.isString) {
    name = spec.config.getString("name", *kind);
    for (const std::string &key : spec.config.keys()) {
      JsonView value = spec.config[key];
      if (key == "name" || key == "dtype")
        continue;
      if (key == "threshold" && *kind == "binary_accuracy")
        extra.push_back(builder.getNamedAttr(
            key, builder.getF64FloatAttr(value.getNumberFor(*kind, key))));
      else
        (void)value.error("metric '" + *kind + "' has no argument '" + key +
                          "'");
    }
  }
  if (diags.getErrors().size() != before)
    return llvm::failure();

  // The key in the log (compile_utils.py, CompileMetrics.result).
  auto keyOf = [&](const std::string &name) {
    return outputs.size() > 1 ? output.name + "_" + name : name;
  };
  std::string key = keyOf(name);
  if (usedNames.count(key) && weighted)
    key = keyOf("weighted_" + name);
  if (unsigned &uses = usedNames[key]; uses++)
    key += "_" + std::to_string(uses - 1);
  auto op =
      nn::MetricOp::create(builder, loc, *kind, output.name, key, weighted);
  for (mlir::NamedAttribute attribute : extra)
    op->setAttr(attribute.getName(), attribute.getValue());
  return llvm::success();
}

llvm::LogicalResult Compiler::emitMetrics(bool weighted) {
  bool good = true;
  for (Output &output : outputs)
    for (const JsonView &json :
         weighted ? output.weightedMetrics : output.metrics)
      good &= succeeded(emitMetric(output, json, weighted));
  return llvm::success(good);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Whether the losses that the file names are known. If not the model can still
/// predict, and --loss can give others, so that is said and no error.
bool Compiler::knowsFileLosses() {
  for (Output &output : outputs)
    for (const JsonView &json : output.losses) {
      size_t before = diags.getErrors().size();
      ObjectSpec spec = readObject(json);
      if (diags.getErrors().size() != before)
        return true; // malformed, and that is an error
      if (findLoss(resolveCrossEntropy(spec.name, output.type)))
        continue;
      json.warning("loss '" + spec.name + "' of output '" + output.name +
                   "' is not supported, so " + kNotCompiled +
                   "; --loss gives another");
      return false;
    }
  return true;
}

llvm::LogicalResult Compiler::run(JsonView compiled) {
  size_t before = diags.getErrors().size();
  bool fromFile = !options.loss;
  if (options.loss) {
    if (failed(assignOption("--loss", *options.loss, /*isLoss=*/true)))
      return llvm::failure();
  } else if (failed(assignLosses(compiled["loss"]))) {
    return llvm::failure();
  }
  if (fromFile && failed(assignWeights(compiled["loss_weights"])))
    return llvm::failure();
  if (options.metrics) {
    if (failed(assignOption("--metrics", *options.metrics, /*isLoss=*/false)))
      return llvm::failure();
  } else if (failed(assignMetrics(compiled["metrics"], /*weighted=*/false)) ||
             failed(assignMetrics(compiled["weighted_metrics"],
                                  /*weighted=*/true))) {
    return llvm::failure();
  }

  builder.setInsertionPointAfter(model);
  auto compile = nn::CompileOp::create(
      builder, loc, mlir::FlatSymbolRefAttr::get(model.getSymNameAttr()));
  builder.createBlock(&compile.getBody());
  size_t numLosses = llvm::count_if(
      outputs, [](const Output &output) { return !output.losses.empty(); });
  bool trains = numLosses && (!fromFile || knowsFileLosses());

  // The optimizer is checked without a loss too, where the user names one.
  if (options.optimizer) {
    llvm::FailureOr<std::vector<CallItem>> items =
        parseCallList(*options.optimizer, "--optimizer", diags);
    if (failed(items))
      return llvm::failure();
    if (items->size() != 1 || !items->front().output.empty())
      return diags.error("--optimizer: expected one optimizer, got '" +
                         *options.optimizer + "'");
    owned.push_back(std::move(items->front().object));
    (void)emitOptimizer(
        builder, loc, readObject(JsonView(owned.back(), "--optimizer", diags)));
  } else if (trains) {
    JsonView optimizer = compiled["optimizer"];
    if (optimizer.isNull()) {
      // Keras's compile() takes this one unless it is told another.
      owned.emplace_back("rmsprop");
      optimizer = JsonView(owned.back(), "--optimizer", diags);
    }
    (void)emitOptimizer(builder, loc, readObject(optimizer));
  }
  if (trains) {
    builder.setInsertionPointToStart(&compile.getBody().front());
    for (Output &output : outputs)
      (void)emitLoss(output, numLosses > 1);
    if (diags.getErrors().size() == before) {
      (void)emitMetrics(/*weighted=*/false);
      (void)emitMetrics(/*weighted=*/true);
    }
  }
  if (diags.getErrors().size() != before)
    return llvm::failure();
  if (!trains)
    compile.erase();
  return llvm::success();
}

llvm::LogicalResult belfry::emitCompile(nn::ModelOp model, JsonView compiled,
                                        const ImportOptions &options,
                                        ImportDiagnostics &diags) {
  return Compiler(model, options, diags).run(compiled);
}
