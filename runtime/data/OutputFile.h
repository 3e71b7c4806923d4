//===- OutputFile.h - files that appear whole -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_OUTPUTFILE_H
#define BELFRY_RUNTIME_DATA_OUTPUTFILE_H

#include "runtime/core/Status.h"

#include <string>
#include <string_view>

namespace belfry::rt {

/// A file under a temporary name beside its place. `commit` syncs it and
/// renames it into place; without that the destructor removes it, so that
/// nobody ever sees half of it.
class OutputFile {
public:
  /// Fails where the folder isn't there or can't be written, or where the
  /// place is taken by a folder or a device.
  static Expected<OutputFile> create(const std::string &path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// Where to write until `commit`.
  const std::string &temporary() const { return temporaryPath; }
  Status write(std::string_view bytes);
  Status commit();
  /// Like `commit`, but fails where the place is taken.
  Status commitNew();

private:
  OutputFile() = default;
  Status sync();
  std::string path, temporaryPath;
  int descriptor = -1;
};

/// Whether `create` would succeed; leaves nothing behind.
Status checkWritable(const std::string &path);

/// Writes `bytes` to `path` at once.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_OUTPUTFILE_H
