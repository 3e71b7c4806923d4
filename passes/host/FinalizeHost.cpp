//===- FinalizeHost.cpp - linkage and processor of the functions ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/PhaseAttrs.h"

namespace belfry {
#define GEN_PASS_DEF_FINALIZEHOST
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// What was noted at a loop has come along to the branch back, as an attribute
/// that the translation to LLVM IR does not look at.
static void attachLoopAnnotations(LLVM::LLVMFuncOp function) {
  StringRef name = LLVM::LoopAnnotationAttr::name;
  function.walk([&](Operation *op) {
    auto noted = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
        op->getDiscardableAttr(name));
    if (!noted)
      return;
    if (auto branch = dyn_cast<LLVM::BrOp>(op))
      branch.setLoopAnnotationAttr(noted);
    op->removeDiscardableAttr(name);
  });
}

namespace {
struct FinalizeHostPass : belfry::impl::FinalizeHostBase<FinalizeHostPass> {
  using FinalizeHostBase::FinalizeHostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(&getContext());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      bool phase = function->hasAttr(kFunctionAttr);
      bool part = !!function->removeAttr(kPartAttr);
      function->removeAttr(kFunctionAttr);
      function.setLinkage(phase ? LLVM::Linkage::External
                                : LLVM::Linkage::Internal);
      // Kernels stay functions of their own: inlined, their pointers would no
      // longer be known not to alias.
      if (!phase)
        function.setNoInline(true);
      attachLoopAnnotations(function);
      function.setNoUnwind(true);
      function.setTargetCpu(cpu);
      if (!features.empty())
        function.setTargetFeaturesAttr(
            LLVM::TargetFeaturesAttr::get(&getContext(), StringRef(features)));
      // 512-bit vectors where the processor has them. A phase has no use for
      // vectors, and the search for them takes LLVM longer than all the rest.
      SmallVector<Attribute> more = {
          b.getStrArrayAttr({"prefer-vector-width", "512"})};
      if (phase || part)
        more.push_back(b.getStringAttr("noimplicitfloat"));
      function.setPassthroughAttr(b.getArrayAttr(more));
    }
  }
};
} // namespace
