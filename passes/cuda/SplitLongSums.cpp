//===- SplitLongSums.cpp - long sums in parts that blocks share -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum or product of few blocks, each of which has much to add:
//
// 1. The dimension that is reduced, the outermost one where there are several,
//    is cut into parts of equal length; the last one may be shorter or empty.
// 2. A loop over the parts, whose iterations are independent, gives each its
//    own slice of a scratch array.
// 3. A reduction adds the slices, in order, to what the target held.
//
// How many parts there are follows from expected extents, so from shapes only.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/BlockCode.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/Views.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace belfry {
#define GEN_PASS_DEF_SPLITLONGSUMS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using utils::IteratorType;

namespace {

/// Parts of a long sum.
struct Parts {
  unsigned loop = 0; ///< which of the op's loops is cut
  int64_t count = 1;
};

struct SplitLongSumsPass : belfry::impl::SplitLongSumsBase<SplitLongSumsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> sums;
    for (auto phase : getOperation().getOps<func::FuncOp>())
      if (phase->hasAttr(kFunctionAttr) && !phase.isExternal())
        llvm::append_range(sums,
                           phase.getBody().front().getOps<linalg::LinalgOp>());
    for (linalg::LinalgOp op : sums)
      if (Parts parts = partsOf(op); parts.count > 1) {
        split(op, parts);
        ++numSplit;
      }
  }

  static Parts partsOf(linalg::LinalgOp op);
  static void split(linalg::LinalgOp op, Parts parts);
};

} // namespace

/// Parts that one thread adds up at the end.
static constexpr int64_t kMostParts = 32;

/// The op by which the reduction combines, or null where it is none that can be
/// cut.
static Operation *cuttable(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 || op.hasIndexSemantics()
             ? nullptr
             : combinerOf(op);
}

/// Whether this loop of the op is a dimension of its inputs, or absent.
static bool canCut(linalg::LinalgOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      return isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(loop);
    });
  });
}

/// What is expected of each loop.
static SmallVector<int64_t> expectedLoops(linalg::LinalgOp op) {
  Builder b(op.getContext());
  return llvm::map_to_vector(
      loopExtents(op,
                  [&](Value memref, int64_t d) -> OpFoldResult {
                    return b.getIndexAttr(expectedExtent(memref, d));
                  }),
      [](OpFoldResult size) { return getConstantIntValue(size).value_or(1); });
}

Parts SplitLongSumsPass::partsOf(linalg::LinalgOp op) {
  auto target = dyn_cast<MemRefType>(op->getOperands().back().getType());
  if (!cuttable(op) || !target || !target.hasStaticShape() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return {};
  // Below these, a part is not worth the launch and the memory: products of a
  // tile's element, elements that a block adds.
  constexpr int64_t kLeastProducts = 256, kLeastAdded = 1 << 14;
  SmallVector<int64_t> sizes = expectedLoops(op);
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  Parts parts;
  int64_t blocks = 0, most = kMostParts;
  if (isProduct(op)) {
    ProductTile tile = largestTileOf(op);
    blocks = llvm::divideCeil(sizes[0], tile.rows) *
             llvm::divideCeil(sizes[1], tile.columns);
    parts.loop = 2;
    most = std::min(most, sizes[2] / kLeastProducts);
  } else {
    ReductionLayout layout = layoutOf(op);
    if (layout.lanes == 1)
      return {};
    parts.loop = *llvm::max_element(reduced, [&](unsigned x, unsigned y) {
      // The outermost one that is long enough.
      return std::min(sizes[x], kMostParts) < std::min(sizes[y], kMostParts);
    });
    blocks = llvm::divideCeil(target.getNumElements(), layout.outputs);
    int64_t each = layout.outputs;
    for (unsigned d : reduced)
      each *= sizes[d];
    most = std::min({most, each / kLeastAdded, sizes[parts.loop]});
  }
  most = std::min(most, 2 * kEnoughBlocks / std::max<int64_t>(blocks, 1));
  if (most > 1 && canCut(op, parts.loop))
    parts.count = static_cast<int64_t>(llvm::bit_floor(uint64_t(most)));
  return parts;
}

/// Elements [first, first + count) of a dimension of a memref of a phase.
static Value slice(OpBuilder &b, Location loc, Value memref, unsigned d,
                   OpFoldResult first, OpFoldResult count) {
  auto type = cast<MemRefType>(memref.getType());
  Value source = memref;
  OpFoldResult offset = b.getIndexAttr(0);
  SmallVector<OpFoldResult> sizes, strides(type.getRank());
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(extentOf(b, memref, i));
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    source = view.getSource();
    offset = view.getMixedOffsets()[0];
    strides = view.getMixedStrides();
  } else {
    OpFoldResult stride = b.getIndexAttr(1);
    for (int64_t i = type.getRank(); i-- > 0;) {
      strides[i] = stride;
      stride = mulIndex(b, loc, stride, sizes[i]);
    }
  }
  offset = addIndex(b, loc, offset, mulIndex(b, loc, first, strides[d]));
  sizes[d] = count;
  SmallVector<int64_t> shape, fixed;
  for (auto [list, mixed] : {std::pair(&shape, ArrayRef(sizes)),
                             std::pair(&fixed, ArrayRef(strides))})
    for (OpFoldResult value : mixed)
      list->push_back(
          getConstantIntValue(value).value_or(ShapedType::kDynamic));
  auto layout = StridedLayoutAttr::get(
      b.getContext(),
      getConstantIntValue(offset).value_or(ShapedType::kDynamic), fixed);
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get(shape, type.getElementType(), layout), source,
      offset, sizes, strides);
}

