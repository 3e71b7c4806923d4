//===- Render.cpp - the report as text and JSON ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/report/Report.h"

#include "runtime/core/Names.h"
#include "runtime/core/TextTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace belfry;
using llvm::StringRef;
using rt::withCommas;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Three significant digits or more, in steps of a thousand.
static std::string scaled(int64_t number, StringRef unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  double value = double(number);
  unsigned prefix = 0;
  while (value >= 999.5 && prefix < 5) {
    value /= 1000;
    ++prefix;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (prefix == 0)
    os << number;
  else
    os << llvm::format(value < 9.995   ? "%.2f"
                       : value < 99.95 ? "%.1f"
                                       : "%.0f",
                       value);
  os << ' ' << prefixes[prefix] << unit;
  return text;
}

static std::string bytes(int64_t number) { return scaled(number, "B"); }

static std::string shape(const std::vector<int64_t> &extents) {
  std::vector<std::string> parts;
  for (int64_t extent : extents)
    parts.push_back(extent < 0 ? "batch" : std::to_string(extent));
  return "(" + llvm::join(parts, ", ") + ")";
}

static std::string plural(int64_t count, StringRef one, StringRef many) {
  return withCommas(count) + " " + (count == 1 ? one : many).str();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// "32 global = 8 per tower, 3125 steps per epoch"
static std::string rowsLine(const Report &report) {
  auto [least, most] =
      std::minmax_element(report.rows.begin(), report.rows.end());
  std::string text = withCommas(report.batchSize) + " global = ";
  if (*least == *most) {
    text += withCommas(*least) + " per tower";
  } else if (report.rows.size() <= 16) {
    std::vector<std::string> parts;
    for (int64_t rows : report.rows)
      parts.push_back(withCommas(rows));
    text += llvm::join(parts, ", ") + " per tower";
  } else {
    text += withCommas(*least) + " to " + withCommas(*most) + " per tower";
  }
  int64_t used = 0;
  for (int64_t rows : report.rows)
    used += rows;
  if (used != report.batchSize)
    text += ", " + plural(report.batchSize - used, "row is", "rows are") +
            " left out";
  if (report.stepsPerEpoch)
    text += ", " + std::to_string(*report.stepsPerEpoch) + " steps per epoch";
  return text;
}

static void printFunction(const FunctionReport &function, const Report &report,
                          llvm::raw_ostream &os) {
  os << "\n@" << function.name;
  if (report.hasOps) {
    os << ": " << scaled(function.forward, "flop") << " forward";
    if (function.backward || function.update)
      os << ", " << scaled(function.backward, "flop") << " backward, "
         << scaled(function.update, "flop") << " update";
  }
  os << '\n';
  if (!function.ops.empty()) {
    rt::TextTable table("<<<<<<<>>>>");
    table.row({"part", "layer", "op", "type", "kernel", "device", "towers",
               "ops", "runs", "flops", "bytes"});
    for (const OpLine &line : function.ops) {
      const OpFact &fact = line.fact;
      std::string towers = !fact.perTower ? "once"
                           : report.towers == 1
                               ? "0"
                               : "0-" + std::to_string(report.towers - 1);
      std::string device = fact.asked == fact.given
                               ? fact.given
                               : fact.given + ", asked " + fact.asked;
      table.row({fact.part, rt::shownName(fact.layer), fact.op, fact.type,
                 fact.kernel, device, towers, std::to_string(fact.ops),
                 std::to_string(fact.runs), scaled(line.flops, ""),
                 bytes(line.read + line.written)});
    }
    os << table.text();
  }
  if (report.hasOps) {
    os << "  " << bytes(function.bytesReduced) << " exchanged a step, in "
       << plural(int64_t(function.collectives.size()), "bucket", "buckets")
       << '\n';
    rt::TextTable table("<<>>< ");
    for (auto [i, fact] : llvm::enumerate(function.collectives))
      table.row({"  " + std::to_string(i), fact.kind, fact.dtype,
                 fact.bytes.perRow ? bytes(fact.bytes.perRow) + " a row"
                                   : bytes(fact.bytes.fixed),
                 llvm::join(fact.members, ", ")});
    os << table.text();
  }
  const MemoryFact &memory = function.memory;
  os << "  memory: " << bytes(memory.perDevice) << " a device ("
     << bytes(memory.deviceArena) << " scratch, " << bytes(memory.towerArena)
     << " a tower), " << bytes(memory.sharedArena) << " shared; "
     << bytes(memory.total) << " in all, live set " << bytes(memory.liveBound)
     << '\n';
}

/// Why each kernel computes what it does.
static void printKernels(const Report &report, llvm::raw_ostream &os) {
  std::map<std::string, std::string> reasons;
  for (const FunctionReport &function : report.functions)
    for (const OpLine &line : function.ops)
      reasons[line.fact.kernel] = line.fact.reason;
  if (reasons.empty())
    return;
  os << "\nkernels\n";
  rt::TextTable table("<<");
  for (const auto &[kernel, reason] : reasons)
    table.row({kernel, reason});
  os << table.text();
}

llvm::Expected<std::string> belfry::renderText(StringRef manifest,
                                               const ReportOptions &options) {
  llvm::Expected<Report> made = makeReport(manifest, options);
  if (!made)
    return made.takeError();
  const Report &report = *made;
  std::string text;
  llvm::raw_string_ostream os(text);
  rt::TextTable head("<<");
  head.row({"model", report.model + (report.kerasVersion.empty()
                                         ? ""
                                         : ", Keras " + report.kerasVersion)});
  head.row({"target", report.target + ", " + report.mcpu + ", numerics " +
                          report.numerics});
  head.row({"parameters",
            withCommas(report.parameterCount) + " in " +
                plural(int64_t(report.parameters.size()), "array", "arrays") +
                ", " + bytes(report.parameterBytes) + ", " +
                withCommas(report.trainableCount) + " trainable"});
  if (!report.optimizer.empty())
    head.row({"optimizer", report.optimizer});
  head.row({"towers", std::to_string(report.towers) + " on " +
                          plural(report.devices, "device", "devices") +
                          ", rows cut " + report.slicing});
  head.row({"rows", rowsLine(report)});
  os << head.text();

  os << "\nlayers\n";
  rt::TextTable layers("<<<>");
  layers.row({"name", "class", "output", "parameters"});
  for (const LayerFact &layer : report.layers) {
    std::vector<std::string> shapes;
    for (const auto &extents : layer.shapes)
      shapes.push_back(shape(extents));
    layers.row({rt::shownName(layer.name), layer.className,
                llvm::join(shapes, ", "), withCommas(layer.parameters)});
  }
  os << layers.text();
  os << "\nparameters\n";
  rt::TextTable parameters("<<<>><");
  parameters.row({"name", "dtype", "shape", "elements", "bytes", ""});
  for (const ParameterFact &parameter : report.parameters)
    parameters.row({rt::shownName(parameter.name, rt::kShownPathCharacters),
                    parameter.dtype, shape(parameter.shape),
                    withCommas(parameter.count), bytes(parameter.bytes),
                    parameter.trainable ? "" : "frozen"});
  os << parameters.text();
  if (!report.hasOps)
    os << "\nno facts about ops: the program was compiled from a stage behind "
          "'placed'\n";
  for (const FunctionReport &function : report.functions)
    printFunction(function, report, os);
  printKernels(report, os);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Array shapeJson(const std::vector<int64_t> &extents) {
  json::Array array;
  for (int64_t extent : extents)
    array.push_back(extent < 0 ? json::Value(nullptr) : json::Value(extent));
  return array;
}

static json::Object functionJson(const FunctionReport &function,
                                 const Report &report) {
  json::Array ops, collectives;
  for (const OpLine &line : function.ops) {
    const OpFact &fact = line.fact;
    ops.push_back(
        json::Object{{"part", fact.part},
                     {"layer", fact.layer},
                     {"op", fact.op},
                     {"type", fact.type},
                     {"kernel", fact.kernel},
                     {"device_asked", fact.asked},
                     {"device_given", fact.given},
                     {"reason", fact.reason},
                     {"towers", fact.perTower ? json::Value(report.towers)
                                              : json::Value(nullptr)},
                     {"ops", fact.ops},
                     {"runs", fact.runs},
                     {"flops", line.flops},
                     {"bytes_read", line.read},
                     {"bytes_written", line.written}});
  }
  for (const CollectiveFact &fact : function.collectives)
    collectives.push_back(json::Object{{"kind", fact.kind},
                                       {"dtype", fact.dtype},
                                       {"bytes", fact.bytes.fixed},
                                       {"bytes_per_row", fact.bytes.perRow},
                                       {"members", json::Array(fact.members)}});
  const MemoryFact &memory = function.memory;
  return json::Object{
      {"ops", std::move(ops)},
      {"buckets", std::move(collectives)},
      {"bytes_exchanged", function.bytesReduced},
      {"flops", json::Object{{"forward", function.forward},
                             {"backward", function.backward},
                             {"update", function.update}}},
      {"memory", json::Object{{"device_arena", memory.deviceArena},
                              {"tower_arena", memory.towerArena},
                              {"shared_arena", memory.sharedArena},
                              {"per_device", memory.perDevice},
                              {"total", memory.total},
                              {"live_bound", memory.liveBound}}}};
}

llvm::Expected<std::string> belfry::renderJson(StringRef manifest,
                                               const ReportOptions &options) {
  llvm::Expected<Report> made = makeReport(manifest, options);
  if (!made)
    return made.takeError();
  const Report &report = *made;
  json::Array parameters, layers;
  for (const ParameterFact &parameter : report.parameters)
    parameters.push_back(json::Object{{"name", parameter.name},
                                      {"layer", parameter.layer},
                                      {"dtype", parameter.dtype},
                                      {"shape", shapeJson(parameter.shape)},
                                      {"elements", parameter.count},
                                      {"bytes", parameter.bytes},
                                      {"trainable", parameter.trainable}});
  for (const LayerFact &layer : report.layers) {
    json::Array shapes;
    for (const auto &extents : layer.shapes)
      shapes.push_back(shapeJson(extents));
    layers.push_back(json::Object{{"name", layer.name},
                                  {"class", layer.className},
                                  {"output_shapes", std::move(shapes)},
                                  {"parameters", layer.parameters}});
  }
  json::Object functions;
  for (const FunctionReport &function : report.functions)
    functions[function.name] = functionJson(function, report);
  json::Object root{
      {"model", report.model},
      {"keras_version", report.kerasVersion},
      {"target", report.target},
      {"mcpu", report.mcpu},
      {"numerics", report.numerics},
      {"optimizer", report.optimizer},
      {"towers", report.towers},
      {"devices", report.devices},
      {"slicing", report.slicing},
      {"batch_size", report.batchSize},
      {"rows", json::Array(report.rows)},
      {"parameters", json::Object{{"elements", report.parameterCount},
                                  {"trainable", report.trainableCount},
                                  {"bytes", report.parameterBytes},
                                  {"arrays", std::move(parameters)}}},
      {"layers", std::move(layers)},
      {"functions", std::move(functions)}};
  if (report.samples) {
    root["samples"] = *report.samples;
    root["steps_per_epoch"] = *report.stepsPerEpoch;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}\n", json::Value(std::move(root)));
  return text;
}
