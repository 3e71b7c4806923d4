//===- VerifyGpuCoverage.cpp - proves that every op has a kernel ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --verify-gpu-coverage: Coverage.cpp as a pass that changes nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/Coverage.h"

namespace belfry {
#define GEN_PASS_DEF_VERIFYGPUCOVERAGE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct VerifyGpuCoverage
    : belfry::impl::VerifyGpuCoverageBase<VerifyGpuCoverage> {
  using VerifyGpuCoverageBase::VerifyGpuCoverageBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    KernelRegistry registry;
    if (llvm::Error error = registry.remove(disable)) {
      module.emitError("'disable': ") << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    FailureOr<Coverage> coverage = verifyCoverage(module, registry);
    if (failed(coverage))
      return signalPassFailure();
    numCovered += coverage->ops;
    numFamilies += coverage->families.size();
  }
};

} // namespace
