//===- NnVerifyLayers.cpp - verifiers of layers ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decompositions rely on what is checked here.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Limits.h"
#include "dialects/nn/Verify.h"

using namespace mlir;
using namespace belfry::nn;

/// Checks that float and number operands and results have one element type.
static LogicalResult verifyOneElement(Operation *op, ValueRange values) {
  for (Value v : values)
    if (v && tensorType(v).getElementType() !=
                 tensorType(values.front()).getElementType())
      return op->emitOpError("has element types ")
             << tensorType(values.front()).getElementType() << " and "
             << tensorType(v).getElementType();
  return success();
}

/// Checks the rank of what `op` calls `what`.
static LogicalResult verifyRank(Operation *op, StringRef what, Value v,
                                int64_t rank) {
  if (tensorType(v).getRank() == rank)
    return success();
  return op->emitOpError() << what << " has type " << v.getType()
                           << ", expected rank " << rank;
}

static LogicalResult verifyLeastRank(Operation *op, Value v, int64_t rank) {
  if (tensorType(v).getRank() >= rank)
    return success();
  return op->emitOpError("input has type ")
         << v.getType() << ", expected rank " << rank << " or more";
}

/// Checks that what `op` calls `what` has the shape `shape`.
static LogicalResult verifyShape(Operation *op, const Twine &what, Value v,
                                 ArrayRef<int64_t> shape) {
  return verifyType(op, what, v.getType(), withShape(tensorType(v), shape));
}

static LogicalResult verifyNumber(Operation *op, StringRef name,
                                  const APFloat &value) {
  auto activation = dyn_cast<ActivationOp>(op);
  StringRef kind = activation ? stringifyEnum(activation.getKind())
                              : op->getName().stripDialect();
  std::string wrong = describeOutOfRange(kind, name, value.convertToDouble());
  if (wrong.empty())
    return success();
  return op->emitOpError() << "'" << name << "': " << wrong;
}

//===----------------------------------------------------------------------===//
// Layers without a time loop
//===----------------------------------------------------------------------===//

LogicalResult DenseOp::verify() {
  if (failed(verifyLeastRank(*this, getInput(), 2)) ||
      failed(verifyRank(*this, "kernel", getKernel(), 2)))
    return failure();
  RankedTensorType input = tensorType(getInput());
  int64_t features = input.getShape().back(),
          units = tensorType(getKernel()).getDimSize(1);
  if (ShapedType::isDynamic(features))
    return emitOpError("contracts the last dimension of ")
           << input << ", which is dynamic";
  SmallVector<Value> values{getInput(), getKernel(), getResult()};
  if (getBias())
    values.push_back(getBias());
  if (failed(verifyOneElement(*this, values)))
    return failure();
  if (ShapedType::isDynamic(units))
    return emitOpError("kernel has type ")
           << getKernel().getType() << ", expected a static one";
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = units;
  if (failed(verifyShape(*this, "kernel", getKernel(), {features, units})) ||
      (getBias() && failed(verifyShape(*this, "bias", getBias(), units))))
    return failure();
  return verifyShape(*this, "result", getResult(), shape);
}

LogicalResult ActivationOp::verify() {
  if (failed(verifyOneType(*this)))
    return failure();
  Activation kind = getKind();
  auto belongs = [&](StringRef name, bool isThere,
                     ArrayRef<Activation> to) -> LogicalResult {
    if (!isThere || llvm::is_contained(to, kind))
      return success();
    return emitOpError() << "'" << stringifyEnum(kind) << "' has no '" << name
                         << "'";
  };
  if (failed(belongs(
          "alpha", getAlpha().has_value(),
          {Activation::Relu, Activation::LeakyRelu, Activation::Elu})) ||
      failed(
          belongs("max_value", getMaxValue().has_value(), Activation::Relu)) ||
      failed(
          belongs("threshold", getThreshold().has_value(), Activation::Relu)) ||
      failed(belongs("approximate", getApproximate(), Activation::Gelu)) ||
      failed(belongs("axis", getAxis().has_value(),
                     {Activation::Softmax, Activation::LogSoftmax})))
    return failure();
  int64_t rank = getType().getRank();
  if (kind == Activation::Softmax || kind == Activation::LogSoftmax) {
    int64_t axis = getAxis() ? static_cast<int64_t>(*getAxis()) : rank - 1;
    if (axis < 0 || axis >= rank)
      return emitOpError("runs along axis ")
             << axis << ", but the rank is " << rank;
  }
  if (getMaxValue() && failed(verifyNumber(*this, "max_value", *getMaxValue())))
    return failure();
  if (getThreshold() &&
      failed(verifyNumber(*this, "threshold", *getThreshold())))
    return failure();
  if (getAlpha() && failed(verifyNumber(*this, "alpha", *getAlpha())))
    return failure();
  return success();
}

