//===- LayersBasic.cpp - decompositions of layers without a time loop -----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Decompose.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

Value belfry::nn::broadcastTo(CoreBuilder &core, Value x,
                              ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                              Value like) {
  auto type = RankedTensorType::get(shape, tensorType(x).getElementType());
  if (type == x.getType() &&
      llvm::equal(dims, llvm::seq<int64_t>(0, type.getRank())))
    return x;
  bool dynamicIsNew = false;
  for (int64_t d = 0; d < type.getRank(); ++d)
    dynamicIsNew |= type.isDynamicDim(d) && !llvm::is_contained(dims, d);
  return BroadcastOp::create(core.getBuilder(), core.getLoc(), type, x,
                             dynamicIsNew ? like : Value(), dims);
}

Value belfry::nn::splatOf(CoreBuilder &core, RankedTensorType type,
                          double value, Value like) {
  if (type.hasStaticShape())
    return ConstantOp::create(core.getBuilder(), core.getLoc(), type, value);
  return broadcastTo(core, core.scalar(type.getElementType(), value),
                     type.getShape(), {}, like);
}

Value belfry::nn::sliceDim(CoreBuilder &core, Value x, int64_t dim,
                           int64_t begin, int64_t end) {
  RankedTensorType type = tensorType(x);
  if (begin == 0 && end == type.getDimSize(dim))
    return x;
  SmallVector<int64_t> start(type.getRank(), 0), stride(type.getRank(), 1),
      limit;
  for (int64_t size : type.getShape())
    limit.push_back(ShapedType::isDynamic(size) ? -1 : size);
  start[dim] = begin;
  limit[dim] = end;
  return SliceOp::create(core.getBuilder(), core.getLoc(), x, start, limit,
                         stride);
}

Value belfry::nn::dropoutKeep(CoreBuilder &core, Type element,
                              ArrayRef<int64_t> shape, Value like, double rate,
                              uint32_t stream) {
  OpBuilder &builder = core.getBuilder();
  Location loc = core.getLoc();
  Value seed = SeedOp::create(builder, loc);
  Value step = StepOp::create(builder, loc);
  // Rounded to 16 bits a number could be 1.
  auto type = RankedTensorType::get(
      shape, isNarrow(element) ? Type(builder.getF32Type()) : element);
  Value uniform =
      RandomOp::create(builder, loc, type, RandomKind::Uniform, seed, step,
                       Value(), type.hasStaticShape() ? Value() : like, stream);
  // Uniform numbers are multiples of 2⁻²⁴. Compared with the next multiple from
  // the rate upwards, f32 and f64 keep the same elements.
  double threshold = std::ldexp(std::ceil(std::ldexp(rate, 24)), -24);
  Value bound = splatOf(core, type, threshold, like);
  return core.compare(CompareKind::Ge, uniform, bound);
}

/// `mask`, of the leading dimensions of `x`, repeated over the others.
static Value broadcastMask(CoreBuilder &core, Value mask, Value x) {
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(mask).getRank()));
  return core.broadcastLike(mask, x, dims);
}

//===----------------------------------------------------------------------===//
// nn.dense, nn.activation
//===----------------------------------------------------------------------===//

LogicalResult DenseOp::decompose(OpBuilder &builder, const DecomposeContext &,
                                 SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  int64_t last = tensorType(getInput()).getRank() - 1;
  Value y = DotOp::create(builder, getLoc(), getInput(), getKernel(),
                          ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, last,
                          ArrayRef<int64_t>{0});
  if (getBias())
    y = core.add(y, core.broadcastLike(getBias(), y, last));
  FailureOr<Value> activated =
      decomposeActivation(builder, getLoc(), getActivation(), y);
  if (failed(activated))
    return failure();
  results.push_back(*activated);
  return success();
}

LogicalResult ActivationOp::decompose(OpBuilder &builder,
                                      const DecomposeContext &,
                                      SmallVectorImpl<Value> &results) {
  ActivationOptions options;
  auto number = [](std::optional<APFloat> value) -> std::optional<double> {
    if (!value)
      return std::nullopt;
    return value->convertToDouble();
  };
  options.alpha = number(getAlpha());
  options.maxValue = number(getMaxValue());
  options.threshold = number(getThreshold());
  options.approximate = getApproximate();
  options.axis = getAxis();
  FailureOr<Value> y =
      decomposeActivation(builder, getLoc(), getKind(), getInput(), options);
  if (failed(y))
    return failure();
  results.push_back(*y);
  return success();
}

