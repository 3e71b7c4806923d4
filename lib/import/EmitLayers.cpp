//===- EmitLayers.cpp - layers without a time loop ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::Value;

/// Largest extent and largest number of elements a row that is not a mistake.
static constexpr int64_t kMaxExtent = int64_t(1) << 31;

//===----------------------------------------------------------------------===//
// Which layer it is
//===----------------------------------------------------------------------===//

/// Arguments that any layer may have and that change what it computes.
void Emitter::checkArguments(const LayerConfig &layer) {
  JsonView config = layer.config;
  for (const std::string &key : config.keys()) {
    StringRef name = key;
    JsonView value = config[key];
    if (value.isNull())
      continue;
    if (name.ends_with("_regularizer") || name.ends_with("_constraint")) {
      std::string what =
          value.isObject() ? value["class_name"].getString() : value.shown();
      (void)value.error(what + " is not supported");
    }
    if (name == "quantization_config" || name == "lora_rank")
      (void)value.error("is not supported");
    if (name == "data_format" && value.getString() != "channels_last" &&
        layer.className != "Flatten")
      (void)value.error(value.shown() + " is not supported");
    if (name.ends_with("_initializer"))
      (void)readInitializer(value, "zeros");
  }
  JsonView dtype = config["dtype"];
  std::string policy = dtype.isObject() ? dtype["config"].getString("name", "")
                       : dtype.isNull() ? "float32"
                                        : dtype.getString();
  if (policy != "float32" && layer.className != "InputLayer")
    (void)dtype.error("dtype policy '" + policy +
                      "' is not supported, only float32");
}

void Emitter::checkLayer(const LayerConfig &layer) {
  // checkSupported() says which layers are not supported at all.
  if (layer.isOperation || !isSupportedLayer(layer))
    return;
  if (layer.sharedId && !checked.insert(*layer.sharedId).second)
    return;
  checkArguments(layer);
  StringRef name = layer.className;
  if (name == "LSTM" || name == "GRU" || name == "SimpleRNN")
    checkRecurrent(layer.config);
  else if (name == "Dense" || name == "Activation")
    (void)readActivation(layer.config["activation"]);
  else if (name == "ReLU" || name == "LeakyReLU" || name == "ELU" ||
           name == "Softmax")
    (void)activationLayer(name, layer.config);
  for (const auto &inner : layer.inner)
    checkLayer(*inner);
  if (layer.model)
    (void)checkLayers(*layer.model);
}

llvm::LogicalResult Emitter::checkLayers(const ModelConfig &model) {
  size_t before = diags.getErrors().size();
  for (const auto &layer : model.layers)
    checkLayer(*layer);
  return llvm::success(diags.getErrors().size() == before);
}

llvm::FailureOr<Tensors> Emitter::dispatch(Instance &instance,
                                           const CallInputs &call) {
  using Method =
      llvm::FailureOr<Tensors> (Emitter::*)(Instance &, const CallInputs &);
  if (instance.config->model) {
    Tensors inputs = call.inputs;
    if (call.mask)
      inputs.front().mask = *call.mask;
    return callModel(*instance.config->model, instance, inputs);
  }
  auto method =
      llvm::StringSwitch<Method>(instance.config->className)
          .Case("Dense", &Emitter::dense)
          .Cases({"Activation", "ReLU", "LeakyReLU", "ELU", "Softmax"},
                 &Emitter::activation)
          .Case("Dropout", &Emitter::dropout)
          .Case("Masking", &Emitter::masking)
          .Case("Embedding", &Emitter::embedding)
          .Case("Flatten", &Emitter::flatten)
          .Case("Reshape", &Emitter::reshape)
          .Case("RepeatVector", &Emitter::repeatVector)
          .Case("Concatenate", &Emitter::concatenate)
          .Case("Add", &Emitter::add)
          .Cases({"LSTM", "GRU", "SimpleRNN"}, &Emitter::recurrentLayer)
          .Case("Bidirectional", &Emitter::bidirectional)
          .Case("TimeDistributed", &Emitter::timeDistributed)
          .Default(nullptr);
  if (!method)
    return error(instance, "cannot be called here");
  return (this->*method)(instance, call);
}

//===----------------------------------------------------------------------===//
// Layers that pass the mask on
//===----------------------------------------------------------------------===//

