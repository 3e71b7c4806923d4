//===- BlockProducts.cpp - products by the threads of a block -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of C = A·B goes along the contracted dimension in stages:
//
// 1. Each thread loads its elements of A's and B's next panel: `depth` of the
//    contracted dimension by the rows or columns of the tile. Threads next to
//    each other load neighbours, whichever way the matrix lies.
// 2. It stores them in workgroup memory, where the contracted index is the
//    outer one for both; loads those of the stage after; and multiplies.
// 3. Where groups of threads share the sums, group g has added what lies in the
//    g-th part of every stage. A binary tree adds what groups have.
//
// Rows and columns beyond the end of a matrix repeat its last one, and are not
// stored. What lies beyond the end of the contracted dimension counts as 0.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/Views.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

Value BlockCode::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, x, y),
                               sum);
}

Value BlockCode::factorAt(Value matrix, ValueRange at, Type sum) {
  Value factor = memref::LoadOp::create(b, loc, matrix, at);
  if (factor.getType() == sum)
    return factor;
  return arith::ExtFOp::create(b, loc, sum, factor);
}

Value BlockCode::less(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
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
      Value x = factorAt(a, {at[0], k}, before.getType());
      Value y = factorAt(matrix, {k, at[1]}, before.getType());
      scf::YieldOp::create(b, loc, multiplyAdd(x, y, sum.getRegionIterArg(0)));
    }
    memref::StoreOp::create(b, loc, sum.getResult(0), c, at);
  });
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// The part of a matrix that is in workgroup memory.
struct BlockCode::Panel {
  Value matrix;
  Type element;     ///< that of sums, to which what is loaded is widened
  unsigned sideDim; ///< of the matrix, the dimension that is not contracted
  Value length;     ///< of the contracted dimension
  bool whole;       ///< whether that is a multiple of the panel's depth
  Value memory;     ///< depth × side, with kPad more so that banks differ
  Value moves;      ///< whether the thread moves any; null where all do
  /// For each element that a thread moves: where it is along the side of the
  /// matrix, and its place in `memory`.
  SmallVector<Value> along, k, side;
};

/// Keeps rows of a panel apart, and aligned for loads of 16 bytes.
static constexpr int64_t kPad = 4, kAlignment = 16;

/// Whether elements along this dimension are next to each other.
static bool isContiguous(Value matrix, unsigned d) {
  auto [strides, offset] =
      cast<MemRefType>(matrix.getType()).getStridesAndOffset();
  return strides[d] == 1;
}

BlockCode::Panel BlockCode::panelOf(Value matrix, unsigned sideDim, Value first,
                                    int64_t side, int64_t depth, Type element) {
  auto type = cast<MemRefType>(matrix.getType());
  unsigned kDim = 1 - sideDim;
  int64_t length = type.getDimSize(kDim), extent = type.getDimSize(sideDim);
  Panel panel{matrix,
              element,
              sideDim,
              dim(matrix, kDim),
              !ShapedType::isDynamic(length) && length % depth == 0,
              workgroup({depth, side + kPad}, element, kAlignment),
              {},
              {},
              {},
              {}};
  bool fits = !ShapedType::isDynamic(extent) && extent % side == 0;
  Value last = fits ? Value()
                    : Value(arith::SubIOp::create(b, loc, dim(matrix, sideDim),
                                                  index(1)));
  int64_t elements = side * depth;
  if (elements < kBlockThreads)
    panel.moves = less(thread(), index(elements));
  bool sideFast = isContiguous(matrix, sideDim) &&
                  (!isContiguous(matrix, kDim) || length == 1);
  Value fast = index(sideFast ? side : depth);
  for (int64_t i = 0; i < elements; i += kBlockThreads) {
    Value element = add(thread(), index(i));
    if (elements < kBlockThreads)
      element = arith::RemUIOp::create(b, loc, element, index(elements));
    Value inner = arith::RemUIOp::create(b, loc, element, fast),
          outer = arith::DivUIOp::create(b, loc, element, fast);
    panel.side.push_back(sideFast ? inner : outer);
    panel.k.push_back(sideFast ? outer : inner);
    Value along = add(first, panel.side.back());
    panel.along.push_back(fits ? along : least(along, last));
  }
  return panel;
}

SmallVector<Value> BlockCode::fetch(const Panel &panel, Value first) {
  SmallVector<Value> elements;
  for (auto [along, own] : llvm::zip(panel.along, panel.k)) {
    Value k = add(first, own), there;
    if (!panel.whole) {
      there = less(k, panel.length);
      k = least(k, arith::SubIOp::create(b, loc, panel.length, index(1)));
    }
    Value at[2];
    at[panel.sideDim] = along;
    at[1 - panel.sideDim] = k;
    Value value = factorAt(panel.matrix, at, panel.element);
    if (!panel.whole)
      value =
          arith::SelectOp::create(b, loc, there, value, zero(panel.element));
    elements.push_back(value);
  }
  return elements;
}

