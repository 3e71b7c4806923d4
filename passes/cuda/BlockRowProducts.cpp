//===- BlockRowProducts.cpp - products of few rows in a larger kernel -----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a loop over time multiplies the few rows of a block, often one, by
// a matrix that is read once a step: it does not go through workgroup memory.
// Threads are dealt to columns of C and, as lanes, to the contracted dimension:
//
// - Where rows of the matrix lie together, threads next to each other have
//   columns next to each other; lanes are what threads are left over.
// - Where columns of the matrix lie together (a transposed one), 32 lanes next
//   to each other share each column.
//
// Lane l of L adds products l, l + L, …; a binary tree adds the lanes.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/Views.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace belfry;

/// Rows that a thread computes at once, where a block has several.
static constexpr int64_t kRowsAtOnce = 4;
/// Sums that a thread has at once.
static constexpr int64_t kMostSums = 16;

/// How threads share the product of some rows: `columns` side by side, each
/// with `lanes`. A thread has `own` columns, `columns` apart.
struct BlockCode::RowLayout {
  int64_t rows, columns, lanes, own;
  bool lanesInner;
};

BlockCode::RowLayout BlockCode::rowLayoutOf(linalg::LinalgOp op, int64_t rows) {
  constexpr int64_t kWarp = 32;
  auto matrix = cast<MemRefType>(op->getOperand(1).getType());
  int64_t n = cast<MemRefType>(op->getOperand(2).getType()).getDimSize(1);
  auto [strides, offset] = matrix.getStridesAndOffset();
  RowLayout layout;
  layout.rows = rows;
  layout.lanesInner = strides[0] == 1 && strides[1] != 1 && n > 1;
  layout.columns = layout.lanesInner ? kBlockThreads / kWarp
                                     : std::min(kBlockThreads,
                                                int64_t(llvm::PowerOf2Ceil(n)));
  layout.lanes = kBlockThreads / layout.columns;
  layout.own =
      std::min<int64_t>(llvm::divideCeil(n, layout.columns), kMostSums / rows);
  return layout;
}

/// Adds what lanes have; lane 0 gets it all.
SmallVector<Value> BlockCode::addLanes(const RowLayout &layout, Value lane,
                                       ValueRange sums) {
  if (layout.lanes == 1)
    return sums;
  Type element = sums.front().getType();
  Value memory = laneMemory(element);
  auto place = [&](size_t i, Value at) {
    return SmallVector<Value>{index(i), at};
  };
  for (auto [i, sum] : llvm::enumerate(sums))
    memref::StoreOp::create(b, loc, sum, memory, place(i, thread()));
  barrier();
  int64_t apart = layout.lanesInner ? 1 : layout.columns;
  for (int64_t half = layout.lanes / 2; half > 0; half /= 2) {
    guarded(less(lane, index(half)), [&] {
      Value other = add(thread(), index(half * apart));
      for (size_t i = 0; i < sums.size(); ++i) {
        Value x = memref::LoadOp::create(b, loc, memory, place(i, thread()));
        Value y = memref::LoadOp::create(b, loc, memory, place(i, other));
        memref::StoreOp::create(b, loc, sumOf(x, y), memory,
                                place(i, thread()));
      }
    });
    barrier();
  }
  SmallVector<Value> result;
  for (size_t i = 0; i < sums.size(); ++i)
    result.push_back(
        memref::LoadOp::create(b, loc, memory, place(i, thread())));
  return result;
}

Value BlockCode::sumOf(Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}

/// One for each type serves all products of a kernel: barriers part them.
Value BlockCode::laneMemory(Type element) {
  Value &memory = laneMemories[element];
  if (!memory)
    memory = workgroup({kMostSums, kBlockThreads}, element);
  return memory;
}

void BlockCode::rowsAtOnce(linalg::LinalgOp op, Value m, int64_t rows) {
  Value a = inside(op->getOperand(0)), matrix = inside(op->getOperand(1)),
        c = inside(op->getOperand(2));
  Type element = cast<MemRefType>(c.getType()).getElementType();
  int64_t n = cast<MemRefType>(c.getType()).getDimSize(1);
  RowLayout layout = rowLayoutOf(op, rows);
  auto [lane, side] = laneOf(layout.lanes, layout.columns, layout.lanesInner);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0));
  Value depth = dim(a, 1), lastRow = arith::SubIOp::create(b, loc, m, index(1));
  int64_t together = layout.columns * layout.own;
  loop(index(0), m, index(rows), [&](Value row) {
    loop(index(0), index(n), index(together), [&](Value column) {
      // What is beyond the end repeats the last one, and is not stored.
      SmallVector<Value> r, s, places, sums;
      for (int64_t i = 0; i < rows; ++i) {
        places.push_back(add(row, index(i)));
        r.push_back(rows == 1 ? row : least(places.back(), lastRow));
      }
      SmallVector<Value> across;
      for (int64_t i = 0; i < layout.own; ++i) {
        across.push_back(add(column, add(side, index(i * layout.columns))));
        s.push_back(n % together == 0 ? across.back()
                                      : least(across.back(), index(n - 1)));
      }
      for (Value x : r)
        for (Value y : s) {
          Value start = startOr(op, [&]() -> Value {
            return memref::LoadOp::create(b, loc, c, ValueRange{x, y});
          });
          if (layout.lanes > 1)
            start =
                arith::SelectOp::create(b, loc, isFirst, start, zero(element));
          sums.push_back(start);
        }
      auto products =
          scf::ForOp::create(b, loc, lane, depth, index(layout.lanes), sums);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(products.getBody());
        Value k = products.getInductionVar();
        SmallVector<Value> left, right, next(products.getRegionIterArgs());
        for (Value x : r)
          left.push_back(factorAt(a, {x, k}, element));
        for (Value y : s)
          right.push_back(factorAt(matrix, {k, y}, element));
        for (auto [i, sum] : llvm::enumerate(next))
          sum = multiplyAdd(left[i / s.size()], right[i % s.size()], sum);
        scf::YieldOp::create(b, loc, next);
      }
      SmallVector<Value> results =
          addLanes(layout, lane, products.getResults());
      for (auto [i, value] : llvm::enumerate(results)) {
        Value x = places[i / s.size()], y = across[i % s.size()];
        Value there = less(y, index(n));
        if (rows > 1)
          there = arith::AndIOp::create(b, loc, there, less(x, m));
        if (layout.lanes > 1)
          there = arith::AndIOp::create(b, loc, there, isFirst);
        guarded(there, [&, value = value] {
          memref::StoreOp::create(b, loc, value, c, ValueRange{x, y});
        });
      }
      // Lanes use the same memory again.
      if (layout.lanes > 1)
        barrier();
    });
  });
}

void BlockCode::productRows(linalg::LinalgOp op) {
  if (cast<MemRefType>(op->getOperand(2).getType()).isDynamicDim(1))
    return productElements(op);
  Value m = dim(inside(op->getOperand(2)), 0);
  if (std::optional<int64_t> rows = getConstantIntValue(m))
    return rowsAtOnce(op, m, *rows == 1 ? 1 : kRowsAtOnce);
  // Batches of few rows make blocks of one.
  auto isOne =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, m, index(1));
  auto branch = scf::IfOp::create(b, loc, isOne, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  rowsAtOnce(op, index(1), 1);
  b.setInsertionPointToStart(branch.elseBlock());
  rowsAtOnce(op, m, kRowsAtOnce);
}
