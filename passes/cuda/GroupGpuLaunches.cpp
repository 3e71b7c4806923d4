//===- GroupGpuLaunches.cpp - launches that run beside each other ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Which launches of a phase wait for others follows from what kernels do
//      with their arrays (LaunchGraph.cpp).
//   2. Launches that need not wait are put into groups (LaunchSchedule.cpp).
//   3. A group of several becomes one kernel and one launch (GroupKernel.cpp);
//      kernels of one text are one.
//   4. Lifetimes of the buffer table are numbered anew, by launches: what a
//      group touches lives at the same time.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/GroupKernel.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/cuda/LaunchLives.h"
#include "passes/cuda/LaunchSchedule.h"
#include "passes/lowering/PhaseAttrs.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace belfry {
#define GEN_PASS_DEF_GROUPGPULAUNCHES
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct GroupGpuLaunchesPass
    : belfry::impl::GroupGpuLaunchesBase<GroupGpuLaunchesPass> {
  using GroupGpuLaunchesBase::GroupGpuLaunchesBase;
  void runOnOperation() override;

  LogicalResult group(func::FuncOp phase);
  gpu::GPUFuncOp share(gpu::GPUFuncOp kernel);
  void eraseUnused(gpu::GPUModuleOp module);

  DenseMap<StringAttr, gpu::GPUFuncOp> kernels; ///< before groups, by name
  llvm::StringMap<gpu::GPUFuncOp> groups;       ///< by the text
  unsigned nextGroup = 0;
  bool changed = false;
};

} // namespace

gpu::GPUFuncOp GroupGpuLaunchesPass::share(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  auto [it, fresh] = groups.try_emplace(text, kernel);
  if (!fresh) {
    kernel.erase();
    return it->second;
  }
  // There may be groups from before.
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  std::string name;
  do
    name = "group_" + std::to_string(nextGroup++);
  while (module.lookupSymbol(name));
  kernel.setName(name);
  ++numKernels;
  return kernel;
}

/// Whether all that the phase does with memory is in its launches.
static bool onlyLaunches(func::FuncOp phase) {
  return phase.getBody().hasOneBlock() &&
         llvm::all_of(phase.getBody().front(), [](Operation &op) {
           return isa<gpu::LaunchFuncOp, func::ReturnOp>(op) ||
                  isMemoryEffectFree(&op);
         });
}

LogicalResult GroupGpuLaunchesPass::group(func::FuncOp phase) {
  if (!onlyLaunches(phase))
    return success();
  Block &body = phase.getBody().front();
  for (auto launch : body.getOps<gpu::LaunchFuncOp>())
    if (!kernels.contains(launch.getKernelName()))
      return launch.emitOpError("launches a kernel that is not there");
  LaunchGraph graph(phase, kernels);
  SmallVector<LaunchFacts> facts;
  for (unsigned i = 0; i < graph.size(); ++i)
    facts.push_back(belfry::factsOf(
        graph.launch(i), kernels.lookup(graph.launch(i).getKernelName())));
  for (const LaunchGroup &group : scheduleLaunches(graph, facts)) {
    // Launches have no results: they may all stand behind what the phase
    // computes.
    if (group.size() == 1 && group.front().size() == 1) {
      graph.launch(group.front().front())->moveBefore(body.getTerminator());
      continue;
    }
    SmallVector<GroupStrand> strands;
    for (const Strand &strand : group) {
      GroupStrand &own = strands.emplace_back();
      for (unsigned i : strand) {
        own.kernels.push_back(facts[i].kernel);
        own.launches.push_back(graph.launch(i));
      }
    }
    gpu::LaunchFuncOp launch = buildGroupLaunch(strands);
    ++numGroups;
    changed = true;
    gpu::GPUFuncOp kernel =
        share(launch->getParentOfType<ModuleOp>().lookupSymbol<gpu::GPUFuncOp>(
            launch.getKernelAttr()));
    launch.setKernelAttr(SymbolRefAttr::get(
        kernel->getParentOfType<gpu::GPUModuleOp>().getNameAttr(),
        {FlatSymbolRefAttr::get(kernel.getNameAttr())}));
    for (const GroupStrand &strand : strands)
      for (gpu::LaunchFuncOp old : strand.launches) {
        old.erase();
        ++numJoined;
      }
  }
  return success();
}

void GroupGpuLaunchesPass::eraseUnused(gpu::GPUModuleOp module) {
  llvm::StringSet<> used;
  getOperation()->walk(
      [&](gpu::LaunchFuncOp launch) { used.insert(launch.getKernelName()); });
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>()))
    if (!used.contains(kernel.getName()))
      kernel.erase();
}

void GroupGpuLaunchesPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (module->hasAttr(kFunctionsAttr) && failed(verifyPhaseTable(module)))
    return signalPassFailure();
  kernels.clear();
  groups.clear();
  nextGroup = 0;
  changed = false;
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp own : modules)
    for (auto kernel : own.getOps<gpu::GPUFuncOp>())
      kernels[kernel.getNameAttr()] = kernel;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kFunctionAttr))
      if (failed(verifyPhase<MemRefType>(function)) || failed(group(function)))
        return signalPassFailure();
  for (gpu::GPUModuleOp own : modules)
    eraseUnused(own);
  if (changed && failed(numberLives(module, shareMemory)))
    signalPassFailure();
}
