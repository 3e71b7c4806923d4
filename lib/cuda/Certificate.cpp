//===- Certificate.cpp - which kernel each op has -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Certificate.h"

#include "dialects/nn/Nn.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/cuda/KernelRegistry.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace belfry;
namespace json = llvm::json;

/// What the launch says of itself; empty where it says nothing.
static std::string fieldOf(Operation *op, StringRef name) {
  auto facts = op->getAttrOfType<DictionaryAttr>(kLaunchAttr);
  auto text = facts ? facts.getAs<StringAttr>(name) : StringAttr();
  return text ? text.str() : "";
}

static json::Object resourcesOf(const KernelResources &kernel,
                                const GpuArchitecture &arch, int64_t threads) {
  double share = occupancy(arch, kernel, threads);
  return json::Object{{"registers", kernel.registers},
                      {"spill_stores", kernel.spillStores},
                      {"spill_loads", kernel.spillLoads},
                      {"stack", kernel.stackBytes},
                      {"shared", kernel.sharedBytes},
                      {"occupancy", std::round(share * 1000) / 1000}};
}

static const KernelFamily *familyNamed(StringRef name) {
  auto it = llvm::find_if(kernelFamilies(), [&](const KernelFamily &family) {
    return family.name == name;
  });
  return it == kernelFamilies().end() ? nullptr : it;
}

static StringRef sourceOf(StringRef family) {
  const KernelFamily *known = familyNamed(family);
  return known ? kernelSourceName(known->source) : "generated";
}

/// `each`: a phase runs once for each tower; `all`: once for all of them.
static llvm::StringMap<StringRef> towersOfPhases(ModuleOp module) {
  llvm::StringMap<StringRef> towers;
  auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  auto phases = module->getAttrOfType<ArrayAttr>(kPhasesAttr);
  if (!tables || !phases)
    return towers;
  for (NamedAttribute entry : tables)
    for (Attribute attr :
         cast<DictionaryAttr>(entry.getValue()).getAs<ArrayAttr>("schedule")) {
      auto item = cast<DictionaryAttr>(attr);
      auto run = item.getAs<StringAttr>("run");
      if (auto phase = item.getAs<IntegerAttr>("phase"); phase && run)
        towers[cast<FlatSymbolRefAttr>(phases[phase.getInt()]).getValue()] =
            run.getValue() == "once" ? "all" : "each";
    }
  return towers;
}

/// The exchanges between towers, in the order of the schedules.
static json::Array collectivesOf(ModuleOp module) {
  json::Array result;
  auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  if (!tables)
    return result;
  for (NamedAttribute entry : tables) {
    auto table = cast<DictionaryAttr>(entry.getValue());
    auto buffers = table.getAs<ArrayAttr>("buffers");
    for (Attribute attr : table.getAs<ArrayAttr>("schedule")) {
      auto item = cast<DictionaryAttr>(attr);
      auto from = item.getAs<IntegerAttr>("from");
      if (!from)
        continue;
      auto reduce = item.getAs<StringAttr>("all_reduce");
      auto row = cast<DictionaryAttr>(buffers[from.getInt()]);
      result.push_back(
          json::Object{{"function", entry.getName().getValue()},
                       {"op", reduce ? ("all_reduce " + reduce.getValue()).str()
                                     : "all_gather"},
                       {"dtype", row.getAs<StringAttr>("dtype").getValue()},
                       {"source", sourceOf("collective")}});
    }
  }
  return result;
}

json::Value belfry::certificateOf(ModuleOp module,
                                  llvm::ArrayRef<Cubin> cubins) {
  json::Array ops, kernels, architectures;
  for (const Cubin &cubin : cubins)
    architectures.push_back(findArchitecture(cubin.sm)->name());
  llvm::StringMap<std::string> families;
  llvm::StringMap<StringRef> towers = towersOfPhases(module);
  json::Object launches;
  for (auto phase : module.getOps<func::FuncOp>()) {
    auto function = phase->getAttrOfType<StringAttr>(kFunctionAttr);
    if (!function)
      continue;
    int64_t count = 0;
    phase.walk([&](gpu::LaunchFuncOp launch) {
      ++count;
      families[launch.getKernelName()] = fieldOf(launch, "family");
      ops.push_back(
          json::Object{{"function", function.getValue()},
                       {"phase", phase.getName()},
                       {"tower", towers.lookup(phase.getName())},
                       {"layer", nn::layerOf(launch)},
                       {"role", fieldOf(launch, "role")},
                       {"op", fieldOf(launch, "family")},
                       {"parts", fieldOf(launch, "parts")},
                       {"dtype", fieldOf(launch, "dtype")},
                       {"class", fieldOf(launch, "class")},
                       {"shape", fieldOf(launch, "shape")},
                       {"kernel", launch.getKernelName().getValue()},
                       {"source", sourceOf(fieldOf(launch, "family"))}});
    });
    json::Value &sum = launches[function.getValue()];
    sum = sum.getAsInteger().value_or(0) + count;
  }
  module.walk([&](gpu::GPUModuleOp all) {
    for (Operation &op : *all.getBody()) {
      auto symbol = dyn_cast<FunctionOpInterface>(op);
      if (!symbol || !families.count(symbol.getName()))
        continue;
      StringRef name = symbol.getName();
      json::Object assembled;
      for (const Cubin &cubin : cubins)
        if (auto it = cubin.kernels.find(name.str()); it != cubin.kernels.end())
          assembled[findArchitecture(cubin.sm)->name()] = resourcesOf(
              it->second, *findArchitecture(cubin.sm), kBlockThreads);
      const KernelFamily *family = familyNamed(families[name]);
      unsigned least =
          family ? family->leastArchitecture : gpuArchitectures().front().sm;
      kernels.push_back(
          json::Object{{"name", name},
                       {"family", families[name]},
                       {"source", sourceOf(families[name])},
                       {"least_architecture", "sm_" + std::to_string(least)},
                       {"threads", kBlockThreads},
                       {"assembled", std::move(assembled)}});
    }
  });
  return json::Object{{"version", kCertificateVersion},
                      {"collectives", collectivesOf(module)},
                      {"architectures", std::move(architectures)},
                      {"launches", std::move(launches)},
                      {"ops", std::move(ops)},
                      {"kernels", std::move(kernels)}};
}