LogicalResult DropoutOp::verify() {
  if (failed(verifyOneType(*this)) ||
      failed(verifyNumber(*this, "rate", getRate())))
    return failure();
  if (!getNoiseShape())
    return success();
  ArrayRef<int64_t> noise = *getNoiseShape(), shape = getType().getShape();
  if (noise.size() != shape.size())
    return emitOpError("noise_shape has ")
           << noise.size() << " entries, but the rank is " << shape.size();
  for (auto [d, entry] : llvm::enumerate(noise))
    if (entry != -1 && entry != 1 && entry != shape[d])
      return emitOpError("noise_shape has ")
             << entry << " at dimension " << d << " of " << getType()
             << ", expected -1, 1 or the extent";
  return success();
}

LogicalResult MaskingOp::verify() {
  if (failed(verifyLeastRank(*this, getInput(), 2)) ||
      failed(verifyType(*this, "result", getResult().getType(),
                        getInput().getType())))
    return failure();
  return verifyShape(*this, "mask", getMask(),
                     tensorType(getInput()).getShape().drop_back());
}

LogicalResult EmbeddingOp::verify() {
  RankedTensorType table = tensorType(getTable()), ids = tensorType(getIds());
  if (failed(verifyRank(*this, "table", getTable(), 2)) ||
      failed(verifyOneElement(*this, {getTable(), getResult()})))
    return failure();
  if (!table.hasStaticShape())
    return emitOpError("table has type ") << table << ", expected a static one";
  SmallVector<int64_t> shape(ids.getShape());
  shape.push_back(table.getDimSize(1));
  if (failed(verifyShape(*this, "result", getResult(), shape)))
    return failure();
  if (getMaskZero() != (getMask() != nullptr))
    return emitOpError(getMaskZero() ? "has mask_zero, but no mask"
                                     : "has a mask, but not mask_zero");
  return getMask() ? verifyShape(*this, "mask", getMask(), ids.getShape())
                   : success();
}

LogicalResult FlattenOp::verify() {
  RankedTensorType input = tensorType(getInput());
  if (failed(verifyLeastRank(*this, getInput(), 1)) ||
      failed(verifyOneElement(*this, {getInput(), getResult()})))
    return failure();
  int64_t features = 1;
  for (int64_t d = 1; d < input.getRank(); ++d) {
    if (input.isDynamicDim(d))
      return emitOpError("flattens dimension ")
             << d << " of " << input << ", which is dynamic";
    features *= input.getDimSize(d);
  }
  return verifyShape(*this, "result", getResult(),
                     {input.getDimSize(0), features});
}

