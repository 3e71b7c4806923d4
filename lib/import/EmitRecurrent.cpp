//===- EmitRecurrent.cpp - recurrent layers and wrappers ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Emitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// What the recurrent layers' configurations share, read.
struct RecurrentConfig {
  explicit RecurrentConfig(JsonView config);

  int64_t units;
  bool returnSequences, returnState, goBackwards, zeroOutput, useBias;
  double dropout, recurrentDropout;
};

} // namespace

RecurrentConfig::RecurrentConfig(JsonView config)
    : units(config["units"].getInt()),
      returnSequences(config.getBool("return_sequences", false)),
      returnState(config.getBool("return_state", false)),
      goBackwards(config.getBool("go_backwards", false)),
      zeroOutput(config.getBool("zero_output_for_mask", false)),
      useBias(config.getBool("use_bias", true)),
      dropout(config.getNumber("dropout", 0)),
      recurrentDropout(config.getNumber("recurrent_dropout", 0)) {
  if (units < 1 || units > INT32_MAX)
    (void)config["units"].error("expected a number of units from 1 on, got " +
                                config["units"].shown());
  for (StringRef key : {"dropout", "recurrent_dropout"})
    if (!config[key].isNull())
      (void)config[key].getNumberFor("", key);
}

void Emitter::checkRecurrent(JsonView config) {
  if (config.getBool("stateful", false))
    (void)config["stateful"].error("a stateful layer is not supported");
  for (StringRef key : {"activation", "recurrent_activation"})
    if (!config[key].isMissing())
      if (llvm::FailureOr<ActivationSpec> spec = readActivation(config[key]);
          succeeded(spec) && !spec->isPlain())
        (void)config[key].error("an activation with arguments is not "
                                "supported");
}

