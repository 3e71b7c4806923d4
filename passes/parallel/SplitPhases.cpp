//===- SplitPhases.cpp - training functions to phases ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function:
//
//   1. Flatten: the ops of the function and of its tower.replicate, in order.
//   2. A value is per tower when it follows from a slice, the row offset or the
//      tower's index; what a collective gives is the same in every tower.
//   3. The level of a value is the number of collectives before it. Stage s is
//      the once phase of level s, then its per-tower phase, then the
//      collectives of values of level s.
//   4. Per-tower ops stand in the stage of their level. Once ops stand in the
//      last stage that serves all their uses, results in the last stage of
//      all, where no reader of an old parameter is left.
//   5. Values that another phase, a collective or the caller needs get a row of
//      the buffer table.
//
//===----------------------------------------------------------------------===//

#include "passes/Optimizations.h"
#include "passes/Passes.h"
#include "passes/parallel/PhaseSplitter.h"

namespace belfry {
#define GEN_PASS_DEF_SPLITPHASES
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {
struct SplitPhasesPass : belfry::impl::SplitPhasesBase<SplitPhasesPass> {
  using SplitPhasesBase::SplitPhasesBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module);
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool roles = false;
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        roles |= !!function.getResultAttr(i, nn::kRoleAttr);
      if (roles && !function.isExternal())
        functions.push_back(function);
    }
    SmallVector<Attribute> phases;
    NamedAttrList tables;
    for (func::FuncOp function : functions) {
      PhaseSplitter splitter(function,
                             optimizations.has(Optimization::RecomputeSmall));
      if (failed(splitter.run()))
        return signalPassFailure();
      tables.append(function.getName(), splitter.table(phases.size()));
      for (func::FuncOp phase : splitter.phases)
        phases.push_back(FlatSymbolRefAttr::get(phase));
      numPhases += splitter.phases.size();
      numCrossing += splitter.crossing;
      function.erase();
    }
    module->setAttr(kPhasesAttr, builder.getArrayAttr(phases));
    module->setAttr(kFunctionsAttr, tables.getDictionary(&getContext()));
  }

  Optimizations optimizations;
};
} // namespace
