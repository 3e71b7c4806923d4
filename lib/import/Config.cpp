//===- Config.cpp - a model's configuration, read and checked -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;

void Argument::collect(std::vector<TensorRef> &refs) const {
  if (kind == Tensor)
    refs.push_back(tensor);
  for (const Argument &item : items)
    item.collect(refs);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static TensorRef readRef(JsonView history) {
  TensorRef ref;
  if (history.size() != 3) {
    (void)history.error("expected [layer, call, tensor]");
    return ref;
  }
  ref.layer = history[size_t(0)].getString();
  ref.node = history[1].getInt();
  ref.tensor = history[2].getInt();
  return ref;
}

static Argument readArgument(JsonView json) {
  Argument argument;
  argument.json = json;
  if (json.isNull())
    return argument;
  if (json.isArray()) {
    argument.kind = Argument::List;
    for (size_t i = 0, e = json.size(); i < e; ++i)
      argument.items.push_back(readArgument(json[i]));
    return argument;
  }
  if (!json.isObject()) {
    argument.kind = Argument::Scalar;
    return argument;
  }
  if (json["class_name"].isString() && json["config"].isObject()) {
    if (json["class_name"].getString() != "__keras_tensor__") {
      argument.kind = Argument::Other;
      return argument;
    }
    argument.kind = Argument::Tensor;
    argument.tensor = readRef(json["config"]["keras_history"]);
    return argument;
  }
  argument.kind = Argument::List;
  for (const std::string &key : json.keys())
    argument.items.push_back(readArgument(json[key]));
  return argument;
}

static std::vector<CallConfig> readCalls(JsonView nodes) {
  std::vector<CallConfig> calls;
  if (nodes.isNull())
    return calls;
  for (size_t i = 0, e = nodes.size(); i < e; ++i) {
    CallConfig call;
    JsonView args = nodes[i]["args"];
    for (size_t k = 0, n = args.isNull() ? 0 : args.size(); k < n; ++k)
      call.args.push_back(readArgument(args[k]));
    JsonView kwargs = nodes[i]["kwargs"];
    for (const std::string &key : kwargs.keys())
      call.kwargs[key] = readArgument(kwargs[key]);
    calls.push_back(std::move(call));
  }
  return calls;
}

//===----------------------------------------------------------------------===//
// Layers and models
//===----------------------------------------------------------------------===//

static std::unique_ptr<ModelConfig> readModel(JsonView config, bool sequential);

static std::unique_ptr<LayerConfig> readLayer(JsonView json) {
  auto layer = std::make_unique<LayerConfig>();
  JsonView name = json["name"].isNull() ? json["config"]["name"] : json["name"];
  layer->name = name.getString();
  if (name.isString() && layer->name.empty())
    (void)name.error("expected a name");
  json = json.ofLayer(layer->name);
  layer->className = json["class_name"].getString();
  layer->module = json.getString("module", "");
  layer->config = json["config"];
  layer->trainable = layer->config["trainable"].isNull() ||
                     layer->config["trainable"].getBool();
  layer->isOperation = StringRef(layer->module).starts_with("keras.src.ops") ||
                       StringRef(layer->module).starts_with("keras.ops");
  if (json["shared_object_id"].isNumber())
    layer->sharedId = json["shared_object_id"].getInt();
  layer->calls = readCalls(json["inbound_nodes"]);
  if (layer->isOperation)
    return layer;
  if (layer->className == "Functional" || layer->className == "Sequential")
    layer->model = readModel(layer->config, layer->className == "Sequential");
  else if (layer->className == "TimeDistributed")
    layer->inner.push_back(readLayer(layer->config["layer"]));
  else if (layer->className == "Bidirectional") {
    layer->inner.push_back(readLayer(layer->config["layer"]));
    if (layer->config["backward_layer"].isNull())
      (void)layer->config["backward_layer"].error(
          "missing, expected the backward layer");
    else
      layer->inner.push_back(readLayer(layer->config["backward_layer"]));
  }
  return layer;
}

/// Inputs or outputs: one reference, or a list or dictionary of them. A
/// dictionary's keys are the names, in alphabetical order as Keras flattens
/// it.
static void readPorts(JsonView json, const std::string &key,
                      std::vector<PortConfig> &ports) {
  if (json.isObject()) {
    for (const std::string &below : json.keys())
      readPorts(json[below], below, ports);
    return;
  }
  size_t size = json.size();
  if (size == 3 && json[size_t(0)].isString()) {
    TensorRef ref = readRef(json);
    ports.push_back({key.empty() ? ref.layer : key, ref});
    return;
  }
  for (size_t i = 0; i < size; ++i)
    readPorts(json[i], "", ports);
}

/// Names are how the user feeds and reads a model, so no two are alike.
static void makeUnique(std::vector<PortConfig> &ports) {
  llvm::StringSet<> used;
  for (PortConfig &port : ports) {
    std::string name = port.name;
    for (unsigned k = 1; !used.insert(name).second; ++k)
      name = port.name + "_" + std::to_string(k);
    port.name = name;
  }
}

/// In a list of outputs Keras counts the calls of a nested functional model
/// from 1, though from 0 as arguments of calls: such a model has a call of its
/// own from when it was made (keras/src/models/functional.py, get_config).
static void countFromZero(ModelConfig &model) {
  llvm::StringMap<const LayerConfig *> byName;
  for (const auto &layer : model.layers)
    byName[layer->name] = layer.get();
  for (std::vector<PortConfig> *ports : {&model.inputs, &model.outputs})
    for (PortConfig &port : *ports) {
      auto found = byName.find(port.tensor.layer);
      if (found != byName.end() && found->second->className == "Functional" &&
          !found->second->isOperation && port.tensor.node > 0)
        --port.tensor.node;
    }
}

static std::unique_ptr<ModelConfig> readModel(JsonView config,
                                              bool sequential) {
  auto model = std::make_unique<ModelConfig>();
  model->sequential = sequential;
  model->name = config["name"].getString();
  model->trainable = config.getBool("trainable", true);
  JsonView layers = config["layers"];
  llvm::StringSet<> names;
  for (size_t i = 0, e = layers.size(); i < e; ++i) {
    if (!layers[i].isObject()) {
      (void)layers[i].error("expected a layer, got " + layers[i].shown());
      continue;
    }
    model->layers.push_back(readLayer(layers[i]));
    if (!names.insert(model->layers.back()->name).second)
      (void)layers[i].error("a second layer named '" +
                            model->layers.back()->name + "'");
  }
  if (sequential) {
    if (!model->layers.empty() &&
        model->layers.front()->className == "InputLayer")
      model->inputs.push_back(
          {model->layers.front()->name, {model->layers.front()->name, 0, 0}});
    if (!model->layers.empty())
      model->outputs.push_back(
          {model->layers.back()->name, {model->layers.back()->name, 0, 0}});
    return model;
  }
  readPorts(config["input_layers"], "", model->inputs);
  readPorts(config["output_layers"], "", model->outputs);
  countFromZero(*model);
  makeUnique(model->inputs);
  makeUnique(model->outputs);
  return model;
}

/// What a configuration of Keras 2 looks like at its top.
static bool isKeras2(JsonView json) {
  if (!json["keras_version"].isNull())
    return true;
  if (json["config"].isArray())
    return true;
  return json["module"].isNull() && json["registered_name"].isNull() &&
         json["build_config"].isNull();
}

llvm::FailureOr<std::unique_ptr<ModelConfig>>
belfry::readModelConfig(JsonView json) {
  ImportDiagnostics &diags = json.getDiagnostics();
  if (!json.isObject() || !json["class_name"].isString())
    return json.error("not the configuration of a Keras model");
  std::string className = json["class_name"].getString();
  if (isKeras2(json)) {
    std::string version = json["keras_version"].isString()
                              ? " " + json["keras_version"].getString()
                              : "";
    return json.error(
        "written by Keras 2" +
        (version.empty() ? "" : " (keras_version" + version + ")") +
        "; only models of Keras 3 are supported");
  }
  if (className != "Sequential" && className != "Functional")
    return json.error("a model of class '" + className +
                      "' is not supported, only Sequential and Functional");
  std::unique_ptr<ModelConfig> model =
      readModel(json["config"], className == "Sequential");
  if (diags.hasErrors())
    return llvm::failure();
  return model;
}

//===----------------------------------------------------------------------===//
// What is supported
//===----------------------------------------------------------------------===//

static bool isRecurrent(StringRef className) {
  return className == "LSTM" || className == "GRU" || className == "SimpleRNN";
}

bool belfry::isSupportedLayer(const LayerConfig &layer) {
  // The nodes that Keras itself adds to a functional model with masks.
  if (layer.isOperation)
    return llvm::StringSwitch<bool>(layer.className)
        .Cases({"NotEqual", "Any", "LogicalOr", "ExpandDims", "ZerosLike",
                "OnesLike", "Concatenate"},
               true)
        .Default(false);
  // Classes of users have no module, or one of their own.
  if (!StringRef(layer.module).starts_with("keras"))
    return false;
  return llvm::StringSwitch<bool>(layer.className)
      .Cases({"InputLayer", "Dense", "Activation", "ReLU", "LeakyReLU"}, true)
      .Cases({"ELU", "Softmax", "Dropout", "Masking", "Embedding"}, true)
      .Cases({"LSTM", "GRU", "SimpleRNN", "Bidirectional"}, true)
      .Cases({"TimeDistributed", "Flatten", "Reshape", "RepeatVector"}, true)
      .Cases({"Concatenate", "Add", "Functional", "Sequential"}, true)
      .Default(false);
}

namespace {
/// Names of layers by what is said about them, in order of first appearance.
struct Unsupported {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  void add(const std::string &kind, const std::string &name) {
    for (auto &group : groups)
      if (group.first == kind) {
        if (!llvm::is_contained(group.second, name))
          group.second.push_back(name);
        return;
      }
    groups.push_back({kind, {name}});
  }
};
} // namespace

static void findUnsupported(const LayerConfig &layer, const std::string &scope,
                            Unsupported &found);

static void findUnsupported(const ModelConfig &model, const std::string &scope,
                            Unsupported &found) {
  for (const auto &layer : model.layers)
    findUnsupported(*layer, scope, found);
}

static void findUnsupported(const LayerConfig &layer, const std::string &scope,
                            Unsupported &found) {
  std::string name = scope + layer.name;
  if (!isSupportedLayer(layer)) {
    std::string kind = "class " + layer.className;
    if (layer.isOperation)
      kind = "operation " + layer.className + " (" + layer.module + ")";
    if (layer.className == "Lambda")
      kind += " (python code is never run)";
    found.add(kind, name);
    return;
  }
  if (layer.model)
    findUnsupported(*layer.model, name + "/", found);
  for (const auto &inner : layer.inner) {
    if (layer.className == "Bidirectional" && isSupportedLayer(*inner) &&
        !isRecurrent(inner->className))
      found.add("class " + inner->className + " within Bidirectional",
                name + "/" + inner->name);
    else
      findUnsupported(*inner, name + "/", found);
  }
}

llvm::LogicalResult belfry::checkSupported(const ModelConfig &model,
                                           StringRef file,
                                           ImportDiagnostics &diags) {
  Unsupported found;
  findUnsupported(model, "", found);
  if (found.groups.empty())
    return llvm::success();
  size_t layers = 0;
  for (const auto &group : found.groups)
    layers += group.second.size();
  (void)diags.error(file + ": " + Twine(layers) +
                    (layers == 1 ? " layer is" : " layers are") +
                    " not supported");
  for (const auto &[kind, names] : found.groups)
    (void)diags.error(file + ": " + kind + ": " + quotedList(names));
  return llvm::failure();
}