llvm::FailureOr<Tensors> Emitter::recurrent(Instance &instance,
                                            const CallInputs &call, Value mask,
                                            bool inBidirectional) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  JsonView config = instance.config->config;
  StringRef className = instance.config->className;
  mlir::Location loc = locOf(instance);
  bool isLstm = className == "LSTM", isGru = className == "GRU";
  int64_t gates = isLstm ? 4 : isGru ? 3 : 1;
  RankedTensorType type = input->type();
  if (type.getRank() != 3)
    return error(instance, "expected an input of shape (batch, time, "
                           "features), got rank " +
                               Twine(type.getRank()));
  size_t before = diags.getErrors().size();
  RecurrentConfig shared(config);
  bool resetAfter = isGru && config.getBool("reset_after", true);
  bool forgetBias = isLstm && config.getBool("unit_forget_bias", true);
  // Null is no activation; a key that is not there is Keras's default.
  auto activationOf = [&](StringRef key, nn::Activation otherwise) {
    ActivationSpec missing;
    missing.kind = otherwise;
    return config[key].isMissing() ? llvm::FailureOr<ActivationSpec>(missing)
                                   : readActivation(config[key]);
  };
  llvm::FailureOr<ActivationSpec> activation =
      activationOf("activation", nn::Activation::Tanh);
  llvm::FailureOr<ActivationSpec> gate = ActivationSpec();
  if (isLstm || isGru)
    gate = activationOf("recurrent_activation", nn::Activation::Sigmoid);
  llvm::FailureOr<mlir::DictionaryAttr> kernelInit =
      readInitializer(config["kernel_initializer"], "glorot_uniform");
  llvm::FailureOr<mlir::DictionaryAttr> recurrentInit =
      readInitializer(config["recurrent_initializer"], "orthogonal");
  llvm::FailureOr<mlir::DictionaryAttr> biasInit =
      readInitializer(config["bias_initializer"], "zeros");
  if (diags.getErrors().size() != before || failed(activation) ||
      failed(gate) || failed(kernelInit) || failed(recurrentInit) ||
      failed(biasInit))
    return llvm::failure();

  // The forget gate's bias starts at one, whatever the initializer says.
  int64_t units = shared.units, columns = gates * units;
  if (forgetBias && shared.useBias) {
    if (biasInit->getAs<mlir::StringAttr>("name") != "zeros")
      return config["bias_initializer"].error(
          "with unit_forget_bias only 'zeros' is supported");
    biasInit = builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr("lstm_bias")),
         builder.getNamedAttr("units", builder.getI64IntegerAttr(units))});
  }
  llvm::FailureOr<Value> kernel =
      parameter(instance, "kernel", {type.getDimSize(2), columns},
                "cell/vars/0", *kernelInit);
  llvm::FailureOr<Value> recurrentKernel =
      parameter(instance, "recurrent_kernel", {units, columns}, "cell/vars/1",
                *recurrentInit);
  llvm::FailureOr<Value> bias = Value();
  llvm::SmallVector<int64_t> biasShape = {columns};
  if (resetAfter)
    biasShape.insert(biasShape.begin(), 2);
  if (shared.useBias)
    bias = parameter(instance, "bias", biasShape, "cell/vars/2", *biasInit);
  if (failed(kernel) || failed(recurrentKernel) || failed(bias))
    return llvm::failure();

  if (mask && nn::tensorType(mask).getShape() != type.getShape().drop_back())
    return error(instance, "the mask's shape is not that of the input's steps");
  RankedTensorType stateType = tensorType({type.getDimSize(0), units});
  size_t numStates = isLstm ? 2 : 1;
  if (!call.states.empty() && call.states.size() != numStates)
    return error(instance, "expected " + Twine(numStates) +
                               " initial states, got " +
                               Twine(call.states.size()));
  llvm::SmallVector<Value> states;
  for (const Tensor &state : call.states) {
    states.push_back(asFloat(loc, state.value));
    if (states.back().getType() != stateType)
      return error(instance, "an initial state does not have its shape");
  }

  llvm::SmallVector<mlir::Type> results = {
      shared.returnSequences
          ? tensorType({type.getDimSize(0), type.getDimSize(1), units})
          : stateType};
  if (shared.returnState)
    results.append(numStates, stateType);

  // The three ops share their operands and most attributes.
  mlir::OperationState state(loc, isLstm ? nn::LstmOp::getOperationName()
                                  : isGru
                                      ? nn::GruOp::getOperationName()
                                      : nn::SimpleRnnOp::getOperationName());
  state.addOperands(asFloat(loc, input->value));
  if (mask)
    state.addOperands(mask);
  state.addOperands({*kernel, *recurrentKernel});
  if (*bias)
    state.addOperands(*bias);
  state.addOperands(states);
  state.addTypes(results);
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr(
          {1, mask ? 1 : 0, 1, 1, *bias ? 1 : 0, int32_t(states.size())}));
  auto flag = [&](StringRef name, bool isSet) {
    if (isSet)
      state.addAttribute(name, builder.getUnitAttr());
  };
  if (activation->kind != nn::Activation::Tanh)
    state.addAttribute("activation",
                       nn::ActivationAttr::get(&context, activation->kind));
  if ((isLstm || isGru) && gate->kind != nn::Activation::Sigmoid)
    state.addAttribute("recurrent_activation",
                       nn::ActivationAttr::get(&context, gate->kind));
  flag("return_sequences", shared.returnSequences);
  flag("return_state", shared.returnState);
  flag("go_backwards", shared.goBackwards);
  // Keras's Bidirectional overwrites it
  // (keras/src/layers/rnn/bidirectional.py).
  flag("zero_output_for_mask",
       inBidirectional ? shared.returnSequences : shared.zeroOutput);
  // It matters in one case only.
  flag("unroll", mask && shared.goBackwards && shared.returnSequences &&
                     config.getBool("unroll", false));
  flag("reset_after", resetAfter);
  if (shared.dropout)
    state.addAttribute("dropout", builder.getF64FloatAttr(shared.dropout));
  if (shared.recurrentDropout)
    state.addAttribute("recurrent_dropout",
                       builder.getF64FloatAttr(shared.recurrentDropout));
  if (shared.dropout || shared.recurrentDropout) {
    std::string path = instance.path + "#" + std::to_string(instance.calls);
    state.addAttribute("stream",
                       builder.getI32IntegerAttr(stream(path, /*count=*/2)));
  }
  mlir::Operation *op = builder.create(state);
  Tensors tensors;
  for (Value result : op->getResults())
    tensors.push_back({result, Value()});
  if (shared.returnSequences)
    tensors.front().mask = previousMask(call);
  return tensors;
}

/// The mask that a layer reads: the one that it is given, or that of its only
/// tensor argument. With initial states there are several arguments, and Keras
/// does not look at the input's mask.
static Value maskToRead(const CallInputs &call) {
  if (call.mask)
    return *call.mask;
  return call.states.empty() ? call.inputs.front().mask : Value();
}

llvm::FailureOr<Tensors> Emitter::recurrentLayer(Instance &instance,
                                                 const CallInputs &call) {
  return recurrent(instance, call, maskToRead(call), /*inBidirectional=*/false);
}

