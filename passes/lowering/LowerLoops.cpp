//===- LowerLoops.cpp - fills, copies and loop nests ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of all ops are put together from.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"

using namespace mlir;
using namespace belfry;

LinalgOperand belfry::withoutBroadcast(MLIRContext *context, const View &view) {
  LinalgOperand operand{view, {}};
  operand.view.sizes.clear();
  operand.view.strides.clear();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < view.rank(); ++d) {
    if (view.strides[d].is(0))
      continue;
    operand.view.sizes.push_back(view.sizes[d]);
    operand.view.strides.push_back(view.strides[d]);
    exprs.push_back(getAffineDimExpr(d, context));
  }
  operand.map = AffineMap::get(view.rank(), 0, exprs, context);
  return operand;
}

Attribute NnLowering::zero(Type element) { return b.getZeroAttr(element); }

Operation *NnLowering::fill(const View &to, Attribute value) {
  Value constant = arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
  return linalg::FillOp::create(b, loc, constant, memref(to));
}

Operation *NnLowering::copy(const View &from, const View &to) {
  if (from.splat)
    return fill(to, from.splat);
  if (from.scalar)
    return linalg::FillOp::create(b, loc, from.scalar, memref(to));
  MLIRContext *context = b.getContext();
  LinalgOperand in = withoutBroadcast(context, from);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(to.rank(), context);
  SmallVector<utils::IteratorType> iterators(to.rank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, ValueRange{memref(in.view)}, ValueRange{memref(to)},
      ArrayRef<AffineMap>{in.map, identity}, iterators,
      [](OpBuilder &body, Location at, ValueRange arguments) {
        linalg::YieldOp::create(body, at, arguments[0]);
      });
}

View NnLowering::dense(const View &view) {
  if (view.base && view.isDense())
    return view;
  View result = allocate(view.sizes, view.element);
  copy(view, result);
  return result;
}

scf::ForOp NnLowering::loops(ArrayRef<Affine> sizes, bool kernel,
                             function_ref<void(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> indices;
  scf::ForOp outermost;
  Value zero = math.value(Affine::of(0)), one = math.value(Affine::of(1));
  for (Affine size : sizes) {
    auto loop = scf::ForOp::create(b, loc, zero, math.value(size), one);
    if (indices.empty())
      outermost = loop;
    if (kernel && indices.empty())
      loop->setAttr(kKernelAttr, b.getUnitAttr());
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  body(indices);
  return outermost;
}

scf::ForOp NnLowering::kernelLoops(ArrayRef<Affine> sizes,
                                   function_ref<void(ValueRange)> body) {
  // A kernel is a loop, if only one of a single step.
  if (sizes.empty())
    return loops({Affine::of(1)}, true,
                 [&](ValueRange) { body(ValueRange()); });
  return loops(sizes, true, body);
}

void NnLowering::plainLoops(ArrayRef<Affine> sizes,
                            function_ref<void(ValueRange)> body) {
  loops(sizes, false, body);
}
