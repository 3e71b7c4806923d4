//===- LinalgToGemmCalls.cpp - products to calls --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Optimizations.h"
#include "passes/Passes.h"
#include "passes/host/HostViews.h"
#include "passes/host/OpFacts.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

namespace belfry {
#define GEN_PASS_DEF_LINALGTOGEMMCALLS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

static SmallVector<memref::PrefetchOp> prefetchesOf(func::FuncOp phase) {
  SmallVector<memref::PrefetchOp> ops;
  phase.walk([&](memref::PrefetchOp op) { ops.push_back(op); });
  return ops;
}

/// Whether the library multiplies matrices of this type.
static bool hasLibraryProduct(linalg::MatmulOp op) {
  Type element =
      cast<MemRefType>(op.getOutputs()[0].getType()).getElementType();
  return element.isF32() || element.isF64() || element.isInteger(32);
}

/// Products as loops, each element the chain of multiply-adds that the library
/// computes; all of them, or those that it has none for.
static void writeOut(func::FuncOp phase, bool all) {
  SmallVector<linalg::MatmulOp> products;
  phase.walk([&](linalg::MatmulOp op) {
    if (all || !hasLibraryProduct(op))
      products.push_back(op);
  });
  for (linalg::MatmulOp op : products) {
    OpBuilder b(op);
    // B first: the innermost loop then walks its rows.
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    std::swap(maps[0], maps[1]);
    linalg::GenericOp::create(
        b, op.getLoc(), ValueRange{op.getInputs()[1], op.getInputs()[0]},
        op.getOutputs(), maps, op.getIteratorTypesArray(),
        [](OpBuilder &body, Location loc, ValueRange values) {
          Value next;
          if (isa<FloatType>(values[0].getType()))
            next =
                math::FmaOp::create(body, loc, values[0], values[1], values[2]);
          else
            next = arith::AddIOp::create(
                body, loc, values[2],
                arith::MulIOp::create(body, loc, values[0], values[1]));
          linalg::YieldOp::create(body, loc, next);
        });
    op.erase();
  }
}

namespace {

struct LinalgToGemmCallsPass
    : belfry::impl::LinalgToGemmCallsBase<LinalgToGemmCallsPass> {
  using LinalgToGemmCallsBase::LinalgToGemmCallsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    for (auto phase :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!phase->hasAttr(kFunctionAttr))
        continue;
      bool calls = optimizations.has(Optimization::ProductCalls);
      writeOut(phase, /*all=*/!calls);
      if (!calls) {
        // Nobody is left to ask while it computes.
        for (memref::PrefetchOp op : prefetchesOf(phase))
          op.erase();
        continue;
      }
      if (failed(rewrite(phase)))
        return signalPassFailure();
    }
  }

  LogicalResult rewrite(func::FuncOp phase);

  Optimizations optimizations;
};

} // namespace

/// The most that `extent` can be: where it is a number of packed rows, what the
/// smaller of two buffers that hold them has room for.
static Affine mostOf(Affine extent, Value a, Value b) {
  if (extent.isFixed() || !extent.count)
    return extent;
  auto room = [](Value memref) -> int64_t {
    auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(rowBehind(memref));
    auto multiple =
        cast ? cast->getAttrOfType<IntegerAttr>(kExtentAttr) : IntegerAttr();
    return multiple ? multiple.getInt() : 1;
  };
  return {std::min(room(a), room(b)), 0};
}

/// The op before `op` that touches memory, or null.
static Operation *before(Operation *op) {
  do
    op = op->getPrevNode();
  while (op && isMemoryEffectFree(op));
  return op;
}

/// The fill of `place` with zero that stands just before `op`; null where there
/// is none.
static FailureOr<linalg::FillOp> zeroFillBefore(Operation *op,
                                                const View &place, Value rows) {
  auto fill = dyn_cast_or_null<linalg::FillOp>(before(op));
  if (!fill)
    return fill;
  FailureOr<View> filled = describeMemref(fill.getOutputs()[0], rows);
  if (failed(filled))
    return failure();
  bool isZero = matchPattern(fill.getInputs()[0], m_PosZeroFloat()) ||
                matchPattern(fill.getInputs()[0], m_Zero());
  return isZero && isSamePlace(*filled, place) ? fill : linalg::FillOp();
}

