//===- LowerRandom.cpp - random numbers by blocks -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A draw gives four numbers a block, so that its loop goes over blocks:
//
//   1. The values of the unit that something outside reads get a place with
//      whole blocks: their own, or a buffer whose rows end in a few elements
//      that nobody reads.
//   2. One loop computes a block, then the ops of the unit on each of its four
//      elements, and stores them side by side. Short rows are walked together,
//      for the sake of the vectorizer.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/Philox.h"

using namespace mlir;
using namespace belfry;

namespace {

/// The loops over the blocks of all rows.
struct BlockLoops {
  OpBuilder &b;
  Location loc;
  RowMath &math;

  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }
  Value word(Value i) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), i);
  }
  /// Opens a loop and goes into it; the outermost one says how many blocks an
  /// iteration has.
  Value open(Value size, int64_t step, int64_t blocks = 0) {
    Value zero = index(0), by = index(step);
    auto loop = scf::ForOp::create(b, loc, zero, size, by);
    if (blocks) {
      loop->setAttr(kKernelAttr, b.getUnitAttr());
      loop->setAttr(kIndependentAttr, b.getI64IntegerAttr(blocks));
    }
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// Leaves the insertion point inside of the loops. `place` is the number of
  /// the block in the whole array.
  struct Position {
    Value row, block; ///< i32
    Value place;
  };
  Position build(Affine rows, int64_t blocks);
};

} // namespace

BlockLoops::Position BlockLoops::build(Affine rows, int64_t blocks) {
  // Rows of fewer blocks than a few vectors are taken 64 at a time.
  constexpr int64_t kLong = 64, kTogether = 64;
  Value size = math.value(rows);
  auto block32 = [&](uint32_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 32);
  };
  if (blocks == 1) {
    Value row = open(size, 1, blocks);
    return {word(row), block32(0), row};
  }
  if (blocks >= kLong) {
    Value row = open(size, 1, blocks);
    Value first = arith::MulIOp::create(b, loc, row, index(blocks));
    Value row32 = word(row);
    Value block = open(index(blocks), 1);
    return {row32, word(block), arith::AddIOp::create(b, loc, first, block)};
  }
  Value firstRow = open(size, kTogether, blocks);
  Value left = arith::SubIOp::create(b, loc, size, firstRow);
  Value taken = arith::MinUIOp::create(b, loc, left, index(kTogether));
  Value steps = arith::MulIOp::create(b, loc, taken, index(blocks));
  Value first = arith::MulIOp::create(b, loc, firstRow, index(blocks));
  Value firstRow32 = word(firstRow);
  Value i = open(steps, 1);
  // i / blocks as i·m / 2²⁰ with m = ⌈2²⁰ / blocks⌉: the product is too great
  // by i·(m·blocks − 2²⁰) < 2¹²·2⁶ at most, less than would show.
  constexpr int64_t kScale = 20;
  Value i32 = word(i);
  Value row = arith::ShRUIOp::create(
      b, loc,
      arith::MulIOp::create(
          b, loc, i32, block32(llvm::divideCeil(int64_t(1) << kScale, blocks))),
      block32(kScale));
  Value block = arith::SubIOp::create(
      b, loc, i32, arith::MulIOp::create(b, loc, row, block32(blocks)));
  return {arith::AddIOp::create(b, loc, firstRow32, row), block,
          arith::AddIOp::create(b, loc, first, i)};
}

