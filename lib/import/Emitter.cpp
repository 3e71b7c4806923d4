//===- Emitter.cpp - models: inputs, calls, order -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/EmitterFrame.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <functional>

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Value;

/// A model that calls nested models which call nested models … grows without
/// bound in its file's size.
static constexpr size_t kMaxCalls = 20000;

Emitter::Emitter(mlir::MLIRContext &context, StringRef file,
                 ImportDiagnostics &diags)
    : context(context), builder(&context), file(file.str()), diags(diags) {}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

mlir::Location Emitter::locOf(const Instance &instance) {
  return mlir::NameLoc::get(builder.getStringAttr(instance.path));
}

llvm::LogicalResult Emitter::error(const Instance &instance,
                                   const Twine &message) {
  return diags.error(file + ": layer '" + instance.path + "' (" +
                     instance.config->className + "): " + message);
}

llvm::FailureOr<Tensor> Emitter::onlyInput(Instance &instance,
                                           const CallInputs &call) {
  if (call.inputs.size() == 1)
    return call.inputs.front();
  return error(instance, "expected 1 input, got " + Twine(call.inputs.size()));
}

RankedTensorType Emitter::tensorType(llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, builder.getF32Type());
}

Value Emitter::convert(mlir::Location loc, Value value, mlir::Type type) {
  auto from = llvm::cast<RankedTensorType>(value.getType());
  if (from.getElementType() == type)
    return value;
  return nn::ConvertOp::create(builder, loc, from.clone(type), value);
}

Value Emitter::asFloat(mlir::Location loc, Value value) {
  return convert(loc, value, builder.getF32Type());
}

Value Emitter::splatLike(mlir::Location loc, Value like, double number,
                         mlir::Type type) {
  auto shape = llvm::cast<RankedTensorType>(like.getType());
  Value scalar = nn::ConstantOp::create(
      builder, loc, RankedTensorType::get({}, type), number);
  return nn::BroadcastOp::create(builder, loc, shape.clone(type), scalar,
                                 shape.hasStaticShape() ? Value() : like,
                                 llvm::ArrayRef<int64_t>());
}

//===----------------------------------------------------------------------===//
// Layer objects
//===----------------------------------------------------------------------===//

/// Keras's snake case (keras/src/utils/naming.py): `LSTM` → `lstm`, `SimpleRNN`
/// → `simple_rnn`, `LeakyReLU` → `leaky_re_lu`.
static std::string snakeCase(StringRef name) {
  auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string first;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!llvm::isAlnum(name[i]) && name[i] != '_')
      continue;
    // (.)([A-Z][a-z]+) → \1_\2
    if (i && isUpper(name[i]) && i + 1 < name.size() && isLower(name[i + 1]))
      first += '_';
    first += name[i];
  }
  std::string second;
  for (size_t i = 0; i < first.size(); ++i) {
    // ([a-z])([A-Z]) → \1_\2
    if (i && isUpper(first[i]) && isLower(first[i - 1]))
      second += '_';
    second += llvm::toLower(first[i]);
  }
  return second;
}

Instance *Emitter::makeInstance(const LayerConfig &layer,
                                const Instance *parent,
                                const std::string &weights, bool isInner) {
  if (layer.sharedId) {
    auto found = shared.find(*layer.sharedId);
    if (found != shared.end() &&
        found->second->config->className == layer.className) {
      linked.insert(*layer.sharedId);
      return found->second;
    }
  }
  instances.push_back(std::make_unique<Instance>());
  Instance &instance = *instances.back();
  instance.config = &layer;
  std::string scope =
      parent && !parent->path.empty() ? parent->path + "/" : std::string();
  instance.path = scope + layer.name;
  instance.layer = isInner ? parent->layer : instance.path;
  instance.weights = weights;
  instance.trainable = layer.trainable && (!parent || parent->trainable);
  if (layer.sharedId)
    shared[*layer.sharedId] = &instance;
  if (layer.model) {
    makeChildren(*layer.model, instance);
  } else {
    bool two = layer.className == "Bidirectional";
    for (auto [i, inner] : llvm::enumerate(layer.inner)) {
      StringRef place = !two ? "layer" : i ? "backward_layer" : "forward_layer";
      instance.children.push_back(
          makeInstance(*inner, &instance, (weights + "/" + place).str(), true));
    }
  }
  return &instance;
}

