//===- ProveCoverage.cpp - that a module's ops have kernels ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/ProveCoverage.h"

#include "passes/cuda/Coverage.h"
#include "passes/cuda/KernelAttrs.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace belfry;

FailureOr<std::string> belfry::proveCoverage(ModuleOp module, Stage stage,
                                             const HostOptions &options,
                                             bool byLowering) {
  KernelRegistry registry;
  if (llvm::Error error = registry.remove(options.disabledKernels))
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
  buildCudaTargetStage(pm, options);
  if (failed(pm.run(*copy)))
    return failure();
  auto countOf = [&](StringRef name) {
    auto list = (*copy)->getAttrOfType<ArrayAttr>(name);
    return list ? list.size() : 0;
  };
  os << "; " << countOf(kSitesAttr) << " launches of " << countOf(kKernelsAttr)
     << " kernels, all lowered to NVVM";
  return text;
}
