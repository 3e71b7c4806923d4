//===- Emitter.h - a model's configuration as nn ops --------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Runs a model's configuration symbolically, as Keras does when it loads one:
// every call of a layer on tensors becomes ops in one nn.model. Nested models
// are inlined, with their name before their layers' (`encoder/lstm`); a layer
// that is called several times has one set of parameters.
//
// Masks follow Keras 3.15.1 (keras/src/layers/layer.py, __call__): a tensor
// carries the mask that the layer which made it attached. A layer reads the
// mask it is given, or else the one of its only tensor argument. Its outputs
// get compute_mask() of the mask that it was given, or else of the one that
// its first argument carries. In a functional model Keras also writes the
// masks that it handed over into the file, as nodes of keras.ops. Such nodes
// are evaluated only where something reads them, and where they compute what a
// layer's own mask already holds, that value is used: a mask is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_EMITTER_H
#define BELFRY_LIB_IMPORT_EMITTER_H

#include "dialects/nn/Builders.h"
#include "lib/import/Config.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <set>

namespace belfry {

/// A tensor and the mask that Keras would attach to it, null if none.
struct Tensor {
  mlir::Value value, mask;
  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
};
using Tensors = llvm::SmallVector<Tensor, 2>;

/// A layer object: what a layer's calls share.
struct Instance {
  struct Variable {
    std::string name;
    nn::ParameterOp op;
    nn::GetParameterOp value;
  };
  const LayerConfig *config = nullptr;
  std::string path;  ///< names of the models around it and its own, by slashes
  std::string layer; ///< the path of the layer that holds it, or its own
  std::string weights; ///< where Keras's weight files keep it
  bool trainable = true;
  unsigned calls = 0;
  std::vector<Variable> variables;
  std::vector<Instance *> children; ///< layers of a nested model, or inner
  mlir::RankedTensorType output;    ///< of the first output of the first call
};

/// What a layer is called on.
struct CallInputs {
  Tensors inputs;
  bool list = false;               ///< the first argument was a list
  Tensors states;                  ///< `initial_state`
  std::optional<mlir::Value> mask; ///< `mask`, where one was given
};

/// An activation with its arguments.
struct ActivationSpec {
  nn::Activation kind = nn::Activation::Linear;
  std::optional<double> alpha, maxValue, threshold;
  std::optional<int64_t> axis;
  /// Whether the name alone says it all.
  bool isPlain() const { return !alpha && !maxValue && !threshold && !axis; }
};

class Emitter {
public:
  /// `file` is the model file as errors name it.
  Emitter(mlir::MLIRContext &context, llvm::StringRef file,
          ImportDiagnostics &diags);

  /// Notes all arguments of layers, nested ones too, that are not supported.
  llvm::LogicalResult checkLayers(const ModelConfig &model);

  /// Builds the module: parameters and the model.
  llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  emit(const ModelConfig &model);

  /// Why values that `missing` names are not in the file: what to say of a
  /// layer that a model shares with one nested in it. Empty if it is not that.
  std::string describeLostSharing(llvm::StringRef missing) const;

  /// The model that emit() built.
  nn::ModelOp getModel() const { return modelOp; }

private:
  // Models (Emitter.cpp).
  struct OperationNode;
  /// What a call gave: tensors, or a node of keras.ops to be evaluated.
  struct NodeValue {
    Tensor tensor;
    std::shared_ptr<OperationNode> operation;
  };
  struct Frame;
  Instance *makeInstance(const LayerConfig &layer, const Instance *parent,
                         const std::string &weights, bool isInner);
  void makeChildren(const ModelConfig &model, Instance &parent);
  llvm::FailureOr<Tensors> callModel(const ModelConfig &model,
                                     Instance &instance,
                                     llvm::ArrayRef<Tensor> inputs);
  llvm::FailureOr<Tensors> callFunctional(const ModelConfig &model,
                                          Instance &instance,
                                          llvm::ArrayRef<Tensor> inputs);
  llvm::LogicalResult callNodes(const ModelConfig &model, Instance &instance,
                                Frame &frame);
  llvm::LogicalResult callNode(Instance &layer, const CallConfig &call,
                               int64_t node, Frame &frame);
  llvm::FailureOr<CallInputs> readCall(Instance &layer, const CallConfig &call,
                                       Frame &frame);
  llvm::FailureOr<Tensor> read(const TensorRef &ref, Frame &frame);
  llvm::FailureOr<mlir::RankedTensorType> inputType(const LayerConfig &layer);
  void order();
  void removeDead(mlir::Block &block);
  mlir::ArrayAttr describeLayers();