void BlockCode::put(const Panel &panel, ValueRange elements) {
  auto store = [&] {
    for (auto [value, k, side] : llvm::zip(elements, panel.k, panel.side))
      memref::StoreOp::create(b, loc, value, panel.memory, ValueRange{k, side});
  };
  if (panel.moves)
    guarded(panel.moves, store);
  else
    store();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Where a thread is in the tile that its block makes.
struct BlockCode::TilePlace {
  ProductTile tile;
  Value group, local;               ///< its group, and its number in that
  Value x, y;                       ///< of its columns and rows
  SmallVector<Value> rows, columns; ///< of C
};

Value BlockCode::zero(Type element) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
}

BlockCode::TilePlace BlockCode::placeIn(const ProductTile &tile, Value row,
                                        Value column) {
  TilePlace at{tile, index(0), thread(), {}, {}, {}, {}};
  if (tile.groups() > 1) {
    Value each = index(tile.groupThreads());
    at.group = arith::DivUIOp::create(b, loc, thread(), each);
    at.local = arith::RemUIOp::create(b, loc, thread(), each);
  }
  Value across = index(tile.threadsAcross());
  at.x = arith::RemUIOp::create(b, loc, at.local, across);
  at.y = arith::DivUIOp::create(b, loc, at.local, across);
  // Rows follow each other, so that a load has several; columns are apart, so
  // that neighbours load and store neighbours.
  for (int64_t i = 0; i < ProductTile::kOwn; ++i) {
    Value own = add(mul(at.y, index(ProductTile::kOwn)), index(i));
    at.rows.push_back(add(row, own));
    at.columns.push_back(
        add(column, add(at.x, index(i * tile.threadsAcross()))));
  }
  return at;
}