/// Whether `op` adds up the rows of `y`, a matrix with contiguous rows, into a
/// vector, in their order; a single column would be added up by lanes. Gives
/// that vector.
static std::optional<View> sumOfRows(linalg::GenericOp op, const View &y,
                                     Value rows) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !isa<FloatType>(y.element) || !y.strides[1].is(1) ||
      !y.sizes[1].isFixed() || y.sizes[1].is(1))
    return std::nullopt;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  unsigned last = kinds.size() - 1;
  AffineMap from = op.getIndexingMapsArray()[0],
            to = op.getIndexingMapsArray()[1];
  auto add = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  bool adds = add && llvm::range_size(*op.getBody()) == 2 &&
              ((add.getLhs() == op.getBody()->getArgument(0) &&
                add.getRhs() == op.getBody()->getArgument(1)) ||
               (add.getLhs() == op.getBody()->getArgument(1) &&
                add.getRhs() == op.getBody()->getArgument(0)));
  if (!adds || kinds.size() < 2 || !from.isIdentity() ||
      to != AffineMap::get(last + 1, 0,
                           {getAffineDimExpr(last, op.getContext())},
                           op.getContext()) ||
      kinds[last] != utils::IteratorType::parallel ||
      llvm::any_of(ArrayRef(kinds).drop_back(), [](utils::IteratorType kind) {
        return kind != utils::IteratorType::reduction;
      }))
    return std::nullopt;
  FailureOr<View> source = describeMemref(op.getInputs()[0], rows),
                  target = describeMemref(op.getOutputs()[0], rows);
  if (failed(source) || failed(target) || !target->strides[0].is(1))
    return std::nullopt;
  std::optional<View> matrix = reshapeView(*source, y.sizes);
  if (!matrix || !isSamePlace(*matrix, y))
    return std::nullopt;
  return static_cast<const View &>(*target);
}

/// Erases a fill with zero and a sum of the rows of `y`, the right side of
/// `product`, that stand just before it, and gives what the sum went to.
static std::optional<View> takeSumOfRows(Operation *product, const View &y,
                                         Value rows) {
  auto sum = dyn_cast_or_null<linalg::GenericOp>(before(product));
  std::optional<View> target;
  if (sum)
    target = sumOfRows(sum, y, rows);
  if (!target)
    return std::nullopt;
  FailureOr<linalg::FillOp> fill = zeroFillBefore(sum, *target, rows);
  if (failed(fill) || !*fill)
    return std::nullopt;
  sum.erase();
  fill->erase();
  return target;
}

