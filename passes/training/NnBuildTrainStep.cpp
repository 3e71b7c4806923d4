//===- NnBuildTrainStep.cpp - from a model to training functions
//----------------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function:
//
//   1. Make a function with the arguments that it needs, and copy the model's
//      body into it; parameters become arguments.
//   2. Keep hold of what goes into the activation of an output whose loss
//      bypasses it, then decompose the layers.
//   3. (evaluate, train) Build the elements of each loss and metric, weight
//   them
//      by sample weight and mask, and sum them.
//   4. (train) Differentiate the sums, scale the gradients, build the
//      optimizer's update of every parameter.
//   5. Return everything under its role.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/nn/Autodiff.h"
#include "dialects/nn/Builders.h"
#include "passes/training/Decompose.h"
#include "passes/training/Losses.h"
#include "passes/training/Optimizers.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

namespace belfry {
#define GEN_PASS_DEF_NNBUILDTRAINSTEP
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace {

enum class Function { Predict, Evaluate, Train };

/// A loss of one output while its function is built.
struct OutputLoss {
  LossOp op;
  Value sum;     ///< Σ mask·weight·element, a float scalar
  Value divisor; ///< what it is divided by, a float scalar; null for 1
  Value rows;    ///< i32 scalar: the divisor is rows · perRow; or null
  double perRow = 1.0;
  Value loss; ///< sum / divisor, 0 where the divisor is 0
};

/// Builds one function.
class FunctionBuilder {
public:
  FunctionBuilder(ModuleOp module, ModelOp model, CompileOp compile,
                  Function kind)
      : module(module), model(model), compile(compile), kind(kind),
        builder(module.getContext()) {}

  LogicalResult build(StringRef name);
  /// Trainable parameters that the losses do not depend on.
  ArrayRef<ParameterOp> unusedParameters() const { return unused; }
  unsigned numGradients() const { return gradients; }

private:
  Value addArgument(Type type, Role role, Location loc,
                    ArrayRef<NamedAttribute> more = {});
  void addResult(Value value, Role role, StringRef name,
                 ArrayRef<NamedAttribute> more = {});
  NamedAttribute named(StringRef key, Attribute value) {
    return builder.getNamedAttr(key, value);
  }
  NamedAttribute nameAttr(StringRef name) {
    return named(kNameAttr, builder.getStringAttr(name));
  }

  void addInputs();
  LogicalResult addTargets();
  void addParameters();
  LogicalResult copyBody();
  Value holdLogits(unsigned output);
  void replaceRunState();
  LogicalResult buildLosses();
  LogicalResult buildMetrics();
  LogicalResult weigh(LossOp op, ElementValues elements, unsigned output,
                      OutputLoss &result);
  Value elementMask(Operation *source, ElementValues elements, unsigned output);
  LogicalResult buildUpdate();
  LogicalResult differentiate(DenseMap<Value, Value> &gradientOf, Value &scale);

  template <typename OpT> SmallVector<OpT> compiled() {
    if (!compile)
      return {};
    return llvm::to_vector(compile.getBody().getOps<OpT>());
  }
  std::optional<unsigned> outputNumber(StringRef name);

  ModuleOp module;
  ModelOp model;
  CompileOp compile;
  Function kind;
  OpBuilder builder;

  func::FuncOp function;
  SmallVector<Attribute> argAttrs, resultAttrs;
  SmallVector<Value> results;
  DenseMap<StringRef, Value> targets, sampleWeights; ///< by output name
  SmallVector<std::pair<ParameterOp, Value>> parameters;
  IRMapping map;
  SmallVector<Value> outputs, logits,
      masks; ///< an entry an output; null for none
  SmallVector<OutputLoss> losses;
  SmallVector<ParameterOp> unused;
  unsigned gradients = 0;
};

} // namespace

Value FunctionBuilder::addArgument(Type type, Role role, Location loc,
                                   ArrayRef<NamedAttribute> more) {
  SmallVector<NamedAttribute> attrs(more);
  attrs.push_back(named(kRoleAttr, RoleAttr::get(builder.getContext(), role)));
  argAttrs.push_back(builder.getDictionaryAttr(attrs));
  return function.getBody().front().addArgument(type, loc);
}

void FunctionBuilder::addResult(Value value, Role role, StringRef name,
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

static StringRef outputName(ModelOp model, unsigned i) {
  return nameOf(
      DictionaryAttr::get(model.getContext(),
                          FunctionOpInterface(model).getResultAttrs(i)),
      "");
}

std::optional<unsigned> FunctionBuilder::outputNumber(StringRef name) {
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

void FunctionBuilder::addInputs() {
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

LogicalResult FunctionBuilder::addTargets() {
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
  }
  for (LossOp loss : compiled<LossOp>()) {
    auto prediction = cast<RankedTensorType>(
        model.getResultTypes()[*outputNumber(loss.getOutput())]);
    auto type = RankedTensorType::get(elementShape(prediction),
                                      prediction.getElementType());
    sampleWeights[loss.getOutput()] = addArgument(
        type, Role::SampleWeight, loss.getLoc(), nameAttr(loss.getOutput()));
  }
  return success();
}

void FunctionBuilder::addParameters() {
  for (ParameterOp parameter : module.getOps<ParameterOp>())
    parameters.emplace_back(parameter,
                            addArgument(parameter.getType(), Role::Parameter,
                                        parameter.getLoc(),
                                        nameAttr(parameter.getSymName())));
}

/// What goes into the activation of an output. A fused activation becomes an op
/// of its own first.
Value FunctionBuilder::holdLogits(unsigned output) {
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

LogicalResult FunctionBuilder::copyBody() {
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
    if (loss.getBypassActivation() && kind != Function::Predict)
      logits[*outputNumber(loss.getOutput())] =
          holdLogits(*outputNumber(loss.getOutput()));

  // Decomposition replaces values; the return op's operands follow them.
  SmallVector<Value> held(outputs);
  for (ArrayRef<Value> list : {ArrayRef<Value>(masks), ArrayRef<Value>(logits)})
    llvm::append_range(
        held, llvm::make_filter_range(list, [](Value v) { return v; }));
  auto holder = func::ReturnOp::create(builder, ret.getLoc(), held);
  DecomposeContext context;
  context.training = kind == Function::Train;
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

//===----------------------------------------------------------------------===//
// Losses and metrics
//===----------------------------------------------------------------------===//

/// The output's mask and the elements' own, with the elements' shape; or null.
Value FunctionBuilder::elementMask(Operation *source, ElementValues elements,
                                   unsigned output) {
  CoreBuilder b(builder, elements.values.getLoc());
  Value mask = masks[output];
  if (mask) {
    int64_t rank = tensorType(mask).getRank(),
            wanted = tensorType(elements.values).getRank();
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (rank > wanted ||
        tensorType(mask).getShape() !=
            tensorType(elements.values).getShape().take_front(rank)) {
      source->emitError("output '")
          << outputName(model, output) << "' has a mask of type "
          << mask.getType() << ", which does not fit elements of type "
          << elements.values.getType();
      return {};
    }
    if (rank < wanted)
      mask = b.broadcastLike(mask, elements.values, dims);
  }
  if (mask && elements.mask)
    return b.binary(BinaryKind::And, mask, elements.mask);
  return mask ? mask : elements.mask;
}

/// a / b, and 0 where b is 0.
static Value divideNoNan(CoreBuilder &b, Value a, Value by) {
  Value isZero = b.compare(CompareKind::Eq, by, 0.0);
  Value safe = b.select(isZero, b.splat(by, 1.0), by);
  return b.select(isZero, b.splat(a, 0.0), b.div(a, safe));
}

LogicalResult FunctionBuilder::weigh(LossOp op, ElementValues elements,
                                     unsigned output, OutputLoss &result) {
  CoreBuilder b(builder, elements.values.getLoc());
  Value values = elements.values;
  Type element = tensorType(values).getElementType();
  bool masked = masks[output] || elements.mask;
  Value mask = elementMask(op, elements, output);
  if (masked && !mask)
    return failure();
  Value weight = sampleWeights.lookup(op.getOutput());
  values = b.mul(values, weight);
  if (mask)
    values = b.select(mask, values, b.splat(values, 0.0));
  result.op = op;
  result.sum = b.reduceAll(ReduceKind::Sum, values);
  if (op.getReduction() == "sum_over_batch_size") {
    if (mask) {
      result.divisor = b.reduceAll(ReduceKind::Sum, b.convert(mask, element));
    } else {
      result.rows = DimSizeOp::create(builder, b.getLoc(), values, int64_t(0));
      for (int64_t size : tensorType(values).getShape().drop_front())
        result.perRow *= static_cast<double>(size);
      result.divisor = b.mul(b.convert(result.rows, element), result.perRow);
    }
  } else if (op.getReduction() == "mean_with_sample_weight") {
    if (mask)
      weight = b.select(mask, weight, b.splat(weight, 0.0));
    result.divisor = b.reduceAll(ReduceKind::Sum, weight);
  } else if (op.getReduction() != "sum") {
    return op.emitError("unknown reduction '")
           << op.getReduction()
           << "'; known are sum_over_batch_size, sum, mean_with_sample_weight";
  }
  result.loss =
      result.divisor ? divideNoNan(b, result.sum, result.divisor) : result.sum;
  return success();
}

LogicalResult FunctionBuilder::buildLosses() {
  for (LossOp op : compiled<LossOp>()) {
    unsigned output = *outputNumber(op.getOutput());
    CoreBuilder b(
        builder, NameLoc::get(builder.getStringAttr("loss/" + op.getOutput())));
    FailureOr<ElementValues> elements =
        buildElementValues(b, op, op.getKind(), outputs[output], logits[output],
                           targets.lookup(op.getOutput()));
    OutputLoss loss;
    if (failed(elements) || failed(weigh(op, *elements, output, loss)))
      return failure();
    losses.push_back(loss);
  }
  CoreBuilder b(builder, NameLoc::get(builder.getStringAttr("loss")));
  Value total;
  for (OutputLoss &loss : losses) {
    double weight = loss.op.getWeight().convertToDouble();
    Value term = weight == 1.0 ? loss.loss : b.mul(loss.loss, weight);
    total = total ? b.add(total, term) : term;
  }
  addResult(total, Role::Loss, "");
  for (OutputLoss &loss : losses)
    if (!loss.op.getName().empty())
      addResult(loss.loss, Role::Loss, loss.op.getName());
  return success();
}

LogicalResult FunctionBuilder::buildMetrics() {
  for (MetricOp op : compiled<MetricOp>()) {
    std::optional<unsigned> output = outputNumber(op.getOutput());
    if (!output || !targets.contains(op.getOutput()))
      return op.emitError("output '")
             << op.getOutput()
             << "' has no loss, so there are no targets for metric '"
             << op.getName() << "'";
    CoreBuilder b(
        builder, NameLoc::get(builder.getStringAttr("metric/" + op.getName())));
    FailureOr<ElementValues> elements =
        buildElementValues(b, op, op.getKind(), outputs[*output], Value(),
                           targets.lookup(op.getOutput()));
    if (failed(elements))
      return failure();
    Value values = elements->values;
    bool masked = masks[*output] || elements->mask;
    Value mask = elementMask(op, *elements, *output);
    if (masked && !mask)
      return failure();
    Value weight = op.getWeighted() ? sampleWeights.lookup(op.getOutput())
                                    : b.splat(values, 1.0);
    if (mask)
      weight = b.select(mask, weight, b.splat(weight, 0.0));
    Value weighted = b.mul(values, weight);
    if (mask)
      weighted = b.select(mask, weighted, b.splat(weighted, 0.0));
    NamedAttribute kindAttr = named(kWeightedAttr, op.getWeightedAttr());
    addResult(b.reduceAll(ReduceKind::Sum, weighted), Role::MetricTotal,
              op.getName(), kindAttr);
    addResult(b.reduceAll(ReduceKind::Sum, weight), Role::MetricCount,
              op.getName(), kindAttr);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients and update
//===----------------------------------------------------------------------===//

/// Gradients of the trainable parameters, and what they are to be multiplied
/// with (null for 1).
LogicalResult FunctionBuilder::differentiate(DenseMap<Value, Value> &gradientOf,
                                             Value &scale) {
  CoreBuilder b(builder, NameLoc::get(builder.getStringAttr("loss")));
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  SmallVector<Value> sources;
  for (auto [parameter, value] : parameters)
    if (parameter.getTrainable())
      sources.push_back(value);
  DenseSet<Value> active = findActiveValues(ops, sources);

  // One divisor for all outputs is taken out of the gradients: they are those
  // of the sums, scaled at the end.
  Type element =
      losses.empty() ? Type() : tensorType(losses[0].sum).getElementType();
  bool allRows =
      llvm::all_of(losses, [](OutputLoss &loss) { return loss.rows; });
  Differentiator differentiator(builder);
  auto weightOf = [](OutputLoss &loss) {
    return loss.op.getWeight().convertToDouble();
  };
  if (losses.size() == 1) {
    Value weight = b.scalar(element, weightOf(losses[0]));
    scale =
        losses[0].divisor ? divideNoNan(b, weight, losses[0].divisor) : weight;
    if (active.contains(losses[0].sum))
      differentiator.addGradient(losses[0].sum, b.scalar(element, 1.0));
  } else {
    if (allRows)
      scale = divideNoNan(b, b.scalar(element, 1.0),
                          b.convert(losses[0].rows, element));
    for (OutputLoss &loss : losses) {
      if (!active.contains(loss.sum))
        continue;
      Value seed = b.scalar(element, allRows ? weightOf(loss) / loss.perRow
                                             : weightOf(loss));
      if (!allRows && loss.divisor)
        seed = divideNoNan(b, seed, loss.divisor);
      differentiator.addGradient(loss.sum, seed);
    }
  }
  if (failed(differentiator.run(ops, active)))
    return failure();
  for (Value source : sources)
    if (Value g = differentiator.gradient(source))
      gradientOf[source] = g;
  return success();
}

LogicalResult FunctionBuilder::buildUpdate() {
  SmallVector<OptimizerOp> optimizers = compiled<OptimizerOp>();
  if (optimizers.size() > 1)
    return optimizers[1].emitError("second optimizer of model '")
           << model.getSymName() << "'";
  FailureOr<Optimizer> optimizer = Optimizer::get(optimizers[0]);
  if (failed(optimizer))
    return failure();
  module->setAttr(kOptimizerAttr, builder.getStringAttr(optimizer->kind()));

  DenseMap<Value, Value> gradientOf;
  Value scale;
  if (failed(differentiate(gradientOf, scale)))
    return failure();

  // Slots in Keras's order, run-time numbers, the step.
  Location loc = NameLoc::get(builder.getStringAttr("optimizer"));
  SmallVector<std::pair<ParameterOp, Value>> trainable;
  for (auto &entry : parameters)
    if (entry.first.getTrainable())
      trainable.push_back(entry);
  unsigned numSlots = optimizer->slots().size();
  SmallVector<SmallVector<Value>> slots(trainable.size(),
                                        SmallVector<Value>(numSlots));
  auto addSlot = [&](unsigned p, unsigned s) {
    slots[p][s] = addArgument(
        trainable[p].second.getType(), Role::Slot, loc,
        {nameAttr(optimizer->slots()[s]),
         named(kOfAttr,
               builder.getStringAttr(trainable[p].first.getSymName()))});
  };
  // Adam's velocity_hat follows as a block of its own.
  unsigned together = optimizer->interleaved() ? 2 : 0;
  for (unsigned p = 0; p < trainable.size(); ++p)
    for (unsigned s = 0; s < together; ++s)
      addSlot(p, s);
  for (unsigned s = together; s < numSlots; ++s)
    for (unsigned p = 0; p < trainable.size(); ++p)
      addSlot(p, s);
  DenseMap<StringRef, Value> hypers;
  for (auto &[name, value] : optimizer->hypers())
    hypers[name] = addArgument(
        RankedTensorType::get({}, builder.getF64Type()), Role::Hyper, loc,
        {nameAttr(name), named(kValueAttr, builder.getF64FloatAttr(value))});

  CoreBuilder b(builder, loc);
  Value step = StepOp::create(builder, loc);
  optimizer->buildScalars(
      b, [&](StringRef name) { return hypers.lookup(name); }, step);
  SmallVector<std::pair<StringRef, Value>> raw;
  for (auto [p, entry] : llvm::enumerate(trainable)) {
    auto [parameter, value] = entry;
    Value g = gradientOf.lookup(value);
    if (!g) {
      unused.push_back(parameter);
      continue;
    }
    ++gradients;
    raw.emplace_back(parameter.getSymName(), g);
    // SGD squares nothing.
    Value squared = optimizer->kind() == "sgd" ? Value() : squareOfSlices(b, g);
    if (scale) {
      Value factor = b.broadcastScalar(
          b.convert(scale, tensorType(g).getElementType()), g);
      g = b.mul(g, factor);
      if (squared)
        squared = b.mul(b.mul(squared, factor), factor);
    }
    addResult(optimizer->buildUpdate(b, value, g, squared, slots[p]),
              Role::Parameter, parameter.getSymName());
    for (auto [name, slot] : llvm::zip_equal(optimizer->slots(), slots[p]))
      addResult(slot, Role::Slot, name,
                named(kOfAttr, builder.getStringAttr(parameter.getSymName())));
  }
  for (auto [name, g] : raw)
    addResult(g, Role::Gradient, name);
  if (!raw.empty())
    addResult(scale ? scale
                    : b.scalar(tensorType(losses[0].sum).getElementType(), 1.0),
              Role::GradientScale, "");
  return success();
}

/// nn.seed and nn.step become arguments, once each.
void FunctionBuilder::replaceRunState() {
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

LogicalResult FunctionBuilder::build(StringRef name) {
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, model.getLoc(), name,
                                  builder.getFunctionType({}, {}));
  function.addEntryBlock();
  addInputs();
  if (kind != Function::Predict && failed(addTargets()))
    return failure();
  addParameters();
  if (failed(copyBody()))
    return failure();
  if (kind == Function::Predict)
    for (auto [i, v] : llvm::enumerate(outputs))
      addResult(v, Role::Output, outputName(model, i));
  else if (failed(buildLosses()) || failed(buildMetrics()))
    return failure();
  if (kind == Function::Train && failed(buildUpdate()))
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct NnBuildTrainStep : belfry::impl::NnBuildTrainStepBase<NnBuildTrainStep> {
  using NnBuildTrainStepBase::NnBuildTrainStepBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    SmallVector<ModelOp> models(module.getOps<ModelOp>());
    if (models.size() != 1)
      return module.emitError("expected one nn.model, got ") << models.size();
    SmallVector<CompileOp> compiles(module.getOps<CompileOp>());
    if (compiles.size() > 1)
      return compiles[1].emitError("second nn.compile of the module");
    CompileOp compile = compiles.empty() ? CompileOp() : compiles[0];
    bool hasLoss = compile && !compile.getBody().getOps<LossOp>().empty();
    bool hasOptimizer =
        hasLoss && !compile.getBody().getOps<OptimizerOp>().empty();

    auto asked = [&](StringRef name) {
      return functions.empty() || llvm::is_contained(functions, name);
    };
    for (StringRef name : functions)
      if (name != "predict" && name != "evaluate" && name != "train")
        return module.emitError("unknown function '")
               << name << "'; known are predict, evaluate, train";
    if (asked("predict") &&
        failed(FunctionBuilder(module, models[0], compile, Function::Predict)
                   .build("predict")))
      return failure();
    if (hasLoss && asked("evaluate") &&
        failed(FunctionBuilder(module, models[0], compile, Function::Evaluate)
                   .build("evaluate")))
      return failure();
    if (hasOptimizer && asked("train")) {
      FunctionBuilder train(module, models[0], compile, Function::Train);
      if (failed(train.build("train")))
        return failure();
      numGradients += train.numGradients();
      numUnused += train.unusedParameters().size();
      if (!train.unusedParameters().empty()) {
        auto names =
            llvm::map_range(train.unusedParameters(), [](ParameterOp p) {
              return ("'" + p.getSymName() + "'").str();
            });
        models[0].emitWarning("the loss does not depend on ")
            << llvm::join(names, ", ") << ", which stays as it is";
      }
    }
    // The model's name lives on as the module's.
    if (!module.getSymName())
      module.setSymName(models[0].getSymName());
    if (compile)
      compile.erase();
    models[0].erase();
    return success();
  }
};

} // namespace
