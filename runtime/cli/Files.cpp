//===- Files.cpp - the files that a command line names --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Files.h"

#include "runtime/data/ArrayFile.h"
#include "runtime/data/OutputFile.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

using namespace belfry::rt;
using namespace belfry::rt::cli;

namespace {

std::string quoted(const FileOption &file) {
  return "'" + file.option + " " + file.path + "'";
}

bool areSame(const std::optional<FilePlace> &a,
             const std::optional<FilePlace> &b) {
  return a && b && a->isSameAs(*b);
}

/// A file that is read. What is not there is for its reader to tell.
struct Input {
  FileOption file;
  std::optional<FilePlace> place;
};

std::vector<Input> inputsOf(const Options &options) {
  std::vector<Input> inputs;
  auto add = [&](const char *option, const std::string &path) {
    if (!path.empty())
      inputs.push_back({{option, path}, placeOf(path)});
  };
  auto addArrays = [&](const char *option,
                       const std::vector<std::string> &texts) {
    for (const std::string &text : texts) {
      Expected<ArraySpec> spec = parseArraySpec(splitName(text).text);
      if (spec.ok())
        inputs.push_back({{option, text}, placeOf(spec->file)});
    }
  };
  addArrays("--x", options.x);
  addArrays("--y", options.y);
  addArrays("--sample-weight", options.sampleWeight);
  addArrays("--validation-x", options.validationX);
  addArrays("--validation-y", options.validationY);
  addArrays("--validation-sample-weight", options.validationSampleWeight);
  add("--weights", options.weights);
  add("--resume", options.resume);
  return inputs;
}

/// To go on from a file and save into it again is how training is continued.
bool mayReplace(const FileOption &output, const FileOption &input) {
  return output.option == "--save" &&
         (input.option == "--weights" || input.option == "--resume");
}

} // namespace

ArrayOption belfry::rt::cli::splitName(const std::string &text) {
  size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  struct stat info;
  if (equals == std::string::npos || equals == 0 ||
      name.find_first_of("/[:") != std::string::npos ||
      stat(text.c_str(), &info) == 0)
    return {"", text};
  return {name, text.substr(equals + 1)};
}

Status belfry::rt::cli::checkOutputs(const std::vector<FileOption> &outputs,
                                     const Options &options) {
  std::vector<Input> inputs = inputsOf(options);
  std::optional<FilePlace> program = placeOf("/proc/self/exe");
  std::vector<Input> earlier;
  for (const FileOption &output : outputs) {
    if (output.path.empty())
      continue;
    BELFRY_RETURN_IF_ERROR(checkWritable(output.path));
    std::optional<FilePlace> place = placeOf(output.path);
    for (const Input &other : earlier)
      if (areSame(place, other.place))
        return Status::user(quoted(other.file) + " and " + quoted(output) +
                            " are one file, each output needs its own");
    for (const Input &input : inputs)
      if (areSame(place, input.place) && !mayReplace(output, input.file))
        return Status::user(quoted(output) + " would replace " +
                            quoted(input.file) + ", which is read");
    if (areSame(place, program))
      return Status::user(quoted(output) + " would replace this program");
    earlier.push_back({output, place});
  }
  return Status::success();
}

std::string belfry::rt::cli::freeName(const std::string &model,
                                      const std::vector<FileOption> &outputs) {
  std::string base = model;
  std::replace(base.begin(), base.end(), '/', '_');
  for (int i = 0;; ++i) {
    std::string name =
        base + (i ? "-" + std::to_string(i) : "") + ".weights.h5";
    std::optional<FilePlace> place = placeOf(name);
    bool isOutput =
        std::any_of(outputs.begin(), outputs.end(), [&](const FileOption &one) {
          return !one.path.empty() && areSame(place, placeOf(one.path));
        });
    struct stat info;
    if (!isOutput && lstat(name.c_str(), &info) != 0)
      return name;
  }
}