/// Adds the products of one stage to `sums`, row by row of what a thread has.
SmallVector<Value> BlockCode::multiplyPanels(const Panel &left,
                                             const Panel &right,
                                             const TilePlace &at,
                                             ValueRange sums) {
  constexpr int64_t kOwn = ProductTile::kOwn, kUnrolled = 4;
  int64_t depth = at.tile.depth / at.tile.groups();
  int64_t unrolled = std::min(depth, kUnrolled);
  Value own = mul(at.y, index(kOwn));
  auto loop =
      scf::ForOp::create(b, loc, index(0), index(depth), index(unrolled), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = add(mul(at.group, index(depth)), loop.getInductionVar());
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (int64_t step = 0; step < unrolled; ++step) {
    Value k = add(first, index(step));
    SmallVector<Value> x, y;
    for (int64_t i = 0; i < kOwn; ++i) {
      x.push_back(memref::LoadOp::create(b, loc, left.memory,
                                         ValueRange{k, add(own, index(i))}));
      Value column = add(at.x, index(i * at.tile.threadsAcross()));
      y.push_back(
          memref::LoadOp::create(b, loc, right.memory, ValueRange{k, column}));
    }
    for (auto [i, sum] : llvm::enumerate(next))
      sum = multiplyAdd(x[i / kOwn], y[i % kOwn], sum);
  }
  scf::YieldOp::create(b, loc, next);
  return loop.getResults();
}

/// Adds what groups have, half of them to the other half: group 0 has it all.
SmallVector<Value> BlockCode::addGroups(const TilePlace &at, ValueRange sums) {
  SmallVector<Value> result(sums);
  int64_t half = at.tile.groups() / 2;
  if (half == 0)
    return result;
  Type element = sums.front().getType();
  Value memory = workgroup(
      {static_cast<int64_t>(sums.size()), kBlockThreads / 2}, element);
  for (; half > 0; half /= 2) {
    int64_t threads = half * at.tile.groupThreads();
    Value upper = less(index(threads - 1), thread()),
          both = less(thread(), index(2 * threads));
    Value place = arith::RemUIOp::create(b, loc, thread(), index(threads));
    guarded(arith::AndIOp::create(b, loc, upper, both), [&] {
      for (auto [i, value] : llvm::enumerate(result))
        memref::StoreOp::create(b, loc, value, memory,
                                ValueRange{index(i), place});
    });
    barrier();
    // Those above add something too, which nobody reads.
    for (auto [i, value] : llvm::enumerate(result)) {
      Value other =
          memref::LoadOp::create(b, loc, memory, ValueRange{index(i), place});
      value = sumOf(value, other);
    }
    barrier();
  }
  return result;
}

void BlockCode::productTile(linalg::LinalgOp op, Value number) {
  if (takesTensorCores(op))
    return mmaTile(op, number);
  ProductTile tile = tileOf(op);
  Value a = inside(op->getOperand(0)), matrix = inside(op->getOperand(1)),
        c = inside(op->getOperand(2));
  SmallVector<OpFoldResult> sizes = extents(op);
  Value m = indexValue(b, loc, sizes[0]), n = indexValue(b, loc, sizes[1]),
        length = indexValue(b, loc, sizes[2]);
  Value wide = ceilDiv(n, tile.columns);
  Value row =
            mul(arith::DivUIOp::create(b, loc, number, wide), index(tile.rows)),
        column = mul(arith::RemUIOp::create(b, loc, number, wide),
                     index(tile.columns));
  Type element = cast<MemRefType>(c.getType()).getElementType();
  Panel left = panelOf(a, 0, row, tile.rows, tile.depth, element),
        right = panelOf(matrix, 1, column, tile.columns, tile.depth, element);
  TilePlace at = placeIn(tile, row, column);
  Value isFirst =
      tile.groups() > 1
          ? Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        at.group, index(0)))
          : Value();
  auto forEach = [&](llvm::function_ref<void(Value, Value, Value)> body) {
    for (Value r : at.rows)
      for (Value s : at.columns) {
        Value there = arith::AndIOp::create(b, loc, less(r, m), less(s, n));
        if (isFirst)
          there = arith::AndIOp::create(b, loc, there, isFirst);
        body(r, s, there);
      }
  };
  // The first group begins with what C held.
  SmallVector<Value> carried;
  forEach([&](Value r, Value s, Value there) {
    if (auto start = op->getAttrOfType<TypedAttr>(kStartAttr)) {
      Value value = arith::ConstantOp::create(b, loc, start);
      carried.push_back(isFirst ? Value(arith::SelectOp::create(
                                      b, loc, isFirst, value, zero(element)))
                                : value);
      return;
    }
    carried.push_back(choose(
        there,
        [&]() -> SmallVector<Value> {
          return {memref::LoadOp::create(b, loc, c, ValueRange{r, s})};
        },
        zero(element))[0]);
  });
  size_t count = carried.size();
  // Nothing can be loaded where nothing is summed.
  SmallVector<Value> none(left.k.size() + right.k.size(), zero(element));
  auto fetchBoth = [&](Value k) {
    SmallVector<Value> both = fetch(left, k);
    both.append(fetch(right, k));
    return both;
  };
  llvm::append_range(carried, choose(
                                  less(index(0), length),
                                  [&] { return fetchBoth(index(0)); }, none));

  auto stages =
      scf::ForOp::create(b, loc, index(0), length, index(tile.depth), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(stages.getBody());
    ValueRange sums = stages.getRegionIterArgs().take_front(count),
               fetched = stages.getRegionIterArgs().drop_front(count);
    // Nobody reads the stage before any more.
    barrier();
    put(left, fetched.take_front(left.k.size()));
    put(right, fetched.drop_front(left.k.size()));
    barrier();
    Value after = add(stages.getInductionVar(), index(tile.depth));
    SmallVector<Value> loaded =
        choose(less(after, length), [&] { return fetchBoth(after); }, none);
    SmallVector<Value> next = multiplyPanels(left, right, at, sums);
    llvm::append_range(next, loaded);
    scf::YieldOp::create(b, loc, next);
  }
  SmallVector<Value> results =
      addGroups(at, stages.getResults().take_front(count));
  size_t i = 0;
  forEach([&](Value r, Value s, Value there) {
    Value value = results[i++];
    guarded(there, [&] {
      memref::StoreOp::create(b, loc, value, c, ValueRange{r, s});
    });
  });
}

SmallVector<Value>
BlockCode::choose(Value condition,
                  llvm::function_ref<SmallVector<Value>()> then,
                  ValueRange otherwise) {
  auto branch =
      scf::IfOp::create(b, loc, TypeRange(otherwise), condition, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return branch.getResults();
}

void BlockCode::product(linalg::LinalgOp op) {
  // Nests have one product, whose panels fit into workgroup memory. Few rows
  // make poor tiles.
  constexpr int64_t kFewRows = 8;
  if (!inNest || expectedExtent(op->getOperand(2), 0) < kFewRows)
    return productRows(op);
  ProductTile tile = tileOf(op);
  SmallVector<OpFoldResult> sizes = extents(op);
  OpFoldResult tiles =
      mulIndex(b, loc, ceilDivIndex(b, loc, sizes[0], tile.rows),
               ceilDivIndex(b, loc, sizes[1], tile.columns));
  loop(index(0), indexValue(b, loc, tiles), index(1),
       [&](Value number) { productTile(op, number); });
}
