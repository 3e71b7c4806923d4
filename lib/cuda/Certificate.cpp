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

static std::string textOf(DictionaryAttr row, StringRef name) {
  auto text = row ? row.getAs<StringAttr>(name) : StringAttr();
  return text ? text.str() : "";
}

/// What a launch says of its ops: a dictionary each, with its layer.
static llvm::SmallVector<DictionaryAttr> opsOf(DictionaryAttr site) {
  if (auto list = site.getAs<ArrayAttr>("op"))
    return llvm::to_vector(list.getAsRange<DictionaryAttr>());
  NamedAttrList facts(site.getAs<DictionaryAttr>("op"));
  facts.set("layer", site.get("layer"));
  return {facts.getDictionary(site.getContext())};
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
  json::Object launches;
  auto kernelList = module->getAttrOfType<ArrayAttr>(kKernelsAttr);
  auto sites = module->getAttrOfType<ArrayAttr>(kSitesAttr);
  std::vector<std::set<std::string>> families(kernelList ? kernelList.size()
                                                         : 0);
  auto rowOf = [](Attribute attr) { return dyn_cast<DictionaryAttr>(attr); };
  for (Attribute site : sites ? sites : ArrayAttr()) {
    DictionaryAttr row = rowOf(site);
    auto number = row.getAs<IntegerAttr>("kernel").getInt();
    std::string function = textOf(row, "function");
    json::Value &sum = launches[function];
    int64_t before = sum.getAsInteger().value_or(0);
    for (DictionaryAttr op : opsOf(row)) {
      families[number].insert(textOf(op, "family"));
      ops.push_back(
          json::Object{{"function", function},
                       {"phase", textOf(row, "phase")},
                       {"launch", before},
                       {"layer", textOf(op, "layer")},
                       {"op", textOf(op, "family")},
                       {"dtype", textOf(op, "dtype")},
                       {"shape", textOf(op, "shape")},
                       {"kernel", textOf(rowOf(kernelList[number]), "name")},
                       {"source", "generated"}});
    }
    sum = before + 1;
  }
  for (auto [i, attr] :
       llvm::enumerate(kernelList ? kernelList : ArrayAttr())) {
    DictionaryAttr row = rowOf(attr);
    std::string name = textOf(row, "name");
    json::Object assembled;
    for (const Cubin &cubin : cubins)
      if (auto it = cubin.kernels.find(name); it != cubin.kernels.end())
        assembled[findArchitecture(cubin.sm)->name()] =
            resourcesOf(it->second, *findArchitecture(cubin.sm),
                        row.getAs<IntegerAttr>("threads").getInt());
    kernels.push_back(json::Object{
        {"name", name},
        {"family",
         families[i].empty() ? "all_reduce" : llvm::join(families[i], "+")},
        {"source", "generated"},
        {"least_architecture", gpuArchitectures().front().name()},
        {"threads", row.getAs<IntegerAttr>("threads").getInt()},
        {"assembled", std::move(assembled)}});
  }
  return json::Object{{"version", 1},
                      {"architectures", std::move(architectures)},
                      {"launches", std::move(launches)},
                      {"ops", std::move(ops)},
                      {"kernels", std::move(kernels)}};
}
