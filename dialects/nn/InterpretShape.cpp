//===- InterpretShape.cpp - meaning of broadcast, reduce, data movement ---===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include <limits>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

/// The pointer to element `offset`.
static const void *at(const HostTensor &tensor, int64_t offset) {
  return static_cast<const char *>(tensor.data()) +
         offset * static_cast<int64_t>(hostTypeSize(tensor.getType()));
}
static void *at(HostTensor &tensor, int64_t offset) {
  return static_cast<char *>(tensor.mutableData()) +
         offset * static_cast<int64_t>(hostTypeSize(tensor.getType()));
}

/// A tensor of `shape` whose elements are read with an offset and strides.
static HostTensor view(const HostTensor &from, int64_t offset,
                       ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  HostTensor result(from.getType(), shape);
  copyStrided(from.getType(), shape, at(from, offset), strides,
              result.mutableData(), stridesOf(shape));
  return result;
}

static LogicalResult broadcastRule(BroadcastOp op, Operands operands,
                                   InterpretContext &context,
                                   Results &results) {
  const HostTensor &x = operands[0];
  const HostTensor *like = op.getLike() ? &operands[1] : nullptr;
  Shape shape = shapeLike(tensorType(op), op.getLike(), like);
  Shape strides(shape.size(), 0), from = stridesOf(x.getShape());
  for (auto [k, dim] : llvm::enumerate(op.getDims())) {
    if (tensorType(op).isDynamicDim(dim))
      shape[dim] = x.getDim(k);
    if (shape[dim] != x.getDim(k))
      return context.fail(op, "has extent " + Twine(x.getDim(k)) +
                                  " for dimension " + Twine(dim) +
                                  " of the result, which has " +
                                  Twine(shape[dim]));
    strides[dim] = from[k];
  }
  results.push_back(view(x, 0, strides, shape));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.reduce, nn.argmax
//===----------------------------------------------------------------------===//

/// What a reduction of no elements gives.
template <typename T> static T neutral(ReduceKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return 0;
  case ReduceKind::And:
    return 1;
  case ReduceKind::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case ReduceKind::Min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  return 0;
}

template <typename T> static T combine(ReduceKind kind, T x, T y) {
  switch (kind) {
  case ReduceKind::Sum:
    return addOf(x, y);
  case ReduceKind::Max:
    return maxOf(x, y);
  case ReduceKind::Min:
    return minOf(x, y);
  case ReduceKind::And:
    return x && y;
  case ReduceKind::Or:
    return x || y;
  }
  return x;
}

/// Elements are taken in row-major order, each added to its place.
static LogicalResult reduceRule(ReduceOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  const HostTensor &x = operands[0];
  ReduceKind kind = op.getKind();
  bool logical = kind == ReduceKind::And || kind == ReduceKind::Or;
  if (logical != (x.getType() == HostType::Bool))
    return context.fail(op, "applies '" + stringifyEnum(kind) + "' to " +
                                hostTypeName(x.getType()));
  Shape shape;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (!llvm::is_contained(op.getDims(), d))
      shape.push_back(x.getDim(d));
  HostTensor result(x.getType(), shape);
  Shape strides = stridesOf(shape), to;
  for (int64_t d = 0, kept = 0; d < x.getRank(); ++d)
    to.push_back(llvm::is_contained(op.getDims(), d) ? 0 : strides[kept++]);
  dispatchComputed(x.getType(), [&]<typename T>() {
    MutableArrayRef<T> out = result.mutableValues<T>();
    llvm::fill(out, neutral<T>(kind));
    const T *in = x.values<T>().data();
    forEachOffset(x.getShape(), to, [&](int64_t offset) {
      out[offset] = combine(kind, out[offset], *in++);
    });
  });
  results.push_back(std::move(result));
  return success();
}

/// A NaN counts as larger than every number; of equals the first wins.
template <typename T> static bool isLarger(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x > y || (x != x && y == y);
  else
    return x > y;
}

static LogicalResult argMaxRule(ArgMaxOp op, Operands operands,
                                InterpretContext &, Results &results) {
  const HostTensor &x = operands[0];
  int64_t dim = op.getDim(), extent = x.getDim(dim);
  Shape shape(x.getShape());
  shape.erase(shape.begin() + dim);
  int64_t inner = product(x.getShape().drop_front(dim + 1));
  int64_t outer = product(x.getShape().take_front(dim));
  HostTensor result(HostType::I32, shape);
  MutableArrayRef<int32_t> to = result.mutableValues<int32_t>();
  dispatchComputed(x.getType(), [&]<typename T>() {
    ArrayRef<T> from = x.values<T>();
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        int64_t base = o * extent * inner + i, best = 0;
        for (int64_t k = 1; k < extent; ++k)
          if (isLarger(from[base + k * inner], from[base + best * inner]))
            best = k;
        to[o * inner + i] = static_cast<int32_t>(best);
      }
  });
  results.push_back(std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

static LogicalResult transposeRule(TransposeOp op, Operands operands,
                                   InterpretContext &, Results &results) {
  const HostTensor &x = operands[0];
  Shape from = stridesOf(x.getShape()), strides, shape;
  for (int64_t d : op.getPerm()) {
    strides.push_back(from[d]);
    shape.push_back(x.getDim(d));
  }
  results.push_back(view(x, 0, strides, shape));
  return success();
}

static LogicalResult reshapeRule(ReshapeOp op, Operands operands,
                                 InterpretContext &context, Results &results) {
  const HostTensor &x = operands[0];
  Shape shape(tensorType(op).getShape());
  int64_t known = 1, *dynamic = nullptr;
  for (int64_t &d : shape)
    if (ShapedType::isDynamic(d))
      dynamic = &d;
    else
      known *= d;
  if (dynamic)
    *dynamic = known ? x.size() / known : 0;
  if (product(shape) != x.size())
    return context.fail(op, "cannot give " + Twine(x.size()) +
                                " elements a shape whose extents multiply to " +
                                Twine(product(shape)));
  results.push_back(x.reshape(shape));
  return success();
}

static LogicalResult sliceRule(SliceOp op, Operands operands,
                               InterpretContext &, Results &results) {
  const HostTensor &x = operands[0];
  Shape strides = stridesOf(x.getShape()), shape;
  int64_t offset = 0;
  for (int64_t d = 0; d < x.getRank(); ++d) {
    int64_t start = op.getStart()[d], stride = op.getStride()[d];
    int64_t limit = tensorType(op.getOperand()).isDynamicDim(d)
                        ? x.getDim(d)
                        : op.getLimit()[d];
    shape.push_back((limit - start + stride - 1) / stride);
    offset += start * strides[d];
    strides[d] *= stride;
  }
  results.push_back(view(x, offset, strides, shape));
  return success();
}

static LogicalResult padRule(PadOp op, Operands operands, InterpretContext &,
                             Results &results) {
  const HostTensor &x = operands[0];
  Shape shape;
  for (int64_t d = 0; d < x.getRank(); ++d) {
    int64_t gaps =
        x.getDim(d) > 0 ? (x.getDim(d) - 1) * op.getInterior()[d] : 0;
    shape.push_back(op.getLow()[d] + x.getDim(d) + gaps + op.getHigh()[d]);
  }
  Shape strides = stridesOf(shape);
  HostTensor result = view(operands[1], 0, Shape(shape.size(), 0), shape);
  int64_t offset = 0;
  for (int64_t d = 0; d < x.getRank(); ++d) {
    offset += op.getLow()[d] * strides[d];
    strides[d] *= 1 + op.getInterior()[d];
  }
  copyStrided(x.getType(), x.getShape(), x.data(), stridesOf(x.getShape()),
              at(result, offset), strides);
  results.push_back(std::move(result));
  return success();
}

static LogicalResult reverseRule(ReverseOp op, Operands operands,
                                 InterpretContext &, Results &results) {
  const HostTensor &x = operands[0];
  if (x.size() == 0) {
    results.push_back(x);
    return success();
  }
  Shape strides = stridesOf(x.getShape());
  int64_t offset = 0;
  for (int64_t d : op.getDims()) {
    offset += (x.getDim(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  results.push_back(view(x, offset, strides, x.getShape()));
  return success();
}

static LogicalResult concatRule(ConcatOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  for (const HostTensor &x : operands)
    for (int64_t d = 0; d < x.getRank(); ++d)
      if (d != static_cast<int64_t>(op.getDim()) &&
          x.getDim(d) != operands[0].getDim(d))
        return context.fail(op, "joins " + operands[0].typeString() + " and " +
                                    x.typeString() + " along dimension " +
                                    Twine(op.getDim()));
  results.push_back(HostTensor::join(operands, op.getDim()));
  return success();
}

void interp::attachShapeRules(MLIRContext &context) {
  attach<BroadcastOp, broadcastRule>(context);
  attach<ReduceOp, reduceRule>(context);
  attach<ArgMaxOp, argMaxRule>(context);
  attach<TransposeOp, transposeRule>(context);
  attach<ReshapeOp, reshapeRule>(context);
  attach<SliceOp, sliceRule>(context);
  attach<PadOp, padRule>(context);
  attach<ReverseOp, reverseRule>(context);
  attach<ConcatOp, concatRule>(context);
}
