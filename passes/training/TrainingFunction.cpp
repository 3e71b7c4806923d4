//===- TrainingFunction.cpp - arguments, body and results of a function ---===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/training/TrainingFunction.h"

#include "passes/training/Decompose.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

Value TrainingFunctionBuilder::addArgument(Type type, Role role, Location loc,
                                           ArrayRef<NamedAttribute> more) {
  SmallVector<NamedAttribute> attrs(more);
  attrs.push_back(named(kRoleAttr, RoleAttr::get(builder.getContext(), role)));
  argAttrs.push_back(builder.getDictionaryAttr(attrs));
  return function.getBody().front().addArgument(type, loc);
}

void TrainingFunctionBuilder::addResult(Value value, Role role, StringRef name,
                                        ArrayRef<NamedAttribute> more) {
  SmallVector<NamedAttribute> attrs(more);
  attrs.push_back(named(kRoleAttr, RoleAttr::get(builder.getContext(), role)));
  attrs.push_back(nameAttr(name));
  resultAttrs.push_back(builder.getDictionaryAttr(attrs));
  results.push_back(value);
}

static StringRef nameOf(DictionaryAttr attrs, StringRef otherwise) {
  auto name = attrs ? attrs.getAs<StringAttr>(kNameAttr) : StringAttr();
  return name ? name.getValue() : otherwise;
}

StringRef belfry::outputName(ModelOp model, unsigned i) {
  return nameOf(
      DictionaryAttr::get(model.getContext(),
                          FunctionOpInterface(model).getResultAttrs(i)),
      "");
}

std::optional<unsigned> TrainingFunctionBuilder::outputNumber(StringRef name) {
  for (unsigned i = 0; i < model.getResultTypes().size(); ++i)
    if (outputName(model, i) == name)
      return i;
  return std::nullopt;
}

/// The bound of an integer input's values, from the embeddings that read it.
static std::optional<std::pair<int64_t, Location>>
inputLimit(BlockArgument input) {
  std::optional<std::pair<int64_t, Location>> limit;
  for (Operation *user : input.getUsers())
    if (auto embedding = dyn_cast<EmbeddingOp>(user)) {
      int64_t size = tensorType(embedding.getTable()).getDimSize(0);
      if (!limit || size < limit->first)
        limit = {size, embedding.getLoc()};
    }
  return limit;
}

void TrainingFunctionBuilder::addInputs() {
  Block &body = model.getBody().front();
  for (auto [i, arg] : llvm::enumerate(body.getArguments())) {
    SmallVector<NamedAttribute> attrs(
        FunctionOpInterface(model).getArgAttrs(i));
    if (isa<IntegerType>(tensorType(arg).getElementType()))
      if (auto limit = inputLimit(arg)) {
        attrs.push_back(
            named(kLimitAttr, builder.getI64IntegerAttr(limit->first)));
        if (auto layer = dyn_cast<NameLoc>(limit->second))
          attrs.push_back(named(kLayerAttr, layer.getName()));
      }
    map.map(arg, addArgument(arg.getType(), Role::Input, arg.getLoc(), attrs));
  }
}

LogicalResult TrainingFunctionBuilder::addTargets() {
  SmallVector<RankedTensorType> weightTypes;
  for (LossOp loss : compiled<LossOp>()) {
    std::optional<unsigned> output = outputNumber(loss.getOutput());
    if (!output)
      return loss.emitError("model '")
             << model.getSymName() << "' has no output '" << loss.getOutput()
             << "'";
    auto prediction = cast<RankedTensorType>(model.getResultTypes()[*output]);
    SmallVector<NamedAttribute> attrs{nameAttr(loss.getOutput()),
                                      named(kLossAttr, loss.getKindAttr())};
    if (takesClassNumbers(loss.getKind()))
      attrs.push_back(named(
          kLimitAttr, builder.getI64IntegerAttr(prediction.getShape().back())));
    if (Attribute ignored = loss->getAttr("ignore_class"))
      attrs.push_back(named(kIgnoreAttr, ignored));
    targets[loss.getOutput()] =
        addArgument(loss.getTargetType(), Role::Target, loss.getLoc(), attrs);
    weightTypes.push_back(RankedTensorType::get(elementShape(prediction),
                                                prediction.getElementType()));
  }
  for (auto [loss, type] : llvm::zip_equal(compiled<LossOp>(), weightTypes))
    sampleWeights[loss.getOutput()] = addArgument(
        type, Role::SampleWeight, loss.getLoc(), nameAttr(loss.getOutput()));
  return success();
}

