//===- UnrollTowers.cpp - writes towers out -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each tower.replicate with N towers:
//
//   1. Go through the region op by op. A collective becomes one op with an
//      operand and a result for each tower; any other op is copied N times.
//   2. Slices and row offsets name their tower.
//   3. Outputs are joined by tower.concat; values that every tower has are
//      tower 0's.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace belfry {
#define GEN_PASS_DEF_UNROLLTOWERS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::tower;

namespace {

struct UnrollTowers : belfry::impl::UnrollTowersBase<UnrollTowers> {
  using UnrollTowersBase::UnrollTowersBase;

  void runOnOperation() override {
    if (towers < 0) {
      getOperation().emitError("expected at least 1 tower, got ") << towers;
      return signalPassFailure();
    }
    SmallVector<ReplicateOp> ops;
    getOperation().walk([&](ReplicateOp op) { ops.push_back(op); });
    for (ReplicateOp op : ops)
      if (failed(unroll(op)))
        return signalPassFailure();
  }

  LogicalResult unroll(ReplicateOp op) {
    int64_t n = towers ? towers : static_cast<int64_t>(op.getTowers());
    OpBuilder builder(op);
    SmallVector<IRMapping> maps(n);
    Block &body = op.getBody().front();
    for (Operation &inner : body.without_terminator()) {
      if (isa<AllReduceOp>(inner)) {
        SmallVector<Value> operands;
        for (IRMapping &map : maps)
          operands.push_back(map.lookupOrDefault(inner.getOperand(0)));
        auto kind = cast<AllReduceOp>(inner).getKind();
        auto all = AllReduceOp::create(builder, inner.getLoc(),
                                       TypeRange(ValueRange(operands)), kind,
                                       operands);
        for (auto [map, result] : llvm::zip_equal(maps, all.getResults()))
          map.map(inner.getResult(0), result);
        continue;
      }
      if (isa<AllGatherOp, ReduceScatterOp>(inner)) {
        if (failed(unrollGather(builder, &inner, maps)))
          return failure();
        continue;
      }
      for (int64_t i = 0; i < n; ++i)
        copy(builder, inner, maps[i], i, n, op.getSlicingAttr());
    }
    auto yield = cast<tower::YieldOp>(body.getTerminator());
    for (auto [value, dim, result] : llvm::zip_equal(
             yield.getValues(), yield.getConcat(), op.getOutputs())) {
      SmallVector<Value> parts;
      for (IRMapping &map : maps)
        parts.push_back(map.lookupOrDefault(value));
      if (dim < 0 || n == 1)
        result.replaceAllUsesWith(parts[0]);
      else
        result.replaceAllUsesWith(
            tower::ConcatOp::create(builder, yield.getLoc(), result.getType(),
                                    parts, dim)
                .getResult());
    }
    op.erase();
    return success();
  }

  /// With all parts at hand a gather is a concat, the same for every tower.
  static LogicalResult unrollGather(OpBuilder &builder, Operation *inner,
                                    MutableArrayRef<IRMapping> maps) {
    auto gather = dyn_cast<AllGatherOp>(inner);
    if (!gather)
      return inner->emitOpError("cannot be written out for each tower");
    SmallVector<Value> parts;
    for (IRMapping &map : maps)
      parts.push_back(map.lookupOrDefault(gather.getOperand()));
    Value whole = tower::ConcatOp::create(
        builder, gather.getLoc(), gather.getType(), parts, gather.getDim());
    for (IRMapping &map : maps)
      map.map(gather.getResult(), whole);
    return success();
  }

  static void copy(OpBuilder &builder, Operation &inner, IRMapping &map,
                   int64_t i, int64_t n, SlicingAttr slicing) {
    if (n == 1 && isa<tower::SliceOp>(inner)) { // the whole batch
      map.map(inner.getResult(0), map.lookupOrDefault(inner.getOperand(0)));
      return;
    }
    Operation *made = builder.clone(inner, map);
    std::string name = "tower_" + std::to_string(i);
    made->setLoc(NameLoc::get(builder.getStringAttr(name), inner.getLoc()));
    if (isa<tower::SliceOp, RowOffsetOp, IndexOp>(made)) {
      made->setAttr("index", builder.getI64IntegerAttr(i));
      made->setAttr("of", builder.getI64IntegerAttr(n));
      if (!isa<IndexOp>(made))
        made->setAttr("slicing", slicing);
    } else {
      made->setDiscardableAttr("tower", builder.getStringAttr(name));
    }
  }
};

} // namespace
