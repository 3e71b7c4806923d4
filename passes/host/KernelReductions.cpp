//===- KernelReductions.cpp - reductions over rows and columns ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms, by what walks memory:
//
//   Along rows (the reduced dimension is contiguous): lane l of a vector of W
//   accumulators takes elements l, l + W, l + 2W, …; the elements that are left
//   over have an accumulator of their own; at the end lanes are added as a
//   binary tree. W depends on the extent and the element type only.
//
//   Along columns: rows are accumulated into the result one after the other.
//
//===----------------------------------------------------------------------===//

#include "passes/host/KernelBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace belfry;

namespace {
/// What combines two values of a reduction.
struct Combiner {
  Operation *op = nullptr;
  unsigned valueOperand = 0; ///< the other one is the accumulator

  Value apply(OpBuilder &b, Location loc, Value accumulator,
              Value value) const {
    Operation *clone = Operation::create(
        loc, op->getName(), {accumulator.getType()},
        valueOperand == 1 ? ValueRange{accumulator, value}
                          : ValueRange{value, accumulator},
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(), {}, 0);
    b.insert(clone);
    return clone->getResult(0);
  }
  TypedAttr neutral(OpBuilder &b, Type type) const;
};
} // namespace

TypedAttr Combiner::neutral(OpBuilder &b, Type type) const {
  unsigned width = type.getIntOrFloatBitWidth();
  auto infinity = [&](bool negative) {
    auto fp = cast<FloatType>(type);
    return b.getFloatAttr(fp,
                          APFloat::getInf(fp.getFloatSemantics(), negative));
  };
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::MaximumFOp>([&](auto) { return infinity(true); })
      .Case<arith::MinimumFOp>([&](auto) { return infinity(false); })
      .Case<arith::MaxSIOp>([&](auto) {
        return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
      })
      .Case<arith::MinSIOp>([&](auto) {
        return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
      })
      .Case<arith::AndIOp>([&](auto) {
        return b.getIntegerAttr(type, APInt::getAllOnes(width));
      })
      .Default([&](Operation *) { return b.getZeroAttr(type); });
}

/// The combiner of the only output, if the body has that form.
static std::optional<Combiner> combinerOf(Nest &nest) {
  if (nest.operands.size() != nest.inputs + 1)
    return std::nullopt;
  BlockArgument accumulator = nest.body->getArgument(nest.inputs);
  Operation *op = nest.body->getTerminator()->getOperand(0).getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != op)
    return std::nullopt;
  if (!isa<arith::AddFOp, arith::AddIOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::MaxSIOp, arith::MinSIOp, arith::AndIOp, arith::OrIOp>(op))
    return std::nullopt;
  Combiner combiner{op, op->getOperand(0) == accumulator ? 1u : 0u};
  return combiner;
}

/// Lanes of a row reduction.
static int64_t lanesOf(Affine extent, Type element) {
  int64_t wide = element.isF64() ? 32 : 64, narrow = wide / 4;
  if (!extent.isFixed() || extent.fixed >= wide)
    return wide;
  return extent.fixed >= narrow ? narrow : 0;
}

