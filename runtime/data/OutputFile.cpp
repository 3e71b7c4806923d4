//===- OutputFile.cpp - files that appear whole ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/OutputFile.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace belfry::rt;

/// A name that has to go when the process ends. A signal handler reads it.
struct detail::TemporaryName {
  static constexpr int kFree = -1, kTaken = -2;
  std::atomic<int> folder{kFree}; ///< descriptor of the folder
  char name[32] = {};
};

namespace {

// As many as are written at once; a file beyond them is only not removed when a
// signal ends the process.
std::array<detail::TemporaryName, 8> temporaryNames;
static_assert(std::atomic<int>::is_always_lock_free);

/// A path cut in two; the folder of `a` is `.`, that of `/a` is `/`.
struct SplitPath {
  std::string folder, name;
};

SplitPath split(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

bool namesNoFile(const std::string &name) {
  return name.empty() || name == "." || name == "..";
}

/// Follows links at the end of `path`, also one that leads to no file yet.
/// Links within the folder are the system's to follow. False, with errno, where
/// they go in a circle.
bool followLinks(std::string &path) {
  constexpr int most = 40; // as the kernel
  for (int i = 0; i < most; ++i) {
    char target[PATH_MAX];
    ssize_t size = readlink(path.c_str(), target, sizeof(target));
    if (size < 0)
      return true;
    std::string to(target, size_t(size));
    path = to.starts_with("/") ? to : split(path).folder + "/" + to;
  }
  errno = ELOOP;
  return false;
}

} // namespace

bool FilePlace::isSameAs(const FilePlace &other) const {
  return (folder == other.folder && name == other.name) ||
         (file && other.file && *file == *other.file);
}

std::optional<FilePlace> belfry::rt::placeOf(const std::string &path) {
  std::string real = path;
  struct stat info;
  if (!followLinks(real) || stat(split(real).folder.c_str(), &info) != 0 ||
      namesNoFile(split(real).name))
    return std::nullopt;
  FilePlace place;
  place.folder = {info.st_dev, info.st_ino};
  place.name = split(real).name;
  if (stat(real.c_str(), &info) == 0)
    place.file = {info.st_dev, info.st_ino};
  return place;
}

void belfry::rt::removeTemporaryFiles() {
  for (detail::TemporaryName &one : temporaryNames)
    if (int folder = one.folder.load(); folder >= 0)
      unlinkat(folder, one.name, 0);
}

Status OutputFile::cannotWrite() const {
  return Status::user("cannot write '" + path +
                      "': " + std::string(std::strerror(errno)));
}

/// Asks what `commit` will meet. The kernel judges the removal of a name alike
/// for all calls and before it looks at what has that name, so that rmdir on a
/// regular file says whether it could be replaced, and never does it.
Status OutputFile::checkReplaceable() const {
  auto refuse = [&](const std::string &why) {
    return Status::user("cannot write '" + path + "': " + why);
  };
  struct statx info = {};
  if (statx(folder, "", AT_EMPTY_PATH, STATX_MODE, &info) == 0 &&
      (info.stx_attributes & STATX_ATTR_APPEND))
    return refuse("its folder is append-only");
  bool isSticky = info.stx_mode & S_ISVTX;
  if (statx(folder, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) !=
      0) {
    if (errno == ENAMETOOLONG)
      return refuse("its name has " + std::to_string(name.size()) +
                    " bytes, the limit there is " +
                    std::to_string(fpathconf(folder, _PC_NAME_MAX)));
    return errno == ENOENT ? Status::success() : cannotWrite();
  }
  if (info.stx_attributes & STATX_ATTR_MOUNT_ROOT)
    return refuse("it is a mount point, which can't be replaced; name a file "
                  "in a folder that is mounted");
  if (info.stx_attributes & STATX_ATTR_IMMUTABLE)
    return refuse("it is immutable");
  if (info.stx_attributes & STATX_ATTR_APPEND)
    return refuse("it is append-only");
  if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOTDIR)
    return Status::success();
  if (errno == EPERM && isSticky)
    return refuse("it is another user's, in a folder where only the owner may "
                  "replace a file");
  return cannotWrite();
}

/// A file without a name. It gets one through /proc, which may be missing.
bool OutputFile::openNameless() {
  descriptor = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return false;
  std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  if (access(self.c_str(), F_OK) == 0)
    return true;
  close(std::exchange(descriptor, -1));
  return false;
}

