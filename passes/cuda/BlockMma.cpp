//===- BlockMma.cpp - products of 16 bits by tensor cores -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of C = A·B, A and B of f16 or bf16 and C of f32, goes along the
// contracted dimension in stages, as in BlockProducts.cpp, but for:
//
// 1. In workgroup memory the contracted index is the inner one, and two
//    elements are a word: what a lane hands to the tensor cores.
// 2. A warp has 16 rows and one to four times 8 columns of the tile, and adds
//    16 of the contracted dimension at a time: `nvvm.mma.sync` of the shape
//    m16n8k16.
// 3. Where groups of warps share the sums, a binary tree adds what they have.
//
// Lane 4g + t of a warp has, of 16 × 16 elements of A, rows g and g + 8 and
// columns 2t, 2t + 1, 2t + 8, 2t + 9; of 16 × 8 elements of B the same rows of
// column g; of C rows g and g + 8 of columns 2t and 2t + 1 ("Matrix Fragments
// for mma.m16n8k16" in NVIDIA's PTX ISA).
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"
#include "passes/cuda/Mma.h"

#include "passes/lowering/Views.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

namespace {

/// How the warps of a block share a tile. All numbers are powers of two.
struct MmaTile {
  int64_t rows, columns;
  int64_t own;    ///< times 8 columns that a warp has
  int64_t groups; ///< of warps, which share the sums
  int64_t depth;  ///< of the contracted dimension, of a stage

  int64_t warpsAcross() const { return columns / (own * kMmaColumns); }
  int64_t groupWarps() const { return rows / kMmaRows * warpsAcross(); }
};

} // namespace

/// Tiles are those of products without tensor cores: a grid is the same.
static MmaTile mmaTileOf(linalg::LinalgOp op) {
  constexpr int64_t kWarps = kBlockThreads / kWarpLanes, kDepth = 32;
  ProductTile plain = tileOf(op);
  MmaTile tile{plain.rows, plain.columns, 1, 1, 0};
  int64_t pieces = tile.rows / kMmaRows * (tile.columns / kMmaColumns);
  if (pieces >= kWarps)
    tile.own = pieces / kWarps;
  else
    tile.groups = kWarps / pieces;
  int64_t length = cast<MemRefType>(op->getOperand(0).getType()).getDimSize(1);
  bool isShort = !ShapedType::isDynamic(length) && length <= kMmaDepth;
  tile.depth = std::max(kMmaDepth * tile.groups, isShort ? kMmaDepth : kDepth);
  return tile;
}

