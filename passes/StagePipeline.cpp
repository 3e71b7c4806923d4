//===- StagePipeline.cpp - Belfry's own pipeline, stage by stage ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/StagePipeline.h"

#include "passes/LoweringFlags.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;

llvm::ArrayRef<StringRef> belfry::knownTargets() {
  static const StringRef names[] = {"host", "cuda", "cuda-emulated"};
  return names;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void belfry::buildTrainStepStage(OpPassManager &pm) {
  // Layers are decomposed, differentiated and joined with loss and update.
  pm.addPass(createNnBuildTrainStep());
  // Gradients of values that nothing asks for, and what folds.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void belfry::buildParallelStage(OpPassManager &pm, int64_t towers,
                                tower::Slicing slicing,
                                const Optimizations &optimizations) {
  // First, so that sums over towers are of f32.
  pm.addPass(createWidenNarrowFloats());
  MakeParallelOptions options;
  options.towers = towers;
  options.slicing = slicing;
  pm.addPass(createMakeParallel(options));
  // First always right, then few.
  pm.addPass(createInsertAllReduce());
  if (optimizations.has(Optimization::ElideAllReduce))
    pm.addPass(createElideAllReduce());
  // What the elision left behind.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void belfry::buildPlacedStage(OpPassManager &pm, tower::DeviceKind device,
                              const HostOptions &options) {
  // Towers of the host share a memory: to gather rows costs nothing.
  if (options.optimizations.has(Optimization::GatherRows))
    pm.addPass(createGatherRows());
  // Roles and names stand at functions that lowering takes apart: note them.
  pm.addPass(createDescribeProgram());
  NnPlaceOptions place;
  place.device = device;
  place.disable.assign(options.disabledKernels.begin(),
                       options.disabledKernels.end());
  pm.addPass(createNnPlace(place));
}

llvm::Error belfry::noteTarget(ModuleOp module, Stage stage, StringRef target) {
  bool wanted = target != "host", noted = module->hasAttr(kTargetAttr);
  if (stage >= Stage::Placed && wanted != noted)
    return llvm::createStringError(
        "the module is at stage '" + stageName(stage) + "' for " +
        (noted ? "GPUs, which is for '--target cuda' and 'cuda-emulated'"
               : "the target 'host'") +
        ", and the target is '" + target + "'");
  module->removeAttr(kTargetAttr);
  if (wanted)
    module->setAttr(kTargetAttr, StringAttr::get(module.getContext(), "gpu"));
  return llvm::Error::success();
}

/// The optimisations of a target: some are about the caches and threads of the
/// host (docs/gpu-target.md).
static HostOptions optionsOf(const PipelineOptions &options) {
  HostOptions result = options.host;
  result.forGpu = options.target != "host";
  if (result.forGpu)
    for (Optimization one :
         {Optimization::GatherRows, Optimization::PackMaskedSteps,
          Optimization::PackWeights, Optimization::LookAhead})
      result.optimizations.disable(one);
  return result;
}

void belfry::buildStage(OpPassManager &pm, Stage stage,
                        const PipelineOptions &options) {
  HostOptions own = optionsOf(options);
  switch (stage) {
  case Stage::Import:
    break;
  case Stage::TrainStep:
    buildTrainStepStage(pm);
    break;
  case Stage::Parallel:
    buildParallelStage(pm, options.towers, options.slicing,
                       options.host.optimizations);
    break;
  case Stage::Placed:
    buildPlacedStage(pm,
                     options.target == "host" ? tower::DeviceKind::Cpu
                                              : tower::DeviceKind::Gpu,
                     own);
    break;
  case Stage::Lowered:
    buildLowerStage(pm, own);
    break;
  case Stage::Bufferized:
    // Scratch arrays get a place with all others.
    if (options.target != "host")
      pm.addPass(createSplitLongSums());
    buildBufferizeStage(pm, own);
    break;
  case Stage::Target:
    if (options.target == "host")
      buildHostTargetStage(pm, own);
    else if (options.target == "cuda")
      buildCudaTargetStage(pm, own);
    else
      buildEmulatedTargetStage(pm, own);
    break;
  }
  VerifyStageOptions verify;
  verify.stage = stage;
  pm.addPass(createVerifyStage(verify));
}

//===----------------------------------------------------------------------===//
// --belfry-pipeline
//===----------------------------------------------------------------------===//

namespace {

struct CommandLineOptions : LoweringFlags {
  Option<std::string> target{
      *this, "target", llvm::cl::init("host"),
      llvm::cl::desc("what to compile for: host, cuda, cuda-emulated")};
  Option<int64_t> towers{*this, "towers", llvm::cl::init(1),
                         llvm::cl::desc("number of towers")};
  Option<std::string> slicing{
      *this, "slicing", llvm::cl::init("balanced"),
      llvm::cl::desc("how the batch is cut: balanced, drop-remainder, "
                     "last-takes-rest, strict")};
  Option<std::string> startFrom{
      *this, "start-from", llvm::cl::init("import"),
      llvm::cl::desc("the stage that the module is at")};
  Option<std::string> stopAfter{*this, "stop-after", llvm::cl::init("target"),
                                llvm::cl::desc("the last stage to reach")};
  Option<std::string> cpu{*this, "mcpu", llvm::cl::init("x86-64-v3"),
                          llvm::cl::desc("LLVM's name of the processor")};
  Option<std::string> features{*this, "features", llvm::cl::init(""),
                               llvm::cl::desc("LLVM's feature string")};
  Option<bool> profileOps{*this, "profile-ops", llvm::cl::init(false),
                          llvm::cl::desc("measure each op of a run")};
};

/// Options that were checked.
struct Checked {
  PipelineOptions options;
  Stage startFrom, stopAfter;
};

FailureOr<Stage> checkStage(StringRef option, StringRef name,
                            PipelineErrorHandler error) {
  if (std::optional<Stage> stage = parseStage(name))
    return *stage;
  return error("unknown stage '" + name + "' of '" + option + "'; known are " +
               stageList());
}

FailureOr<Checked> check(StringRef text, PipelineErrorHandler error) {
  CommandLineOptions given;
  if (failed(given.parseFromString(text)))
    return failure();
  Checked checked;
  checked.options.target = given.target.getValue();
  if (!llvm::is_contained(knownTargets(), StringRef(given.target.getValue())))
    return error("target '" + given.target.getValue() +
                 "' is not in this version; known "
                 "are " +
                 llvm::join(knownTargets(), ", "));
  if (given.towers.getValue() < 1)
    return error("expected at least 1 tower, got " +
                 Twine(given.towers.getValue()));
  checked.options.towers = given.towers.getValue();
  std::string slicing = given.slicing.getValue();
  llvm::replace(slicing, '-', '_');
  std::optional<tower::Slicing> mode = tower::symbolizeSlicing(slicing);
  if (!mode)
    return error("unknown slicing '" + given.slicing.getValue() +
                 "'; known are balanced, drop-remainder, last-takes-rest, "
                 "strict");
  checked.options.slicing = *mode;
  checked.options.host = {
      given.cpu.getValue(),        given.features.getValue(),
      given.profileOps.getValue(), {},
      MemoryMode::Balanced,        {}};
  if (failed(given.apply(checked.options.host, error)))
    return failure();
  FailureOr<Stage> from =
      checkStage("start-from", given.startFrom.getValue(), error);
  FailureOr<Stage> after =
      checkStage("stop-after", given.stopAfter.getValue(), error);
  if (failed(from) || failed(after))
    return failure();
  checked.startFrom = *from;
  checked.stopAfter = *after;
  if (*after < *from)
    return error("stage '" + given.stopAfter.getValue() +
                 "' of 'stop-after' comes before "
                 "'" +
                 given.startFrom.getValue() + "' of 'start-from'");
  return checked;
}

/// The stages to run: those after the start, or the start's verifier alone.
SmallVector<Stage> stagesOf(const Checked &checked) {
  SmallVector<Stage> stages;
  for (Stage stage : kStages)
    if (stage <= checked.stopAfter &&
        (stage > checked.startFrom ||
         (stage == checked.startFrom && stage == Stage::Import)))
      stages.push_back(stage);
  return stages;
}

} // namespace

void belfry::registerBelfryPipeline() {
  registerPassPipeline(
      "belfry-pipeline",
      "belfryc's own pipeline; stops after any of its stages (" + stageList() +
          ")",
      [](OpPassManager &pm, StringRef options,
         PipelineErrorHandler error) -> LogicalResult {
        FailureOr<Checked> checked = check(options, error);
        if (failed(checked))
          return failure();
        for (Stage stage : stagesOf(*checked))
          buildStage(pm, stage, checked->options);
        return success();
      },
      [](llvm::function_ref<void(const detail::PassOptions &)> handler) {
        handler(CommandLineOptions());
      });
}

LogicalResult belfry::printPipeline(StringRef options, llvm::raw_ostream &os,
                                    llvm::raw_ostream &errors) {
  FailureOr<Checked> checked =
      check(options, [&](const Twine &message) -> LogicalResult {
        errors << "error: --belfry-pipeline: " << message << '\n';
        return failure();
      });
  if (failed(checked))
    return failure();
  for (Stage stage : stagesOf(*checked)) {
    OpPassManager pm(ModuleOp::getOperationName());
    buildStage(pm, stage, checked->options);
    os << stageName(stage) << ":\n";
    for (Pass &pass : pm.getPasses()) {
      os << "  ";
      pass.printAsTextualPipeline(os);
      os << '\n';
    }
  }
  return success();
}
