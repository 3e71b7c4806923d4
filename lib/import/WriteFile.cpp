//===- WriteFile.cpp - whole files or none --------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/WriteFile.h"

#include "lib/support/Error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <utility>

using namespace belfry;
using llvm::StringRef;

static llvm::Error cannotWrite(StringRef path, const llvm::Twine &why) {
  return makeError("cannot write '" + path + "': " + why);
}

bool belfry::isSpecialFile(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         llvm::sys::fs::exists(status) &&
         !llvm::sys::fs::is_regular_file(status) &&
         !llvm::sys::fs::is_directory(status);
}

llvm::Expected<std::string> belfry::resolveOutput(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return cannotWrite(path, "it is a folder");
  llvm::SmallString<256> real;
  if (llvm::sys::fs::is_symlink_file(path) &&
      !llvm::sys::fs::real_path(path, real))
    return real.str().str();
  return path.str();
}

llvm::Expected<TemporaryFile> TemporaryFile::create(StringRef suffix) {
  llvm::SmallString<256> name;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("belfryc", suffix, name))
    return makeError("cannot make a temporary file: " + code.message());
  return TemporaryFile(name.str().str());
}

TemporaryFile::TemporaryFile(std::string path) : name(std::move(path)) {
  llvm::sys::RemoveFileOnSignal(name);
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept
    : name(std::exchange(other.name, std::string())) {}

TemporaryFile::~TemporaryFile() {
  if (name.empty())
    return;
  (void)llvm::sys::fs::remove(name);
  llvm::sys::DontRemoveFileOnSignal(name);
}

void TemporaryFile::release() {
  llvm::sys::DontRemoveFileOnSignal(name);
  name.clear();
}

llvm::Expected<OutputFile> OutputFile::create(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return cannotWrite(path, "there is no folder '" + folder + "'");
  if (isSpecialFile(path))
    return cannotWrite(path, "it is no regular file");
  llvm::Expected<std::string> target = resolveOutput(path);
  if (!target)
    return target.takeError();
  llvm::SmallString<256> temporary;
  if (std::error_code code =
          llvm::sys::fs::createUniqueFile(*target + ".%%%%%%%%.tmp", temporary))
    return cannotWrite(*target, code.message());
  return OutputFile(std::move(*target), temporary.str().str());
}

llvm::Error OutputFile::keep() {
  if (std::error_code code = llvm::sys::fs::rename(file.path(), path))
    return cannotWrite(path, code.message());
  file.release();
  return llvm::Error::success();
}

/// Writes and reports what the stream met; a stream with an error left would
/// end the process.
static llvm::Error
writeStream(llvm::raw_fd_ostream &os, StringRef path,
            llvm::function_ref<void(llvm::raw_ostream &)> write) {
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code ? cannotWrite(path, code.message()) : llvm::Error::success();
}

llvm::Error
belfry::writeFile(StringRef path,
                  llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  if (path == "-" || isSpecialFile(path)) {
    llvm::raw_fd_ostream os(path, code);
    return code ? cannotWrite(path, code.message())
                : writeStream(os, path, write);
  }
  llvm::Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  llvm::Error error = [&] {
    llvm::raw_fd_ostream os(file->temporary(), code);
    return code ? cannotWrite(path, code.message())
                : writeStream(os, path, write);
  }();
  return error ? std::move(error) : file->keep();
}