/// The name is noted before it is there, so that no signal falls between.
bool OutputFile::chooseTemporary() {
  unsigned long long random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random))
    return false;
  char chosen[sizeof(noted->name)];
  std::snprintf(chosen, sizeof(chosen), ".belfry-%016llx", random);
  temporary = chosen;
  for (detail::TemporaryName &one : temporaryNames) {
    int free = detail::TemporaryName::kFree;
    if (!one.folder.compare_exchange_strong(free,
                                            detail::TemporaryName::kTaken))
      continue;
    noted = &one;
    std::memcpy(one.name, chosen, sizeof(chosen));
    one.folder.store(folder);
    break;
  }
  return true;
}

void OutputFile::dropTemporary() {
  if (noted)
    noted->folder.store(detail::TemporaryName::kFree);
  noted = nullptr;
  temporary.clear();
}

bool OutputFile::openNamed() {
  if (!chooseTemporary())
    return false;
  descriptor = openat(folder, temporary.c_str(),
                      O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0)
    dropTemporary();
  return descriptor >= 0;
}

Expected<OutputFile> OutputFile::create(const std::string &path) {
  OutputFile file;
  file.path = path;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status::user(
        "cannot write '" + path + "': it is " +
        (S_ISDIR(info.st_mode) ? "a folder" : "no regular file"));
  // A link stays, the file that it leads to is replaced.
  std::string real = path;
  if (!followLinks(real))
    return file.cannotWrite();
  file.name = split(real).name;
  if (namesNoFile(file.name))
    return Status::user("cannot write '" + path + "': it names no file");
  file.folder =
      open(split(real).folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (file.folder < 0)
    return file.cannotWrite();
  BELFRY_RETURN_IF_ERROR(file.checkReplaceable());
  if (!file.openNameless() && !file.openNamed())
    return file.cannotWrite();
  // Who might read the file that is replaced may read the new one.
  if (fstatat(file.folder, file.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    fchmod(file.descriptor, info.st_mode & 0777);
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)), name(std::move(other.name)),
      temporary(std::exchange(other.temporary, {})),
      noted(std::exchange(other.noted, nullptr)),
      folder(std::exchange(other.folder, -1)),
      descriptor(std::exchange(other.descriptor, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (folder >= 0 && !temporary.empty())
    unlinkat(folder, temporary.c_str(), 0);
  dropTemporary();
  if (folder >= 0)
    close(folder);
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return cannotWrite();
    bytes.remove_prefix(size_t(wrote));
  }
  return Status::success();
}

Status OutputFile::sync() {
  return fsync(descriptor) == 0 ? Status::success() : cannotWrite();
}

void OutputFile::syncFolder() const {
  // The name lasts once the folder is on disk too.
  int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable < 0)
    return;
  fsync(readable);
  close(readable);
}

bool OutputFile::linkNameless(const std::string &to) const {
  std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  return linkat(AT_FDCWD, self.c_str(), folder, to.c_str(),
                AT_SYMLINK_FOLLOW) == 0;
}

/// Gives the file a name that is free.
bool OutputFile::linkTo(const std::string &to) const {
  if (temporary.empty())
    return linkNameless(to);
  if (linkat(folder, temporary.c_str(), folder, to.c_str(), 0) == 0) {
    unlinkat(folder, temporary.c_str(), 0);
    return true;
  }
  // Some file systems have no hard links.
  return errno != EEXIST && renameat2(folder, temporary.c_str(), folder,
                                      to.c_str(), RENAME_NOREPLACE) == 0;
}

Status OutputFile::commit() {
  BELFRY_RETURN_IF_ERROR(sync());
  if (temporary.empty()) {
    // A name can be given to a file where none is; one that is taken can only
    // be replaced by another name, which is there for this moment.
    if (linkNameless(name)) {
      syncFolder();
      return Status::success();
    }
    if (errno != EEXIST || !chooseTemporary())
      return cannotWrite();
    if (!linkNameless(temporary)) {
      Status status = cannotWrite();
      dropTemporary();
      return status;
    }
  }
  if (renameat(folder, temporary.c_str(), folder, name.c_str()) != 0)
    return cannotWrite();
  dropTemporary();
  syncFolder();
  return Status::success();
}

Status OutputFile::commitNew() {
  BELFRY_RETURN_IF_ERROR(sync());
  if (!linkTo(name))
    return cannotWrite();
  dropTemporary();
  syncFolder();
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
