//===- CommandLine.h - how a tool reads its command line --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_SUPPORT_COMMANDLINE_H
#define BELFRY_LIB_SUPPORT_COMMANDLINE_H

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace belfry {

/// Reads the command line into what the options of `app` are bound to. Where
/// that ends the tool (--help, or an error, which is printed in Belfry's form)
/// the result is its exit status.
inline std::optional<int> parseCommandLine(CLI::App &app, int argc,
                                           char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    llvm::errs() << "error: " << error.what() << " (see --help)\n";
    return 1;
  }
  return std::nullopt;
}

} // namespace belfry

#endif // BELFRY_LIB_SUPPORT_COMMANDLINE_H
