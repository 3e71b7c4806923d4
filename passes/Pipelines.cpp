//===- Pipelines.cpp - the stages, as functions ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Pipelines.h"

#include "passes/LoweringFlags.h"
#include "passes/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace belfry;

static constexpr StringLiteral kMemoryModes[] = {"low", "balanced", "fast"};

StringRef belfry::memoryModeName(MemoryMode mode) {
  return kMemoryModes[static_cast<unsigned>(mode)];
}

std::optional<MemoryMode> belfry::parseMemoryMode(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kMemoryModes))
    if (known == name)
      return static_cast<MemoryMode>(i);
  return std::nullopt;
}

llvm::Error belfry::noteMemory(ModuleOp module, MemoryMode &mode, bool given) {
  if (auto name = module->getAttrOfType<StringAttr>(kMemoryAttr);
      name && !given) {
    std::optional<MemoryMode> known = parseMemoryMode(name);
    if (!known)
      return llvm::createStringError("'" + kMemoryAttr + "' is '" + name.str() +
                                     "'; known are low, balanced, fast");
    mode = *known;
  }
  module->removeAttr(kMemoryAttr);
  if (mode != MemoryMode::Balanced)
    module->setAttr(kMemoryAttr,
                    StringAttr::get(module.getContext(), memoryModeName(mode)));
  return llvm::Error::success();
}

/// The options of a pass that has several optimisations.
template <typename Options>
static Options without(const Optimizations &optimizations, StringRef pass) {
  Options options;
  for (std::string &name : optimizations.disabled(pass))
    options.disable.push_back(std::move(name));
  return options;
}

void belfry::buildLowerStage(OpPassManager &pm, const HostOptions &options) {
  Optimizations optimizations = options.optimizations;
  // What saves memory by computing more or in another order.
  if (options.memory == MemoryMode::Fast) {
    optimizations.disable(Optimization::RecomputeSmall);
    optimizations.disable(Optimization::OrderUnits);
  }
  // A module that comes in at this stage may not have been asked yet.
  pm.addPass(createWidenNarrowFloats());
  // Constants that passes made one by one are one; dead values are gone, so
  // that nothing is kept across a phase for nobody.
  pm.addPass(createCSEPass());
  // Collectives decide what runs where, before anything has a place in memory.
  pm.addPass(createSplitPhases(
      without<SplitPhasesOptions>(optimizations, "split-phases")));
  // What is cheap is made again.
  if (options.memory == MemoryMode::Low)
    pm.addPass(createRecomputeValues());
  // Loops over time carry and store no more than is read.
  pm.addPass(createSimplifyScans(
      without<SimplifyScansOptions>(optimizations, "simplify-scans")));
  // Rows that a mask takes out are not computed.
  if (optimizations.has(Optimization::PackMaskedSteps))
    pm.addPass(createPackMaskedSteps());
  // Other masks become selects, which then share the loop of what they choose
  // from.
  pm.addPass(createExpandScanMask());
  // What was made anew in a phase may be there twice.
  pm.addPass(createCSEPass());
  // Parts and wholes are brought to one shape, then loops can be shared.
  if (optimizations.has(Optimization::PrepareFusion))
    pm.addPass(createPrepareFusion());
  // Products that read 16 bits; what widened for them alone is dead then.
  if (options.forGpu && optimizations.has(Optimization::NarrowProducts))
    pm.addPass(createNarrowProducts());
  pm.addPass(createCSEPass());
  // Loops, and the places of all values.
  pm.addPass(createLowerNnToLinalg(
      without<LowerNnToLinalgOptions>(optimizations, "lower-nn-to-linalg")));
}

void belfry::buildBufferizeStage(OpPassManager &pm,
                                 const HostOptions &options) {
  // Offsets and constants that were made for each use; before lifetimes are
  // numbered.
  pm.addPass(createCSEPass());
  // Allocations become rows; the runtime places them.
  pm.addPass(createPlanBuffers(
      without<PlanBuffersOptions>(options.optimizations, "plan-buffers")));
}

