//===- Pipelines.cpp - the stages, as functions ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace belfry;

void belfry::buildLowerStage(OpPassManager &pm) {
  // Constants that passes made one by one are one; dead values are gone, so
  // that nothing is kept across a phase for nobody.
  pm.addPass(createCSEPass());
  // Collectives decide what runs where, before anything has a place in memory.
  pm.addPass(createSplitPhases());
  // Loops over time carry and store no more than is read.
  pm.addPass(createSimplifyScans());
  // Rows that a mask takes out are not computed.
  pm.addPass(createPackMaskedSteps());
  // Other masks become selects, which then share the loop of what they choose
  // from.
  pm.addPass(createExpandScanMask());
  // What was made anew in a phase may be there twice.
  pm.addPass(createCSEPass());
  // Parts and wholes are brought to one shape, then loops can be shared.
  pm.addPass(createPrepareFusion());
  pm.addPass(createCSEPass());
  // Loops, and the places of all values.
  pm.addPass(createLowerNnToLinalg());
}

void belfry::buildBufferizeStage(OpPassManager &pm) {
  // Offsets and constants that were made for each use; before lifetimes are
  // numbered.
  pm.addPass(createCSEPass());
  // Allocations become rows; the runtime places them.
  pm.addPass(createPlanBuffers());
}

void belfry::buildHostTargetStage(OpPassManager &pm,
                                  const HostOptions &options) {
  // Rows become pointers, so that what follows sees no memref argument.
  pm.addPass(createHostEntryPoints());
  // Products first: they take the fills before them along.
  LinalgToGemmCallsOptions products;
  products.describe = options.profileOps;
  pm.addPass(createLinalgToGemmCalls(products));
  // Everything else is a kernel.
  OutlineKernelsOptions kernels;
  kernels.describe = options.profileOps;
  pm.addPass(createOutlineKernels(kernels));
  // All that a phase does is a call now, each of which can be measured.
  if (options.profileOps)
    pm.addPass(createInstrumentOps());
  // Views and addresses that no kernel needs any more.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Transcendental functions as arithmetic, the same on every target; then
  // structured loops to branches, and every dialect to LLVM's.
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createExpandMath());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Linkage and processor, on functions that are LLVM's now.
  FinalizeHostOptions finalize;
  finalize.cpu = options.cpu;
  finalize.features = options.features;
  pm.addPass(createFinalizeHost(finalize));
}

void belfry::buildHostLoweringPipeline(OpPassManager &pm,
                                       const HostOptions &options) {
  buildLowerStage(pm);
  buildBufferizeStage(pm);
  buildHostTargetStage(pm, options);
}

namespace {
struct HostFlags : PassPipelineOptions<HostFlags> {
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("LLVM's name of the processor"),
                          llvm::cl::init("x86-64-v3")};
  Option<std::string> features{*this, "features",
                               llvm::cl::desc("LLVM's feature string")};
  Option<bool> profileOps{*this, "profile-ops", llvm::cl::init(false),
                          llvm::cl::desc("measure each op of a run")};
};
} // namespace

void belfry::registerHostPipelines() {
  static PassPipelineRegistration<> lower(
      "belfry-lower", "parallel or placed → lowered", buildLowerStage);
  static PassPipelineRegistration<> bufferize(
      "belfry-bufferize", "lowered → bufferized", buildBufferizeStage);
  static PassPipelineRegistration<HostFlags> target(
      "belfry-host-target", "bufferized → target, for the host",
      [](OpPassManager &pm, const HostFlags &flags) {
        buildHostTargetStage(pm, {flags.cpu, flags.features, flags.profileOps});
      });
  static PassPipelineRegistration<HostFlags> all(
      "belfry-host", "parallel or placed → target, for the host",
      [](OpPassManager &pm, const HostFlags &flags) {
        buildHostLoweringPipeline(
            pm, {flags.cpu, flags.features, flags.profileOps});
      });
}
