//===- OutlineKernels.cpp - loop nests to functions on pointers -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/host/KernelBuilder.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

namespace belfry {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct OutlineKernelsPass
    : belfry::impl::OutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> phases;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr))
        phases.push_back(function);
    for (func::FuncOp phase : phases)
      if (failed(outline(phase)))
        return signalPassFailure();
  }

  LogicalResult outline(func::FuncOp phase);

  llvm::StringMap<func::FuncOp> known; ///< by the text of the function
};

} // namespace

LogicalResult OutlineKernelsPass::outline(func::FuncOp phase) {
  SmallVector<Operation *> kernels;
  phase.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) || op->hasAttr(kKernelAttr)) {
      kernels.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  Value rows = rowsOf(phase);
  if (!rows && !kernels.empty())
    return phase.emitError("has no rows yet; --host-entry-points runs first");
  for (Operation *op : kernels) {
    KernelBuilder kernel(op, rows);
    if (failed(kernel.build()))
      return failure();
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    kernel.function->print(stream, flags.useLocalScope());
    auto [it, fresh] = known.try_emplace(text, kernel.function);
    if (fresh) {
      OpBuilder at = OpBuilder::atBlockEnd(getOperation().getBody());
      at.insert(kernel.function);
      kernel.function.setName(("kernel_" + Twine(known.size() - 1)).str());
      ++numKernels;
    } else {
      kernel.function.erase();
      ++numShared;
    }
    OpBuilder b(op);
    kernel.buildArguments(b);
    func::CallOp::create(b, op->getLoc(), it->second, kernel.arguments);
    op->erase();
  }
  return success();
}
