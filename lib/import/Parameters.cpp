//===- Parameters.cpp - parameters, initializers, activations, streams ----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <utility>

using namespace belfry;
using llvm::StringRef;
using mlir::RankedTensorType;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

llvm::FailureOr<Value> Emitter::parameter(Instance &instance, StringRef name,
                                          llvm::ArrayRef<int64_t> shape,
                                          StringRef place,
                                          mlir::DictionaryAttr initializer) {
  RankedTensorType type = tensorType(shape);
  for (Instance::Variable &variable : instance.variables) {
    if (variable.name != name)
      continue;
    if (variable.value.getType() == type)
      return Value(variable.value);
    return error(instance,
                 "is called on inputs that want different shapes of its " +
                     name);
  }
  std::string symbol = (instance.path + "/" + name).str();
  mlir::Location loc = locOf(instance);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(modelOp);
  auto op = nn::ParameterOp::create(
      builder, loc, builder.getStringAttr(symbol), mlir::TypeAttr::get(type),
      builder.getStringAttr(instance.weights + "/" + place),
      builder.getStringAttr(instance.layer),
      builder.getBoolAttr(instance.trainable), initializer,
      builder.getI32IntegerAttr(stream(symbol)));
  builder.setInsertionPointToStart(entry);
  auto value = nn::GetParameterOp::create(
      builder, loc, type,
      mlir::FlatSymbolRefAttr::get(builder.getStringAttr(symbol)));
  instance.variables.push_back({name.str(), op, value});
  return Value(value);
}

/// FNV-1a, 32 bits.
static uint32_t hashOf(StringRef text) {
  uint32_t hash = 2166136261u;
  for (unsigned char c : text)
    hash = (hash ^ c) * 16777619u;
  return hash;
}

int32_t Emitter::stream(StringRef path, unsigned count) {
  // 31 bits, so that the number reads the same signed and unsigned.
  uint32_t first = hashOf(path) & 0x7FFFFFFF;
  auto isTaken = [&] {
    if (first > 0x7FFFFFFF - count)
      return true;
    for (unsigned i = 0; i < count; ++i)
      if (streams.count(first + i))
        return true;
    return false;
  };
  while (isTaken())
    first = (first + 1) & 0x7FFFFFFF;
  for (unsigned i = 0; i < count; ++i)
    streams.insert(first + i);
  return int32_t(first);
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

namespace {
/// An initializer's Keras class, its snake-case name, its numeric arguments
/// with their defaults.
struct InitializerLaw {
  StringRef className, name;
  std::vector<std::pair<StringRef, double>> numbers;
};
} // namespace

static llvm::ArrayRef<InitializerLaw> initializerLaws() {
  static const std::vector<InitializerLaw> laws = {
      {"Zeros", "zeros", {}},
      {"Ones", "ones", {}},
      {"Constant", "constant", {{"value", 0}}},
      {"RandomUniform",
       "random_uniform",
       {{"minval", -0.05}, {"maxval", 0.05}}},
      {"RandomNormal", "random_normal", {{"mean", 0}, {"stddev", 0.05}}},
      {"TruncatedNormal", "truncated_normal", {{"mean", 0}, {"stddev", 0.05}}},
      {"VarianceScaling", "variance_scaling", {{"scale", 1}}},
      {"GlorotUniform", "glorot_uniform", {}},
      {"GlorotNormal", "glorot_normal", {}},
      {"HeUniform", "he_uniform", {}},
      {"HeNormal", "he_normal", {}},
      {"LecunUniform", "lecun_uniform", {}},
      {"LecunNormal", "lecun_normal", {}},
      {"Orthogonal", "orthogonal", {{"gain", 1}}},
      {"Identity", "identity", {{"gain", 1}}},
  };
  return laws;
}

/// Keras's other names.
static StringRef plainName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"OrthogonalInitializer", "orthogonal_initializer"}, "orthogonal")
      .Cases({"IdentityInitializer", "identity_initializer"}, "identity")
      .Case("uniform", "random_uniform")
      .Case("normal", "random_normal")
      .Case("zero", "zeros")
      .Case("one", "ones")
      .Default(name);
}