LogicalResult RepeatVectorOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 2)) ||
      failed(verifyRank(*this, "result", getResult(), 3)) ||
      failed(verifyOneElement(*this, {getInput(), getResult()})))
    return failure();
  ArrayRef<int64_t> input = tensorType(getInput()).getShape();
  int64_t count = tensorType(getResult()).getDimSize(1);
  if (ShapedType::isDynamic(count) || count < 1)
    return emitOpError("repeats to ")
           << getResult().getType() << ", expected at least 1 time";
  return verifyShape(*this, "result", getResult(), {input[0], count, input[1]});
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError("has no inputs");
  RankedTensorType first = tensorType(getInputs().front());
  int64_t axis = getAxis();
  if (axis < 1 || axis >= first.getRank())
    return emitOpError("joins along axis ")
           << axis << " of " << first << ", expected one after the batch's";
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value v : getInputs()) {
    RankedTensorType type = tensorType(v);
    bool same = type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType() &&
                !type.isDynamicDim(axis);
    for (int64_t d = 0; same && d < type.getRank(); ++d)
      same = d == axis || type.getDimSize(d) == first.getDimSize(d);
    if (!same)
      return emitOpError("joins ")
             << first << " and " << type << " along axis " << axis;
    shape[axis] += type.getDimSize(axis);
  }
  return verifyType(*this, "result", getResult().getType(),
                    withShape(first, shape));
}

LogicalResult AddOp::verify() {
  if (getInputs().size() < 2)
    return emitOpError("has ")
           << getInputs().size() << " inputs, expected at least 2";
  SmallVector<Value> values(getInputs());
  values.push_back(getResult());
  if (failed(verifyOneElement(*this, values)))
    return failure();
  int64_t rank = 0;
  for (Value v : getInputs()) {
    if (failed(verifyLeastRank(*this, v, 1)))
      return failure();
    rank = std::max(rank, tensorType(v).getRank());
  }
  SmallVector<int64_t> shape(rank, 1);
  shape[0] = tensorType(getInputs().front()).getDimSize(0);
  for (Value v : getInputs()) {
    RankedTensorType type = tensorType(v);
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t size = type.getDimSize(d);
      int64_t &joint = shape[d == 0 ? 0 : d + rank - type.getRank()];
      if (d > 0 && joint == 1)
        joint = size;
      if (joint != size && (d == 0 || size != 1))
        return emitOpError("adds ")
               << getInputs().front().getType() << " and " << type
               << ", whose dimensions do not agree";
    }
  }
  return verifyShape(*this, "result", getResult(), shape);
}

//===----------------------------------------------------------------------===//
// Recurrent layers
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult
verifyRecurrent(OpT op, int64_t gates, size_t states,
                llvm::function_ref<SmallVector<int64_t>(int64_t)> bias) {
  if (failed(verifyRank(op, "input", op.getInput(), 3)) ||
      failed(verifyRank(op, "recurrent kernel", op.getRecurrentKernel(), 2)))
    return failure();
  RankedTensorType input = tensorType(op.getInput());
  int64_t rows = input.getDimSize(0), steps = input.getDimSize(1),
          features = input.getDimSize(2),
          units = tensorType(op.getRecurrentKernel()).getDimSize(0);
  if (ShapedType::isDynamic(steps) || ShapedType::isDynamic(features) ||
      steps < 1)
    return op.emitOpError("input has type ")
           << input
           << ", expected (batch, steps, features) with a static number of "
              "steps";
  if (ShapedType::isDynamic(units))
    return op.emitOpError("recurrent kernel has type ")
           << op.getRecurrentKernel().getType() << ", expected a static one";
  SmallVector<Value> values{op.getInput(), op.getKernel(),
                            op.getRecurrentKernel(), op.getResult()};
  if (op.getBias())
    values.push_back(op.getBias());
  llvm::append_range(values, op.getInitialState());
  llvm::append_range(values, op.getStates());
  if (failed(verifyOneElement(op, values)))
    return failure();

  if (op.getMask() &&
      failed(verifyShape(op, "mask", op.getMask(), {rows, steps})))
    return failure();
  if (failed(verifyShape(op, "kernel", op.getKernel(),
                         {features, gates * units})) ||
      failed(verifyShape(op, "recurrent kernel", op.getRecurrentKernel(),
                         {units, gates * units})))
    return failure();
  if (op.getBias() &&
      failed(verifyShape(op, "bias", op.getBias(), bias(units))))
    return failure();
  if (!op.getInitialState().empty() && op.getInitialState().size() != states)
    return op.emitOpError("has ") << op.getInitialState().size()
                                  << " initial states, expected " << states;
  for (auto [i, state] : llvm::enumerate(op.getInitialState()))
    if (failed(
            verifyShape(op, "initial state " + Twine(i), state, {rows, units})))
      return failure();
  size_t wanted = op.getReturnState() ? states : 0;
  if (op.getStates().size() != wanted)
    return op.emitOpError("returns ")
           << op.getStates().size() << " states, expected " << wanted;
  for (auto [i, state] : llvm::enumerate(op.getStates()))
    if (failed(verifyShape(op, "state " + Twine(i), state, {rows, units})))
      return failure();
  SmallVector<int64_t> shape{rows, units};
  if (op.getReturnSequences())
    shape.insert(shape.begin() + 1, steps);
  if (failed(verifyShape(op, "result", op.getResult(), shape)) ||
      failed(verifyNumber(op, "dropout", op.getDropout())))
    return failure();
  return verifyNumber(op, "recurrent_dropout", op.getRecurrentDropout());
}

