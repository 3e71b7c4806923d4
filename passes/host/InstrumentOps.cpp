//===- InstrumentOps.cpp - measures each call of a phase ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. In each phase, number the calls: of kernels and of the runtime.
//   2. Before each ask the runtime for the time, after it hand the number, that
//      time and the rows back.
//   3. Note at the module what the numbers stand for.
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Passes.h"
#include "passes/host/HostViews.h"
#include "passes/host/OpFacts.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace belfry {
#define GEN_PASS_DEF_INSTRUMENTOPS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct InstrumentOpsPass : belfry::impl::InstrumentOpsBase<InstrumentOpsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> phases;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr))
        phases.push_back(function);
    for (func::FuncOp phase : phases)
      if (failed(instrument(phase)))
        return signalPassFailure();
    getOperation()->setAttr(kOpsAttr, ArrayAttr::get(&getContext(), ops));
  }

  LogicalResult instrument(func::FuncOp phase);
  DictionaryAttr describe(func::FuncOp phase, func::CallOp call);

  SmallVector<Attribute> ops;
};

} // namespace

/// What the call says of itself; of one that says nothing, whom it calls.
DictionaryAttr InstrumentOpsPass::describe(func::FuncOp phase,
                                           func::CallOp call) {
  Builder b(&getContext());
  NamedAttrList fields;
  if (auto noted = call->getAttrOfType<DictionaryAttr>(kOpAttr))
    fields.append(noted.getValue());
  else
    fields.set("kind", b.getStringAttr(call.getCallee()));
  fields.set("function", phase->getAttr(kFunctionAttr));
  auto isPhase = [&](Attribute entry) {
    auto name = dyn_cast<FlatSymbolRefAttr>(entry);
    return name && name.getAttr() == phase.getSymNameAttr();
  };
  if (auto phases = getOperation()->getAttrOfType<ArrayAttr>(kPhasesAttr)) {
    const auto *found = llvm::find_if(phases, isPhase);
    if (found != phases.end())
      fields.set("phase", b.getI64IntegerAttr(found - phases.begin()));
  }
  if (!fields.get("layer")) {
    auto layer = call.getLoc()->findInstanceOf<NameLoc>();
    fields.set("layer", layer ? layer.getName() : b.getStringAttr(""));
  }
  return fields.getDictionary(&getContext());
}

/// The rows that a call works on: in a loop over blocks of rows those of the
/// block, else `all`.
static Value rowsOfCall(OpBuilder &b, func::CallOp call, Value all) {
  scf::ForOp loop = rowBlocksAround(call);
  Operation *rows = loop ? blockRowsOf(loop) : nullptr;
  if (!rows)
    return all;
  return arith::IndexCastOp::create(b, call.getLoc(), b.getI64Type(),
                                    rows->getResult(0));
}

LogicalResult InstrumentOpsPass::instrument(func::FuncOp phase) {
  SmallVector<func::CallOp> calls;
  phase.walk([&](func::CallOp call) {
    if (call.getCallee() != kLookAheadName)
      calls.push_back(call);
  });
  if (calls.empty())
    return success();
  Value rows = rowsOf(phase);
  if (!rows)
    return phase.emitError("has no rows yet; --host-entry-points runs first");
  OpBuilder b(&getContext());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Value context = loadContext(phase);
  b.setInsertionPointAfterValue(rows);
  Value count = arith::IndexCastOp::create(b, phase.getLoc(), i64, rows);
  func::FuncOp begin =
      declareFunction(getOperation(), "belfry_profile_begin", {pointer}, {i64});
  func::FuncOp end = declareFunction(getOperation(), "belfry_profile_end",
                                     {pointer, i32, i64, i64});
  for (func::CallOp call : calls) {
    Location loc = call.getLoc();
    b.setInsertionPoint(call);
    Value start =
        func::CallOp::create(b, loc, begin, ValueRange{context}).getResult(0);
    b.setInsertionPointAfter(call);
    Value number = arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(ops.size())));
    func::CallOp::create(
        b, loc, end,
        ValueRange{context, number, start, rowsOfCall(b, call, count)});
    ops.push_back(describe(phase, call));
    call->removeAttr(kOpAttr);
    ++numOps;
  }
  return success();
}
