//===- SimplifyScans.cpp - what a loop over time need not carry -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Outputs that nobody reads go; of outputs that are one value, one stays.
//   2. An elementwise op that only makes a sequence for the loop (the sum of a
//      product and a bias) moves into the loop, where it shares the loop of its
//      reader: the sequence is read where the product wrote it.
//   3. (x + bias) + product becomes (x + product) + bias: the product can add
//   to
//      the sequence in place.
//
//===----------------------------------------------------------------------===//

#include "passes/Optimizations.h"
#include "passes/Passes.h"
#include "passes/lowering/FormUnits.h"

namespace belfry {
#define GEN_PASS_DEF_SIMPLIFYSCANS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// A scan with other operands and outputs that takes over the body of `op`;
/// `arguments` are the values that stand for the old arguments.
static nn::ScanOp
rebuild(nn::ScanOp op, ValueRange sequences, ValueRange closed,
        ArrayRef<unsigned> keptOutputs,
        function_ref<SmallVector<Value>(OpBuilder &, nn::ScanOp)> arguments) {
  OpBuilder b(op);
  nn::YieldOp yield = op.getYield();
  SmallVector<Value> outputs;
  for (unsigned k : keptOutputs)
    outputs.push_back(yield.getOutputs()[k]);
  auto fresh = nn::ScanOp::create(
      b, op.getLoc(), op.getInits(), sequences, closed, op.getMask(),
      op.getReverse(), op.getSteps(), ValueRange(outputs).getTypes());
  Block &body = fresh.getBody().front(), &old = op.getBody().front();
  b.setInsertionPointToEnd(&body);
  SmallVector<Value> values = arguments(b, fresh);
  for (auto [before, after] : llvm::zip(old.getArguments(), values))
    before.replaceAllUsesWith(after);
  for (Value &output : outputs)
    for (auto [before, after] : llvm::zip(old.getArguments(), values))
      if (output == before)
        output = after;
  body.getOperations().splice(body.end(), old.getOperations());
  b.setInsertionPoint(yield);
  SmallVector<Value> carry(yield.getCarry());
  nn::YieldOp::create(b, yield.getLoc(), carry, outputs);
  yield.erase();
  for (auto [before, after] : llvm::zip(op.getFinals(), fresh.getFinals()))
    before.replaceAllUsesWith(after);
  return fresh;
}

static SmallVector<Value> sameArguments(nn::ScanOp fresh) {
  return SmallVector<Value>(fresh.getBody().getArguments());
}

/// Step 1. Returns the op that stands for `op` now.
static nn::ScanOp dropOutputs(nn::ScanOp op, int64_t &dropped) {
  nn::YieldOp yield = op.getYield();
  SmallVector<unsigned> kept;
  SmallVector<int> standsFor(op.getOutputs().size(), -1);
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    if (output.use_empty())
      continue;
    for (auto [position, k] : llvm::enumerate(kept))
      if (yield.getOutputs()[k] == yield.getOutputs()[i])
        standsFor[i] = static_cast<int>(position);
    if (standsFor[i] >= 0)
      continue;
    standsFor[i] = static_cast<int>(kept.size());
    kept.push_back(i);
  }
  if (kept.size() == op.getOutputs().size())
    return op;
  dropped += static_cast<int64_t>(op.getOutputs().size() - kept.size());
  nn::ScanOp fresh =
      rebuild(op, op.getSequences(), op.getClosed(), kept,
              [](OpBuilder &, nn::ScanOp made) { return sameArguments(made); });
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    if (standsFor[i] >= 0)
      output.replaceAllUsesWith(fresh.getOutputs()[standsFor[i]]);
  op.erase();
  return fresh;
}

/// The broadcast that makes every step of a sequence from one value, if
/// `value` is one.
static nn::BroadcastOp stepInvariant(Value value) {
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  if (!broadcast || llvm::is_contained(broadcast.getDims(), 0))
    return {};
  return broadcast;
}

