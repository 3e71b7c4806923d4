//===- BlockScatter.cpp - scatter-add by the threads of a block -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the target are dealt to blocks. Every block goes through all ids in
// order, and its threads add the updates of those that name a row of its own:
// each element of the target gets its updates in the order in which one thread
// would add them, and nothing is atomic.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/ParallelLoops.h"
#include "passes/lowering/Views.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

std::optional<Scatter> belfry::scatterOf(Operation *op) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>(kScatterAttr);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !dims || dims.size() != 2)
    return std::nullopt;
  Scatter scatter;
  scatter.idRank = dims[0];
  scatter.dim = dims[1];
  while (loop) {
    scatter.loops.push_back(loop);
    loop = dyn_cast<scf::ForOp>(loop.getBody()->front());
  }
  scf::ForOp innermost = scatter.loops.back();
  auto stores = innermost.getBody()->getOps<memref::StoreOp>();
  if (!llvm::hasSingleElement(stores) ||
      scatter.idRank > static_cast<int64_t>(scatter.loops.size()) ||
      scatter.dim >= (*stores.begin()).getMemRefType().getRank())
    return std::nullopt;
  scatter.store = *stores.begin();
  return scatter;
}

OpFoldResult belfry::rowsOfScatter(OpBuilder &b, Location loc,
                                   OpFoldResult extent) {
  return ceilDivIndex(b, loc, extent, kEnoughBlocks);
}

void BlockCode::scatter(const Scatter &scatter, Value number) {
  memref::StoreOp store = scatter.store;
  Value target = inside(store.getMemRef());
  OpFoldResult rows =
      rowsOfScatter(b, loc, getAsOpFoldResult(dim(target, scatter.dim)));
  Value each = indexValue(b, loc, rows), first = mul(number, each),
        end = add(first, each);
  Block *innermost = store->getBlock();
  Value row = store.getIndices()[scatter.dim];
  // What says the row, and nothing of the update.
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == innermost; };
  (void)getBackwardSlice(row, &slice, options);

  OpBuilder::InsertionGuard guard(b);
  IRMapping local(map);
  auto bounds = [&](scf::ForOp loop) {
    return std::array{inside(loop.getLowerBound()),
                      inside(loop.getUpperBound()), inside(loop.getStep())};
  };
  for (scf::ForOp loop : ArrayRef(scatter.loops).take_front(scatter.idRank)) {
    auto [lower, upper, step] = bounds(loop);
    auto inner = scf::ForOp::create(b, loc, lower, upper, step);
    b.setInsertionPointToStart(inner.getBody());
    local.map(loop.getInductionVar(), inner.getInductionVar());
  }
  for (Operation *op : slice)
    b.clone(*op, local);
  Value own = local.lookupOrDefault(row);
  Value isOwn = arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, own, first),
      less(own, end));
  guarded(isOwn, [&] {
    auto rest = ArrayRef(scatter.loops).drop_front(scatter.idRank);
    SmallVector<OpFoldResult> trips;
    OpFoldResult all = b.getIndexAttr(1);
    for (scf::ForOp loop : rest) {
      trips.push_back(getAsOpFoldResult(tripCount(loop)));
      all = mulIndex(b, loc, all, trips.back());
    }
    deal(index(0), indexValue(b, loc, all), [&](Value item) {
      IRMapping update(local);
      for (auto [i, at] : llvm::enumerate(indices(item, trips))) {
        scf::ForOp loop = rest[i];
        update.map(
            loop.getInductionVar(),
            add(inside(loop.getLowerBound()), mul(at, inside(loop.getStep()))));
      }
      for (Operation &op : innermost->without_terminator())
        b.clone(op, update);
    });
  });
}
