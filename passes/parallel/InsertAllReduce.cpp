//===- InsertAllReduce.cpp - makes partial values whole -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each tower.replicate, in program order:
//
//   1. Ask the op's transfer function what becomes of the states of its
//      operands.
//   2. Where it needs an operand whole, all-gather that operand (once, for all
//      later uses too), and ask again.
//   3. All-reduce every result that is partial, right behind the op.
//   4. At the end, what is to be the same in every tower has to be replicated,
//      and what is joined has to be sharded.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/nn/RowMultiple.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace belfry {
#define GEN_PASS_DEF_INSERTALLREDUCE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::tower;

static tower::ReduceKind reduceKind(PartialKind kind) {
  switch (kind) {
  case PartialKind::Sum:
    return tower::ReduceKind::Sum;
  case PartialKind::Max:
    return tower::ReduceKind::Max;
  case PartialKind::Min:
    return tower::ReduceKind::Min;
  }
  llvm_unreachable("unknown partial kind");
}

/// The layer that an op came from, for messages.
static std::string layerName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return (" of layer '" + name.getName().getValue() + "'").str();
  return "";
}

namespace {

struct InsertAllReduce : belfry::impl::InsertAllReduceBase<InsertAllReduce> {
  using InsertAllReduceBase::InsertAllReduceBase;

  void runOnOperation() override {
    WalkResult walk = getOperation().walk([&](ReplicateOp op) {
      return failed(insert(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult insert(ReplicateOp replicate) {
    states.clear();
    gathered.clear();
    Block &body = replicate.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (failed(visit(&op)))
        return failure();
    return finish(cast<tower::YieldOp>(body.getTerminator()));
  }

  LogicalResult visit(Operation *op) {
    // Collectives and slices that are there already keep what they say.
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    DistTransfer answer;
    // Operands become whole once each at most.
    for (unsigned round = 0; round <= op->getNumOperands(); ++round) {
      SmallVector<DistState> operands;
      for (Value v : op->getOperands())
        operands.push_back(states.lookup(v));
      answer = {};
      if (distributable) {
        distributable.transfer(operands, answer);
      } else {
        for (auto [i, state] : llvm::enumerate(operands))
          if (!state.isReplicated())
            answer.makeWhole.push_back(static_cast<unsigned>(i));
        answer.results.assign(op->getNumResults(), DistState::replicated());
      }
      if (answer.makeWhole.empty())
        break;
      for (unsigned i : answer.makeWhole)
        if (failed(makeWhole(op, op->getOpOperand(i))))
          return failure();
    }
    if (!answer.makeWhole.empty() ||
        answer.results.size() != op->getNumResults())
      return op->emitOpError("cannot be spread over towers");
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [result, state] :
         llvm::zip_equal(op->getResults(), answer.results)) {
      if (!state.isPartial()) {
        states[result] = state;
        continue;
      }
      auto reduce = AllReduceOp::create(builder, op->getLoc(), result.getType(),
                                        reduceKind(state.partial), result);
      result.replaceAllUsesExcept(reduce.getResult(0), reduce);
      ++numAllReduces;
    }
    return success();
  }

  /// Gathers a sharded operand; partial values were reduced where they were
  /// made.
  LogicalResult makeWhole(Operation *op, OpOperand &operand) {
    Value v = operand.get();
    DistState state = states.lookup(v);
    if (!state.isSharded() || state.dim < 0)
      return op->emitOpError("needs operand ")
             << operand.getOperandNumber()
             << " to be the same in every tower, but it is the tower's own";
    Value &whole = gathered[v];
    if (!whole) {
      OpBuilder builder(op);
      whole =
          AllGatherOp::create(builder, op->getLoc(), v.getType(), v, state.dim);
      ++numAllGathers;
      op->emitRemark("'") << op->getName().getStringRef() << "'"
                          << layerName(op) << " needs all rows of operand "
                          << operand.getOperandNumber()
                          << ", which is gathered from all towers";
    }
    operand.set(whole);
    return success();
  }

  LogicalResult finish(tower::YieldOp yield) {
    for (OpOperand &operand : yield->getOpOperands()) {
      int64_t dim = yield.getConcat()[operand.getOperandNumber()];
      DistState state = states.lookup(operand.get());
      if (dim < 0 && !state.isReplicated() && failed(makeWhole(yield, operand)))
        return failure();
      if (dim >= 0 && state.isReplicated()) {
        OpBuilder builder(yield);
        operand.set(tower::SliceOp::create(
            builder, yield.getLoc(), operand.get().getType(), operand.get(),
            dim, IntegerAttr(), IntegerAttr(), SlicingAttr()));
      } else if (dim >= 0 && !state.isSharded(dim)) {
        return yield.emitOpError("joins a value along dimension ")
               << dim << ", but it is spread along dimension " << state.dim;
      }
    }
    return success();
  }

  llvm::DenseMap<Value, DistState> states; ///< replicated where there is none
  llvm::DenseMap<Value, Value> gathered;
};

} // namespace