/// The fill of the op's target that is the last op on memory before it, or
/// null.
static linalg::FillOp fillBefore(linalg::LinalgOp op) {
  Operation *before = op->getPrevNode();
  while (before && !isa<linalg::FillOp>(before) &&
         (isMemoryEffectFree(before) || isa<memref::AllocOp>(before)))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::FillOp>(before);
  return fill && fill.output() == op.getDpsInits()[0] ? fill : linalg::FillOp();
}

void SplitLongSumsPass::split(linalg::LinalgOp op, Parts parts) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  linalg::FillOp fill = fillBefore(op);
  Value target = op.getDpsInits()[0];
  auto type = cast<MemRefType>(target.getType());
  SmallVector<int64_t> shape{parts.count};
  llvm::append_range(shape, type.getShape());
  Value scratch = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, type.getElementType()));
  OpFoldResult all = loopExtents(op, [&](Value memref, int64_t d) {
    return extentOf(b, memref, d);
  })[parts.loop];
  // Whole stages of a product.
  constexpr int64_t kStage = 64;
  OpFoldResult each = ceilDivIndex(b, loc, all, parts.count);
  if (isProduct(op))
    each = mulIndex(b, loc, ceilDivIndex(b, loc, each, kStage),
                    b.getIndexAttr(kStage));
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  Value end = indexValue(b, loc, all), length = indexValue(b, loc, each);
  Operation *combiner = combinerOf(op);
  Value neutral =
      arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner));
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(parts.count),
                                 constant(1));
  loop->setAttr(kPartsAttr, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value part = loop.getInductionVar();
    Value first = arith::MinSIOp::create(
        b, loc, arith::MulIOp::create(b, loc, part, length), end);
    Value count = arith::MinSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, end, first), length);
    IRMapping map;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap places = op.getMatchingIndexingMap(input);
      for (auto [d, expr] : llvm::enumerate(places.getResults()))
        if (expr == b.getAffineDimExpr(parts.loop))
          map.map(input->get(), slice(b, loc, input->get(), d, first, count));
    }
    // A slice of the scratch array, whose leading dimension goes.
    SmallVector<OpFoldResult> sizes, strides(type.getRank());
    int64_t stride = 1;
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    for (int64_t i = type.getRank(); i-- > 0; stride *= type.getDimSize(i))
      strides[i] = b.getIndexAttr(stride);
    SmallVector<int64_t> fixed = llvm::map_to_vector(
        strides, [](OpFoldResult x) { return *getConstantIntValue(x); });
    Value own = memref::ReinterpretCastOp::create(
        b, loc,
        MemRefType::get(type.getShape(), type.getElementType(),
                        StridedLayoutAttr::get(b.getContext(),
                                               ShapedType::kDynamic, fixed)),
        scratch, mulIndex(b, loc, OpFoldResult(part), b.getIndexAttr(stride)),
        sizes, strides);
    linalg::FillOp::create(b, loc, neutral, own);
    map.map(target, own);
    b.clone(*op, map);
  }
  // The slices, in order.
  b.setInsertionPoint(op);
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank + 1),
                              b.getMultiDimIdentityMap(rank + 1).dropResult(0)};
  SmallVector<IteratorType> iterators(rank + 1, IteratorType::parallel);
  iterators[0] = IteratorType::reduction;
  auto sum = linalg::GenericOp::create(
      b, loc, scratch, target, maps, iterators,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        IRMapping map;
        Operation *clone = inner.clone(*combiner, map);
        clone->setOperands({arguments[1], arguments[0]});
        linalg::YieldOp::create(inner, at, clone->getResults());
      });
  // What fills the target stays just before what adds to it.
  if (fill)
    fill->moveBefore(sum);
  op->erase();
}
