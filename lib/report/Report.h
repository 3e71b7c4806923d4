//===- Report.h - what a program does, as text and JSON ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_REPORT_REPORT_H
#define BELFRY_LIB_REPORT_REPORT_H

#include "lib/report/Facts.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belfry {

struct ReportOptions {
  std::optional<int64_t> towers; ///< in place of the program's default
  /// Devices that the towers are on; one for each tower where not given.
  std::optional<int64_t> devices;
  int64_t batchSize = 32;         ///< rows of the global batch
  std::optional<int64_t> samples; ///< rows of the data, for steps per epoch
};

struct ParameterFact {
  std::string name, layer, dtype;
  std::vector<int64_t> shape;
  int64_t count = 0, bytes = 0;
  bool trainable = true;
};

struct LayerFact {
  std::string name, className;
  std::vector<std::vector<int64_t>> shapes; ///< −1: the batch
  int64_t parameters = 0;
};

/// Places in memory of one function, in bytes, for the rows of the report.
struct MemoryFact {
  int64_t deviceArena = 0; ///< scratch, one a device
  int64_t towerArena = 0;  ///< what crosses phases, one a tower
  int64_t sharedArena = 0; ///< one for all
  int64_t total = 0;
  int64_t liveBound = 0; ///< no placement can be smaller
  /// Most that one device has: its scratch and its towers' arenas.
  int64_t perDevice = 0;
};

/// An op of the report, with its numbers for the rows of the report and all
/// towers.
struct OpLine {
  OpFact fact;
  int64_t flops = 0, read = 0, written = 0;
};

struct FunctionReport {
  std::string name;
  std::vector<OpLine> ops;
  std::vector<CollectiveFact> collectives;
  int64_t bytesReduced = 0;                      ///< of one tower, a step
  int64_t forward = 0, backward = 0, update = 0; ///< flops a step
  MemoryFact memory;
};

/// Everything a rendering shows.
struct Report {
  std::string model, kerasVersion, target, mcpu, numerics, slicing, optimizer;
  int64_t towers = 1, devices = 1, batchSize = 32;
  std::vector<int64_t> rows; ///< of each tower
  std::optional<int64_t> samples, stepsPerEpoch;
  std::vector<ParameterFact> parameters;
  int64_t parameterCount = 0, parameterBytes = 0, trainableCount = 0;
  std::vector<LayerFact> layers;
  std::vector<FunctionReport> functions;
  bool hasOps = false; ///< whether the manifest has facts about ops
};

/// From a manifest. The error says what is malformed, or which option does not
/// fit the program.
llvm::Expected<Report> makeReport(llvm::StringRef manifest,
                                  const ReportOptions &options);

llvm::Expected<std::string> renderText(llvm::StringRef manifest,
                                       const ReportOptions &options);
llvm::Expected<std::string> renderJson(llvm::StringRef manifest,
                                       const ReportOptions &options);

/// The manifest inside of a training binary, which is read as a file and never
/// run. The error says why there is none.
llvm::Expected<std::string> extractManifest(llvm::StringRef path);

} // namespace belfry

#endif // BELFRY_LIB_REPORT_REPORT_H
