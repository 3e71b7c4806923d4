//===- Losses.cpp - values of losses and metrics --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/training/Losses.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

SmallVector<int64_t> belfry::elementShape(RankedTensorType prediction) {
  ArrayRef<int64_t> shape = prediction.getShape();
  return SmallVector<int64_t>(shape.size() > 1 ? shape.drop_back() : shape);
}

namespace {

/// The builder of one loss or metric: prediction, target and arguments at hand.
class ElementBuilder {
public:
  ElementBuilder(CoreBuilder &b, Operation *source, Value prediction,
                 Value logits, Value target)
      : b(b), source(source), p(prediction), logits(logits), t(target),
        last(tensorType(prediction).getRank() - 1) {}

  using Method = FailureOr<ElementValues> (ElementBuilder::*)();

  FailureOr<ElementValues> binaryCrossentropy();
  FailureOr<ElementValues> categoricalCrossentropy();
  FailureOr<ElementValues> sparseCategoricalCrossentropy();
  FailureOr<ElementValues> squaredError() { return mean(square(difference())); }
  FailureOr<ElementValues> absoluteError() {
    return mean(b.unary(UnaryKind::Abs, difference()));
  }
  FailureOr<ElementValues> absolutePercentageError();
  FailureOr<ElementValues> squaredLogarithmicError();
  FailureOr<ElementValues> huber();
  FailureOr<ElementValues> logCosh();
  FailureOr<ElementValues> poisson();
  FailureOr<ElementValues> klDivergence();
  FailureOr<ElementValues> hinge() { return mean(margin()); }
  FailureOr<ElementValues> squaredHinge() { return mean(square(margin())); }
  FailureOr<ElementValues> categoricalHinge();
  FailureOr<ElementValues> cosineSimilarity();
  FailureOr<ElementValues> accuracy();
  FailureOr<ElementValues> binaryAccuracy();
  FailureOr<ElementValues> categoricalAccuracy();
  FailureOr<ElementValues> sparseCategoricalAccuracy();

private:
  Type element() { return tensorType(p).getElementType(); }
  double number(StringRef name, double otherwise) {
    auto attr = source->getAttrOfType<FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : otherwise;
  }
  bool fromLogits() {
    auto attr = source->getAttrOfType<BoolAttr>("from_logits");
    return (attr && attr.getValue()) ||
           source->hasAttrOfType<UnitAttr>("from_logits");
  }
  bool isPlain() {
    return tensorType(p).getRank() < 2;
  } ///< no dimension but the batch's

  Value margin();
  Value normalized(Value x);
  Value square(Value x) { return b.mul(x, x); }
  Value difference() { return b.sub(p, t); }
  Value clip(Value x, double low, double high) {
    return b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, x, low), high);
  }
  Value sumLast(Value x) {
    return isPlain() ? x : b.reduce(ReduceKind::Sum, x, last);
  }
  Value unreduceLast(Value x) { return isPlain() ? x : b.unreduce(x, p, last); }
  ElementValues mean(Value x) {
    if (isPlain())
      return {x, {}};
    double count = static_cast<double>(tensorType(x).getDimSize(last));
    return {b.binary(BinaryKind::Div, sumLast(x), count), {}};
  }
  /// Class numbers with the elements' shape, and where each class is the
  /// target.
  Value labels();
  Value isLabel(Value labels);

  CoreBuilder &b;
  Operation *source;
  Value p, logits, t;
  int64_t last;
};

} // namespace

FailureOr<ElementValues> ElementBuilder::binaryCrossentropy() {
  if (double smoothing = number("label_smoothing", 0.0); smoothing != 0.0)
    t = b.binary(BinaryKind::Add, b.mul(t, 1.0 - smoothing), 0.5 * smoothing);
  if (logits || fromLogits()) {
    // max(z, 0) − z·t + ln(1 + exp(−|z|))
    Value z = logits ? logits : p;
    // As TensorFlow has it: with selects on z ≥ 0, so that at 0 the gradient is
    // ½ − t.
    Value positive = b.compare(CompareKind::Ge, z, 0.0);
    Value zero = b.splat(z, 0.0);
    Value relu = b.select(positive, z, zero);
    Value negAbs = b.select(positive, b.unary(UnaryKind::Neg, z), z);
    Value tail = b.unary(UnaryKind::Log1p, b.unary(UnaryKind::Exp, negAbs));
    return mean(b.add(b.sub(relu, b.mul(z, t)), tail));
  }
  Value q = clip(p, kEpsilon, 1.0 - kEpsilon);
  Value hit = b.mul(t, b.unary(UnaryKind::Log, q));
  Value miss =
      b.mul(b.binary(BinaryKind::Sub, 1.0, t),
            b.unary(UnaryKind::Log, b.binary(BinaryKind::Sub, 1.0, q)));
  return mean(b.unary(UnaryKind::Neg, b.add(hit, miss)));
}