llvm::FailureOr<Tensors> Emitter::dense(Instance &instance,
                                        const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  JsonView config = instance.config->config;
  mlir::Location loc = locOf(instance);
  RankedTensorType type = input->type();
  if (type.getRank() < 2)
    return error(instance, "expected an input of rank 2 or more");
  int64_t units = config["units"].getInt();
  if (units < 1 || units > kMaxExtent)
    return config["units"].error("expected a number of units from 1 on, got " +
                                 config["units"].shown());
  llvm::FailureOr<ActivationSpec> activation =
      readActivation(config["activation"]);
  llvm::FailureOr<mlir::DictionaryAttr> kernelInit =
      readInitializer(config["kernel_initializer"], "glorot_uniform");
  llvm::FailureOr<mlir::DictionaryAttr> biasInit =
      readInitializer(config["bias_initializer"], "zeros");
  if (failed(activation) || failed(kernelInit) || failed(biasInit))
    return llvm::failure();
  llvm::FailureOr<Value> kernel =
      parameter(instance, "kernel", {type.getShape().back(), units}, "vars/0",
                *kernelInit);
  if (failed(kernel))
    return llvm::failure();
  llvm::FailureOr<Value> bias = Value();
  if (config.getBool("use_bias", true))
    bias = parameter(instance, "bias", {units}, "vars/1", *biasInit);
  if (failed(bias))
    return llvm::failure();
  auto shape = llvm::to_vector(type.getShape());
  shape.back() = units;
  bool plain = activation->isPlain();
  Value result = nn::DenseOp::create(
      builder, loc, tensorType(shape), asFloat(loc, input->value), *kernel,
      *bias, plain ? activation->kind : nn::Activation::Linear);
  if (!plain)
    result = applyActivation(loc, *activation, result);
  return Tensors{{result, previousMask(call)}};
}

llvm::FailureOr<Tensors> Emitter::activation(Instance &instance,
                                             const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  StringRef className = instance.config->className;
  JsonView config = instance.config->config;
  llvm::FailureOr<ActivationSpec> spec =
      className == "Activation" ? readActivation(config["activation"])
                                : activationLayer(className, config);
  if (failed(spec))
    return llvm::failure();
  if (className == "Softmax" && previousMask(call))
    return error(instance, "a masked input is not supported");
  if (spec->axis) {
    int64_t rank = input->type().getRank();
    if (*spec->axis < -rank || *spec->axis >= rank)
      return error(instance, "axis " + Twine(*spec->axis) +
                                 " of a tensor of rank " + Twine(rank));
    if (*spec->axis < 0)
      *spec->axis += rank;
    if (*spec->axis == 0)
      return error(instance, "axis 0 is the batch");
    if (*spec->axis == rank - 1)
      spec->axis.reset();
  }
  mlir::Location loc = locOf(instance);
  return Tensors{{applyActivation(loc, *spec, asFloat(loc, input->value)),
                  previousMask(call)}};
}

llvm::FailureOr<Tensors> Emitter::dropout(Instance &instance,
                                          const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  JsonView config = instance.config->config;
  size_t before = diags.getErrors().size();
  double rate = config["rate"].getNumberFor("dropout", "rate");
  if (diags.getErrors().size() != before)
    return llvm::failure();
  // Keras returns the input itself, so a softmax before it stays the last op.
  if (rate == 0)
    return Tensors{{input->value, previousMask(call)}};
  mlir::DenseI64ArrayAttr noiseShape;
  if (JsonView shape = config["noise_shape"]; !shape.isNull()) {
    llvm::SmallVector<int64_t> extents;
    for (size_t i = 0, e = shape.size(); i < e; ++i) {
      int64_t extent = shape[i].isNull() ? -1 : shape[i].getInt();
      if (i < size_t(input->type().getRank()) &&
          extent == input->type().getDimSize(int64_t(i)))
        extent = -1;
      if (extent != -1 && extent != 1)
        return shape[i].error("expected null, 1 or the input's extent, got " +
                              shape[i].shown());
      extents.push_back(extent);
    }
    if (extents.size() != size_t(input->type().getRank()))
      return shape.error("expected " + Twine(input->type().getRank()) +
                         " entries, got " + Twine(extents.size()));
    noiseShape = builder.getDenseI64ArrayAttr(extents);
  }
  mlir::Location loc = locOf(instance);
  Value value = asFloat(loc, input->value);
  std::string path = instance.path + "#" + std::to_string(instance.calls);
  Value result = nn::DropoutOp::create(
      builder, loc, value.getType(), value, builder.getF64FloatAttr(rate),
      builder.getI32IntegerAttr(stream(path)), noiseShape);
  return Tensors{{result, previousMask(call)}};
}

//===----------------------------------------------------------------------===//
// Layers that make a mask
//===----------------------------------------------------------------------===//

llvm::FailureOr<Tensors> Emitter::masking(Instance &instance,
                                          const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  RankedTensorType type = input->type();
  if (type.getRank() < 2)
    return error(instance, "expected an input of rank 2 or more");
  JsonView given = instance.config->config["mask_value"];
  double maskValue = given.isNull() ? 0.0 : given.getAnyNumber();
  mlir::Location loc = locOf(instance);
  auto maskType =
      RankedTensorType::get(type.getShape().drop_back(), builder.getI1Type());
  auto op = nn::MaskingOp::create(builder, loc, tensorType(type.getShape()),
                                  maskType, asFloat(loc, input->value),
                                  builder.getF64FloatAttr(maskValue));
  maskingMasks[{input->value.getAsOpaquePointer(),
                llvm::bit_cast<uint64_t>(maskValue)}] = op.getMask();
  return Tensors{{op.getResult(), op.getMask()}};
}

