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

json::Value belfry::certificateOf(ModuleOp module,
                                  llvm::ArrayRef<Cubin> cubins) {
  json::Array ops, kernels, architectures;
  for (const Cubin &cubin : cubins)
    architectures.push_back(findArchitecture(cubin.sm)->name());
  llvm::StringMap<std::string> families;
  json::Object launches;
  for (auto phase : module.getOps<func::FuncOp>()) {
    auto function = phase->getAttrOfType<StringAttr>(kFunctionAttr);
    if (!function)
      continue;
    int64_t count = 0;
    phase.walk([&](gpu::LaunchFuncOp launch) {
      ++count;
      families[launch.getKernelName()] = fieldOf(launch, "family");
      ops.push_back(json::Object{{"function", function.getValue()},
                                 {"phase", phase.getName()},
                                 {"layer", nn::layerOf(launch)},
                                 {"op", fieldOf(launch, "family")},
                                 {"dtype", fieldOf(launch, "dtype")},
                                 {"shape", fieldOf(launch, "shape")},
                                 {"kernel", launch.getKernelName().getValue()},
                                 {"source", "generated"}});
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
      kernels.push_back(json::Object{
          {"name", name},
          {"family", families[name]},
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
