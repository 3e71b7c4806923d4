//===- BlockProducts.cpp - products by the threads of a block -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/Views.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

bool belfry::isProduct(Operation *op) {
  auto matmul = dyn_cast<linalg::MatmulOp>(op);
  return matmul && !matmul.hasUserDefinedMaps();
}

Value BlockCode::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, x, y),
                               sum);
}

void BlockCode::productElements(linalg::LinalgOp op) {
  Value a = inside(op->getOperand(0)), matrix = inside(op->getOperand(1)),
        c = inside(op->getOperand(2));
  SmallVector<OpFoldResult> sizes = extents(op);
  Value depth = indexValue(b, loc, sizes[2]);
  sizes.pop_back();
  Value all = indexValue(b, loc, mulIndex(b, loc, sizes[0], sizes[1]));
  deal(index(0), all, [&](Value item) {
    SmallVector<Value> at = indices(item, sizes);
    Value before = startOr(
        op, [&]() -> Value { return memref::LoadOp::create(b, loc, c, at); });
    auto sum = scf::ForOp::create(b, loc, index(0), depth, index(1), before);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(sum.getBody());
      Value k = sum.getInductionVar();
      Value x = memref::LoadOp::create(b, loc, a, ValueRange{at[0], k});
      Value y = memref::LoadOp::create(b, loc, matrix, ValueRange{k, at[1]});
      scf::YieldOp::create(b, loc, multiplyAdd(x, y, sum.getRegionIterArg(0)));
    }
    memref::StoreOp::create(b, loc, sum.getResult(0), c, at);
  });
}

void BlockCode::productTile(linalg::LinalgOp op, Value tile) {
  // Each of 16 × 16 threads has 4 × 4 elements of the tile, 16 apart, so that
  // neighbours store next to each other.
  constexpr int64_t kSide = 16, kOwn = kTileRows / kSide, kDepth = 16;
  static_assert(kSide * kSide == kBlockThreads && kTileRows == kTileColumns);
  Value a = inside(op->getOperand(0)), matrix = inside(op->getOperand(1)),
        c = inside(op->getOperand(2));
  Type element = cast<MemRefType>(c.getType()).getElementType();
  SmallVector<OpFoldResult> sizes = extents(op);
  Value m = indexValue(b, loc, sizes[0]), n = indexValue(b, loc, sizes[1]),
        depth = indexValue(b, loc, sizes[2]);
  Value wide = ceilDiv(n, kTileColumns);
  Value row = mul(arith::DivUIOp::create(b, loc, tile, wide), index(kTileRows)),
        column = mul(arith::RemUIOp::create(b, loc, tile, wide),
                     index(kTileColumns));
  // One column more than needed: neighbours in a column are in other banks.
  Value aTile = workgroup({kTileRows, kDepth + 1}, element),
        bTile = workgroup({kDepth, kTileColumns + 1}, element);
  Value y = arith::DivUIOp::create(b, loc, thread(), index(kSide)),
        x = arith::RemUIOp::create(b, loc, thread(), index(kSide));
  auto less = [&](Value i, Value end) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, i, end);
  };
  auto both = [&](Value p, Value q) -> Value {
    return arith::AndIOp::create(b, loc, p, q);
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  auto loadOr = [&](Value condition, Value memref, ValueRange at) -> Value {
    auto branch = scf::IfOp::create(b, loc, element, condition, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(
        b, loc, memref::LoadOp::create(b, loc, memref, at).getResult());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, zero);
    return branch.getResult(0);
  };
  SmallVector<Value> rows, columns, sums;
  for (int64_t i = 0; i < kOwn; ++i) {
    rows.push_back(add(row, add(y, index(i * kSide))));
    columns.push_back(add(column, add(x, index(i * kSide))));
  }
  for (Value i : rows)
    for (Value j : columns)
      sums.push_back(startOr(op, [&] {
        return loadOr(both(less(i, m), less(j, n)), c, ValueRange{i, j});
      }));

  auto outer = scf::ForOp::create(b, loc, index(0), depth, index(kDepth), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outer.getBody());
    Value k0 = outer.getInductionVar();
    // Threads next to each other load what is next to each other in B, and in
    // A along k.
    for (int64_t i = 0; i < kOwn; ++i) {
      Value own = add(y, index(i * kSide)), k = add(k0, x);
      memref::StoreOp::create(b, loc,
                              loadOr(both(less(rows[i], m), less(k, depth)), a,
                                     ValueRange{rows[i], k}),
                              aTile, ValueRange{own, x});
    }
    for (int64_t i = 0; i < kOwn; ++i) {
      Value own = add(x, index(i * kSide)), k = add(k0, y);
      memref::StoreOp::create(b, loc,
                              loadOr(both(less(k, depth), less(columns[i], n)),
                                     matrix, ValueRange{k, columns[i]}),
                              bTile, ValueRange{y, own});
    }
    barrier();
    auto inner = scf::ForOp::create(
        b, loc, index(0),
        least(index(kDepth), arith::SubIOp::create(b, loc, depth, k0)),
        index(1), outer.getRegionIterArgs());
    {
      OpBuilder::InsertionGuard innerGuard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value k = inner.getInductionVar();
      SmallVector<Value> left, right, next;
      for (int64_t i = 0; i < kOwn; ++i) {
        left.push_back(memref::LoadOp::create(
            b, loc, aTile, ValueRange{add(y, index(i * kSide)), k}));
        right.push_back(memref::LoadOp::create(
            b, loc, bTile, ValueRange{k, add(x, index(i * kSide))}));
      }
      for (int64_t i = 0; i < kOwn * kOwn; ++i)
        next.push_back(multiplyAdd(left[i / kOwn], right[i % kOwn],
                                   inner.getRegionIterArg(i)));
      scf::YieldOp::create(b, loc, next);
    }
    barrier();
    scf::YieldOp::create(b, loc, inner.getResults());
  }
  for (int64_t i = 0; i < kOwn * kOwn; ++i) {
    Value r = rows[i / kOwn], s = columns[i % kOwn];
    guarded(both(less(r, m), less(s, n)), [&] {
      memref::StoreOp::create(b, loc, outer.getResult(i), c, ValueRange{r, s});
    });
  }
}