/// The names under which Keras saves the layers of a model: by class, with a
/// count (keras/src/saving/saving_lib.py, _save_container_state). A Sequential
/// does not count its input layer, and nodes of keras.ops are no layers.
void Emitter::makeChildren(const ModelConfig &model, Instance &parent) {
  llvm::StringMap<unsigned> counts;
  std::string prefix =
      parent.weights.empty() ? "layers/" : parent.weights + "/layers/";
  for (const auto &layer : model.layers) {
    if (layer->isOperation ||
        (model.sequential && layer->className == "InputLayer")) {
      parent.children.push_back(nullptr);
      continue;
    }
    std::string name = snakeCase(layer->className);
    unsigned count = counts[name]++;
    if (count)
      name += "_" + std::to_string(count);
    parent.children.push_back(
        makeInstance(*layer, &parent, prefix + name, /*isInner=*/false));
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::FailureOr<Tensor> Emitter::read(const TensorRef &ref, Frame &frame) {
  const NodeValue *found = frame.find(ref);
  if (!found)
    return diags.error(file + ": no tensor " + Twine(ref.tensor) + " of call " +
                       Twine(ref.node) + " of layer '" + ref.layer + "'");
  if (!found->operation)
    return found->tensor;
  llvm::FailureOr<Value> value = evaluate(*found->operation);
  if (failed(value))
    return llvm::failure();
  return Tensor{*value, Value()};
}

llvm::FailureOr<CallInputs>
Emitter::readCall(Instance &layer, const CallConfig &call, Frame &frame) {
  CallInputs inputs;
  auto readAll = [&](const Argument &argument,
                     Tensors &into) -> llvm::LogicalResult {
    if (argument.kind == Argument::Scalar || argument.kind == Argument::Other)
      return error(layer, "called on the constant " + argument.json.shown() +
                              ", which is not supported");
    std::vector<TensorRef> refs;
    argument.collect(refs);
    for (const TensorRef &ref : refs) {
      llvm::FailureOr<Tensor> tensor = read(ref, frame);
      if (failed(tensor))
        return llvm::failure();
      into.push_back(*tensor);
    }
    return llvm::success();
  };
  bool recurrent =
      llvm::StringSwitch<bool>(layer.config->className)
          .Cases({"LSTM", "GRU", "SimpleRNN", "Bidirectional"}, true)
          .Default(false);
  for (auto [i, argument] : llvm::enumerate(call.args)) {
    if (argument.isNull())
      continue;
    if (i == 0)
      inputs.list = argument.kind == Argument::List;
    if (i > (recurrent ? 1 : 0))
      return error(layer,
                   "called with " + Twine(call.args.size()) + " arguments");
    if (failed(readAll(argument, i ? inputs.states : inputs.inputs)))
      return llvm::failure();
  }
  for (const auto &[key, argument] : call.kwargs) {
    // Which of training and inference it is, is the caller's choice; what
    // stands here is what the recorded call had.
    if (argument.isNull() || key == "training")
      continue;
    if (key == "initial_state" && recurrent) {
      if (failed(readAll(argument, inputs.states)))
        return llvm::failure();
    } else if (key == "mask" && argument.kind == Argument::Tensor) {
      llvm::FailureOr<Tensor> mask = read(argument.tensor, frame);
      if (failed(mask))
        return llvm::failure();
      inputs.mask = convert(locOf(layer), mask->value, builder.getI1Type());
    } else if (key == "inputs" || key == "sequences") {
      inputs.list = argument.kind == Argument::List;
      if (failed(readAll(argument, inputs.inputs)))
        return llvm::failure();
    } else if (key == "mask") {
      std::vector<TensorRef> refs;
      argument.collect(refs);
      if (!refs.empty())
        return error(layer, "a list of masks is not supported");
    } else {
      return error(layer, "called with the argument '" + key +
                              "', which is not "
                              "supported");
    }
  }
  return inputs;
}

llvm::LogicalResult Emitter::callNode(Instance &layer, const CallConfig &call,
                                      int64_t node, Frame &frame) {
  llvm::FailureOr<CallInputs> inputs = readCall(layer, call, frame);
  if (failed(inputs))
    return llvm::failure();
  llvm::FailureOr<Tensors> results = callLayer(layer, std::move(*inputs));
  if (failed(results))
    return llvm::failure();
  std::vector<NodeValue> &values = frame.results[{layer.config->name, node}];
  for (const Tensor &tensor : *results)
    values.push_back({tensor, nullptr});
  return llvm::success();
}

/// Whether everything that a call reads has been computed.
static bool isReady(const CallConfig &call,
                    llvm::function_ref<bool(const TensorRef &)> has) {
  std::vector<TensorRef> refs;
  for (const Argument &argument : call.args)
    argument.collect(refs);
  for (const auto &entry : call.kwargs)
    entry.second.collect(refs);
  return llvm::all_of(refs, has);
}

/// Makes all calls of a functional model. Layers stand in no certain order, and
/// a shared one may have calls at several depths, so the list is gone through
/// until no call is left.
llvm::LogicalResult Emitter::callNodes(const ModelConfig &model,
                                       Instance &instance, Frame &frame) {
  std::vector<size_t> done(model.layers.size());
  auto has = [&](const TensorRef &ref) { return frame.find(ref) != nullptr; };
  for (bool progress = true, left = true; left;) {
    if (!progress) {
      std::string waiting;
      for (auto [i, layer] : llvm::enumerate(model.layers))
        if (done[i] < layer->calls.size() && waiting.size() < 200)
          waiting += (waiting.empty() ? "'" : ", '") + layer->name + "'";
      return diags.error(file + ": model '" + model.name +
                         "' is no graph of layers: these wait for tensors "
                         "that no layer gives: " +
                         waiting);
    }
    progress = left = false;
    for (auto [i, layer] : llvm::enumerate(model.layers)) {
      for (; done[i] < layer->calls.size(); ++done[i], progress = true) {
        const CallConfig &call = layer->calls[done[i]];
        if (!isReady(call, has))
          break;
        auto node = int64_t(done[i]);
        if (layer->isOperation) {
          auto operation = std::make_shared<OperationNode>();
          operation->config = layer.get();
          operation->call = &call;
          operation->frame = &frame;
          operation->path = instance.path.empty()
                                ? layer->name
                                : instance.path + "/" + layer->name;
          frame.results[{layer->name, node}].push_back({{}, operation});
        } else if (failed(callNode(*instance.children[i], call, node, frame))) {
          return llvm::failure();
        }
      }
      left |= done[i] < layer->calls.size();
    }
  }
  return llvm::success();
}

llvm::FailureOr<Tensors>
Emitter::callFunctional(const ModelConfig &model, Instance &instance,
                        llvm::ArrayRef<Tensor> inputs) {
  if (inputs.size() != model.inputs.size())
    return diags.error(file + ": model '" + model.name + "' has " +
                       Twine(model.inputs.size()) + " inputs, called on " +
                       Twine(inputs.size()));
  Frame frame;
  for (auto [port, input] : llvm::zip(model.inputs, inputs)) {
    auto layer = llvm::find_if(model.layers, [&](const auto &layer) {
      return layer->name == port.tensor.layer;
    });
    if (layer == model.layers.end() || (*layer)->className != "InputLayer")
      return diags.error(file + ": input '" + port.name + "' of model '" +
                         model.name + "' is no InputLayer");
    frame.results[{port.tensor.layer, 0}] = {{input, nullptr}};
    Instance *child = instance.children[size_t(layer - model.layers.begin())];
    if (child && !child->output)
      child->output = input.type();
  }
  if (failed(callNodes(model, instance, frame)))
    return llvm::failure();
  Tensors outputs;
  for (const PortConfig &port : model.outputs) {
    llvm::FailureOr<Tensor> output = read(port.tensor, frame);
    if (failed(output))
      return llvm::failure();
    outputs.push_back(*output);
  }
  return outputs;
}

llvm::FailureOr<Tensors> Emitter::callModel(const ModelConfig &model,
                                            Instance &instance,
                                            llvm::ArrayRef<Tensor> inputs) {
  if (!model.sequential)
    return callFunctional(model, instance, inputs);
  Tensors tensors(inputs.begin(), inputs.end());
  for (auto [i, layer] : llvm::enumerate(model.layers)) {
    Instance *child = instance.children[i];
    if (!child) {
      if (i == 0)
        continue;
      return diags.error(file + ": '" + layer->name + "' in model '" +
                         model.name + "' is an input, but not the first layer");
    }
    CallInputs call;
    call.inputs = tensors;
    llvm::FailureOr<Tensors> results = callLayer(*child, std::move(call));
    if (failed(results))
      return llvm::failure();
    tensors = *results;
  }
  return tensors;
}

llvm::FailureOr<Tensors> Emitter::callLayer(Instance &instance,
                                            CallInputs call) {
  if (++totalCalls > kMaxCalls)
    return diags.error(file + ": more than " + Twine(kMaxCalls) +
                       " calls of layers");
  if (call.inputs.empty())
    return error(instance, "called on no tensor");
  size_t before = diags.getErrors().size();
  llvm::FailureOr<Tensors> results = dispatch(instance, call);
  ++instance.calls;
  // A wrong value in the configuration gave a harmless one, and an error.
  if (failed(results) || diags.getErrors().size() != before)
    return llvm::failure();
  if (!instance.output && !results->empty())
    instance.output = results->front().type();
  return results;
}

//===----------------------------------------------------------------------===//
// The whole model
//===----------------------------------------------------------------------===//

llvm::FailureOr<RankedTensorType> Emitter::inputType(const LayerConfig &layer) {
  JsonView config = layer.config;
  JsonView shape = config["batch_shape"];
  llvm::SmallVector<int64_t> extents;
  size_t before = diags.getErrors().size();
  for (size_t i = 0, e = shape.size(); i < e; ++i) {
    // Whatever batch the model was built for, the batch is free.
    if (i == 0) {
      extents.push_back(ShapedType::kDynamic);
      continue;
    }
    if (shape[i].isNull())
      return shape.error("dimension " + Twine(i) +
                         " has no fixed extent; only the batch may vary");
    int64_t extent = shape[i].getInt();
    if (extent < 1 || extent > INT32_MAX)
      return shape[i].error("an extent of " + shape[i].shown() +
                            " is out of range");
    extents.push_back(extent);
  }
  if (config.getBool("sparse", false) || config.getBool("ragged", false))
    return config.error("a sparse or ragged input is not supported");
  std::string dtype = config.getString("dtype", "float32");
  if (diags.getErrors().size() != before)
    return llvm::failure();
  if (extents.empty())
    return shape.error("an input without a batch dimension is not supported");
  mlir::Type element =
      llvm::StringSwitch<mlir::Type>(dtype)
          .Cases({"float32", "float16", "bfloat16", "float64"},
                 builder.getF32Type())
          .Cases({"int8", "uint8", "int16", "uint16", "int32", "int64"},
                 builder.getI32Type())
          .Cases({"uint32", "uint64"}, builder.getI32Type())
          .Case("bool", builder.getI1Type())
          .Default(nullptr);
  if (!element)
    return config["dtype"].error("dtype " + config["dtype"].shown() +
                                 " of an input is not supported");
  return RankedTensorType::get(extents, element);
}

llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
Emitter::emit(const ModelConfig &model) {
  if (model.inputs.empty())
    return diags.error(
        file + ": model '" + model.name +
        "' has no input shape; build it, or give it an Input, before saving");
  if (model.outputs.empty())
    return diags.error(file + ": model '" + model.name + "' has no outputs");

  // The inputs.
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  llvm::SmallVector<mlir::Attribute> argAttrs, resultAttrs;
  auto named = [&](StringRef name) {
    return builder.getDictionaryAttr(
        builder.getNamedAttr(nn::kNameAttr, builder.getStringAttr(name)));
  };
  for (const PortConfig &port : model.inputs) {
    auto layer = llvm::find_if(model.layers, [&](const auto &layer) {
      return layer->name == port.tensor.layer;
    });
    if (layer == model.layers.end() || (*layer)->className != "InputLayer")
      return diags.error(file + ": input '" + port.name + "' is no InputLayer");
    llvm::FailureOr<RankedTensorType> type = inputType(**layer);
    if (failed(type))
      return llvm::failure();
    types.push_back(*type);
    locations.push_back(mlir::NameLoc::get(builder.getStringAttr(port.name)));
    argAttrs.push_back(named(port.name));
  }

  // The model, with its layers inside.
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(model.name));
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  modelOp = nn::ModelOp::create(builder, loc, model.name,
                                builder.getFunctionType(types, {}), nullptr,
                                builder.getArrayAttr(argAttrs), nullptr);
  entry = builder.createBlock(&modelOp.getBody(), {}, types, locations);
  Instance &top = *instances.emplace_back(std::make_unique<Instance>());
  top.trainable = model.trainable;
  makeChildren(model, top);
  Tensors inputs;
  for (Value argument : entry->getArguments())
    inputs.push_back({argument, Value()});
  builder.setInsertionPointToEnd(entry);
  llvm::FailureOr<Tensors> outputs = callModel(model, top, inputs);
  if (failed(outputs))
    return llvm::failure();
  if (model.sequential ? outputs->size() != 1
                       : outputs->size() != model.outputs.size())
    return diags.error(file + ": model '" + model.name + "' gives " +
                       Twine(outputs->size()) + " outputs");

  // The outputs and their masks.
  llvm::SmallVector<Value> values, masks;
  llvm::SmallVector<int64_t> maskOf;
  llvm::SmallVector<mlir::Type> resultTypes;
  for (auto [i, output] : llvm::enumerate(*outputs)) {
    values.push_back(output.value);
    resultTypes.push_back(output.value.getType());
    resultAttrs.push_back(named(model.outputs[i].name));
    if (output.mask) {
      masks.push_back(output.mask);
      maskOf.push_back(int64_t(i));
    }
  }
  builder.setInsertionPointToEnd(entry);
  nn::ReturnOp::create(builder, loc, values, masks,
                       builder.getDenseI64ArrayAttr(maskOf));
  modelOp.setFunctionTypeAttr(
      mlir::TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  modelOp.setResAttrsAttr(builder.getArrayAttr(resultAttrs));

  removeDead(*entry);
  order();
  module.get()->setAttr(
      "nn.model_class",
      builder.getStringAttr(model.sequential ? "Sequential" : "Functional"));
  module.get()->setAttr("nn.layers", describeLayers());
  return module;
}

/// Masks that nothing reads, and what they were computed from.
void Emitter::removeDead(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        removeDead(inner);
    if (!llvm::isa<nn::GetParameterOp>(op) && mlir::isOpTriviallyDead(&op))
      op.erase();
  }
}

/// Parameters in Keras's order: layer by layer as the model lists them.
void Emitter::order() {
  std::set<const Instance *> seen;
  mlir::Operation *lastValue = nullptr;
  std::function<void(const Instance &)> visit = [&](const Instance &instance) {
    if (!seen.insert(&instance).second)
      return;
    for (const Instance::Variable &variable : instance.variables) {
      variable.op->moveBefore(modelOp);
      if (lastValue)
        variable.value->moveAfter(lastValue);
      else
        variable.value->moveBefore(entry, entry->begin());
      lastValue = variable.value;
    }
    for (const Instance *child : instance.children)
      if (child)
        visit(*child);
  };
  for (const auto &instance : instances)
    if (instance->path.empty())
      visit(*instance);
}