//===----------------------------------------------------------------------===//
// nn.dropout
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::decompose(OpBuilder &builder,
                                   const DecomposeContext &context,
                                   SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  double rate = getRate().convertToDouble();
  Value x = getInput();
  if (!context.training || rate == 0.0) {
    results.push_back(x);
    return success();
  }
  Value zero = core.splat(x, 0.0);
  if (rate >= 1.0) {
    results.push_back(zero);
    return success();
  }
  // The numbers are drawn for the noise's shape; where an entry is 1 they are
  // repeated along that dimension.
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> shape, own, ownShape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t entry = getNoiseShape() ? (*getNoiseShape())[d] : -1;
    shape.push_back(entry == -1 ? type.getDimSize(d) : entry);
    if (shape.back() != type.getDimSize(d))
      continue;
    own.push_back(d);
    ownShape.push_back(type.getDimSize(d));
  }
  Value keep =
      dropoutKeep(core, type.getElementType(), shape, x, rate, getStream());
  keep =
      broadcastTo(core, core.reshape(keep, ownShape), type.getShape(), own, x);
  results.push_back(core.select(keep, core.mul(x, 1.0 / (1.0 - rate)), zero));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.masking, nn.embedding
//===----------------------------------------------------------------------===//

LogicalResult MaskingOp::decompose(OpBuilder &builder, const DecomposeContext &,
                                   SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  Value x = getInput();
  Value differs =
      core.compare(CompareKind::Ne, x, getMaskValue().convertToDouble());
  Value mask =
      core.reduce(ReduceKind::Or, differs, tensorType(x).getRank() - 1);
  results.push_back(
      core.select(broadcastMask(core, mask, x), x, core.splat(x, 0.0)));
  results.push_back(mask);
  return success();
}

LogicalResult EmbeddingOp::decompose(OpBuilder &builder,
                                     const DecomposeContext &,
                                     SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  results.push_back(GatherOp::create(builder, getLoc(), getTable(), getIds(),
                                     /*batch_dims=*/0));
  if (getMask())
    results.push_back(core.compare(CompareKind::Ne, getIds(), 0.0));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.flatten, nn.repeat_vector
//===----------------------------------------------------------------------===//

LogicalResult FlattenOp::decompose(OpBuilder &builder, const DecomposeContext &,
                                   SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  results.push_back(
      core.reshape(getInput(), tensorType(getResult()).getShape()));
  return success();
}

LogicalResult RepeatVectorOp::decompose(OpBuilder &builder,
                                        const DecomposeContext &,
                                        SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  ArrayRef<int64_t> shape = tensorType(getResult()).getShape();
  results.push_back(broadcastTo(core, getInput(), shape, {0, 2}, Value()));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.concatenate, nn.add
//===----------------------------------------------------------------------===//

LogicalResult ConcatenateOp::decompose(OpBuilder &builder,
                                       const DecomposeContext &,
                                       SmallVectorImpl<Value> &results) {
  results.push_back(
      ConcatOp::create(builder, getLoc(), getInputs(), getAxis()));
  return success();
}

/// `x` with the shape of `ref`, as Keras's merge layers align: at the batch and
/// from the last dimension on, extents of 1 repeated.
static Value alignTo(CoreBuilder &core, Value x, RankedTensorType shape,
                     Value ref) {
  RankedTensorType type = tensorType(x);
  int64_t missing = shape.getRank() - type.getRank();
  SmallVector<int64_t> own, ownShape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t to = d == 0 ? 0 : d + missing;
    if (type.getDimSize(d) != shape.getDimSize(to))
      continue;
    own.push_back(to);
    ownShape.push_back(type.getDimSize(d));
  }
  return broadcastTo(core, core.reshape(x, ownShape), shape.getShape(), own,
                     ref);
}

LogicalResult AddOp::decompose(OpBuilder &builder, const DecomposeContext &,
                               SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  RankedTensorType shape = tensorType(getResult());
  // A dynamic extent of the result comes from some input.
  Value like;
  for (Value x : getInputs())
    if (!tensorType(x).hasStaticShape())
      like = x;
  Value sum;
  for (Value x : getInputs()) {
    Value aligned = alignTo(core, x, shape, like);
    sum = sum ? core.add(sum, aligned) : aligned;
  }
  results.push_back(sum);
  return success();
}

//===----------------------------------------------------------------------===//
// nn.time_distributed
//===----------------------------------------------------------------------===//

LogicalResult TimeDistributedOp::decompose(OpBuilder &builder,
                                           const DecomposeContext &,
                                           SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  Block &block = getBody().front();
  ArrayRef<int64_t> rowShape =
      cast<RankedTensorType>(block.getArgument(0).getType()).getShape();
  // The ops move out and keep their own locations: they are layers of their
  // own name.
  IRMapping map;
  map.map(block.getArgument(0), core.reshape(getInput(), rowShape));
  for (Operation &op : block.without_terminator())
    builder.clone(op, map);
  Value value = cast<LayerYieldOp>(block.getTerminator()).getValue();
  results.push_back(core.reshape(map.lookupOrDefault(value),
                                 tensorType(getResult()).getShape()));
  return success();
}
