//===- TrainingFunctionLosses.cpp - losses and metrics of a function ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/training/TrainingFunction.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// The output's mask and the elements' own, with the elements' shape; or null.
Value TrainingFunctionBuilder::elementMask(Operation *source,
                                           ElementValues elements,
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
Value belfry::divideNoNan(CoreBuilder &b, Value a, Value by) {
  Value isZero = b.compare(CompareKind::Eq, by, 0.0);
  Value safe = b.select(isZero, b.splat(by, 1.0), by);
  return b.select(isZero, b.splat(a, 0.0), b.div(a, safe));
}

LogicalResult TrainingFunctionBuilder::weigh(LossOp op, ElementValues elements,
                                             unsigned output,
                                             OutputLoss &result) {
  CoreBuilder b(builder, elements.values.getLoc());
  Value values = elements.values;
  Type element = tensorType(values).getElementType();
  bool masked = masks[output] || elements.mask;
  Value mask = elementMask(op, elements, output);
  if (masked && !mask)
    return failure();
  Value weight = sampleWeights.lookup(op.getOutput());
  auto weightedSum = [&](Value v) {
    v = b.mul(v, weight);
    if (mask)
      v = b.select(mask, v, b.splat(v, 0.0));
    return b.reduceAll(ReduceKind::Sum, v);
  };
  result.op = op;
  result.sum = weightedSum(values);
  result.differentiated = elements.differentiated
                              ? weightedSum(elements.differentiated)
                              : result.sum;
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

LogicalResult TrainingFunctionBuilder::buildLosses() {
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

LogicalResult TrainingFunctionBuilder::buildMetrics() {
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