llvm::FailureOr<Tensors> Emitter::embedding(Instance &instance,
                                            const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  JsonView config = instance.config->config;
  int64_t rows = config["input_dim"].getInt();
  int64_t width = config["output_dim"].getInt();
  for (StringRef key : {"input_dim", "output_dim"})
    if (int64_t number = config[key].getInt();
        number < 1 || number > kMaxExtent)
      return config[key].error("expected a number from 1 on, got " +
                               config[key].shown());
  llvm::FailureOr<mlir::DictionaryAttr> initializer =
      readInitializer(config["embeddings_initializer"], "random_uniform");
  if (failed(initializer))
    return llvm::failure();
  llvm::FailureOr<Value> table =
      parameter(instance, "embeddings", {rows, width}, "vars/0", *initializer);
  if (failed(table))
    return llvm::failure();
  mlir::Location loc = locOf(instance);
  auto shape = llvm::to_vector(input->type().getShape());
  auto maskType = RankedTensorType::get(shape, builder.getI1Type());
  shape.push_back(width);
  bool maskZero = config.getBool("mask_zero", false);
  auto op = nn::EmbeddingOp::create(
      builder, loc, tensorType(shape), maskZero ? maskType : mlir::Type(),
      convert(loc, input->value, builder.getI32Type()), *table, maskZero);
  if (maskZero)
    embeddingMasks[input->value.getAsOpaquePointer()] = op.getMask();
  return Tensors{{op.getResult(), maskZero ? op.getMask() : Value()}};
}

//===----------------------------------------------------------------------===//
// Layers that drop the mask
//===----------------------------------------------------------------------===//

/// The product of extents, or failure where it is out of range.
static llvm::FailureOr<int64_t> product(llvm::ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents) {
    if (extent < 0 || (extent && result > kMaxExtent * kMaxExtent / 2 / extent))
      return llvm::failure();
    result *= extent;
  }
  return result;
}

llvm::FailureOr<Tensors> Emitter::flatten(Instance &instance,
                                          const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  warnMaskEnds(instance, call);
  mlir::Location loc = locOf(instance);
  Value value = input->value;
  RankedTensorType type = input->type();
  int64_t rank = type.getRank();
  std::string format =
      instance.config->config.getString("data_format", "channels_last");
  if (format != "channels_last" && format != "channels_first")
    return instance.config->config["data_format"].error(
        "expected channels_last or channels_first, got '" + format + "'");
  if (format == "channels_first" && rank > 2) {
    // Channels come last before the rest is joined, as Keras does it.
    llvm::SmallVector<int64_t> perm = {0}, shape = {type.getDimSize(0)};
    for (int64_t i = 2; i < rank; ++i)
      perm.push_back(i);
    perm.push_back(1);
    for (int64_t i = 1; i < rank; ++i)
      shape.push_back(type.getDimSize(perm[size_t(i)]));
    type = type.clone(shape);
    value = nn::TransposeOp::create(builder, loc, type, value, perm);
  }
  llvm::FailureOr<int64_t> features =
      product(type.getShape().drop_front(rank ? 1 : 0));
  if (failed(features))
    return error(instance, "the flattened input is too large");
  auto result = type.clone({type.getDimSize(0), *features});
  if (rank == 1)
    return Tensors{
        {nn::ReshapeOp::create(builder, loc, result, value), Value()}};
  return Tensors{{nn::FlattenOp::create(builder, loc, result, value), Value()}};
}

llvm::FailureOr<Tensors> Emitter::reshape(Instance &instance,
                                          const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  warnMaskEnds(instance, call);
  JsonView target = instance.config->config["target_shape"];
  RankedTensorType type = input->type();
  llvm::SmallVector<int64_t> shape = {type.getDimSize(0)};
  std::optional<size_t> open;
  for (size_t i = 0, e = target.size(); i < e; ++i) {
    int64_t extent = target[i].isNull() ? -1 : target[i].getInt();
    if (extent == -1 && !open)
      open = i + 1;
    else if (extent < 0 || extent > kMaxExtent)
      return target.error("shape " + target.shown() + " is no target shape");
    shape.push_back(extent == -1 ? 1 : extent);
  }
  llvm::FailureOr<int64_t> have = product(type.getShape().drop_front());
  llvm::FailureOr<int64_t> wanted = product(llvm::ArrayRef(shape).drop_front());
  if (failed(have) || failed(wanted))
    return target.error("shape " + target.shown() + " is too large");
  if (open && *wanted && *have % *wanted == 0)
    shape[*open] = *have / *wanted;
  else if (*have != *wanted)
    return error(instance, "cannot reshape " + Twine(*have) +
                               " elements a row to " + target.shown());
  return Tensors{{nn::ReshapeOp::create(builder, locOf(instance),
                                        type.clone(shape), input->value),
                  Value()}};
}