LogicalResult LinalgToGemmCallsPass::rewrite(func::FuncOp phase) {
  SmallVector<linalg::MatmulOp> products;
  SmallVector<linalg::GenericOp> packs;
  phase.walk([&](linalg::MatmulOp op) { products.push_back(op); });
  phase.walk([&](linalg::GenericOp op) {
    if (op->hasAttr(kPackAttr))
      packs.push_back(op);
  });
  if (products.empty() && packs.empty())
    return success();
  Value rows = rowsOf(phase);
  if (!rows)
    return phase.emitError("has no rows yet; --host-entry-points runs first");
  OpBuilder b(&getContext());
  Value context = loadContext(phase);
  auto integer = [&](Location loc, Affine extent) -> Value {
    if (extent.isFixed())
      return LLVM::ConstantOp::create(b, loc,
                                      b.getI64IntegerAttr(extent.fixed));
    return wordOf(b, loc, extent, rows);
  };
  auto callOf = [&](Location loc, StringRef name, ValueRange operands) {
    func::FuncOp function =
        declareFunction(getOperation(), name, operands.getTypes());
    return func::CallOp::create(b, loc, function, operands);
  };
  auto call = [&](Location loc, StringRef name, Type element,
                  ValueRange operands) {
    StringRef suffix = element.isF32()   ? "_f32"
                       : element.isF64() ? "_f64"
                                         : "_i32";
    return callOf(loc, (name + suffix).str(), operands);
  };
  for (memref::PrefetchOp op : prefetchesOf(phase)) {
    Location loc = op.getLoc();
    FailureOr<View> view = describeMemref(op.getMemref(), rows);
    if (failed(view))
      return failure();
    if (view->isDense()) {
      Affine bytes = Affine::of(elementBytes(view->element));
      for (Affine size : view->sizes)
        bytes = bytes * size;
      b.setInsertionPoint(op);
      callOf(loc, kLookAheadName,
             {pointerTo(b, loc, *view), integer(loc, bytes)});
    }
    op.erase();
  }

  // Matrices that are packed once for many products.
  DenseSet<Value> packed;
  for (linalg::GenericOp op : packs) {
    Location loc = op.getLoc();
    FailureOr<View> from = describeMemref(op.getInputs()[0], rows),
                    to = describeMemref(op.getOutputs()[0], rows);
    if (failed(from) || failed(to))
      return failure();
    b.setInsertionPoint(op);
    packed.insert(to->base);
    call(loc, "belfry_gemm_pack", to->element,
         {integer(loc, from->sizes[1]), integer(loc, from->sizes[0]),
          pointerTo(b, loc, *from), integer(loc, from->strides[0]),
          integer(loc, from->strides[1]), to->base});
    op.erase();
    ++numPacked;
  }
  for (linalg::MatmulOp op : products) {
    Location loc = op.getLoc();
    FailureOr<View> x = describeMemref(op.getInputs()[0], rows),
                    y = describeMemref(op.getInputs()[1], rows),
                    z = describeMemref(op.getOutputs()[0], rows);
    if (failed(x) || failed(y) || failed(z))
      return failure();
    // A fill of the same target just before is part of the call.
    bool accumulate = true;
    if (optimizations.has(Optimization::MergeFills)) {
      FailureOr<linalg::FillOp> fill = zeroFillBefore(op, *z, rows);
      if (failed(fill))
        return failure();
      if (*fill) {
        accumulate = false;
        ++numFillsMerged;
        fill->erase();
      }
    }
    // So are sums over the rows of B, where they are made just before. Behind
    // the product their place could be that of what only the product reads.
    std::optional<View> sums;
    if (optimizations.has(Optimization::MergeSums) && !packed.contains(y->base))
      sums = takeSumOfRows(op, *y, rows);
    b.setInsertionPoint(op);
    Value flag =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(accumulate));
    SmallVector<Value> operands{context,
                                integer(loc, z->sizes[0]),
                                integer(loc, z->sizes[1]),
                                integer(loc, x->sizes[1]),
                                pointerTo(b, loc, *x),
                                integer(loc, x->strides[0]),
                                integer(loc, x->strides[1])};
    StringRef name = "belfry_gemm";
    if (packed.contains(y->base)) {
      name = "belfry_gemm_packed";
      operands.push_back(y->base);
    } else {
      operands.append({pointerTo(b, loc, *y), integer(loc, y->strides[0])});
      if (sums)
        name = "belfry_gemm_sums";
      else
        operands.push_back(integer(loc, y->strides[1]));
    }
    operands.append({pointerTo(b, loc, *z), integer(loc, z->strides[0]), flag});
    if (sums)
      operands.push_back(pointerTo(b, loc, *sums));
    func::CallOp made = call(loc, name, z->element, operands);
    if (describe)
      made->setAttr(
          kOpAttr,
          describeProduct(
              &getContext(),
              mostOf(z->sizes[0], op.getInputs()[0], op.getOutputs()[0]),
              z->sizes[1],
              mostOf(x->sizes[1], op.getInputs()[0], op.getInputs()[1]),
              z->element, accumulate));
    op.erase();
    ++numCalls;
  }
  return success();
}
