//===- KernelShapes.cpp - how work is cut into blocks ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/KernelShapes.h"

#include "passes/lowering/ParallelLoops.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"
#include "passes/lowering/RowExtents.h"
#include "passes/lowering/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace belfry;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// What is expected of a run
//===----------------------------------------------------------------------===//

static int64_t expectedOfArgument(BlockArgument argument) {
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(owner))
    return expectedValue(OpFoldResult(loop.getLowerBound()));
  // Other scalars of a phase tell towers apart.
  return argument.getArgNumber() == kRows ||
                 argument.getArgNumber() == kGlobalRows
             ? kExpectedRows
             : 1;
}

int64_t belfry::expectedValue(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  auto index = cast<Value>(value);
  if (auto argument = dyn_cast<BlockArgument>(index))
    return expectedOfArgument(argument);
  auto x = [](auto op) { return expectedValue(OpFoldResult(op.getLhs())); };
  auto y = [](auto op) { return expectedValue(OpFoldResult(op.getRhs())); };
  auto ceilOf = [&](auto op) {
    return llvm::divideCeil(std::max<int64_t>(x(op), 0),
                            std::max<int64_t>(y(op), 1));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(index.getDefiningOp())
      .Case([&](arith::AddIOp op) { return x(op) + y(op); })
      .Case([&](arith::SubIOp op) { return x(op) - y(op); })
      .Case([&](arith::MulIOp op) { return x(op) * y(op); })
      .Case([&](arith::MinSIOp op) { return std::min(x(op), y(op)); })
      .Case([&](arith::MaxSIOp op) { return std::max(x(op), y(op)); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(ceilOf)
      .Case([&](arith::DivUIOp op) {
        return std::max<int64_t>(x(op), 0) / std::max<int64_t>(y(op), 1);
      })
      .Case([](memref::DimOp op) {
        std::optional<int64_t> d = op.getConstantIndex();
        return d ? expectedExtent(op.getSource(), *d) : kExpectedRows;
      })
      .Default([](Operation *) { return kExpectedRows; });
}

/// How many elements the argument has along its dynamic dimension for a row.
static int64_t multipleOf(BlockArgument argument) {
  auto phase = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto multiple = phase ? phase.getArgAttrOfType<IntegerAttr>(
                              argument.getArgNumber(), kExtentAttr)
                        : IntegerAttr();
  return multiple ? multiple.getInt() : 1;
}

/// The extent as a value that is there already, or null.
static OpFoldResult givenExtent(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return Builder(memref.getContext()).getIndexAttr(type.getDimSize(d));
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return view.getMixedSizes()[d];
  if (auto made = memref.getDefiningOp<memref::AllocOp>())
    return made.getDynamicSizes()[type.getDynamicDimIndex(d)];
  return {};
}

int64_t belfry::expectedExtent(Value memref, int64_t d) {
  if (OpFoldResult extent = givenExtent(memref, d))
    return expectedValue(extent);
  auto argument = dyn_cast<BlockArgument>(memref);
  return kExpectedRows * (argument ? multipleOf(argument) : 1);
}

OpFoldResult belfry::extentOf(OpBuilder &b, Value memref, int64_t d) {
  if (OpFoldResult extent = givenExtent(memref, d))
    return extent;
  Location loc = memref.getLoc();
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument)
    return memref::DimOp::create(b, loc, memref, d).getResult();
  Value rows = argument.getOwner()->getArgument(kRows);
  return mulIndex(b, loc, OpFoldResult(rows),
                  b.getIndexAttr(multipleOf(argument)));
}

OpFoldResult belfry::rowsOfBlock(OpBuilder &b, scf::ForOp loop, Value rows) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  // A loop that does not count its rows has them by its step.
  std::optional<int64_t> most = getConstantIntValue(loop.getStep());
  if (!blockRowsOf(loop) || !most)
    return loop.getStep();
  Value even =
      arith::CeilDivUIOp::create(b, loc, rows, constant(kExpectedRows));
  Value least = arith::MaxUIOp::create(b, loc, even, constant(1));
  return arith::MinUIOp::create(b, loc, least, constant(*most)).getResult();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static std::optional<int64_t> staticCount(linalg::LinalgOp op,
                                          IteratorType kind) {
  int64_t count = 1;
  for (auto [size, iterator] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (iterator != kind)
      continue;
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    count *= size;
  }
  return count;
}

ReductionLayout belfry::layoutOf(linalg::LinalgOp op) {
  constexpr int64_t kFew = 32, kWarp = 32;
  std::optional<int64_t> reduced = staticCount(op, IteratorType::reduction),
                         outputs = staticCount(op, IteratorType::parallel);
  ReductionLayout layout;
  if (reduced && *reduced <= kFew)
    return layout;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap places = op.getMatchingIndexingMap(input);
  if (places.getNumResults() > 0)
    if (auto last = dyn_cast<AffineDimExpr>(places.getResults().back()))
      layout.lanesInner = op.getIteratorTypesArray()[last.getPosition()] ==
                          IteratorType::reduction;
  layout.outputs = layout.lanesInner ? kBlockThreads / kWarp : kWarp;
  if (outputs && *outputs < layout.outputs)
    layout.outputs =
        int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(*outputs, 1)));
  layout.lanes = kBlockThreads / layout.outputs;
  return layout;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The loop along which the operand's elements are next to each other, and what
/// is expected of its extent.
static std::optional<std::pair<unsigned, int64_t>>
contiguousLoop(linalg::LinalgOp op, OpOperand *operand) {
  auto type = dyn_cast<MemRefType>(operand->get().getType());
  AffineMap places = op.getMatchingIndexingMap(operand);
  if (!type || !places.isProjectedPermutation())
    return std::nullopt;
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (strides[d] == 1 && type.getDimSize(d) != 1)
      return std::pair(places.getDimPosition(d),
                       expectedExtent(operand->get(), d));
  return std::nullopt;
}

std::optional<Transpose> belfry::transposeOf(linalg::LinalgOp op) {
  constexpr int64_t kThin = 8;
  if (op.getNumReductionLoops() > 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  auto output = contiguousLoop(op, op.getDpsInitOperand(0));
  if (!output || output->second < kThin)
    return std::nullopt;
  std::optional<Transpose> found;
  for (auto [i, operand] : llvm::enumerate(op.getDpsInputOperands())) {
    if (!op.payloadUsesValueFromOperand(operand))
      continue;
    auto input = contiguousLoop(op, operand);
    if (!input || input->first == output->first || input->second < kThin ||
        !op.getMatchingIndexingMap(operand).isFunctionOfDim(output->first))
      continue;
    // Two of them would want two tiles; the second is read as it lies.
    if (!found)
      found = Transpose{unsigned(i), input->first, output->first};
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool belfry::isProduct(Operation *op) {
  auto matmul = dyn_cast<linalg::MatmulOp>(op);
  return matmul && !matmul.hasUserDefinedMaps();
}

static constexpr int64_t kMostSide = 64, kLeastSide = 16;

ProductTile belfry::largestTileOf(linalg::LinalgOp product) {
  Value c = product->getOperand(2);
  auto side = [&](int64_t d) {
    int64_t size = kLeastSide;
    while (size < std::min(expectedExtent(c, d), kMostSide))
      size *= 2;
    return size;
  };
  ProductTile tile;
  tile.rows = side(0);
  tile.columns = side(1);
  return tile;
}

/// How often the op is done side by side, in loops around it.
static int64_t timesInParallel(Operation *op) {
  int64_t times = 1;
  while ((op = op->getParentOp()) && !isa<func::FuncOp>(op))
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop && (op->hasAttr(kPartsAttr) || op->hasAttr(kParallelAttr)))
      times *= expectedValue(OpFoldResult(loop.getUpperBound()));
  return times;
}

SmallVector<scf::ForOp> belfry::parallelNest(scf::ForOp loop) {
  SmallVector<scf::ForOp> nest{loop};
  while (true) {
    auto inner = dyn_cast<scf::ForOp>(nest.back().getBody()->front());
    if (!inner || !inner->hasAttr(kParallelAttr) ||
        !llvm::hasSingleElement(nest.back().getBody()->without_terminator()))
      return nest;
    nest.push_back(inner);
  }
}

linalg::LinalgOp belfry::sumOf(Operation *parts) {
  auto all = cast<scf::ForOp>(parts).getBody()->getOps<linalg::LinalgOp>();
  return *llvm::find_if(
      all, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
}

ProductTile belfry::tileOf(linalg::LinalgOp product) {
  Value a = product->getOperand(0), c = product->getOperand(2);
  int64_t m = expectedExtent(c, 0), n = expectedExtent(c, 1),
          k = expectedExtent(a, 1), times = timesInParallel(product);
  ProductTile tile = largestTileOf(product);
  auto blocks = [&] {
    return times * llvm::divideCeil(m, tile.rows) *
           llvm::divideCeil(n, tile.columns);
  };
  // Smaller tiles where those would be few, and sums long enough for groups of
  // threads.
  constexpr int64_t kLong = 64;
  while (k >= kLong && blocks() < kEnoughBlocks &&
         std::max(tile.rows, tile.columns) > kLeastSide)
    (tile.columns > tile.rows ? tile.columns : tile.rows) /= 2;
  // As much at a time as 64 × 64 has: 2048 to 2560 elements of A and B.
  int64_t sum = tile.rows + tile.columns;
  tile.depth = sum <= 2 * kLeastSide           ? 64
               : sum <= kMostSide + kLeastSide ? 32
                                               : 16;
  while (tile.depth / 2 >= std::max(k, tile.groups()) &&
         !cast<MemRefType>(a.getType()).isDynamicDim(1))
    tile.depth /= 2;
  return tile;
}