/// Structured code on pointers and memrefs → the LLVM dialect.
static void buildToLlvm(OpPassManager &pm, const HostOptions &options) {
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

void belfry::buildHostTargetStage(OpPassManager &pm,
                                  const HostOptions &options) {
  // Rows become pointers, so that what follows sees no memref argument.
  pm.addPass(createHostEntryPoints());
  // Products first: they take the fills before them along.
  auto products = without<LinalgToGemmCallsOptions>(options.optimizations,
                                                    "linalg-to-gemm-calls");
  products.describe = options.profileOps;
  pm.addPass(createLinalgToGemmCalls(products));
  // Everything else is a kernel.
  auto kernels =
      without<OutlineKernelsOptions>(options.optimizations, "outline-kernels");
  kernels.describe = options.profileOps;
  pm.addPass(createOutlineKernels(kernels));
  // All that a phase does is a call now, each of which can be measured.
  if (options.profileOps)
    pm.addPass(createInstrumentOps());
  // Views and addresses that no kernel needs any more.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Loops over time that threads share by rows.
  pm.addPass(createOutlineRowBlocks());
  // Equal layers do the same with other buffers.
  if (options.optimizations.has(Optimization::OutlineRepeats))
    pm.addPass(createOutlineRepeats());
  buildToLlvm(pm, options);
}

void belfry::buildGpuKernels(OpPassManager &pm, const HostOptions &options) {
  // Kernels, and phases that launch them.
  OutlineGpuKernelsOptions outline;
  outline.disable.assign(options.disabledKernels.begin(),
                         options.disabledKernels.end());
  outline.tensorCores = options.optimizations.has(Optimization::TensorCores);
  pm.addPass(createOutlineGpuKernels(outline));
  // A GPU has no library that computes remainders of floats.
  pm.nest<gpu::GPUModuleOp>().addPass(createExpandRemainder());
  // What every kernel computes for itself and needs once.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Few launches; on memrefs still, whose buffers tell what may change places.
  if (options.optimizations.has(Optimization::GroupLaunches)) {
    GroupGpuLaunchesOptions group;
    group.shareMemory = options.optimizations.has(Optimization::ShareMemory);
    pm.addPass(createGroupGpuLaunches(group));
  }
  // No phase launches these, the runtime does.
  pm.addPass(createAddTowerReductions());
  // Rows become pointers, for phases and kernels.
  pm.addPass(createHostEntryPoints());
  pm.addPass(createFlattenKernelArguments());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Kernels in the gpu dialect → the NVVM dialect.
static void buildNvvmKernels(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createExpandMath());
  kernels.addPass(createConvertKernelsToNvvm());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

void belfry::buildCudaTargetStage(OpPassManager &pm,
                                  const HostOptions &options) {
  buildGpuKernels(pm, options);
  // Phases know kernels by their numbers from here on.
  pm.addPass(createLaunchGpuKernels());
  buildNvvmKernels(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  buildToLlvm(pm, options);
}

/// Kernels in the gpu dialect → loops over threads; all to the LLVM dialect.
static void buildThreadLoops(OpPassManager &pm, const HostOptions &options) {
  pm.addPass(createEmulateGpuKernels());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  buildToLlvm(pm, options);
}

void belfry::buildEmulatedKernels(OpPassManager &pm,
                                  const HostOptions &options) {
  buildGpuKernels(pm, options);
  pm.addPass(createLaunchGpuKernels());
  buildThreadLoops(pm, options);
}

void belfry::buildEmulatedTargetStage(OpPassManager &pm,
                                      const HostOptions &options) {
  buildGpuKernels(pm, options);
  buildThreadLoops(pm, options);
}

void belfry::buildHostLoweringPipeline(OpPassManager &pm,
                                       const HostOptions &options) {
  buildLowerStage(pm, options);
  buildBufferizeStage(pm, options);
  buildHostTargetStage(pm, options);
}

LogicalResult LoweringFlags::apply(HostOptions &host,
                                   PipelineErrorHandler error) const {
  SmallVector<std::string> names(disable.begin(), disable.end());
  if (llvm::Error failed = host.optimizations.disable(names))
    return error("'disable': " + llvm::toString(std::move(failed)));
  std::optional<MemoryMode> mode = parseMemoryMode(memory);
  if (!mode)
    return error("unknown mode '" + memory.getValue() +
                 "' of 'memory'; known are low, balanced, fast");
  host.memory = *mode;
  return success();
}

namespace {
struct HostFlags : LoweringFlags {
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("LLVM's name of the processor"),
                          llvm::cl::init("x86-64-v3")};
  Option<std::string> features{*this, "features",
                               llvm::cl::desc("LLVM's feature string")};
  Option<bool> profileOps{*this, "profile-ops", llvm::cl::init(false),
                          llvm::cl::desc("measure each op of a run")};
};
} // namespace

/// Registers a pipeline of stages that `build` adds.
template <typename Flags, typename Build>
static void registerStages(StringRef name, StringRef description, Build build) {
  registerPassPipeline(
      name, description,
      [build](OpPassManager &pm, StringRef text, PipelineErrorHandler error) {
        Flags flags;
        if (failed(flags.parseFromString(text)))
          return failure();
        HostOptions options;
        if constexpr (std::is_same_v<Flags, HostFlags>)
          options = {flags.cpu, flags.features,       flags.profileOps,
                     {},        MemoryMode::Balanced, {}};
        if (failed(flags.apply(options, error)))
          return failure();
        build(pm, options);
        return success();
      },
      [](llvm::function_ref<void(const detail::PassOptions &)> handler) {
        handler(Flags());
      });
}

namespace {
struct PlaceFlags : PassPipelineOptions<PlaceFlags> {
  Option<tower::DeviceKind> device{
      *this, "device", llvm::cl::desc("kind of device to place on"),
      llvm::cl::init(tower::DeviceKind::Cpu),
      llvm::cl::values(
          clEnumValN(tower::DeviceKind::Cpu, "cpu", "contexts of the host"),
          clEnumValN(tower::DeviceKind::Gpu, "gpu", "graphics processors"))};
  ListOption<std::string> disable{
      *this, "disable",
      llvm::cl::desc("families of kernels for GPUs to go without, by name")};
};
} // namespace

void belfry::registerHostPipelines() {
  PassPipelineRegistration<PlaceFlags>(
      "place", "nn-place under its short name",
      [](OpPassManager &pm, const PlaceFlags &flags) {
        NnPlaceOptions options;
        options.device = flags.device;
        options.disable.assign(flags.disable.begin(), flags.disable.end());
        pm.addPass(createNnPlace(options));
      });
  registerStages<LoweringFlags>(
      "belfry-lower", "parallel or placed → lowered",
      [](OpPassManager &pm, const HostOptions &options) {
        buildLowerStage(pm, options);
      });
  registerStages<LoweringFlags>(
      "belfry-bufferize", "lowered → bufferized",
      [](OpPassManager &pm, const HostOptions &options) {
        buildBufferizeStage(pm, options);
      });
  registerStages<HostFlags>("belfry-host-target",
                            "bufferized → target, for the host",
                            buildHostTargetStage);
  registerStages<HostFlags>("belfry-host",
                            "parallel or placed → target, for the host",
                            buildHostLoweringPipeline);
}