FailureOr<ElementValues> ElementBuilder::categoricalCrossentropy() {
  if (isPlain())
    return source->emitError(
               "needs a prediction with a dimension of classes, got ")
           << p.getType();
  double classes = static_cast<double>(tensorType(p).getDimSize(last));
  if (double smoothing = number("label_smoothing", 0.0); smoothing != 0.0)
    t = b.binary(BinaryKind::Add, b.mul(t, 1.0 - smoothing),
                 smoothing / classes);
  Value log, differentiated;
  if (logits || fromLogits()) {
    Value z = logits ? logits : p;
    log = b.logSoftmax(z, last);
    // ln Σ exp(z) − Σ t·z
    Value shifted =
        b.sub(z, b.unreduce(b.maxWithoutGradient(z, last), z, last));
    Value sum = sumLast(b.unary(UnaryKind::Exp, shifted));
    differentiated =
        b.sub(b.unary(UnaryKind::Log, sum), sumLast(b.mul(t, shifted)));
  } else {
    Value q = b.div(p, unreduceLast(sumLast(p)));
    log = b.unary(UnaryKind::Log, clip(q, kEpsilon, 1.0 - kEpsilon));
  }
  return ElementValues{
      b.unary(UnaryKind::Neg, sumLast(b.mul(t, log))), {}, differentiated};
}

Value ElementBuilder::labels() {
  SmallVector<int64_t> shape = elementShape(tensorType(p));
  if (tensorType(t).getShape() == ArrayRef<int64_t>(shape))
    return t;
  return b.reshape(t, shape);
}

Value ElementBuilder::isLabel(Value labels) {
  Value i =
      IotaOp::create(b.getBuilder(), b.getLoc(),
                     tensorType(p).clone(tensorType(labels).getElementType()),
                     tensorType(p).hasStaticShape() ? Value() : p, last);
  return b.compare(CompareKind::Eq, i, b.unreduce(labels, p, last));
}

FailureOr<ElementValues> ElementBuilder::sparseCategoricalCrossentropy() {
  if (isPlain())
    return source->emitError(
               "needs a prediction with a dimension of classes, got ")
           << p.getType();
  Value labels = this->labels(), hit = isLabel(labels);
  Value values;
  if (logits || fromLogits()) {
    Value log = b.logSoftmax(logits ? logits : p, last);
    values =
        b.unary(UnaryKind::Neg, sumLast(b.select(hit, log, b.splat(log, 0.0))));
  } else {
    // Keras on TensorFlow: the cross-entropy of softmax(ln clip(p)), which is
    // −ln(clip(p_y)/Σ clip(p)).
    Value q = clip(p, kEpsilon, 1.0 - kEpsilon);
    Value chosen = sumLast(b.select(hit, q, b.splat(q, 0.0)));
    if (auto ignored = source->getAttrOfType<IntegerAttr>("ignore_class")) {
      // No class may be the ignored one; its elements do not count, and must
      // not be −ln 0.
      Value counts = b.compare(CompareKind::Ne, labels,
                               static_cast<double>(ignored.getInt()));
      chosen = b.select(counts, chosen, b.splat(chosen, 1.0));
    }
    values = b.sub(b.unary(UnaryKind::Log, sumLast(q)),
                   b.unary(UnaryKind::Log, chosen));
  }
  Value mask;
  if (auto ignored = source->getAttrOfType<IntegerAttr>("ignore_class"))
    mask = b.compare(CompareKind::Ne, labels,
                     static_cast<double>(ignored.getInt()));
  return ElementValues{values, mask};
}

FailureOr<ElementValues> ElementBuilder::absolutePercentageError() {
  Value scale = b.binary(BinaryKind::Max, b.unary(UnaryKind::Abs, t), kEpsilon);
  ElementValues m = mean(b.unary(UnaryKind::Abs, b.div(b.sub(t, p), scale)));
  return ElementValues{b.mul(m.values, 100.0), {}};
}

FailureOr<ElementValues> ElementBuilder::squaredLogarithmicError() {
  auto log = [&](Value x) {
    return b.unary(
        UnaryKind::Log,
        b.binary(BinaryKind::Add, b.binary(BinaryKind::Max, x, kEpsilon), 1.0));
  };
  return mean(square(b.sub(log(p), log(t))));
}

