//===- Files.h - the files that a command line names ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_FILES_H
#define BELFRY_RUNTIME_CLI_FILES_H

#include "runtime/cli/Options.h"

#include <string>
#include <vector>

namespace belfry::rt::cli {

/// `name=A` where the text before the equals sign can be a name, and the whole
/// is no file.
ArrayOption splitName(const std::string &text);

/// A file that an option names.
struct FileOption {
  std::string option, path;
};

/// Finds before training what could not be written after it: outputs that
/// cannot be written, two that are one file, one that would replace a file
/// which is read, or the program itself. Only `--save` may name the weights
/// that the run begins with. Outputs without a path are left out.
Status checkOutputs(const std::vector<FileOption> &outputs,
                    const Options &options);

/// NAME.weights.h5 in the current folder, or NAME-1.weights.h5, … where that is
/// taken or is one of `outputs`.
std::string freeName(const std::string &model,
                     const std::vector<FileOption> &outputs);

} // namespace belfry::rt::cli

#endif // BELFRY_RUNTIME_CLI_FILES_H