/// Step 2, for one sequence; null where there is nothing to do.
static nn::ScanOp sinkProducer(nn::ScanOp op) {
  for (auto [i, sequence] : llvm::enumerate(op.getSequences())) {
    Operation *producer = sequence.getDefiningOp();
    if (!isa_and_nonnull<nn::UnaryOp, nn::BinaryOp, nn::ConvertOp,
                         nn::SelectOp>(producer) ||
        !sequence.hasOneUse())
      continue;
    // One operand stays a sequence; the others are the same at every step.
    int whole = -1;
    bool fits = true;
    for (auto [k, operand] : llvm::enumerate(producer->getOperands())) {
      if (stepInvariant(operand))
        continue;
      fits &= whole < 0;
      whole = static_cast<int>(k);
    }
    if (!fits || whole < 0)
      continue;
    SmallVector<Value> sequences(op.getSequences()), closed(op.getClosed());
    sequences[i] = producer->getOperand(whole);
    for (Value operand : producer->getOperands())
      if (nn::BroadcastOp broadcast = stepInvariant(operand))
        closed.push_back(broadcast.getOperand());
    SmallVector<unsigned> all;
    for (unsigned k = 0; k < op.getOutputs().size(); ++k)
      all.push_back(k);
    unsigned carried = op.getInits().size(), index = i;
    unsigned oldClosed = op.getClosed().size();
    nn::ScanOp fresh =
        rebuild(op, sequences, closed, all, [&](OpBuilder &b, nn::ScanOp made) {
          SmallVector<Value> values = sameArguments(made);
          Value step = made.getSequenceArgs()[index];
          unsigned next = oldClosed;
          IRMapping map;
          for (Value operand : producer->getOperands()) {
            nn::BroadcastOp broadcast = stepInvariant(operand);
            if (!broadcast) {
              map.map(operand, step);
              continue;
            }
            SmallVector<int64_t> dims(broadcast.getDims());
            for (int64_t &d : dims)
              --d;
            auto type = cast<RankedTensorType>(step.getType())
                            .clone(cast<RankedTensorType>(operand.getType())
                                       .getElementType());
            Value inner = made.getClosedArgs()[next++];
            bool dynamic = false;
            for (int64_t d = 0; d < type.getRank(); ++d)
              dynamic |= type.isDynamicDim(d) && !llvm::is_contained(dims, d);
            map.map(operand,
                    nn::BroadcastOp::create(b, operand.getLoc(), type, inner,
                                            dynamic ? step : Value(),
                                            b.getDenseI64ArrayAttr(dims))
                        .getResult());
          }
          Operation *clone = b.clone(*producer, map);
          auto type = cast<RankedTensorType>(producer->getResult(0).getType());
          clone->getResult(0).setType(RankedTensorType::get(
              type.getShape().drop_front(), type.getElementType()));
          values[carried + index] = clone->getResult(0);
          return values;
        });
    for (auto [before, after] : llvm::zip(op.getOutputs(), fresh.getOutputs()))
      before.replaceAllUsesWith(after);
    op.erase();
    producer->erase();
    return fresh;
  }
  return {};
}

/// Step 3. Returns how many sums it has changed.
static int64_t addProductsFirst(nn::ScanOp op) {
  int64_t changed = 0;
  SmallVector<nn::BinaryOp> sums(op.getBody().getOps<nn::BinaryOp>());
  auto isAdd = [](nn::BinaryOp add) {
    return add && add.getKind() == nn::BinaryKind::Add;
  };
  for (nn::BinaryOp outer : sums) {
    if (!isAdd(outer))
      continue;
    for (auto [x, y] : {std::pair(outer.getLhs(), outer.getRhs()),
                        std::pair(outer.getRhs(), outer.getLhs())}) {
      auto inner = x.getDefiningOp<nn::BinaryOp>();
      if (!isAdd(inner) || onlyReader(x) != outer ||
          !y.getDefiningOp<nn::DotOp>() || onlyReader(y) != outer)
        continue;
      Value sequence = inner.getLhs(), other = inner.getRhs();
      if (sequence.getDefiningOp())
        std::swap(sequence, other);
      if (!llvm::is_contained(op.getSequenceArgs(), sequence) ||
          !other.getDefiningOp<nn::BroadcastOp>() ||
          onlyReader(sequence) != inner)
        continue;
      OpBuilder b(outer);
      Value first = nn::BinaryOp::create(b, outer.getLoc(), outer.getType(),
                                         nn::BinaryKind::Add, sequence, y);
      Value second = nn::BinaryOp::create(b, inner.getLoc(), outer.getType(),
                                          nn::BinaryKind::Add, first, other);
      inner.replaceAllUsesWith(first);
      outer.replaceAllUsesWith(second);
      outer.erase();
      inner.erase();
      ++changed;
      break;
    }
  }
  return changed;
}

namespace {
struct SimplifyScansPass : belfry::impl::SimplifyScansBase<SimplifyScansPass> {
  using SimplifyScansBase::SimplifyScansBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    SmallVector<nn::ScanOp> scans;
    getOperation()->walk([&](nn::ScanOp op) { scans.push_back(op); });
    int64_t dropped = 0, sunk = 0, reordered = 0;
    for (nn::ScanOp op : scans) {
      if (optimizations.has(Optimization::DropOutputs))
        op = dropOutputs(op, dropped);
      while (optimizations.has(Optimization::SinkIntoLoops)) {
        nn::ScanOp next = sinkProducer(op);
        if (!next)
          break;
        op = next;
        ++sunk;
      }
      if (optimizations.has(Optimization::ProductsFirst))
        reordered += addProductsFirst(op);
    }
    numDropped += dropped;
    numSunk += sunk;
    numReordered += reordered;
  }

  Optimizations optimizations;
};
} // namespace
