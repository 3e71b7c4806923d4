//===- Report.cpp - the report of a program -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/report/Report.h"

#include "lib/support/Error.h"

#include "runtime/core/MemoryPlan.h"

#include "llvm/Object/ObjectFile.h"

#include <limits>

using namespace belfry;
using llvm::StringRef;

static void fillParameters(const rt::Manifest &manifest, Report &report) {
  for (const rt::ParameterInfo &info : manifest.parameters) {
    ParameterFact fact;
    fact.name = info.name;
    fact.layer = info.layer;
    fact.dtype = std::string(rt::nameOf(info.dtype));
    fact.shape.assign(info.shape.begin(), info.shape.end());
    fact.count = rt::numElements(info.shape);
    fact.bytes = int64_t(info.bytes());
    fact.trainable = info.trainable;
    report.parameterCount += fact.count;
    report.parameterBytes += fact.bytes;
    report.trainableCount += fact.trainable ? fact.count : 0;
    report.parameters.push_back(std::move(fact));
  }
}

static void fillLayers(const rt::Manifest &manifest, Report &report) {
  for (const rt::LayerInfo &info : manifest.layers) {
    LayerFact fact{info.name, info.className, {}, info.parameters};
    for (const rt::Shape &shape : info.outputs)
      fact.shapes.emplace_back(shape.begin(), shape.end());
    report.layers.push_back(std::move(fact));
  }
}

static MemoryFact memoryOf(const rt::FunctionInfo &function,
                           const Report &report) {
  int64_t most = 0;
  for (int64_t rows : report.rows)
    most = std::max(most, rows);
  rt::MemoryPlan plan = rt::planMemory(function, most, report.batchSize);
  int64_t towersOfOne = (report.towers + report.devices - 1) / report.devices;
  MemoryFact memory;
  memory.deviceArena = plan.device.total;
  memory.towerArena = plan.tower.total;
  memory.sharedArena = plan.shared.total;
  memory.total = plan.totalBytes(report.devices, report.towers);
  memory.liveBound = plan.liveBound(report.devices, report.towers);
  memory.perDevice = plan.device.total + plan.tower.total * towersOfOne;
  return memory;
}

/// Over all towers for what runs in each; over the batch for what runs once.
static int64_t total(const RowCount &count, bool perTower,
                     const Report &report) {
  if (!perTower)
    return count.at(report.batchSize);
  int64_t sum = 0;
  for (int64_t rows : report.rows)
    sum += count.at(rows);
  return sum;
}

static void fillOps(const Facts &facts, FunctionReport &function,
                    const Report &report) {
  for (const OpFact &fact : facts.ops) {
    if (fact.function != function.name)
      continue;
    OpLine line{fact, total(fact.flops, fact.perTower, report),
                total(fact.read, fact.perTower, report),
                total(fact.written, fact.perTower, report)};
    int64_t &part = fact.part == "forward"    ? function.forward
                    : fact.part == "backward" ? function.backward
                                              : function.update;
    part += line.flops;
    function.ops.push_back(std::move(line));
  }
  int64_t most = 0;
  for (int64_t rows : report.rows)
    most = std::max(most, rows);
  for (const CollectiveFact &fact : facts.collectives)
    if (fact.function == function.name) {
      function.collectives.push_back(fact);
      function.bytesReduced += fact.bytes.at(most);
    }
}

llvm::Expected<Report> belfry::makeReport(StringRef manifestText,
                                          const ReportOptions &options) {
  rt::Expected<rt::Manifest> parsed = rt::parseManifest(
      std::string_view(manifestText.data(), manifestText.size()),
      std::numeric_limits<uint32_t>::max());
  if (!parsed.ok())
    return makeError(parsed.status().message());
  const rt::Manifest &manifest = *parsed;
  Report report;
  report.model = manifest.model;
  report.kerasVersion = manifest.kerasVersion;
  report.target = manifest.target;
  report.mcpu = manifest.mcpu;
  report.numerics = manifest.numerics;
  report.optimizer = manifest.optimizer.name;
  report.towers = options.towers.value_or(manifest.towers);
  report.devices = options.devices.value_or(report.towers);
  report.batchSize = options.batchSize;
  if (report.towers < 1)
    return makeError("'--towers' expects at least 1 tower, got " +
                     llvm::Twine(report.towers));
  if (report.batchSize < 1)
    return makeError("'--batch-size' expects at least 1 row, got " +
                     llvm::Twine(report.batchSize));
  if (report.devices < 1 || report.devices > report.towers)
    return makeError("'--devices' expects 1 to " + llvm::Twine(report.towers) +
                     " devices for " + llvm::Twine(report.towers) +
                     " towers, got " + llvm::Twine(report.devices));
  switch (manifest.slicing) {
  case rt::SlicingMode::Balanced:
    report.slicing = "balanced";
    break;
  case rt::SlicingMode::DropRemainder:
    report.slicing = "drop-remainder";
    break;
  case rt::SlicingMode::LastTakesRest:
    report.slicing = "last-takes-rest";
    break;
  case rt::SlicingMode::Strict:
    report.slicing = "strict";
    break;
  }
  rt::Expected<std::vector<rt::RowRange>> slices =
      rt::sliceBatch(report.batchSize, report.towers, manifest.slicing);
  if (!slices.ok())
    return makeError(slices.status().message());
  for (const rt::RowRange &slice : *slices)
    report.rows.push_back(slice.rows);
  if (options.samples) {
    if (*options.samples < 1)
      return makeError("'--samples' expects at least 1 row, got " +
                       llvm::Twine(*options.samples));
    report.samples = options.samples;
    report.stepsPerEpoch =
        (*options.samples + report.batchSize - 1) / report.batchSize;
  }
  fillParameters(manifest, report);
  fillLayers(manifest, report);

  llvm::Expected<llvm::json::Value> json = llvm::json::parse(manifestText);
  if (!json)
    return json.takeError();
  Facts facts;
  if (const llvm::json::Value *value = json->getAsObject()->get("report")) {
    llvm::Expected<Facts> read = factsFromJson(*value);
    if (!read)
      return read.takeError();
    facts = std::move(*read);
    report.hasOps = true;
  }
  for (const char *name : {"train", "evaluate", "predict"})
    if (const rt::FunctionInfo *info = manifest.function(name)) {
      FunctionReport function;
      function.name = name;
      function.memory = memoryOf(*info, report);
      fillOps(facts, function, report);
      report.functions.push_back(std::move(function));
    }
  return report;
}

llvm::Expected<std::string> belfry::extractManifest(StringRef path) {
  llvm::Expected<llvm::object::OwningBinary<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return makeError("'" + path +
                     "' is neither a model nor a training binary (" +
                     llvm::toString(file.takeError()) + ")");
  for (const llvm::object::SectionRef &section :
       file->getBinary()->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != ".belfry.manifest")
      continue;
    llvm::Expected<StringRef> content = section.getContents();
    if (!content)
      return makeError("'" + path +
                       "': " + llvm::toString(content.takeError()));
    return content->str();
  }
  return makeError("'" + path +
                   "' is no training binary of Belfry: it has no "
                   "manifest");
}
