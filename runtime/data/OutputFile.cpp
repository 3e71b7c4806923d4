//===- OutputFile.cpp - files that appear whole ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/OutputFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace belfry::rt;

namespace {

Status cannotWrite(const std::string &path) {
  return Status::user("cannot write '" + path +
                      "': " + std::string(std::strerror(errno)));
}

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

} // namespace

Expected<OutputFile> OutputFile::create(const std::string &path) {
  OutputFile file;
  file.path = path;
  if (path.empty() || path.back() == '/')
    return Status::user("cannot write '" + path + "': it names no file");
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode))
      return Status::user(
          "cannot write '" + path + "': it is " +
          (S_ISDIR(info.st_mode) ? "a folder" : "no regular file"));
    // A link stays, the file that it leads to is replaced.
    if (char *real = realpath(path.c_str(), nullptr)) {
      file.path = real;
      std::free(real);
    }
  }
  std::string name = file.path.substr(file.path.rfind('/') + 1);
  std::string pattern = folderOf(file.path) +
                        (folderOf(file.path) == "." ? "/" : "") + "." +
                        name.substr(0, 200) + ".XXXXXX";
  file.descriptor = mkostemp(pattern.data(), O_CLOEXEC);
  if (file.descriptor < 0)
    return cannotWrite(path);
  file.temporaryPath = pattern;
  // As open() would have made it.
  mode_t mask = umask(0);
  umask(mask);
  fchmod(file.descriptor, 0666 & ~mask);
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)),
      temporaryPath(std::exchange(other.temporaryPath, {})),
      descriptor(std::exchange(other.descriptor, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!temporaryPath.empty())
    unlink(temporaryPath.c_str());
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return cannotWrite(path);
    bytes.remove_prefix(size_t(wrote));
  }
  return Status::success();
}

Status OutputFile::sync() {
  // Another library may have written through a descriptor of its own; the sync
  // is of the file, whichever descriptor asks for it.
  if (fsync(descriptor) != 0)
    return cannotWrite(path);
  return Status::success();
}

Status OutputFile::commit() {
  BELFRY_RETURN_IF_ERROR(sync());
  if (rename(temporaryPath.c_str(), path.c_str()) != 0)
    return cannotWrite(path);
  temporaryPath.clear();
  // The name lasts once the folder is on disk too.
  int folder = open(folderOf(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return Status::success();
}

Status OutputFile::commitNew() {
  BELFRY_RETURN_IF_ERROR(sync());
  if (link(temporaryPath.c_str(), path.c_str()) != 0)
    return cannotWrite(path);
  return Status::success();
}

Status belfry::rt::checkWritable(const std::string &path) {
  Expected<OutputFile> file = OutputFile::create(path);
  return file.ok() ? Status::success() : file.status();
}

Status belfry::rt::writeFile(const std::string &path, std::string_view bytes) {
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  BELFRY_RETURN_IF_ERROR(file->write(bytes));
  return file->commit();
}