LogicalResult LstmOp::verify() {
  return verifyRecurrent(*this, 4, 2,
                         [](int64_t u) { return SmallVector<int64_t>{4 * u}; });
}
LogicalResult GruOp::verify() {
  return verifyRecurrent(*this, 3, 1, [&](int64_t u) {
    return getResetAfter() ? SmallVector<int64_t>{2, 3 * u}
                           : SmallVector<int64_t>{3 * u};
  });
}
LogicalResult SimpleRnnOp::verify() {
  return verifyRecurrent(*this, 1, 1,
                         [](int64_t u) { return SmallVector<int64_t>{u}; });
}

LogicalResult BidirectionalOp::verify() {
  if (failed(verifyType(*this, "backward output", getBackward().getType(),
                        getForward().getType())) ||
      failed(verifyRank(*this, "output", getForward(),
                        getReturnSequences() ? 3 : 2)))
    return failure();
  RankedTensorType type = tensorType(getForward());
  if (getMergeMode() == MergeMode::None)
    return emitOpError(
        "joins outputs by the merge mode 'none', which joins nothing");
  SmallVector<int64_t> shape(type.getShape());
  if (getMergeMode() == MergeMode::Concat) {
    if (ShapedType::isDynamic(shape.back()))
      return emitOpError("joins along the last dimension of ")
             << type << ", which is dynamic";
    shape.back() *= 2;
  }
  return verifyType(*this, "result", getResult().getType(),
                    withShape(type, shape));
}

LogicalResult TimeDistributedOp::verify() {
  RankedTensorType input = tensorType(getInput());
  if (failed(verifyLeastRank(*this, getInput(), 2)))
    return failure();
  int64_t rows = input.getDimSize(0), steps = input.getDimSize(1);
  if (ShapedType::isDynamic(steps))
    return emitOpError("input has type ")
           << input << ", whose number of steps is dynamic";
  int64_t all = ShapedType::isDynamic(rows) ? rows : rows * steps;
  auto stepOf = [&](ArrayRef<int64_t> rest) {
    SmallVector<int64_t> shape{all};
    llvm::append_range(shape, rest);
    return shape;
  };
  Block &body = getBody().front();
  if (body.getNumArguments() != 1)
    return emitOpError("has a body with ")
           << body.getNumArguments() << " arguments, expected 1";
  if (failed(verifyType(
          *this, "argument of the body", body.getArgument(0).getType(),
          withShape(input, stepOf(input.getShape().drop_front(2))))))
    return failure();
  auto yield = dyn_cast<LayerYieldOp>(body.back());
  if (!yield)
    return emitOpError("has a body that does not end with nn.layer_yield");
  RankedTensorType value = tensorType(yield.getValue());
  if (value.getRank() == 0 || value.getDimSize(0) != all)
    return yield.emitOpError("yields a ") << value
                                          << ", whose leading dimension is not "
                                             "the rows of the body's argument";
  SmallVector<int64_t> shape{rows, steps};
  llvm::append_range(shape, value.getShape().drop_front());
  return verifyType(*this, "result", getResult().getType(),
                    withShape(value, shape));
}
