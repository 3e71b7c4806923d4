//===- LowerShape.cpp - reductions and data movement to linalg ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"

using namespace mlir;
using namespace belfry;

/// What a reduction of no elements gives.
static TypedAttr neutral(OpBuilder &b, nn::ReduceKind kind, Type type) {
  auto fp = dyn_cast<FloatType>(type);
  switch (kind) {
  case nn::ReduceKind::Sum:
  case nn::ReduceKind::Or:
    return b.getZeroAttr(type);
  case nn::ReduceKind::And:
    return b.getIntegerAttr(type, 1);
  case nn::ReduceKind::Max:
  case nn::ReduceKind::Min: {
    bool negative = kind == nn::ReduceKind::Max;
    if (fp)
      return b.getFloatAttr(fp,
                            APFloat::getInf(fp.getFloatSemantics(), negative));
    unsigned width = type.getIntOrFloatBitWidth();
    return b.getIntegerAttr(type, negative ? APInt::getSignedMinValue(width)
                                           : APInt::getSignedMaxValue(width));
  }
  }
  llvm_unreachable("all kinds are covered");
}

static Value combine(OpBuilder &b, Location loc, nn::ReduceKind kind, Value x,
                     Value y) {
  bool integer = isa<IntegerType>(x.getType());
  switch (kind) {
  case nn::ReduceKind::Sum:
    return integer ? arith::AddIOp::create(b, loc, x, y).getResult()
                   : arith::AddFOp::create(b, loc, x, y).getResult();
  case nn::ReduceKind::Max:
    return integer ? arith::MaxSIOp::create(b, loc, x, y).getResult()
                   : arith::MaximumFOp::create(b, loc, x, y).getResult();
  case nn::ReduceKind::Min:
    return integer ? arith::MinSIOp::create(b, loc, x, y).getResult()
                   : arith::MinimumFOp::create(b, loc, x, y).getResult();
  case nn::ReduceKind::And:
    return arith::AndIOp::create(b, loc, x, y);
  case nn::ReduceKind::Or:
    return arith::OrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("all kinds are covered");
}

void NnLowering::lowerReduce(nn::ReduceOp op) {
  View from = viewOf(op.getOperand());
  if (!from.base)
    from = dense(from);
  View to = placeOf(op.getResult());
  fill(to, neutral(b, op.getKind(), to.element));

  MLIRContext *context = b.getContext();
  unsigned rank = from.rank();
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineExpr> kept;
  for (unsigned d = 0; d < rank; ++d) {
    bool reduced = llvm::is_contained(op.getDims(), d);
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
    if (!reduced)
      kept.push_back(getAffineDimExpr(d, context));
  }
  // A dimension of stride 0 still has its extent to be looped over.
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  linalg::GenericOp::create(
      b, loc, ValueRange{memref(from)}, ValueRange{memref(to)},
      ArrayRef<AffineMap>{identity, AffineMap::get(rank, 0, kept, context)},
      iterators, [&](OpBuilder &body, Location at, ValueRange arguments) {
        Value x = combine(body, at, op.getKind(), arguments[1], arguments[0]);
        linalg::YieldOp::create(body, at, x);
      });
  finish(op.getResult());
}

void NnLowering::lowerArgMax(nn::ArgMaxOp op) {
  View from = viewOf(op.getOperand());
  if (!from.base)
    from = dense(from);
  View to = placeOf(op.getResult());
  Value source = memref(from), target = memref(to);
  int64_t dim = op.getDim();
  Value zero = math.value(Affine::of(0)), one = math.value(Affine::of(1));
  Value extent = math.value(from.sizes[dim]);
  auto kernel = kernelLoops(to.sizes, [&](ValueRange indices) {
    SmallVector<Value> at(indices);
    at.insert(at.begin() + dim, zero);
    Value first = memref::LoadOp::create(b, loc, source, at);
    Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    auto loop =
        scf::ForOp::create(b, loc, one, extent, one, ValueRange{first, none});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    at[dim] = loop.getInductionVar();
    Value best = loop.getRegionIterArg(0), where = loop.getRegionIterArg(1);
    Value x = memref::LoadOp::create(b, loc, source, at);
    Value better;
    if (isa<FloatType>(from.element)) {
      // A NaN is larger than every number, but not than an earlier NaN.
      Value larger =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, best);
      Value nan =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
      Value number =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
      better = arith::OrIOp::create(b, loc, larger,
                                    arith::AndIOp::create(b, loc, nan, number));
    } else {
      better =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, x, best);
    }
    Value index = arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                             loop.getInductionVar());
    Value nextBest = arith::SelectOp::create(b, loc, better, x, best);
    Value nextWhere = arith::SelectOp::create(b, loc, better, index, where);
    scf::YieldOp::create(b, loc, ValueRange{nextBest, nextWhere});
    b.setInsertionPointAfter(loop);
    memref::StoreOp::create(b, loc, loop.getResult(1), target, indices);
  });
  // How often each iteration compares, where that is a number.
  Affine compared = from.sizes[dim];
  for (Affine size : ArrayRef(to.sizes).drop_front(to.sizes.empty() ? 0 : 1))
    compared = compared.isFixed() ? size * compared.fixed : compared;
  if (!to.sizes.empty() && compared.isFixed())
    kernel->setAttr(kIndependentAttr, b.getI64IntegerAttr(compared.fixed));
  finish(op.getResult());
}

void NnLowering::lowerPad(nn::PadOp op) {
  View from = viewOf(op.getOperand());
  View value = viewOf(op.getValue());
  View to = placeOf(op.getResult());
  copy(broadcastView(value, {}, to.sizes), to);
  SmallVector<int64_t> stride;
  for (int64_t interior : op.getInterior())
    stride.push_back(interior + 1);
  copy(from, sliceView(b, loc, math, to, op.getLow(), stride, from.sizes));
  finish(op.getResult());
}

void NnLowering::lowerConcat(nn::ConcatOp op) {
  View to = placeOf(op.getResult());
  SmallVector<int64_t> start(to.rank(), 0), stride(to.rank(), 1);
  for (OpOperand &operand : op->getOpOperands()) {
    View from = viewOf(operand.get());
    View part = sliceView(b, loc, math, to, start, stride, from.sizes);
    if (!isPlaced(operand))
      copy(from, part);
    start[op.getDim()] += from.sizes[op.getDim()].fixed;
  }
  finish(op.getResult());
}

void NnLowering::lowerReshapeCopy(nn::ReshapeOp op) {
  View from = viewOf(op.getOperand());
  View to = placeOf(op.getResult());
  if (auto shaped = reshapeView(to, from.sizes)) {
    copy(from, *shaped);
  } else {
    View between = allocate(from.sizes, from.element);
    copy(from, between);
    copy(*reshapeView(between, to.sizes), to);
  }
  finish(op.getResult());
}