LogicalResult NnLowering::lowerRandom(const Unit &unit) {
  auto draw = cast<nn::RandomOp>(unit.ops.front());
  SmallVector<Affine> sizes = sizesOf(draw.getResult());
  int64_t count = 1; // elements of a row
  for (Affine size : ArrayRef(sizes).drop_front(sizes.empty() ? 0 : 1))
    count *= size.isFixed() ? size.fixed : 0;
  // One element a block, or rows of a length not known here.
  if (count <= 1 || !optimizations.has(Optimization::RandomBlocks))
    return lowerElementwise(unit);
  int64_t blocks = llvm::divideCeil(count, 4);

  struct Output {
    Value value;
    Value memref;               ///< rows·blocks × 4
    std::optional<View> copied; ///< where it has to be too
  };
  SmallVector<Output> outputs;
  DenseSet<Operation *> members(unit.ops.begin(), unit.ops.end());
  for (Operation *op : unit.ops) {
    Value result = op->getResult(0);
    if (!llvm::any_of(result.getUses(), [&](OpOperand &use) {
          return !members.contains(use.getOwner()) && !isShapeOperand(use);
        }))
      continue;
    Output &output = outputs.emplace_back();
    output.value = result;
    SmallVector<Affine> whole = {sizes[0] * blocks, Affine::of(4)};
    if (count == blocks * 4) {
      View place = placeOf(result);
      if (std::optional<View> flat = reshapeView(place, whole)) {
        output.memref = memref(*flat);
        continue;
      }
      output.copied = place;
    }
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    View storage = allocate(whole, element);
    output.memref = memref(storage);
    View view = storage;
    view.sizes = sizes;
    view.strides = denseStrides(sizes);
    view.strides.front() = Affine::of(4 * blocks);
    views[result] = view;
  }
  if (outputs.empty())
    return success();

  // What is the same for all elements: a constant, a value of the phase, or a
  // number in memory that the loop loads. The seed is two such values, of which
  // the null value stands for the second.
  DenseMap<Value, View> uniform;
  auto addUniform = [&](Value key, View view) {
    if (view.base) {
      view = withoutBroadcast(b.getContext(), view).view;
      view.base = memref(view);
    }
    uniform[key] = std::move(view);
  };
  for (Operation *op : unit.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (uniform.contains(value) || members.contains(value.getDefiningOp()) ||
          isShapeOperand(operand))
        continue;
      View view = viewOf(value);
      if (!view)
        return op->emitOpError("reads a value that has no place");
      if (value != draw.getSeed()) {
        addUniform(value, view);
        continue;
      }
      addUniform(value, elementView(b, loc, math, view, 0, b.getIndexAttr(0)));
      addUniform(Value(),
                 elementView(b, loc, math, view, 0, b.getIndexAttr(1)));
    }
  // Each layer has a stream of its own; their loops are the same.
  auto stream = arith::ConstantIntOp::create(
      b, loc, static_cast<int32_t>(draw.getStream()), 32);
  stream->setAttr(kArgumentAttr, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    BlockLoops::Position at = BlockLoops{b, loc, math}.build(sizes[0], blocks);
    DenseMap<Value, Value> loaded;
    auto uniformValue = [&](Value key) -> Value {
      Value &known = loaded[key];
      if (known)
        return known;
      const View &view = uniform[key];
      if (view.base)
        return known = memref::LoadOp::create(b, loc, view.base, ValueRange());
      if (view.scalar)
        return known = view.scalar;
      return known =
                 arith::ConstantOp::create(b, loc, cast<TypedAttr>(view.splat));
    };
    RandomCounter counter;
    counter.seedLow = uniformValue(draw.getSeed());
    counter.seedHigh = uniformValue(Value());
    counter.step = uniformValue(draw.getStep());
    counter.stream = stream;
    counter.row = at.row;
    if (draw.getRowOffset())
      counter.row = arith::AddIOp::create(b, loc, counter.row,
                                          uniformValue(draw.getRowOffset()));
    counter.block = at.block;
    Type element =
        cast<RankedTensorType>(draw.getResult().getType()).getElementType();
    std::array<Value, 4> drawn =
        buildRandomBlock(b, loc, draw.getKind(), counter, element);
    for (auto [lane, number] : llvm::enumerate(drawn)) {
      DenseMap<Value, Value> scalar = {{draw.getResult(), number}};
      for (Operation *op : ArrayRef(unit.ops).drop_front())
        scalar[op->getResult(0)] = scalarOf(b, op, [&](Value operand) {
          auto it = scalar.find(operand);
          return it != scalar.end() ? it->second : uniformValue(operand);
        });
      Value index = arith::ConstantIndexOp::create(b, loc, lane);
      for (Output &output : outputs)
        memref::StoreOp::create(b, loc, scalar[output.value], output.memref,
                                ValueRange{at.place, index});
    }
  }
  for (Output &output : outputs) {
    if (output.copied)
      copy(views[output.value], *output.copied);
    finish(output.value);
  }
  return success();
}
