//===- ProveCoverage.cpp - that a module's ops have kernels ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/ProveCoverage.h"

#include "passes/Pipelines.h"
#include "passes/cuda/Coverage.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace belfry;

FailureOr<std::string>
belfry::proveCoverage(ModuleOp module, Stage stage,
                      const std::vector<std::string> &disabledKernels,
                      bool byLowering) {
  KernelRegistry registry;
  if (llvm::Error error = registry.remove(disabledKernels))
    return module.emitError(llvm::toString(std::move(error)));
  FailureOr<Coverage> coverage = verifyCoverage(module, registry);
  if (failed(coverage))
    return failure();
  std::string text = "coverage: ", families = describeFamilies(*coverage);
  llvm::raw_string_ostream os(text);
  if (stage < Stage::Bufferized) {
    os << coverage->ops << " core ops and collectives at stage '"
       << stageName(stage) << "' have kernels for GPUs, of "
       << coverage->families.size() << " families (" << families << ')';
    return text;
  }
  os << coverage->ops << " ops of phases have kernels for GPUs, of "
     << coverage->families.size() << " families (" << families << ')';
  if (!byLowering)
    return text;
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager pm(module.getContext());
  buildNvvmKernels(pm, disabledKernels);
  if (failed(pm.run(*copy)))
    return failure();
  int64_t launches = 0, kernels = 0;
  copy->walk([&](gpu::LaunchFuncOp) { ++launches; });
  copy->walk([&](gpu::GPUModuleOp all) {
    for (auto function : all.getOps<FunctionOpInterface>())
      kernels += !function.isExternal();
  });
  os << "; " << launches << " launches of " << kernels
     << " kernels, all lowered to NVVM";
  return text;
}
