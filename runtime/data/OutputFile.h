//===- OutputFile.h - files that appear whole -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_OUTPUTFILE_H
#define BELFRY_RUNTIME_DATA_OUTPUTFILE_H

#include "runtime/core/Status.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace belfry::rt {

/// Where a path leads when the links at its end are followed, whether a file is
/// there or not: the folder and the name in it, and the file where there is
/// one.
struct FilePlace {
  using Inode = std::pair<dev_t, ino_t>;
  Inode folder;
  std::string name;
  std::optional<Inode> file;

  /// Whether two paths are one place, or one file under two names (hard links,
  /// a folder that is mounted twice).
  bool isSameAs(const FilePlace &other) const;
};

/// None where the folder isn't there, or the path names no file.
std::optional<FilePlace> placeOf(const std::string &path);

namespace detail {
struct TemporaryName;
} // namespace detail

/// A file that has no name while it is written, where the file system can do
/// that (O_TMPFILE), else a temporary one beside its place. `commit` syncs it
/// and puts it in its place in one step; without that nothing is left of it, so
/// that nobody ever sees half of it.
class OutputFile {
public:
  /// Fails for every reason that is known before `commit` would fail: the
  /// folder isn't there or takes no files, the name is too long, the place is
  /// taken by a folder, a device or a mount, or by a file that may not be
  /// replaced (immutable, append-only, another user's in a sticky folder).
  static Expected<OutputFile> create(const std::string &path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  Status commit();
  /// Like `commit`, but fails where the place is taken.
  Status commitNew();

private:
  OutputFile() = default;
  Status cannotWrite() const;
  Status checkReplaceable() const;
  bool openNameless();
  bool openNamed();
  bool linkNameless(const std::string &to) const;
  bool linkTo(const std::string &to) const;
  bool chooseTemporary();
  void dropTemporary();
  Status sync();
  void syncFolder() const;

  std::string path;      ///< as the user wrote it
  std::string name;      ///< within the folder, links followed
  std::string temporary; ///< within the folder, empty while there is no name
  detail::TemporaryName *noted = nullptr; ///< `temporary`, for signal handlers
  int folder = -1, descriptor = -1;
};

/// Removes the temporary names of all files that are being written. May be
/// called from a signal handler that ends the process.
void removeTemporaryFiles();

/// Whether `create` would succeed; leaves nothing behind.
Status checkWritable(const std::string &path);

/// Writes `bytes` to `path` at once.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_OUTPUTFILE_H