bool BlockCode::takesTensorCores(linalg::LinalgOp op) const {
  auto element = [&](unsigned i) {
    return cast<MemRefType>(op->getOperand(i).getType()).getElementType();
  };
  return tensorCores && element(0) == element(1) &&
         (element(0).isF16() || element(0).isBF16()) && element(2).isF32();
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// The part of a matrix that is in workgroup memory, as words of two elements
/// that are neighbours along the contracted dimension.
struct BlockCode::WordPanel {
  Value matrix;
  unsigned sideDim; ///< of the matrix, the dimension that is not contracted
  Value length;     ///< of the contracted dimension
  bool whole;       ///< whether that is a multiple of the panel's depth
  Value memory;     ///< side × depth / 2, with kWordPad more
  Value moves;      ///< whether the thread moves any; null where all do
  /// For each word that a thread moves: where it is along the side of the
  /// matrix, and its place in `memory`.
  SmallVector<Value> along, side, word;
};

/// Rows of panels are 4 modulo 8 words apart: what the lanes of a warp load at
/// a time, a word each of 8 rows by 4, lies in 32 banks.
static constexpr int64_t kWordPad = 4, kWordAlignment = 16;

BlockCode::WordPanel BlockCode::wordPanelOf(Value matrix, unsigned sideDim,
                                            Value first, int64_t side,
                                            int64_t depth) {
  auto type = cast<MemRefType>(matrix.getType());
  unsigned kDim = 1 - sideDim;
  int64_t length = type.getDimSize(kDim), extent = type.getDimSize(sideDim),
          words = depth / 2;
  WordPanel panel{
      matrix,
      sideDim,
      dim(matrix, kDim),
      !ShapedType::isDynamic(length) && length % depth == 0,
      workgroup({side, words + kWordPad}, b.getI32Type(), kWordAlignment),
      {},
      {},
      {},
      {}};
  bool fits = !ShapedType::isDynamic(extent) && extent % side == 0;
  Value last = fits ? Value()
                    : Value(arith::SubIOp::create(b, loc, dim(matrix, sideDim),
                                                  index(1)));
  int64_t all = side * words;
  if (all < kBlockThreads)
    panel.moves = less(thread(), index(all));
  auto [strides, offset] = type.getStridesAndOffset();
  bool sideFast = strides[sideDim] == 1 && (strides[kDim] != 1 || length == 1);
  Value fast = index(sideFast ? side : words);
  for (int64_t i = 0; i < all; i += kBlockThreads) {
    Value own = add(thread(), index(i));
    if (all < kBlockThreads)
      own = arith::RemUIOp::create(b, loc, own, index(all));
    Value inner = arith::RemUIOp::create(b, loc, own, fast),
          outer = arith::DivUIOp::create(b, loc, own, fast);
    panel.side.push_back(sideFast ? inner : outer);
    panel.word.push_back(sideFast ? outer : inner);
    Value along = add(first, panel.side.back());
    panel.along.push_back(fits ? along : least(along, last));
  }
  return panel;
}

SmallVector<Value> BlockCode::fetchWords(const WordPanel &panel, Value first) {
  Type i16 = b.getI16Type(), i32 = b.getI32Type();
  SmallVector<Value> words;
  for (auto [along, own] : llvm::zip(panel.along, panel.word)) {
    Value halves[2];
    for (int64_t i = 0; i < 2; ++i) {
      Value k = add(add(first, mul(own, index(2))), index(i)), there;
      if (!panel.whole) {
        there = less(k, panel.length);
        k = least(k, arith::SubIOp::create(b, loc, panel.length, index(1)));
      }
      Value at[2];
      at[panel.sideDim] = along;
      at[1 - panel.sideDim] = k;
      Value value = memref::LoadOp::create(b, loc, panel.matrix, at);
      value = arith::BitcastOp::create(b, loc, i16, value);
      if (!panel.whole)
        value = arith::SelectOp::create(b, loc, there, value, zero(i16));
      halves[i] = arith::ExtUIOp::create(b, loc, i32, value);
    }
    Value shift = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
    Value upper = arith::ShLIOp::create(b, loc, halves[1], shift);
    words.push_back(arith::OrIOp::create(b, loc, halves[0], upper));
  }
  return words;
}

void BlockCode::putWords(const WordPanel &panel, ValueRange words) {
  auto store = [&] {
    for (auto [value, side, word] : llvm::zip(words, panel.side, panel.word))
      memref::StoreOp::create(b, loc, value, panel.memory,
                              ValueRange{side, word});
  };
  if (panel.moves)
    guarded(panel.moves, store);
  else
    store();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Where a lane is in the tile that its block makes.
struct BlockCode::LanePlace {
  Value group, local; ///< of its warp, and the warp's number in that
  Value row, column;  ///< of the warp's part, in the tile
  Value quad, inQuad; ///< lane 4·quad + inQuad
};

/// The sums of the tile's part after 16 more of the contracted dimension, which
/// begin at `word` of the panels: four for each 8 columns.
SmallVector<Value> BlockCode::multiplyWords(const WordPanel &left,
                                            const WordPanel &right,
                                            const LanePlace &at, Value word,
                                            ValueRange sums) {
  Type element = cast<MemRefType>(left.matrix.getType()).getElementType();
  auto load = [&](const WordPanel &panel, Value side, int64_t behind) -> Value {
    Value place = add(add(word, at.inQuad), index(behind));
    return memref::LoadOp::create(b, loc, panel.memory,
                                  ValueRange{side, place});
  };
  Value upper = add(at.row, at.quad), lower = add(upper, index(kMmaRows / 2));
  SmallVector<Value> a{load(left, upper, 0), load(left, lower, 0),
                       load(left, upper, 4), load(left, lower, 4)};
  SmallVector<Value> result;
  for (size_t i = 0; i < sums.size(); i += kMmaSums) {
    Value side =
        add(add(at.column, index(i / kMmaSums * kMmaColumns)), at.quad);
    SmallVector<Value> own{load(right, side, 0), load(right, side, 4)};
    llvm::append_range(
        result, createMma(b, loc, element, a, own, sums.slice(i, kMmaSums)));
  }
  return result;
}

/// Adds what groups of warps have, half of them to the other half: group 0 has
/// it all.
SmallVector<Value> BlockCode::addWarps(int64_t groups, ValueRange sums) {
  SmallVector<Value> result(sums);
  if (groups == 1)
    return result;
  int64_t count = int64_t(sums.size());
  Value memory = workgroup({count, kBlockThreads / 2}, sums.front().getType());
  for (int64_t half = groups / 2; half > 0; half /= 2) {
    int64_t threads = kBlockThreads / groups * half;
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
    for (auto [i, value] : llvm::enumerate(result))
      value = sumOf(value, memref::LoadOp::create(b, loc, memory,
                                                  ValueRange{index(i), place}));
    barrier();
  }
  return result;
}

void BlockCode::mmaTile(linalg::LinalgOp op, Value number) {
  MmaTile tile = mmaTileOf(op);
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
  WordPanel left = wordPanelOf(a, 0, row, tile.rows, tile.depth),
            right = wordPanelOf(matrix, 1, column, tile.columns, tile.depth);

  auto divide = [&](Value x, int64_t y) -> std::pair<Value, Value> {
    return {arith::DivUIOp::create(b, loc, x, index(y)),
            arith::RemUIOp::create(b, loc, x, index(y))};
  };
  auto [warp, lane] = divide(thread(), kWarpLanes);
  LanePlace at;
  std::tie(at.quad, at.inQuad) = divide(lane, 4);
  std::tie(at.group, at.local) = divide(warp, tile.groupWarps());
  auto [down, across] = divide(at.local, tile.warpsAcross());
  at.row = mul(down, index(kMmaRows));
  at.column = mul(across, index(tile.own * kMmaColumns));

  Value isFirst =
      tile.groups > 1
          ? Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        at.group, index(0)))
          : Value();
  // The elements of C that a lane has, in the order of its sums.
  SmallVector<Value> rows, columns;
  Value firstRow = add(add(row, at.row), at.quad),
        firstColumn = add(add(column, at.column), mul(at.inQuad, index(2)));
  for (int64_t i = 0; i < tile.own; ++i)
    for (int64_t j = 0; j < kMmaSums; ++j) {
      rows.push_back(add(firstRow, index(j / 2 * (kMmaRows / 2))));
      columns.push_back(add(firstColumn, index(i * kMmaColumns + j % 2)));
    }
  auto forEach = [&](llvm::function_ref<void(Value, Value, Value)> body) {
    for (auto [r, s] : llvm::zip(rows, columns)) {
      Value there = arith::AndIOp::create(b, loc, less(r, m), less(s, n));
      if (isFirst)
        there = arith::AndIOp::create(b, loc, there, isFirst);
      body(r, s, there);
    }
  };
  // The first group begins with what C held.
  Type element = b.getF32Type();
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
  SmallVector<Value> none(left.word.size() + right.word.size(),
                          zero(b.getI32Type()));
  auto fetchBoth = [&](Value k) {
    SmallVector<Value> both = fetchWords(left, k);
    both.append(fetchWords(right, k));
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
    ValueRange fetched = stages.getRegionIterArgs().drop_front(count);
    SmallVector<Value> sums(stages.getRegionIterArgs().take_front(count));
    // Nobody reads the stage before any more.
    barrier();
    putWords(left, fetched.take_front(left.word.size()));
    putWords(right, fetched.drop_front(left.word.size()));
    barrier();
    Value after = add(stages.getInductionVar(), index(tile.depth));
    SmallVector<Value> loaded =
        choose(less(after, length), [&] { return fetchBoth(after); }, none);
    int64_t each = tile.depth / tile.groups;
    Value own = mul(at.group, index(each / 2));
    for (int64_t k = 0; k < each; k += kMmaDepth)
      sums = multiplyWords(left, right, at, add(own, index(k / 2)), sums);
    llvm::append_range(sums, loaded);
    scf::YieldOp::create(b, loc, sums);
  }
  SmallVector<Value> results =
      addWarps(tile.groups, stages.getResults().take_front(count));
  size_t i = 0;
  forEach([&](Value r, Value s, Value there) {
    Value value = results[i++];
    guarded(there, [&] {
      memref::StoreOp::create(b, loc, value, c, ValueRange{r, s});
    });
  });
}