FailureOr<ElementValues> ElementBuilder::huber() {
  double delta = number("delta", 1.0);
  Value error = difference(), size = b.unary(UnaryKind::Abs, error);
  Value inner = b.mul(square(error), 0.5);
  Value outer =
      b.binary(BinaryKind::Sub, b.mul(size, delta), 0.5 * delta * delta);
  return mean(b.select(b.compare(CompareKind::Le, size, delta), inner, outer));
}

FailureOr<ElementValues> ElementBuilder::logCosh() {
  // x + softplus(−2x) − ln 2
  Value x = difference(), y = b.mul(x, -2.0);
  Value softplus = b.add(
      b.binary(BinaryKind::Max, y, 0.0),
      b.unary(UnaryKind::Log1p,
              b.unary(UnaryKind::Exp,
                      b.unary(UnaryKind::Neg, b.unary(UnaryKind::Abs, y)))));
  return mean(
      b.binary(BinaryKind::Sub, b.add(x, softplus), 0.69314718055994530942));
}

FailureOr<ElementValues> ElementBuilder::poisson() {
  Value log = b.unary(UnaryKind::Log, b.binary(BinaryKind::Add, p, kEpsilon));
  return mean(b.sub(p, b.mul(t, log)));
}

FailureOr<ElementValues> ElementBuilder::klDivergence() {
  Value x = clip(t, kEpsilon, 1.0), y = clip(p, kEpsilon, 1.0);
  return ElementValues{sumLast(b.mul(x, b.unary(UnaryKind::Log, b.div(x, y)))),
                       {}};
}

/// keras.metrics.Accuracy: predictions that are the target to the bit.
FailureOr<ElementValues> ElementBuilder::accuracy() {
  return mean(b.convert(b.compare(CompareKind::Eq, p, t), element()));
}

/// max(1 − t·p, 0), where labels of 0 and 1 stand for −1 and 1 if the whole
/// batch has no others.
Value ElementBuilder::margin() {
  Value isBinary = b.binary(BinaryKind::Or, b.compare(CompareKind::Eq, t, 0.0),
                            b.compare(CompareKind::Eq, t, 1.0));
  Value all = b.reduceAll(ReduceKind::And, isBinary);
  Value sign = b.binary(BinaryKind::Sub, b.mul(t, 2.0), 1.0);
  Value labels = b.select(b.broadcastScalar(all, t), sign, t);
  return b.binary(BinaryKind::Max,
                  b.binary(BinaryKind::Sub, 1.0, b.mul(labels, p)), 0.0);
}

FailureOr<ElementValues> ElementBuilder::categoricalHinge() {
  if (isPlain())
    return source->emitError(
               "needs a prediction with a dimension of classes, got ")
           << p.getType();
  Value hit = sumLast(b.mul(t, p));
  Value others = b.mul(b.binary(BinaryKind::Sub, 1.0, t), p);
  Value worst = b.reduce(ReduceKind::Max, others, last);
  Value margin = b.binary(BinaryKind::Add, b.sub(worst, hit), 1.0);
  return ElementValues{b.binary(BinaryKind::Max, margin, 0.0), {}};
}

/// x · min((Σ x²)^(−1/2), 1/ε) over the last dimension (keras.ops.normalize).
Value ElementBuilder::normalized(Value x) {
  Value sum = sumLast(square(x));
  // TensorFlow's gradient of x^(−1/2) is 0 where what comes in is, also at 0.
  Value isZero = b.compare(CompareKind::Eq, sum, 0.0);
  Value root =
      b.unary(UnaryKind::Rsqrt, b.select(isZero, b.splat(sum, 1.0), sum));
  Value scale = b.select(isZero, b.splat(sum, 1.0 / kEpsilon),
                         b.binary(BinaryKind::Min, root, 1.0 / kEpsilon));
  return b.mul(x, unreduceLast(scale));
}

FailureOr<ElementValues> ElementBuilder::cosineSimilarity() {
  if (isPlain())
    return source->emitError("needs a prediction with a dimension beside the "
                             "batch's, got ")
           << p.getType();
  return ElementValues{
      b.unary(UnaryKind::Neg, sumLast(b.mul(normalized(t), normalized(p)))),
      {}};
}

FailureOr<ElementValues> ElementBuilder::binaryAccuracy() {
  Value above = b.compare(CompareKind::Gt, p, number("threshold", 0.5));
  Value hit = b.compare(CompareKind::Eq, b.convert(above, element()), t);
  return mean(b.convert(hit, element()));
}

FailureOr<ElementValues> ElementBuilder::categoricalAccuracy() {
  if (isPlain())
    return source->emitError(
               "needs a prediction with a dimension of classes, got ")
           << p.getType();
  auto argmax = [&](Value x) -> Value {
    return ArgMaxOp::create(b.getBuilder(), b.getLoc(), x, last);
  };
  return ElementValues{
      b.convert(b.compare(CompareKind::Eq, argmax(p), argmax(t)), element()),
      {}};
}