llvm::FailureOr<Tensors> Emitter::repeatVector(Instance &instance,
                                               const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  warnMaskEnds(instance, call);
  JsonView n = instance.config->config["n"];
  int64_t repeats = n.getInt();
  RankedTensorType type = input->type();
  if (type.getRank() != 2)
    return error(instance, "expected an input of rank 2, got rank " +
                               Twine(type.getRank()));
  if (repeats < 1 || repeats > kMaxExtent)
    return n.error("expected a number from 1 on, got " + n.shown());
  auto result = type.clone({type.getDimSize(0), repeats, type.getDimSize(1)});
  return Tensors{{nn::RepeatVectorOp::create(builder, locOf(instance), result,
                                             input->value),
                  Value()}};
}

//===----------------------------------------------------------------------===//
// Layers that merge
//===----------------------------------------------------------------------===//

/// One element type for all: that which they have, or f32.
static mlir::Type commonType(llvm::ArrayRef<Tensor> inputs,
                             mlir::Builder &builder) {
  mlir::Type type = inputs.front().type().getElementType();
  bool same = llvm::all_of(inputs, [&](const Tensor &tensor) {
    return tensor.type().getElementType() == type;
  });
  return same && !type.isInteger(1) ? type : builder.getF32Type();
}

llvm::FailureOr<Tensors> Emitter::concatenate(Instance &instance,
                                              const CallInputs &call) {
  JsonView config = instance.config->config;
  mlir::Location loc = locOf(instance);
  RankedTensorType first = call.inputs.front().type();
  int64_t rank = first.getRank();
  int64_t axis = config.getInt("axis", -1);
  if (axis < -rank || axis >= rank)
    return config["axis"].error("axis " + Twine(axis) + " of tensors of rank " +
                                Twine(rank));
  if (axis < 0)
    axis += rank;
  if (axis == 0)
    return error(instance, "joins along the batch, which is not supported");
  mlir::Type element = commonType(call.inputs, builder);
  llvm::SmallVector<Value> values;
  auto shape = llvm::to_vector(first.getShape());
  shape[size_t(axis)] = 0;
  for (const Tensor &input : call.inputs) {
    RankedTensorType type = input.type();
    bool fits = type.getRank() == rank;
    for (int64_t i = 0; fits && i < rank; ++i)
      fits = i == axis || type.getDimSize(i) == first.getDimSize(i);
    if (!fits)
      return error(instance, "joins tensors whose shapes do not fit");
    shape[size_t(axis)] += type.getDimSize(axis);
    values.push_back(convert(loc, input.value, element));
  }
  Value result = nn::ConcatenateOp::create(
      builder, loc, RankedTensorType::get(shape, element), values, axis);
  llvm::FailureOr<Value> mask = concatenatedMask(instance, call.inputs, axis);
  if (failed(mask))
    return llvm::failure();
  return Tensors{{result, *mask}};
}

llvm::FailureOr<Tensors> Emitter::add(Instance &instance,
                                      const CallInputs &call) {
  mlir::Location loc = locOf(instance);
  if (call.inputs.size() < 2)
    return error(instance, "expected a list of 2 or more inputs, got " +
                               Twine(call.inputs.size()));
  mlir::Type element = commonType(call.inputs, builder);
  size_t rank = 0;
  for (const Tensor &input : call.inputs)
    rank = std::max(rank, size_t(input.type().getRank()));
  llvm::SmallVector<int64_t> shape(rank, 1);
  llvm::SmallVector<Value> values;
  for (const Tensor &input : call.inputs) {
    // Missing dimensions stand behind the batch.
    auto own = llvm::to_vector(input.type().getShape());
    while (own.size() < rank)
      own.insert(own.begin() + 1, 1);
    for (auto [extent, other] : llvm::zip(shape, own)) {
      if (extent != 1 && other != 1 && extent != other)
        return error(instance, "adds tensors whose shapes do not fit");
      extent = extent == 1 ? other : extent;
    }
    values.push_back(convert(loc, input.value, element));
  }
  Value result = nn::AddOp::create(
      builder, loc, RankedTensorType::get(shape, element), values);
  llvm::FailureOr<Value> mask = mergedMask(instance, call.inputs);
  if (failed(mask))
    return llvm::failure();
  return Tensors{{result, *mask}};
}
