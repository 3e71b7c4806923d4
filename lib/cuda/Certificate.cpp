//===- Certificate.cpp - which kernel each op has -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Certificate.h"

#include "dialects/nn/Nn.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace belfry;
namespace json = llvm::json;

/// What is said of an op; empty where nothing is.
static std::string fieldOf(DictionaryAttr facts, StringRef name) {
  auto text = facts ? facts.getAs<StringAttr>(name) : StringAttr();
  return text ? text.str() : "";
}

/// What a launch says of its ops: a dictionary each.
static llvm::SmallVector<DictionaryAttr> factsOf(gpu::LaunchFuncOp launch) {
  if (auto list = launch->getAttrOfType<ArrayAttr>(kLaunchAttr))
    return llvm::to_vector(list.getAsRange<DictionaryAttr>());
  NamedAttrList facts(launch->getAttrOfType<DictionaryAttr>(kLaunchAttr));
  facts.set("layer", StringAttr::get(launch.getContext(), nn::layerOf(launch)));
  return {facts.getDictionary(launch.getContext())};
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

json::Value belfry::certificateOf(ModuleOp module,
                                  llvm::ArrayRef<Cubin> cubins) {
  json::Array ops, kernels, architectures;
  for (const Cubin &cubin : cubins)
    architectures.push_back(findArchitecture(cubin.sm)->name());
  llvm::StringMap<std::set<std::string>> families;
  json::Object launches;
  for (auto phase : module.getOps<func::FuncOp>()) {
    auto function = phase->getAttrOfType<StringAttr>(kFunctionAttr);
    if (!function)
      continue;
    int64_t count = 0;
    json::Value &sum = launches[function.getValue()];
    int64_t before = sum.getAsInteger().value_or(0);
    phase.walk([&](gpu::LaunchFuncOp launch) {
      for (DictionaryAttr facts : factsOf(launch)) {
        std::string family = fieldOf(facts, "family");
        families[launch.getKernelName()].insert(family);
        ops.push_back(
            json::Object{{"function", function.getValue()},
                         {"phase", phase.getName()},
                         {"launch", before + count},
                         {"layer", fieldOf(facts, "layer")},
                         {"op", family},
                         {"dtype", fieldOf(facts, "dtype")},
                         {"shape", fieldOf(facts, "shape")},
                         {"kernel", launch.getKernelName().getValue()},
                         {"source", "generated"}});
      }
      ++count;
    });
    sum = before + count;
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
      kernels.push_back(json::Object{
          {"name", name},
          {"family", llvm::join(families[name], "+")},
          {"source", "generated"},
          {"least_architecture", gpuArchitectures().front().name()},
          {"threads", kBlockThreads},
          {"assembled", std::move(assembled)}});
    }
  });
  return json::Object{{"version", 1},
                      {"architectures", std::move(architectures)},
                      {"launches", std::move(launches)},
                      {"ops", std::move(ops)},
                      {"kernels", std::move(kernels)}};
}
