//===- GatherRows.cpp - gradients from the rows of all towers -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For towers that share a memory. The gradient of a dense layer's weights is a
// product that contracts the rows, of which each tower computes a part, and an
// all-reduce. Here the operands are gathered instead, and the product is one:
//
//   all_reduce sum (dot(x, g))  →  dot(all_gather x, all_gather g)
//
// The block of a function's argument that a tower has is gathered by taking the
// argument, unless towers leave rows of it out.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/nn/RowMultiple.h"
#include "dialects/tower/Tower.h"

#include "mlir/IR/IRMapping.h"

namespace belfry {
#define GEN_PASS_DEF_GATHERROWS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// The gradient that is worth it, in elements: smaller ones are added up before
/// threads have met.
static constexpr int64_t kLeastElements = 16 << 10;

/// Whether `operand` is a matrix with a row of the batch in each of its own,
/// and nothing but the rows is contracted.
static bool isRows(Value operand, ArrayRef<int64_t> batch,
                   ArrayRef<int64_t> contract) {
  return batch.empty() && contract.size() == 1 && contract[0] == 0 &&
         nn::dynamicDim(operand.getType()) == 0 &&
         nn::rowMultiple(operand) == 1;
}

static bool isGradient(nn::DotOp dot) {
  return dot && dot->hasOneUse() &&
         isRows(dot.getLhs(), dot.getLhsBatch(), dot.getLhsContract()) &&
         isRows(dot.getRhs(), dot.getRhsBatch(), dot.getRhsContract()) &&
         nn::staticElements(dot.getType()) >= kLeastElements;
}

namespace {

struct GatherRowsPass : belfry::impl::GatherRowsBase<GatherRowsPass> {
  using GatherRowsBase::GatherRowsBase;

  void runOnOperation() override {
    getOperation().walk([&](tower::ReplicateOp replicate) {
      gathered.clear();
      keepsRows = replicate.getSlicing() != tower::Slicing::DropRemainder;
      Block &body = replicate.getBody().front();
      for (auto reduce :
           llvm::make_early_inc_range(body.getOps<tower::AllReduceOp>()))
        if (reduce->getNumOperands() == 1 &&
            reduce.getKind() == tower::ReduceKind::Sum)
          if (auto dot = reduce.getOperand(0).getDefiningOp<nn::DotOp>();
              isGradient(dot))
            rewrite(reduce, dot);
    });
  }

private:
  void rewrite(tower::AllReduceOp reduce, nn::DotOp dot) {
    OpBuilder b(reduce);
    IRMapping map;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      map.map(operand, wholeOf(operand));
    Operation *whole = b.clone(*dot, map);
    reduce.getResult(0).replaceAllUsesWith(whole->getResult(0));
    reduce.erase();
    dot.erase();
    ++numGradients;
  }

  /// The rows of all towers, gathered where `value` is made.
  Value wholeOf(Value value) {
    auto slice = value.getDefiningOp<tower::SliceOp>();
    if (keepsRows && slice && slice.getDim() == 0 &&
        isa<BlockArgument>(slice.getOperand()))
      return slice.getOperand();
    auto [it, fresh] = gathered.try_emplace(value);
    if (fresh) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(value);
      it->second = tower::AllGatherOp::create(b, value.getLoc(),
                                              value.getType(), value, 0);
      ++numGathers;
    }
    return it->second;
  }

  // Of the towers at hand.
  llvm::DenseMap<Value, Value> gathered;
  bool keepsRows = true;
};

} // namespace
