//===- KernelShapes.cpp - how work is cut into blocks ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/KernelShapes.h"

#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

int64_t belfry::expectedExtent(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return type.getDimSize(d);
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return expectedValue(view.getMixedSizes()[d]);
  auto argument = dyn_cast<BlockArgument>(memref);
  auto phase = argument
                   ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                   : func::FuncOp();
  auto multiple = phase ? phase.getArgAttrOfType<IntegerAttr>(
                              argument.getArgNumber(), kExtentAttr)
                        : IntegerAttr();
  return kExpectedRows * (multiple ? multiple.getInt() : 1);
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
// Products
//===----------------------------------------------------------------------===//

bool belfry::isProduct(Operation *op) {
  auto matmul = dyn_cast<linalg::MatmulOp>(op);
  return matmul && !matmul.hasUserDefinedMaps();
}

ProductTile belfry::tileOf(linalg::LinalgOp product) {
  constexpr int64_t kMost = 64, kLeast = 16;
  Value a = product->getOperand(0), c = product->getOperand(2);
  int64_t m = expectedExtent(c, 0), n = expectedExtent(c, 1),
          k = expectedExtent(a, 1);
  auto side = [&](int64_t extent) {
    int64_t size = kLeast;
    while (size < std::min(extent, kMost))
      size *= 2;
    return size;
  };
  ProductTile tile;
  tile.rows = side(m);
  tile.columns = side(n);
  auto blocks = [&] {
    return llvm::divideCeil(m, tile.rows) * llvm::divideCeil(n, tile.columns);
  };
  // Smaller tiles where those would be few, and sums long enough for groups of
  // threads.
  constexpr int64_t kLong = 64;
  while (k >= kLong && blocks() < kEnoughBlocks &&
         std::max(tile.rows, tile.columns) > kLeast)
    (tile.columns > tile.rows ? tile.columns : tile.rows) /= 2;
  // As much at a time as 64 × 64 has: 2048 to 2560 elements of A and B.
  int64_t sum = tile.rows + tile.columns;
  tile.depth = sum <= 2 * kLeast ? 64 : sum <= kMost + kLeast ? 32 : 16;
  while (tile.depth / 2 >= std::max(k, tile.groups()) &&
         !cast<MemRefType>(a.getType()).isDynamicDim(1))
    tile.depth /= 2;
  return tile;
}