FailureOr<ElementValues> ElementBuilder::sparseCategoricalAccuracy() {
  if (isPlain())
    return source->emitError(
               "needs a prediction with a dimension of classes, got ")
           << p.getType();
  Value best = ArgMaxOp::create(b.getBuilder(), b.getLoc(), p, last);
  return ElementValues{
      b.convert(b.compare(CompareKind::Eq, best, labels()), element()), {}};
}

namespace {

struct Kind {
  StringLiteral name;
  ElementBuilder::Method build;
  bool classNumbers;
  bool isLoss;
};

} // namespace

static const Kind kinds[] = {
    {"binary_crossentropy", &ElementBuilder::binaryCrossentropy, false, true},
    {"categorical_crossentropy", &ElementBuilder::categoricalCrossentropy,
     false, true},
    {"sparse_categorical_crossentropy",
     &ElementBuilder::sparseCategoricalCrossentropy, true, true},
    {"mean_squared_error", &ElementBuilder::squaredError, false, true},
    {"mean_absolute_error", &ElementBuilder::absoluteError, false, true},
    {"mean_absolute_percentage_error", &ElementBuilder::absolutePercentageError,
     false, true},
    {"mean_squared_logarithmic_error", &ElementBuilder::squaredLogarithmicError,
     false, true},
    {"huber", &ElementBuilder::huber, false, true},
    {"log_cosh", &ElementBuilder::logCosh, false, true},
    {"poisson", &ElementBuilder::poisson, false, true},
    {"kl_divergence", &ElementBuilder::klDivergence, false, true},
    {"hinge", &ElementBuilder::hinge, false, true},
    {"squared_hinge", &ElementBuilder::squaredHinge, false, true},
    {"categorical_hinge", &ElementBuilder::categoricalHinge, false, true},
    {"cosine_similarity", &ElementBuilder::cosineSimilarity, false, true},
    {"accuracy", &ElementBuilder::accuracy, false, false},
    {"binary_accuracy", &ElementBuilder::binaryAccuracy, false, false},
    {"categorical_accuracy", &ElementBuilder::categoricalAccuracy, false,
     false},
    {"sparse_categorical_accuracy", &ElementBuilder::sparseCategoricalAccuracy,
     true, false},
};

static const Kind *find(StringRef name) {
  for (const Kind &kind : kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

static SmallVector<StringLiteral> names(bool lossesOnly) {
  SmallVector<StringLiteral> result;
  for (const Kind &kind : kinds)
    if (kind.isLoss || !lossesOnly)
      result.push_back(kind.name);
  return result;
}

ArrayRef<StringLiteral> belfry::knownLosses() {
  static const SmallVector<StringLiteral> list = names(true);
  return list;
}
ArrayRef<StringLiteral> belfry::knownMetrics() {
  static const SmallVector<StringLiteral> list = names(false);
  return list;
}
bool belfry::isKnownLoss(StringRef name) {
  const Kind *kind = find(name);
  return kind && kind->isLoss;
}
bool belfry::isKnownMetric(StringRef name) { return find(name); }
bool belfry::takesClassNumbers(StringRef name) {
  const Kind *kind = find(name);
  return kind && kind->classNumbers;
}

FailureOr<ElementValues>
belfry::buildElementValues(CoreBuilder &b, Operation *source, StringRef name,
                           Value prediction, Value logits, Value target) {
  const Kind *kind = find(name);
  if (!kind)
    return source->emitError("'")
           << name << "' is not supported here; supported are "
           << llvm::join(ArrayRef<StringLiteral>(knownMetrics()), ", ");
  RankedTensorType p = tensorType(prediction), t = tensorType(target);
  SmallVector<int64_t> elements = elementShape(p), column(elements);
  column.push_back(1);
  if (kind->classNumbers) {
    if (t.getShape() != ArrayRef<int64_t>(elements) &&
        t.getShape() != ArrayRef<int64_t>(column))
      return source->emitError("'")
             << name << "' of " << p << " needs class numbers of shape "
             << RankedTensorType::get(elements, t.getElementType()) << ", got "
             << t;
    if (!t.getElementType().isInteger(32))
      target = b.convert(target, b.getBuilder().getI32Type());
  } else {
    if (t.getShape() != p.getShape())
      return source->emitError("'") << name << "' of " << p
                                    << " needs targets of its shape, got " << t;
    target = b.convert(target, p.getElementType());
  }
  return (ElementBuilder(b, source, prediction, logits, target).*kind->build)();
}