llvm::FailureOr<Tensors> Emitter::bidirectional(Instance &instance,
                                                const CallInputs &call) {
  JsonView config = instance.config->config;
  mlir::Location loc = locOf(instance);
  if (instance.children.size() != 2)
    return error(instance, "has no backward layer");
  Instance &forward = *instance.children[0], &backward = *instance.children[1];
  JsonView forwardConfig = forward.config->config;
  JsonView backwardConfig = backward.config->config;
  bool sequences = forwardConfig.getBool("return_sequences", false);
  bool returnState = forwardConfig.getBool("return_state", false);
  if (sequences != backwardConfig.getBool("return_sequences", false) ||
      returnState != backwardConfig.getBool("return_state", false))
    return error(instance, "its layers differ in return_sequences or "
                           "return_state");
  if (forwardConfig.getBool("go_backwards", false) ==
      backwardConfig.getBool("go_backwards", false))
    return error(instance, "its layers run in the same direction");
  std::optional<nn::MergeMode> mode = config["merge_mode"].isMissing()
                                          ? nn::MergeMode::Concat
                                          : nn::MergeMode::None;
  if (!config["merge_mode"].isNull()) {
    mode = nn::symbolizeMergeMode(config["merge_mode"].getString());
    if (!mode)
      return config["merge_mode"].error(
          "expected concat, sum, ave, mul or null, got " +
          config["merge_mode"].shown());
  }

  Value mask = maskToRead(call);
  CallInputs one = call, two = call;
  if (call.states.size() % 2)
    return error(instance, "expected initial states for both directions, got " +
                               Twine(call.states.size()));
  size_t half = call.states.size() / 2;
  one.states.truncate(half);
  two.states.erase(two.states.begin(), two.states.begin() + half);
  llvm::FailureOr<Tensors> left = recurrent(forward, one, mask, true);
  if (failed(left))
    return llvm::failure();
  llvm::FailureOr<Tensors> right = recurrent(backward, two, mask, true);
  if (failed(right))
    return llvm::failure();
  ++forward.calls;
  ++backward.calls;

  RankedTensorType type = left->front().type();
  RankedTensorType other = right->front().type();
  Value outMask = sequences ? previousMask(call) : Value();
  Tensors results;
  if (mode == nn::MergeMode::None) {
    Value flipped = right->front().value;
    if (sequences)
      flipped = nn::ReverseOp::create(builder, loc, other, flipped,
                                      llvm::ArrayRef<int64_t>{1});
    results = {{left->front().value, outMask}, {flipped, outMask}};
  } else {
    auto shape = llvm::to_vector(type.getShape());
    if (mode == nn::MergeMode::Concat)
      shape.back() += other.getShape().back();
    else if (type != other)
      return error(instance, "its layers have different numbers of units");
    Value joined = nn::BidirectionalOp::create(builder, loc, type.clone(shape),
                                               *mode, left->front().value,
                                               right->front().value, sequences);
    results = {{joined, outMask}};
  }
  results.append(left->begin() + 1, left->end());
  results.append(right->begin() + 1, right->end());
  return results;
}

/// Whether a layer, or one within it, reads the mask of its input.
static bool readsMask(const Instance &instance) {
  StringRef name = instance.config->className;
  if (name == "LSTM" || name == "GRU" || name == "SimpleRNN" ||
      name == "Bidirectional" || name == "Softmax")
    return true;
  return llvm::any_of(instance.children, [](const Instance *child) {
    return child && readsMask(*child);
  });
}

llvm::FailureOr<Tensors> Emitter::timeDistributed(Instance &instance,
                                                  const CallInputs &call) {
  llvm::FailureOr<Tensor> input = onlyInput(instance, call);
  if (failed(input))
    return llvm::failure();
  RankedTensorType type = input->type();
  if (type.getRank() < 3)
    return error(instance, "expected an input of rank 3 or more, got rank " +
                               Twine(type.getRank()));
  Instance &inner = *instance.children.front();
  // Keras hands the inner layer the mask of one step, which has no time left.
  if (maskToRead(call) && readsMask(inner))
    return error(instance, "a masked input for a layer '" + inner.config->name +
                               "' that reads masks is not supported");
  if (Value mask = maskToRead(call);
      mask && nn::tensorType(mask).getShape() != type.getShape().take_front(2))
    return error(instance, "the mask's shape is not that of the input's steps");
  mlir::Location loc = locOf(instance);

  auto shape = llvm::to_vector(type.getShape());
  shape.erase(shape.begin() + 1);
  auto body = std::make_unique<mlir::Region>();
  mlir::Block &block = body->emplaceBlock();
  Value step = block.addArgument(type.clone(shape), loc);
  llvm::FailureOr<Tensors> results = llvm::failure();
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    CallInputs below;
    below.inputs = {{step, Value()}};
    results = callLayer(inner, std::move(below));
    if (failed(results))
      return llvm::failure();
    if (results->size() != 1)
      return error(instance, "its layer has several outputs, which is not "
                             "supported");
    nn::LayerYieldOp::create(builder, loc, results->front().value);
  }
  auto out = llvm::to_vector(results->front().type().getShape());
  out.insert(out.begin() + 1, type.getDimSize(1));
  auto op = nn::TimeDistributedOp::create(
      builder, loc, results->front().type().clone(out), input->value);
  op.getBody().takeBody(*body);
  return Tensors{{op.getResult(), previousMask(call)}};
}