void TrainingFunctionBuilder::addParameters() {
  for (ParameterOp parameter : module.getOps<ParameterOp>())
    parameters.emplace_back(parameter,
                            addArgument(parameter.getType(), Role::Parameter,
                                        parameter.getLoc(),
                                        nameAttr(parameter.getSymName())));
}

/// What goes into the activation of an output. A fused activation becomes an op
/// of its own first.
Value TrainingFunctionBuilder::holdLogits(unsigned output) {
  if (auto dense = outputs[output].getDefiningOp<DenseOp>();
      dense && dense.getActivation() != Activation::Linear) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(dense);
    auto activation = ActivationOp::create(
        builder, dense.getLoc(), dense.getType(),
        ActivationAttr::get(builder.getContext(), dense.getActivation()),
        dense.getResult(), FloatAttr(), FloatAttr(), FloatAttr(), UnitAttr(),
        IntegerAttr());
    dense.getResult().replaceAllUsesExcept(activation, activation);
    dense.setActivation(Activation::Linear);
    outputs[output] = activation;
  }
  if (auto activation = outputs[output].getDefiningOp<ActivationOp>())
    return activation.getInput();
  return {};
}

LogicalResult TrainingFunctionBuilder::copyBody() {
  Block &from = model.getBody().front(), &to = function.getBody().front();
  builder.setInsertionPointToEnd(&to);
  for (Operation &op : from.without_terminator()) {
    auto get = dyn_cast<GetParameterOp>(op);
    if (!get) {
      builder.clone(op, map);
      continue;
    }
    for (auto [parameter, value] : parameters)
      if (parameter.getSymName() == get.getParameter())
        map.map(get.getResult(), value);
  }
  auto ret = cast<nn::ReturnOp>(from.getTerminator());
  for (Value v : ret.getOutputs())
    outputs.push_back(map.lookupOrDefault(v));
  logits.resize(outputs.size());
  masks.resize(outputs.size());
  for (auto [mask, of] : llvm::zip_equal(ret.getMasks(), ret.getMaskOf()))
    masks[of] = map.lookupOrDefault(mask);
  for (LossOp loss : compiled<LossOp>())
    if (loss.getBypassActivation() && kind != TrainingFunction::Predict)
      if (std::optional<unsigned> output = outputNumber(loss.getOutput()))
        logits[*output] = holdLogits(*output);

  // Decomposition replaces values; the return op's operands follow them.
  SmallVector<Value> held(outputs);
  for (ArrayRef<Value> list : {ArrayRef<Value>(masks), ArrayRef<Value>(logits)})
    llvm::append_range(
        held, llvm::make_filter_range(list, [](Value v) { return v; }));
  auto holder = func::ReturnOp::create(builder, ret.getLoc(), held);
  DecomposeContext context;
  context.training = kind == TrainingFunction::Train;
  if (failed(decomposeLayers(function, context)))
    return failure();
  unsigned at = 0;
  for (MutableArrayRef<Value> list :
       {MutableArrayRef<Value>(outputs), MutableArrayRef<Value>(masks),
        MutableArrayRef<Value>(logits)})
    for (Value &v : list)
      if (v)
        v = holder.getOperand(at++);
  holder.erase();
  builder.setInsertionPointToEnd(&to);
  return success();
}
/// nn.seed and nn.step become arguments, once each.
void TrainingFunctionBuilder::replaceRunState() {
  auto replace = [&]<typename OpT>(Role role) {
    SmallVector<OpT> ops;
    function.walk([&](OpT op) { ops.push_back(op); });
    if (ops.empty())
      return;
    Value arg = addArgument(ops[0].getType(), role, function.getLoc());
    for (OpT op : ops) {
      op.replaceAllUsesWith(arg);
      op.erase();
    }
  };
  replace.operator()<SeedOp>(Role::Seed);
  replace.operator()<StepOp>(Role::Step);
}

LogicalResult TrainingFunctionBuilder::build(StringRef name) {
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, model.getLoc(), name,
                                  builder.getFunctionType({}, {}));
  function.addEntryBlock();
  addInputs();
  if (kind != TrainingFunction::Predict && failed(addTargets()))
    return failure();
  addParameters();
  if (failed(copyBody()))
    return failure();
  if (kind == TrainingFunction::Predict)
    for (auto [i, v] : llvm::enumerate(outputs))
      addResult(v, Role::Output, outputName(model, i));
  else if (failed(buildLosses()) || failed(buildMetrics()))
    return failure();
  if (kind == TrainingFunction::Train && failed(buildUpdate()))
    return failure();

  func::ReturnOp::create(builder, model.getLoc(), results);
  replaceRunState();
  Block &body = function.getBody().front();
  function.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argAttrs));
  function.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  return success();
}
