//===- Config.h - a model's configuration, read and checked -- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The structure of a Keras 3 model as its JSON gives it: which layers there
// are, how they are called, what are inputs and outputs. What a layer's own
// arguments mean is left to the code that builds it (Layers.cpp …), except the
// layers that hold other layers.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_CONFIG_H
#define BELFRY_LIB_IMPORT_CONFIG_H

#include "lib/import/Json.h"

#include <map>
#include <memory>

namespace belfry {

/// Result `tensor` of call `node` of a layer.
struct TensorRef {
  std::string layer;
  int64_t node = 0, tensor = 0;
};

/// An argument of a call, as nested as the user wrote it.
struct Argument {
  enum Kind { Null, Tensor, List, Scalar, Other } kind = Null;
  TensorRef tensor;            ///< of a Tensor
  std::vector<Argument> items; ///< of a List; a dictionary's in order of keys
  JsonView json;

  bool isNull() const { return kind == Null; }
  /// The tensors in it, in order. Nulls are left out.
  void collect(std::vector<TensorRef> &refs) const;
};

struct CallConfig {
  std::vector<Argument> args;
  std::map<std::string, Argument> kwargs;
};

struct ModelConfig;

struct LayerConfig {
  std::string name, className, module;
  JsonView config; ///< the layer's own arguments
  std::vector<CallConfig> calls;
  bool trainable = true;
  bool isOperation = false; ///< a node of keras.ops, which is no layer
  /// Layers that stand in for each other in the file have the same number.
  std::optional<int64_t> sharedId;
  std::unique_ptr<ModelConfig> model; ///< of a nested model
  /// The wrapped layer; of Bidirectional forward and backward.
  std::vector<std::unique_ptr<LayerConfig>> inner;
};

/// An input or output: the name by which the user feeds or reads it.
struct PortConfig {
  std::string name;
  TensorRef tensor;
};

struct ModelConfig {
  std::string name;
  bool sequential = false;
  bool trainable = true;
  std::vector<std::unique_ptr<LayerConfig>> layers;
  std::vector<PortConfig> inputs, outputs;
};

/// Reads the model that a configuration's top level holds. Fails, with all
/// that is wrong noted, on Keras 2 configurations and malformed ones.
llvm::FailureOr<std::unique_ptr<ModelConfig>> readModelConfig(JsonView json);

/// The class names of what can be imported.
bool isSupportedLayer(const LayerConfig &layer);

/// Notes all layers, nested ones too, that cannot be imported: one error a
/// class, with the names.
llvm::LogicalResult checkSupported(const ModelConfig &model,
                                   llvm::StringRef file,
                                   ImportDiagnostics &diags);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_CONFIG_H
