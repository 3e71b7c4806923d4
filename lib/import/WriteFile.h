//===- WriteFile.h - whole files or none ------------------------*- C++ -*-===//
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

/// A file that is removed at the end and on signals.
class TemporaryFile {
public:
  /// A new one in the folder of temporary files.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);
  /// Takes over a file that is there.
  explicit TemporaryFile(std::string path);
  TemporaryFile(TemporaryFile &&other) noexcept;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  const std::string &path() const { return name; }
  /// The file stays, or has another name now.
  void release();

private:
  std::string name;
};

/// A file that is written under a temporary name beside `path` and takes its
/// place when it is whole. Without keep(), and on signals, nothing is left.
class OutputFile {
public:
  /// Makes the temporary file; the error names what is wrong with the path.
  static llvm::Expected<OutputFile> create(llvm::StringRef path);

  const std::string &temporary() const { return file.path(); }
  llvm::Error keep();

private:
  OutputFile(std::string path, std::string temporary)
      : path(std::move(path)), file(std::move(temporary)) {}

  std::string path;
  TemporaryFile file;
};

/// Writes a file by `write`, to a temporary name that then takes the place of
/// `path`; on an error nothing is left behind and an older file stays. "-" is
/// standard output, and into a device is written directly. The error says
/// "cannot write 'path': why".
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_WRITEFILE_H
