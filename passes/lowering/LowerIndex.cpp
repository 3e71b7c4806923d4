//===- LowerIndex.cpp - gather and scatter to linalg and loops ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/ParallelLoops.h"

using namespace mlir;
using namespace belfry;

/// The id within [0, extent), as an index.
static Value clampId(OpBuilder &b, Location loc, Value id, Value last) {
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  index = arith::MinSIOp::create(b, loc, index, last);
  return arith::MaxSIOp::create(b, loc, index, zero);
}

void NnLowering::lowerGather(nn::GatherOp op) {
  MLIRContext *context = b.getContext();
  View table = viewOf(op.getTable()), ids = viewOf(op.getIds());
  if (!table.base)
    table = dense(table);
  if (!ids.base)
    ids = dense(ids);
  View to = placeOf(op.getResult());
  unsigned batch = op.getBatchDims(), idRank = ids.rank(), rank = to.rank();
  Value source = memref(table);
  Value last = math.value(table.sizes[batch] + Affine::of(-1));
  LinalgOperand idOperand = withoutBroadcast(context, ids);
  SmallVector<AffineExpr> idExprs(idOperand.map.getResults());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, ValueRange{memref(idOperand.view)}, ValueRange{memref(to)},
      ArrayRef<AffineMap>{AffineMap::get(rank, 0, idExprs, context),
                          AffineMap::getMultiDimIdentityMap(rank, context)},
      iterators, [&](OpBuilder &body, Location at, ValueRange arguments) {
        SmallVector<Value> indices;
        for (unsigned d = 0; d < batch; ++d)
          indices.push_back(linalg::IndexOp::create(body, at, d));
        indices.push_back(clampId(body, at, arguments[0], last));
        for (unsigned d = idRank; d < rank; ++d)
          indices.push_back(linalg::IndexOp::create(body, at, d));
        Value x = memref::LoadOp::create(body, at, source, indices);
        linalg::YieldOp::create(body, at, x);
      });
  finish(op.getResult());
}

void NnLowering::lowerScatterAdd(nn::ScatterAddOp op) {
  View ids = viewOf(op.getIds()), updates = viewOf(op.getUpdates());
  if (!ids.base)
    ids = dense(ids);
  if (!updates.base)
    updates = dense(updates);
  View to = placeOf(op.getResult());
  copy(viewOf(op.getInit()), to);
  Value target = memref(to), idSource = memref(ids), source = memref(updates);
  unsigned batch = op.getBatchDims(), idRank = ids.rank();
  Value last = math.value(to.sizes[batch] + Affine::of(-1));
  auto kernel = kernelLoops(updates.sizes, [&](ValueRange indices) {
    Value id =
        memref::LoadOp::create(b, loc, idSource, indices.take_front(idRank));
    SmallVector<Value> at(indices.take_front(batch));
    at.push_back(clampId(b, loc, id, last));
    llvm::append_range(at, indices.drop_front(idRank));
    Value x = memref::LoadOp::create(b, loc, source, indices);
    Value sum = memref::LoadOp::create(b, loc, target, at);
    sum = isa<FloatType>(to.element)
              ? arith::AddFOp::create(b, loc, sum, x).getResult()
              : arith::AddIOp::create(b, loc, sum, x).getResult();
    memref::StoreOp::create(b, loc, sum, target, at);
  });
  kernel->setAttr(kScatterAttr, b.getDenseI64ArrayAttr({idRank, batch}));
  finish(op.getResult());
}
