//===- Options.h - command lines of training binaries -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_OPTIONS_H
#define BELFRY_RUNTIME_CLI_OPTIONS_H

#include "runtime/core/Status.h"
#include "runtime/data/Array.h"
#include "runtime/training/Placement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belfry::rt::cli {

/// `name=A`, or A alone; `text` is the A.
struct ArrayOption {
  std::string name, text;
};

/// Everything that a command line can say, checked as far as it can be without
/// the model or a file.
struct Options {
  enum class Command {
    Help,
    Fit,
    Evaluate,
    Predict,
    Info
  } command = Command::Help;
  std::string help; ///< what to print for Help

  PlacementRequest placement;
  std::vector<std::string> x, y, sampleWeight;
  std::vector<std::string> validationX, validationY, validationSampleWeight;
  std::optional<double> validationSplit;
  int64_t batchSize = 32, epochs = 1;
  Scale scale;
  std::string weights, resume, save, history, dumpGradients, profile;
  bool initialize = false, noSave = false, shuffle = true, logSteps = false;
  bool allowNan = false, json = false, manifest = false, certificate = false,
       allErrors = false;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, double>> set;
  std::vector<std::string> outputs;     ///< names, for predict
  std::vector<std::string> outputFiles; ///< `name=file` or `file`
};

/// Reads a command line. Fails with what is wrong in it.
Expected<Options> parseOptions(int argc, const char *const *argv,
                               const std::string &model);

} // namespace belfry::rt::cli

#endif // BELFRY_RUNTIME_CLI_OPTIONS_H
