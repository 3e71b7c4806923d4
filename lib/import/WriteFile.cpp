//===- WriteFile.cpp - whole files or none
//----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

using namespace belfry;
using llvm::StringRef;

static llvm::Error cannotWrite(StringRef path, const llvm::Twine &why) {
  return llvm::createStringError("cannot write '" + path + "': " + why);
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
  llvm::Expected<std::string> target = resolveOutput(path);
  if (!target)
    return target.takeError();
  int descriptor = -1;
  llvm::SmallString<256> temporary;
  code = llvm::sys::fs::createUniqueFile(*target + ".%%%%%%%%.tmp", descriptor,
                                         temporary);
  if (code)
    return cannotWrite(path, code.message());
  llvm::sys::RemoveFileOnSignal(temporary);
  llvm::Error error = [&] {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    return writeStream(os, path, write);
  }();
  if (!error)
    if ((code = llvm::sys::fs::rename(temporary, *target)))
      error = cannotWrite(path, code.message());
  if (error)
    llvm::sys::fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return error;
}
