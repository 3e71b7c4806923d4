//===- Builders.cpp - short forms for building core ops -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Builders.h"

using namespace mlir;
using namespace belfry::nn;

Value CoreBuilder::scalar(Type element, double value) {
  return ConstantOp::create(builder, loc, RankedTensorType::get({}, element),
                            value);
}

Value CoreBuilder::splat(Value ref, double value, Type element) {
  RankedTensorType type = tensorType(ref);
  if (element)
    type = type.clone(element);
  if (type.hasStaticShape())
    return ConstantOp::create(builder, loc, type, value);
  return broadcastScalar(scalar(type.getElementType(), value), ref);
}

Value CoreBuilder::unary(UnaryKind kind, Value x) {
  return UnaryOp::create(builder, loc, kind, x);
}
Value CoreBuilder::binary(BinaryKind kind, Value x, Value y) {
  return BinaryOp::create(builder, loc, x.getType(), kind, x, y);
}
Value CoreBuilder::binary(BinaryKind kind, Value x, double y) {
  return binary(kind, x, splat(x, y));
}
Value CoreBuilder::binary(BinaryKind kind, double x, Value y) {
  return binary(kind, splat(y, x), y);
}
Value CoreBuilder::compare(CompareKind kind, Value x, Value y) {
  return CompareOp::create(builder, loc, kind, x, y);
}
Value CoreBuilder::compare(CompareKind kind, Value x, double y) {
  return compare(kind, x, splat(x, y));
}
Value CoreBuilder::select(Value c, Value x, Value y) {
  return SelectOp::create(builder, loc, x.getType(), c, x, y);
}
Value CoreBuilder::convert(Value x, Type element) {
  RankedTensorType type = tensorType(x);
  if (type.getElementType() == element)
    return x;
  return ConvertOp::create(builder, loc, type.clone(element), x);
}

Value CoreBuilder::broadcastLike(Value x, Value ref, ArrayRef<int64_t> dims) {
  RankedTensorType type = tensorType(ref).clone(tensorType(x).getElementType());
  bool dynamicIsNew = false;
  for (int64_t d = 0; d < type.getRank(); ++d)
    dynamicIsNew |= type.isDynamicDim(d) && !llvm::is_contained(dims, d);
  return BroadcastOp::create(builder, loc, type, x,
                             dynamicIsNew ? ref : Value(), dims);
}

Value CoreBuilder::unreduce(Value x, Value ref, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < tensorType(ref).getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  return broadcastLike(x, ref, kept);
}

Value CoreBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return x;
  return ReduceOp::create(builder, loc, kind, x, dims);
}
Value CoreBuilder::reduceAll(ReduceKind kind, Value x) {
  return reduce(
      kind, x, llvm::to_vector(llvm::seq<int64_t>(0, tensorType(x).getRank())));
}
Value CoreBuilder::maxWithoutGradient(Value x, ArrayRef<int64_t> dims) {
  auto max = ReduceOp::create(builder, loc, ReduceKind::Max, x, dims);
  max->setAttr(kNoGradientAttr, builder.getUnitAttr());
  return max;
}
Value CoreBuilder::softmax(Value x, int64_t axis) {
  Value shifted = sub(x, unreduce(maxWithoutGradient(x, axis), x, axis));
  Value e = unary(UnaryKind::Exp, shifted);
  return div(e, unreduce(reduce(ReduceKind::Sum, e, axis), e, axis));
}
Value CoreBuilder::logSoftmax(Value x, int64_t axis) {
  Value shifted = sub(x, unreduce(maxWithoutGradient(x, axis), x, axis));
  Value sum = reduce(ReduceKind::Sum, unary(UnaryKind::Exp, shifted), axis);
  return sub(shifted, unreduce(unary(UnaryKind::Log, sum), x, axis));
}
Value CoreBuilder::transpose(Value x, ArrayRef<int64_t> perm) {
  if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
    return x;
  return TransposeOp::create(builder, loc, x, perm);
}
Value CoreBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, tensorType(x).getElementType());
  if (type == x.getType())
    return x;
  return ReshapeOp::create(builder, loc, type, x);
}
