//===- Settings.cpp - what the options ask for ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Settings.h"

#include "lib/cuda/Architectures.h"
#include "lib/support/Error.h"
#include "passes/cuda/KernelRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;

/// Checks what has to do with coverage, and settles where it is proven.
static llvm::Error checkCoverageOptions(const CompileOptions &options,
                                        Settings &settings) {
  llvm::ArrayRef<std::string> disabled = settings.pipeline.host.disabledKernels;
  for (auto [given, name] :
       {std::pair(!disabled.empty(), "--disable kernel-…"),
        std::pair(options.verifyGpuCoverage, "--verify-gpu-coverage"),
        std::pair(options.allowCpuFallback, "--allow-cpu-fallback")})
    if (given && options.target == "host")
      return makeError("'" + Twine(name) +
                       "' is for the targets 'cuda' and 'cuda-emulated', the "
                       "target is 'host'");
  if (options.allowCpuFallback)
    return makeError("'--allow-cpu-fallback' is not in this version: an op "
                     "without a kernel for GPUs stops the compilation");
  KernelRegistry registry;
  if (llvm::Error error = registry.remove(disabled))
    return makeError("'--disable kernel-…': " +
                     llvm::toString(std::move(error)));
  if (options.target == "host")
    return llvm::Error::success();
  if (settings.last >= Stage::Placed)
    settings.proof =
        settings.last >= Stage::Bufferized ? Stage::Bufferized : Stage::Placed;
  else if (options.verifyGpuCoverage)
    return makeError("'--verify-gpu-coverage' needs stage 'placed', but "
                     "'--stop-after' ends at '" +
                     stageName(settings.last) + "'");
  return llvm::Error::success();
}

llvm::Expected<Settings> belfry::settle(const CompileOptions &options) {
  Settings settings;
  PipelineOptions &pipeline = settings.pipeline;
  if (!llvm::is_contained(knownTargets(), StringRef(options.target)))
    return makeError("unknown target '" + options.target + "'; known are " +
                     llvm::join(knownTargets(), ", "));
  if (options.towers && *options.towers < 1)
    return makeError("'--towers' expects at least 1 tower, got " +
                     Twine(*options.towers));
  if (options.towers && *options.towers > 65536)
    return makeError("'--towers' expects at most 65536 towers, got " +
                     Twine(*options.towers));
  pipeline.target = options.target;
  pipeline.towers = options.towers.value_or(1);
  if (options.slicing) {
    std::string name = *options.slicing;
    llvm::replace(name, '-', '_');
    std::optional<tower::Slicing> slicing = tower::symbolizeSlicing(name);
    if (!slicing)
      return makeError(
          "unknown '--slicing' '" + *options.slicing +
          "'; known are balanced, drop-remainder, last-takes-rest, "
          "strict");
    pipeline.slicing = *slicing;
  }
  if (!options.stopAfter.empty()) {
    std::optional<Stage> stage = parseStage(options.stopAfter);
    if (!stage)
      return makeError("unknown stage '" + options.stopAfter +
                       "' of '--stop-after'; known are " + stageList());
    settings.last = *stage;
  }
  if (!options.stopAfter.empty() &&
      options.emit.value_or(Emit::Mlir) != Emit::Mlir)
    return makeError(
        "'--stop-after " + options.stopAfter +
        "' writes the module, so '--emit' can only be mlir with it");
  if (!options.report.empty() && settings.last < Stage::Bufferized)
    return makeError(
        "'--report' needs stage 'bufferized', but '--stop-after' ends "
        "at '" +
        stageName(settings.last) + "'");
  settings.emit = options.emit.value_or(Emit::Executable);
  bool isCuda = options.target == "cuda";
  for (auto [given, name] :
       {std::pair(!options.cudaArch.empty(), "--cuda-arch"),
        std::pair(!options.certificate.empty(), "--certificate"),
        std::pair(settings.emit == Emit::Ptx, "--emit ptx"),
        std::pair(settings.emit == Emit::Cubin, "--emit cubin"),
        std::pair(settings.emit == Emit::Emulated, "--emit emulated")})
    if (given && !isCuda)
      return makeError("'" + Twine(name) +
                       "' is for the target 'cuda', the target is '" +
                       options.target + "'");
  if (options.profileOps && options.target != "host")
    return makeError(
        "'--profile-ops' is for the target 'host', the target is '" +
        options.target + "'");
  if (isCuda) {
    llvm::Expected<std::vector<unsigned>> architectures =
        parseArchitectures(options.cudaArch);
    if (!architectures)
      return architectures.takeError();
    settings.architectures = std::move(*architectures);
    if (settings.emit == Emit::Cubin && settings.architectures.size() != 1)
      return makeError("'--emit cubin' writes the cubin of one architecture; "
                       "'--cuda-arch' says which");
  }
  settings.toText = settings.emit == Emit::Ptx || !options.stopAfter.empty() ||
                    settings.emit == Emit::Mlir || settings.emit == Emit::Llvm;
  llvm::Expected<Processor> found = findProcessor(options.mcpu);
  if (!found)
    return found.takeError();
  settings.processor = std::move(*found);
  const Processor &processor = settings.processor;
  pipeline.host = {processor.cpu,        processor.features,
                   options.profileOps,   {},
                   MemoryMode::Balanced, {}};
  std::vector<std::string> disabled;
  for (StringRef name : options.disable)
    if (name.consume_front("kernel-"))
      pipeline.host.disabledKernels.push_back(name.str());
    else
      disabled.push_back(name.str());
  if (llvm::Error error = checkCoverageOptions(options, settings))
    return std::move(error);
  if (llvm::Error error = pipeline.host.optimizations.disable(disabled))
    return makeError("'--disable': " + llvm::toString(std::move(error)));
  if (options.memory) {
    std::optional<MemoryMode> mode = parseMemoryMode(*options.memory);
    if (!mode)
      return makeError("unknown '--memory' '" + *options.memory +
                       "'; known are low, balanced, fast");
    pipeline.host.memory = *mode;
  }
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> made =
      createMachine(processor);
  if (!made)
    return made.takeError();
  settings.machine = std::move(*made);
  return std::move(settings);
}
