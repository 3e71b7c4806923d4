//===- WriteFile.h - whole files or none -------------------------*- C++ -*-==//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_WRITEFILE_H
#define BELFRY_LIB_IMPORT_WRITEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace belfry {

/// Where a file is to be written in the end: `path`, or what it is a symbolic
/// link to. Fails with "cannot write …" where that is a folder.
llvm::Expected<std::string> resolveOutput(llvm::StringRef path);

/// Whether something that is no regular file (a device, a pipe) is at `path`.
bool isSpecialFile(llvm::StringRef path);

/// A file that is written under a temporary name beside `path` and takes its
/// place when it is whole. Without keep(), and on signals, nothing is left.
class OutputFile {
public:
  /// Makes the temporary file; the error names what is wrong with the path.
  static llvm::Expected<OutputFile> create(llvm::StringRef path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile();

  const std::string &temporary() const { return temporaryPath; }
  llvm::Error keep();

private:
  OutputFile() = default;
  std::string path, temporaryPath;
};

/// Writes a file by `write`, to a temporary name that then takes the place of
/// `path`; on an error nothing is left behind and an older file stays. "-" is
/// standard output, and into a device is written directly. The error says
/// "cannot write 'path': why".
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_WRITEFILE_H