bool KernelBuilder::buildRowReduction(Nest &nest) {
  auto combiner = combinerOf(nest);
  if (!combiner || nest.usesIndex || nest.dims.empty())
    return false;
  // Parallel loops outside, reduced ones inside, the contiguous one innermost.
  sortDims(nest.dims, [](const NestDim &x, const NestDim &y) {
    return x.parallel && !y.parallel;
  });
  collapse(nest);
  if (nest.dims.empty() || nest.dims.back().parallel)
    return false;
  bool walks = false;
  for (unsigned i = 0; i < nest.inputs; ++i) {
    Affine stride = nest.dims.back().strides[i];
    if (nest.operands[i].isArray() && !stride.is(0) && !stride.is(1))
      return false;
    walks |= nest.operands[i].isArray() && stride.is(1);
  }
  if (!walks)
    return false;

  planSplit(nest);
  Type element = nest.operands.back().element;
  unsigned last = nest.dims.size() - 1;
  unsigned firstReduced = 0;
  while (nest.dims[firstReduced].parallel)
    ++firstReduced;
  Affine extent = nest.dims[last].size;
  int64_t lanes = lanesOf(extent, element);
  Value zero = inside(Affine::of(0)), one = inside(Affine::of(1));

  // The value that the combiner takes, at one place or for `lanes` of them.
  auto valueAt = [&](const Offsets &at, int64_t width) {
    IRMapping map;
    for (unsigned i = 0; i < nest.inputs; ++i) {
      const NestOperand &operand = nest.operands[i];
      bool moves = operand.isArray() && nest.dims[last].strides[i].is(1);
      Value value = operand.isArray() ? load(operand.pointer, operand.element,
                                             at[i], moves ? width : 0)
                                      : imported(operand.scalar);
      if (width && !moves)
        value = vector::BroadcastOp::create(
            b, loc, VectorType::get({width}, operand.element), value);
      map.map(nest.body->getArgument(i), value);
    }
    cloneBody(nest, map, combiner->op, width);
    return map.lookup(combiner->op->getOperand(combiner->valueOperand));
  };

  loops(nest, 0, firstReduced, start(nest), [&](const Offsets &base) {
    SmallVector<Value> accumulators;
    TypedAttr neutral = combiner->neutral(b, element);
    accumulators.push_back(arith::ConstantOp::create(b, loc, neutral));
    VectorType vectorType;
    if (lanes) {
      vectorType = VectorType::get({lanes}, element);
      accumulators.push_back(arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(vectorType, Attribute(neutral))));
    }
    // The innermost loop: whole vectors, then what is left.
    auto innermost = [&](const Offsets &at, SmallVector<Value> carried) {
      Value size = inside(extent);
      Value whole = zero;
      if (lanes) {
        if (extent.isFixed()) {
          whole = inside(Affine::of(extent.fixed / lanes * lanes));
        } else {
          Value rest =
              arith::RemUIOp::create(b, loc, size, inside(Affine::of(lanes)));
          whole = arith::SubIOp::create(b, loc, size, rest);
        }
        auto loop =
            scf::ForOp::create(b, loc, zero, whole, inside(Affine::of(lanes)),
                               ValueRange{carried[1]});
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Offsets here = advance(nest, last, at, loop.getInductionVar());
        Value next = combiner->apply(b, loc, loop.getRegionIterArg(0),
                                     valueAt(here, lanes));
        scf::YieldOp::create(b, loc, next);
        carried[1] = loop.getResult(0);
        b.setInsertionPointAfter(loop);
      }
      if (!lanes || !extent.isFixed() || extent.fixed % lanes) {
        auto loop = scf::ForOp::create(b, loc, whole, size, one,
                                       ValueRange{carried[0]});
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Offsets here = advance(nest, last, at, loop.getInductionVar());
        Value next =
            combiner->apply(b, loc, loop.getRegionIterArg(0), valueAt(here, 0));
        scf::YieldOp::create(b, loc, next);
        carried[0] = loop.getResult(0);
      }
      return carried;
    };
    std::function<SmallVector<Value>(unsigned, const Offsets &,
                                     SmallVector<Value>)>
        reduced = [&](unsigned dim, const Offsets &at,
                      SmallVector<Value> carried) -> SmallVector<Value> {
      if (dim == last)
        return innermost(at, carried);
      auto loop = scf::ForOp::create(b, loc, zero, inside(nest.dims[dim].size),
                                     one, carried);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        SmallVector<Value> inner =
            reduced(dim + 1, advance(nest, dim, at, loop.getInductionVar()),
                    SmallVector<Value>(loop.getRegionIterArgs()));
        b.setInsertionPointToEnd(loop.getBody());
        scf::YieldOp::create(b, loc, inner);
      }
      return SmallVector<Value>(loop.getResults());
    };
    SmallVector<Value> sums = reduced(firstReduced, base, accumulators);
    Value total = sums[0];
    if (lanes) {
      Value lanewise = sums[1];
      for (int64_t width = lanes / 2; width >= 1; width /= 2) {
        Value low = vector::ExtractStridedSliceOp::create(
            b, loc, lanewise, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width},
            ArrayRef<int64_t>{1});
        Value high = vector::ExtractStridedSliceOp::create(
            b, loc, lanewise, ArrayRef<int64_t>{width},
            ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
        lanewise = combiner->apply(b, loc, low, high);
      }
      Value tree =
          vector::ExtractOp::create(b, loc, lanewise, ArrayRef<int64_t>{0});
      total = combiner->apply(b, loc, tree, total);
    }
    const NestOperand &target = nest.operands.back();
    Value old = load(target.pointer, target.element, base.back());
    store(combiner->apply(b, loc, old, total), target.pointer, target.element,
          base.back());
  });
  return true;
}

void KernelBuilder::buildReduction(Nest &nest) {
  Nest copy = nest;
  if (buildRowReduction(copy))
    return;
  // Outer parallel loops, reduced loops, and innermost the parallel loop that
  // walks memory, if there is one.
  auto contiguous = [&](const NestDim &d) {
    return d.parallel && d.strides[nest.inputs].is(1) && d.strides[0].is(1);
  };
  sortDims(nest.dims, [&](const NestDim &x, const NestDim &y) {
    auto rank = [&](const NestDim &d) {
      return contiguous(d) ? 2 : d.parallel ? 0 : 1;
    };
    return rank(x) < rank(y);
  });
  collapse(nest);
  planSplit(nest);
  buildScalarLoops(nest);
}
