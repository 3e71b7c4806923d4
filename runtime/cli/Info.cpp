//===- Info.cpp - says what was compiled ----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Info.h"

#include "runtime/core/MemoryPlan.h"
#include "runtime/core/Names.h"
#include "runtime/core/TextTable.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

using namespace belfry::rt;

namespace {

/// "12.34 MB", and "12.34 KB" below 0.1 MB.
std::string size(int64_t bytes) {
  bool small = bytes < 100000;
  char text[40];
  std::snprintf(text, sizeof(text), "%.2f %s",
                double(bytes) / (small ? 1e3 : 1e6), small ? "KB" : "MB");
  return text;
}

/// The shortest decimal that reads back as the same number; as the same f32
/// where it is one.
std::string shortNumber(double value) {
  char text[40];
  auto narrow = float(value);
  std::to_chars_result end =
      double(narrow) == value ? std::to_chars(text, text + sizeof(text), narrow)
                              : std::to_chars(text, text + sizeof(text), value);
  return {text, end.ptr};
}

void addTensors(TextTable &table, const char *role,
                const std::vector<TensorInfo> &tensors) {
  for (const TensorInfo &tensor : tensors) {
    std::string more =
        std::string(nameOf(tensor.dtype)) + " " + toString(tensor.shape);
    if (tensor.limit)
      more += ", values 0 to " + std::to_string(*tensor.limit - 1);
    if (!tensor.loss.empty())
      more += ", loss " + tensor.loss;
    table.row(
        {role, shownName(tensor.name, kShownPathCharacters) + ": " + more});
  }
}

std::string layerTable(const Manifest &manifest) {
  TextTable table("<<<>");
  table.row({"layer", "class", "output shape", "parameters"});
  for (const LayerInfo &layer : manifest.layers) {
    std::string shapes;
    for (const Shape &shape : layer.outputs)
      shapes += (shapes.empty() ? "" : ", ") + toString(shape);
    table.row({shownName(layer.name), layer.className, shapes,
               withCommas(layer.parameters)});
  }
  return table.text();
}

std::string parameterTable(const Manifest &manifest) {
  TextTable table("<<<<<");
  table.row({"parameter", "dtype", "shape", "in files", ""});
  for (const ParameterInfo &parameter : manifest.parameters)
    table.row({shownName(parameter.name, kShownPathCharacters),
               std::string(nameOf(parameter.dtype)), toString(parameter.shape),
               shownName(parameter.path, kShownPathCharacters),
               parameter.trainable ? "" : "frozen"});
  return table.text();
}

std::string memoryTable(const Manifest &manifest, int64_t towers,
                        int64_t contexts, int64_t batchSize) {
  TextTable table("<><><");
  for (const auto &[name, function] : manifest.functions) {
    MemoryPlan plan = planMemory(
        function, maxTowerRows(batchSize, towers, manifest.slicing), batchSize);
    table.row({name, size(plan.totalBytes(contexts, towers)), "live set",
               size(plan.liveBound(contexts, towers)),
               function.schedule.size() == 1
                   ? "1 phase"
                   : std::to_string(function.schedule.size()) +
                         " phases and exchanges"});
  }
  return table.text();
}

/// Rows for which the arenas of a function are at most 2^62 bytes, by a bound
/// that takes no two buffers to share a byte.
int64_t mostRows(const FunctionInfo &function, int64_t towers) {
  using Wide = __int128;
  constexpr int64_t mostOfAll = int64_t(1) << 46;
  Wide perRow = 0, room = Wide(1) << 62;
  for (const BufferInfo &buffer : function.buffers) {
    int64_t copies = buffer.shared ? 1 : towers;
    perRow += Wide(buffer.bytes.perRow) * copies;
    room -= (Wide(buffer.bytes.fixed) + kArenaAlignment) * copies;
  }
  return perRow > 0 ? int64_t(std::clamp<Wide>(room / perRow, 0, mostOfAll))
                    : mostOfAll;
}

} // namespace

Status belfry::rt::cli::checkMemory(const Manifest &manifest, int64_t towers,
                                    int64_t batchSize) {
  for (const auto &[name, function] : manifest.functions) {
    int64_t most = mostRows(function, towers);
    if (batchSize > most)
      return Status::user("'--batch-size " + std::to_string(batchSize) +
                          "': expected at most " + std::to_string(most) +
                          " rows, beyond which the memory of '" + name +
                          "' cannot be addressed");
  }
  return Status::success();
}

std::string belfry::rt::cli::describeProgram(const Manifest &manifest,
                                             bool hasWeights, int64_t towers,
                                             int64_t devices, int64_t contexts,
                                             int64_t batchSize,
                                             const std::string &needs) {
  TextTable table("<<");
  table.row(
      {"model", manifest.model + (manifest.kerasVersion.empty()
                                      ? ""
                                      : ", Keras " + manifest.kerasVersion)});
  table.row({"target", manifest.target + ", " + manifest.mcpu});
  if (!needs.empty())
    table.row({"needs", needs});
  table.row({"numerics", manifest.numerics});
  if (manifest.memory != "balanced")
    table.row({"memory", manifest.memory});
  std::string disabled;
  for (const std::string &name : manifest.disabled)
    disabled += (disabled.empty() ? "" : ", ") + name;
  if (!disabled.empty())
    table.row({"without", disabled});
  table.row({"towers", std::to_string(manifest.towers) +
                           " unless '--towers' says otherwise"});
  addTensors(table, "input", manifest.inputs);
  addTensors(table, "output", manifest.outputs);
  addTensors(table, "target", manifest.targets);
  std::string hypers;
  for (const auto &[name, value] : manifest.optimizer.hypers)
    hypers += (hypers.empty() ? " (" : ", ") + name + "=" + shortNumber(value);
  if (!manifest.optimizer.name.empty())
    table.row({"optimizer",
               manifest.optimizer.name + (hypers.empty() ? "" : hypers + ")")});
  for (const MetricInfo &metric : manifest.metrics)
    table.row({"metric", metric.name + (metric.weighted ? ", weighted" : "")});
  table.row({"weights", hasWeights ? "in the program" : "none in the program"});

  int64_t trainable = 0, frozen = 0;
  for (const ParameterInfo &parameter : manifest.parameters)
    (parameter.trainable ? trainable : frozen) += numElements(parameter.shape);
  std::string total = withCommas(trainable + frozen) + " parameters, " +
                      withCommas(trainable) + " of them trainable";
  return table.text() + "\n" + layerTable(manifest) + "  " + total + "\n\n" +
         parameterTable(manifest) + "\n  memory at batch size " +
         std::to_string(batchSize) + ", " + std::to_string(towers) +
         (towers == 1 ? " tower" : " towers") + " on " +
         std::to_string(devices) + (devices == 1 ? " device" : " devices") +
         "\n" + memoryTable(manifest, towers, contexts, batchSize);
}
