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

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace belfry;
namespace json = llvm::json;

/// The function whose kernels are hot.
static constexpr llvm::StringLiteral kTrainFunction = "train";

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

/// The least architecture, 75 is sm_75, that has all of these families.
static unsigned leastOf(const std::set<std::string> &families) {
  unsigned least = gpuArchitectures().front().sm;
  for (const std::string &name : families)
    if (const KernelFamily *family = familyNamed(name))
      least = std::max(least, family->leastArchitecture);
  return least;
}

/// Whether tensor cores make the products of a kernel on this architecture;
/// `factors` are their element types.
static bool takesTensorCores(StringRef factors, unsigned sm) {
  // sm_75 has some for f16.
  return sm >= kTensorCoreArchitecture || !factors.contains("bf16");
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

/// Whether a training step has sums over towers.
static bool trainingExchanges(const json::Array &collectives) {
  return llvm::any_of(collectives, [](const json::Value &item) {
    return item.getAsObject()->getString("function") == kTrainFunction;
  });
}

json::Value belfry::certificateOf(ModuleOp module,
                                  llvm::ArrayRef<Cubin> cubins) {
  json::Array ops, kernels, architectures, collectives = collectivesOf(module);
  for (const Cubin &cubin : cubins)
    architectures.push_back(findArchitecture(cubin.sm)->name());
  json::Object launches;
  llvm::StringMap<StringRef> towers = towersOfPhases(module);
  auto kernelList = module->getAttrOfType<ArrayAttr>(kKernelsAttr);
  auto sites = module->getAttrOfType<ArrayAttr>(kSitesAttr);
  std::vector<std::set<std::string>> families(kernelList ? kernelList.size()
                                                         : 0);
  std::vector<std::set<std::string>> launchers(families.size());
  auto rowOf = [](Attribute attr) { return dyn_cast<DictionaryAttr>(attr); };
  for (Attribute site : sites ? sites : ArrayAttr()) {
    DictionaryAttr row = rowOf(site);
    auto number = row.getAs<IntegerAttr>("kernel").getInt();
    std::string function = textOf(row, "function");
    launchers[number].insert(function);
    json::Value &sum = launches[function];
    int64_t before = sum.getAsInteger().value_or(0);
    for (DictionaryAttr op : opsOf(row)) {
      families[number].insert(textOf(op, "family"));
      ops.push_back(
          json::Object{{"function", function},
                       {"phase", textOf(row, "phase")},
                       {"tower", towers.lookup(textOf(row, "phase"))},
                       {"launch", before},
                       {"layer", textOf(op, "layer")},
                       {"role", textOf(op, "role")},
                       {"op", textOf(op, "family")},
                       {"parts", textOf(op, "parts")},
                       {"dtype", textOf(op, "dtype")},
                       {"class", textOf(op, "class")},
                       {"shape", textOf(op, "shape")},
                       {"kernel", textOf(rowOf(kernelList[number]), "name")},
                       {"source", sourceOf(textOf(op, "family"))}});
    }
    sum = before + 1;
  }
  for (auto [i, attr] :
       llvm::enumerate(kernelList ? kernelList : ArrayAttr())) {
    DictionaryAttr row = rowOf(attr);
    std::string name = textOf(row, "name");
    json::Object assembled;
    std::string factors = textOf(row, "tensor_cores");
    for (const Cubin &cubin : cubins) {
      auto it = cubin.kernels.find(name);
      if (it == cubin.kernels.end())
        continue;
      const GpuArchitecture &arch = *findArchitecture(cubin.sm);
      json::Object own = resourcesOf(
          it->second, arch, row.getAs<IntegerAttr>("threads").getInt());
      if (!factors.empty())
        own["tensor_cores"] = takesTensorCores(factors, cubin.sm);
      assembled[arch.name()] = std::move(own);
    }
    // What no phase launches adds what towers exchange.
    bool hot = launchers[i].count(kTrainFunction.str()) > 0;
    if (families[i].empty()) {
      families[i].insert("collective");
      hot = trainingExchanges(collectives);
    }
    // Products are written out where a lesser architecture is asked for.
    unsigned least = leastOf(families[i]);
    if (!factors.empty() && !cubins.empty() &&
        cubins.front().sm >= kTensorCoreArchitecture)
      least = std::max(least, kTensorCoreArchitecture);
    kernels.push_back(
        json::Object{{"name", name},
                     {"family", llvm::join(families[i], "+")},
                     {"source", kernelSourceName(KernelSource::Generated)},
                     {"least_architecture", "sm_" + std::to_string(least)},
                     {"hot", hot},
                     {"threads", row.getAs<IntegerAttr>("threads").getInt()},
                     {"assembled", std::move(assembled)}});
  }
  return json::Object{{"version", kCertificateVersion},
                      {"collectives", std::move(collectives)},
                      {"architectures", std::move(architectures)},
                      {"launches", std::move(launches)},
                      {"ops", std::move(ops)},
                      {"kernels", std::move(kernels)}};
}