  // Masks (EmitMasks.cpp).
  llvm::FailureOr<mlir::Value> evaluate(OperationNode &node);
  llvm::FailureOr<mlir::Value> evaluateArgument(OperationNode &node,
                                                size_t index);
  llvm::FailureOr<mlir::Value> evaluateNotEqual(OperationNode &node);
  llvm::FailureOr<mlir::Value> evaluateAny(OperationNode &node);
  llvm::FailureOr<mlir::Value> evaluateConcatenate(OperationNode &node);
  llvm::FailureOr<mlir::Value> logicalOr(mlir::Location loc, mlir::Value lhs,
                                         mlir::Value rhs,
                                         llvm::StringRef layer);
  llvm::FailureOr<mlir::Value> mergedMask(Instance &instance,
                                          llvm::ArrayRef<Tensor> inputs);
  llvm::FailureOr<mlir::Value> concatenatedMask(Instance &instance,
                                                llvm::ArrayRef<Tensor> inputs,
                                                int64_t axis);
  static mlir::Value previousMask(const CallInputs &call);
  void warnMaskEnds(Instance &instance, const CallInputs &call);

  // Layers (EmitLayers.cpp).
  llvm::FailureOr<Tensors> callLayer(Instance &instance, CallInputs call);
  llvm::FailureOr<Tensors> dispatch(Instance &instance, const CallInputs &call);
  void checkLayer(const LayerConfig &layer);
  void checkArguments(const LayerConfig &layer);
  llvm::FailureOr<Tensors> dense(Instance &instance, const CallInputs &call);
  llvm::FailureOr<Tensors> activation(Instance &instance,
                                      const CallInputs &call);
  llvm::FailureOr<Tensors> dropout(Instance &instance, const CallInputs &call);
  llvm::FailureOr<Tensors> masking(Instance &instance, const CallInputs &call);
  llvm::FailureOr<Tensors> embedding(Instance &instance,
                                     const CallInputs &call);
  llvm::FailureOr<Tensors> flatten(Instance &instance, const CallInputs &call);
  llvm::FailureOr<Tensors> reshape(Instance &instance, const CallInputs &call);
  llvm::FailureOr<Tensors> repeatVector(Instance &instance,
                                        const CallInputs &call);
  llvm::FailureOr<Tensors> concatenate(Instance &instance,
                                       const CallInputs &call);
  llvm::FailureOr<Tensors> add(Instance &instance, const CallInputs &call);

  // Recurrent layers and wrappers (EmitRecurrent.cpp).
  llvm::FailureOr<Tensors> recurrent(Instance &instance, const CallInputs &call,
                                     mlir::Value mask, bool inBidirectional);
  llvm::FailureOr<Tensors> recurrentLayer(Instance &instance,
                                          const CallInputs &call);
  llvm::FailureOr<Tensors> bidirectional(Instance &instance,
                                         const CallInputs &call);
  llvm::FailureOr<Tensors> timeDistributed(Instance &instance,
                                           const CallInputs &call);

  void checkRecurrent(JsonView config);

  // Activations, parameters (Parameters.cpp).
  llvm::FailureOr<ActivationSpec> readActivation(JsonView json);
  llvm::FailureOr<ActivationSpec> activationLayer(llvm::StringRef className,
                                                  JsonView config);
  mlir::Value applyActivation(mlir::Location loc, const ActivationSpec &spec,
                              mlir::Value value);
  llvm::FailureOr<mlir::Value> parameter(Instance &instance,
                                         llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> shape,
                                         llvm::StringRef place,
                                         mlir::DictionaryAttr initializer);
  llvm::FailureOr<mlir::DictionaryAttr>
  readInitializer(JsonView json, llvm::StringRef otherwise);
  /// A random stream that no one else has, nor `count` - 1 behind it: a hash
  /// of the path, so that it does not change with the layers around it.
  int32_t stream(llvm::StringRef path, unsigned count = 1);

  // Small helpers (Emitter.cpp).
  mlir::Location locOf(const Instance &instance);
  llvm::LogicalResult error(const Instance &instance,
                            const llvm::Twine &message);
  llvm::FailureOr<Tensor> onlyInput(Instance &instance, const CallInputs &call);
  mlir::Value asFloat(mlir::Location loc, mlir::Value value);
  mlir::Value convert(mlir::Location loc, mlir::Value value, mlir::Type type);
  mlir::Value splatLike(mlir::Location loc, mlir::Value like, double number,
                        mlir::Type type);
  mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape);

  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  std::string file;
  ImportDiagnostics &diags;
  nn::ModelOp modelOp;
  mlir::Block *entry = nullptr;
  mlir::Operation *lastParameter = nullptr;
  std::vector<std::unique_ptr<Instance>> instances;
  std::map<int64_t, Instance *> shared;
  std::set<int64_t> linked;      ///< numbers in `shared` that came again
  std::set<int64_t> checked;     ///< shared layers that checkLayer() saw
  bool namedActivations = false; ///< an error has listed those that are known
  std::set<uint32_t> streams;
  size_t totalCalls = 0;

  // Masks that layers made, by what they were made of; numbers by their bits,
  // since NaN has no order.
  std::map<std::pair<void *, uint64_t>, mlir::Value> maskingMasks;
  std::map<void *, mlir::Value> embeddingMasks;
  std::map<std::pair<void *, void *>, mlir::Value> orMasks;
};

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_EMITTER_H