llvm::FailureOr<mlir::DictionaryAttr>
Emitter::readInitializer(JsonView json, StringRef otherwise) {
  std::string name = otherwise.str();
  JsonView config;
  if (json.isObject()) {
    name = json["class_name"].getString();
    config = json["config"];
    if (name == "function")
      name = config.getString();
  } else if (!json.isNull()) {
    name = json.getString();
  }
  StringRef plain = plainName(name);
  const auto *law = llvm::find_if(initializerLaws(), [&](const auto &law) {
    return law.className == plain || law.name == plain;
  });
  if (law == initializerLaws().end())
    return json.error("initializer '" + name + "' is not supported");
  llvm::SmallVector<mlir::NamedAttribute> attributes = {
      builder.getNamedAttr("name", builder.getStringAttr(law->name))};
  for (auto [key, number] : law->numbers) {
    if (config.isObject())
      number = config.getNumber(key, number);
    attributes.push_back(
        builder.getNamedAttr(key, builder.getF64FloatAttr(number)));
  }
  if (law->name == "variance_scaling") {
    std::string mode = "fan_in", distribution = "truncated_normal";
    if (config.isObject()) {
      mode = config.getString("mode", mode);
      distribution = config.getString("distribution", distribution);
    }
    attributes.push_back(
        builder.getNamedAttr("mode", builder.getStringAttr(mode)));
    attributes.push_back(builder.getNamedAttr(
        "distribution", builder.getStringAttr(distribution)));
  }
  return builder.getDictionaryAttr(attributes);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static std::optional<nn::Activation> activationNamed(StringRef name) {
  return nn::symbolizeActivation(
      llvm::StringSwitch<StringRef>(name).Case("swish", "silu").Default(name));
}

static std::string activationNames() {
  std::string names;
  for (uint32_t i = 0; i <= nn::getMaxEnumValForActivation(); ++i)
    if (std::optional<nn::Activation> kind = nn::symbolizeActivation(i))
      names += (i ? ", " : "") + nn::stringifyActivation(*kind).str();
  return names;
}

llvm::FailureOr<ActivationSpec> Emitter::activationLayer(StringRef className,
                                                         JsonView config) {
  ActivationSpec spec;
  size_t before = diags.getErrors().size();
  // Keras's argument `key`, which is `name` of the op.
  auto numberOr = [&](StringRef key, StringRef name, double otherwise) {
    return config[key].isNull() ? otherwise
                                : config[key].getNumberFor(
                                      nn::stringifyActivation(spec.kind), name);
  };
  if (className == "ReLU") {
    spec.kind = nn::Activation::Relu;
    if (double slope = numberOr("negative_slope", "alpha", 0))
      spec.alpha = slope;
    // An infinite one is none.
    JsonView most = config["max_value"];
    bool unbounded =
        most.isNull() ||
        (most.isNumber() &&
         most.getAnyNumber() == std::numeric_limits<double>::infinity());
    if (!unbounded)
      spec.maxValue = numberOr("max_value", "max_value", 0);
    if (double threshold = numberOr("threshold", "threshold", 0))
      spec.threshold = threshold;
  } else if (className == "LeakyReLU") {
    spec.kind = nn::Activation::LeakyRelu;
    spec.alpha = numberOr("negative_slope", "alpha", 0.3);
  } else if (className == "ELU") {
    spec.kind = nn::Activation::Elu;
    if (double alpha = numberOr("alpha", "alpha", 1); alpha != 1)
      spec.alpha = alpha;
  } else if (className == "Softmax") {
    spec.kind = nn::Activation::Softmax;
    JsonView axis = config["axis"];
    if (axis.isArray()) {
      if (axis.size() != 1)
        return axis.error("several axes are not supported");
      spec.axis = axis[size_t(0)].getInt();
    } else if (!axis.isNull()) {
      spec.axis = axis.getInt();
    }
    if (spec.axis == -1)
      spec.axis.reset();
  } else {
    return config.error("activation '" + className + "' is not supported");
  }
  if (diags.getErrors().size() != before)
    return llvm::failure();
  return spec;
}

llvm::FailureOr<ActivationSpec> Emitter::readActivation(JsonView json) {
  ActivationSpec spec;
  if (json.isNull())
    return spec;
  std::string name;
  if (json.isObject()) {
    name = json["class_name"].getString();
    if (name == "function")
      name = json["config"].getString();
    else if (llvm::is_contained({"ReLU", "LeakyReLU", "ELU", "Softmax"}, name))
      return activationLayer(name, json["config"]);
  } else {
    name = json.getString();
  }
  std::optional<nn::Activation> kind = activationNamed(name);
  if (!kind)
    return json.error("activation '" + name + "' is not supported" +
                      (std::exchange(namedActivations, true)
                           ? std::string()
                           : "; known: " + activationNames()));
  spec.kind = *kind;
  return spec;
}

Value Emitter::applyActivation(mlir::Location loc, const ActivationSpec &spec,
                               Value value) {
  if (spec.kind == nn::Activation::Linear)
    return value;
  auto number = [&](std::optional<double> number) {
    return number ? builder.getF64FloatAttr(*number) : mlir::FloatAttr();
  };
  return nn::ActivationOp::create(
      builder, loc, value.getType(), spec.kind, value, number(spec.alpha),
      number(spec.maxValue), number(spec.threshold), /*approximate=*/false,
      spec.axis ? builder.getI64IntegerAttr(*spec.axis) : mlir::IntegerAttr());
}
