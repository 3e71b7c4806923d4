//===- ElideAllReduce.cpp - merges and removes all-reduces ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Where an op gives a partial value when fed the parts, the all-reduce of
//      its operands moves behind it, if that saves one or makes it smaller.
//      Until nothing changes.
//   2. The sum of the towers' rows is the number of rows of the whole batch,
//      which every tower knows.
//   3. Equal all-reduces become one; unused ones go.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/nn/Builders.h"
#include "dialects/nn/RowMultiple.h"

namespace belfry {
#define GEN_PASS_DEF_ELIDEALLREDUCE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::tower;

static int64_t elements(Value v) {
  int64_t product = 1;
  for (int64_t size : tensorType(v).getShape())
    product *= ShapedType::isDynamic(size) ? 1 << 20 : size;
  return product;
}

static DistState partialOf(AllReduceOp op) {
  switch (op.getKind()) {
  case tower::ReduceKind::Sum:
    return DistState::partialOf(PartialKind::Sum);
  case tower::ReduceKind::Max:
    return DistState::partialOf(PartialKind::Max);
  case tower::ReduceKind::Min:
    return DistState::partialOf(PartialKind::Min);
  }
  llvm_unreachable("unknown reduction");
}

namespace {

struct ElideAllReduce : belfry::impl::ElideAllReduceBase<ElideAllReduce> {
  using ElideAllReduceBase::ElideAllReduceBase;

  void runOnOperation() override {
    getOperation().walk([&](ReplicateOp op) {
      Block &body = op.getBody().front();
      for (bool changed = true; changed;) {
        changed = false;
        for (Operation &inner :
             llvm::make_early_inc_range(body.without_terminator()))
          changed |= moveBehind(&inner);
      }
      useGlobalRows(op);
      removeEqual(body);
      numLeft += llvm::range_size(body.getOps<AllReduceOp>());
    });
  }

  /// Step 1 for one op. Operands that are all-reduced for it alone are
  /// candidates.
  bool moveBehind(Operation *op) {
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    if (!distributable || op->getNumResults() != 1 || isa<AllReduceOp>(op))
      return false;
    SmallVector<AllReduceOp> reduces;
    SmallVector<DistState> states(op->getNumOperands());
    int64_t before = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      auto reduce = operand.get().getDefiningOp<AllReduceOp>();
      if (!reduce || !operand.get().hasOneUse() ||
          reduce.getOperands().size() != 1)
        continue;
      reduces.push_back(reduce);
      states[operand.getOperandNumber()] = partialOf(reduce);
      before += elements(operand.get());
    }
    if (reduces.empty() ||
        (reduces.size() < 2 && elements(op->getResult(0)) >= before))
      return false;
    // The other operands have to be the same in every tower: known where they
    // have no rows of the batch and do not depend on the tower.
    for (OpOperand &operand : op->getOpOperands())
      if (!states[operand.getOperandNumber()].isPartial() &&
          !isReplicated(operand.get()))
        return false;
    DistTransfer answer;
    distributable.transfer(states, answer);
    DistState kind = partialOf(reduces.front());
    if (!answer.makeWhole.empty() || answer.results.size() != 1 ||
        answer.results[0] != kind)
      return false;

    for (AllReduceOp reduce : reduces) {
      reduce.getResult(0).replaceAllUsesWith(reduce.getOperand(0));
      reduce.erase();
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    auto reduce = AllReduceOp::create(builder, op->getLoc(), result.getType(),
                                      reduceKindOf(kind), result);
    result.replaceAllUsesExcept(reduce.getResult(0), reduce);
    numMerged += reduces.size() - 1;
    return true;
  }

  static tower::ReduceKind reduceKindOf(DistState state) {
    return state.partial == PartialKind::Sum   ? tower::ReduceKind::Sum
           : state.partial == PartialKind::Max ? tower::ReduceKind::Max
                                               : tower::ReduceKind::Min;
  }

  /// Whether a value is the result of a collective, a constant, or comes from
  /// outside of the region; a short look suffices here.
  static bool isReplicated(Value v) {
    SmallVector<Value> work{v};
    for (unsigned steps = 0; !work.empty() && steps < 64; ++steps) {
      Value at = work.pop_back_val();
      Operation *op = at.getDefiningOp();
      if (!op || isa<AllReduceOp, AllGatherOp>(op) ||
          !op->getParentOfType<ReplicateOp>())
        continue;
      if (isa<tower::SliceOp, RowOffsetOp, IndexOp, ReduceScatterOp>(op) ||
          op->getNumRegions())
        return false;
      llvm::append_range(work, op->getOperands());
    }
    return work.empty();
  }

  /// Step 2.
  void useGlobalRows(ReplicateOp replicate) {
    // Where rows are dropped, the towers' rows are not the batch's.
    if (replicate.getSlicing() == Slicing::DropRemainder)
      return;
    Value batch;
    replicate.walk([&](tower::SliceOp slice) {
      if (!batch && rowMultiple(slice.getOperand()) == 1)
        batch = slice.getOperand();
    });
    if (!batch)
      return;
    SmallVector<AllReduceOp> reduces(
        replicate.getBody().front().getOps<AllReduceOp>());
    for (AllReduceOp reduce : reduces) {
      auto size = reduce.getOperand(0).getDefiningOp<DimSizeOp>();
      if (!size || reduce.getKind() != tower::ReduceKind::Sum)
        continue;
      std::optional<int64_t> multiple = rowMultiple(size.getOperand());
      if (!multiple)
        continue;
      OpBuilder builder(reduce);
      CoreBuilder b(builder, size.getLoc());
      Value rows = DimSizeOp::create(builder, size.getLoc(), batch,
                                     dynamicDim(batch.getType()));
      if (*multiple != 1)
        rows = b.mul(rows, static_cast<double>(*multiple));
      reduce.getResult(0).replaceAllUsesWith(rows);
      reduce.erase();
      if (size.use_empty())
        size.erase();
      ++numRows;
    }
  }

  /// Step 3.
  void removeEqual(Block &body) {
    llvm::DenseMap<std::pair<Value, unsigned>, AllReduceOp> first;
    SmallVector<AllReduceOp> reduces(body.getOps<AllReduceOp>());
    for (AllReduceOp reduce : reduces) {
      auto &earlier = first[{reduce.getOperand(0),
                             static_cast<unsigned>(reduce.getKind())}];
      bool equal = earlier && !reduce.use_empty();
      if (equal)
        reduce.getResult(0).replaceAllUsesWith(earlier.getResult(0));
      if (reduce.use_empty()) {
        reduce.erase();
        ++numRemoved;
      } else {
        earlier = reduce;
      }
    }
  }
};

} // namespace
