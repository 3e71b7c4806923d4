//===- Link.cpp - from an object file to an executable --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Link.h"

#include "lib/import/WriteFile.h"
#include "lib/support/Error.h"

#include "lib/driver/RuntimeLocation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <optional>
#include <vector>

using namespace belfry;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The linker
//===----------------------------------------------------------------------===//

/// The list of what goes to the linker behind the program's object.
static llvm::Expected<std::string> findList(const LinkOptions &options) {
  if (!options.runtimeDir.empty()) {
    llvm::SmallString<256> list(options.runtimeDir);
    llvm::sys::path::append(list, kRuntimeList);
    if (!llvm::sys::fs::exists(list))
      return makeError("no runtime in '" + options.runtimeDir +
                       "' of '--runtime-dir': expected a file '" +
                       kRuntimeList + "' there");
    return list.str().str();
  }
  llvm::SmallString<256> beside =
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(options.tool));
  llvm::sys::path::append(beside, "lib", kRuntimeList);
  if (llvm::sys::fs::exists(beside))
    return beside.str().str();
  llvm::SmallString<256> built{StringRef(kRuntimeDir)};
  llvm::sys::path::append(built, kRuntimeList);
  if (llvm::sys::fs::exists(built))
    return built.str().str();
  return makeError("the runtime is not built: expected '" + beside + "' or '" +
                   built + "'; '--runtime-dir' says where it is");
}

/// The arguments of the list. An archive that lies beside the list is taken
/// from there, so that the folder can be moved.
static llvm::Expected<std::vector<std::string>> readList(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeError("cannot read '" + path +
                     "': " + buffer.getError().message());
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> arguments;
  for (StringRef line : lines) {
    if (line.starts_with("-")) {
      arguments.push_back(line.str());
      continue;
    }
    llvm::SmallString<256> beside = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(beside, llvm::sys::path::filename(line));
    StringRef file = llvm::sys::fs::exists(beside) ? StringRef(beside) : line;
    if (!llvm::sys::fs::exists(file))
      return makeError("a part of the runtime is missing: '" + file +
                       "', named in '" + path + "'");
    arguments.push_back(file.str());
  }
  return arguments;
}

static llvm::Expected<std::string> findLinker() {
  if (llvm::sys::fs::can_execute(kLinker))
    return std::string(kLinker);
  for (StringRef name : {"clang++-22", "clang++"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return makeError("no linker: neither '" + llvm::Twine(kLinker) +
                   "' nor 'clang++-22' is there");
}

static llvm::Error link(llvm::ArrayRef<StringRef> arguments) {
  llvm::Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  llvm::Expected<TemporaryFile> log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  llvm::SmallVector<StringRef> all{*linker};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log->path()),
                                          StringRef(log->path())};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(*linker, all, std::nullopt, redirects,
                                         0, 0, &problem);
  if (status == 0)
    return llvm::Error::success();
  // Warnings come first; what made it fail is at the end.
  std::string said;
  if (auto text = llvm::MemoryBuffer::getFile(log->path()))
    said = (*text)->getBuffer().trim().take_back(2000).str();
  return makeError("'" + *linker + "' failed" +
                   (problem.empty() ? "" : ": " + problem) +
                   (said.empty() ? "" : ": " + said));
}

llvm::Error belfry::linkExecutable(StringRef object, StringRef output,
                                   const LinkOptions &options) {
  llvm::Expected<std::string> list = findList(options);
  if (!list)
    return list.takeError();
  llvm::Expected<std::vector<std::string>> runtime = readList(*list);
  if (!runtime)
    return runtime.takeError();
  llvm::SmallVector<StringRef> arguments;
  StringRef(options.cuda ? kDynamicLinkFlags : kLinkFlags)
      .split(arguments, ' ', -1, /*KeepEmpty=*/false);
  arguments.append({"-o", output, object});
  arguments.append(runtime->begin(), runtime->end());
  return link(arguments);
}

llvm::Error belfry::linkLibrary(StringRef object, StringRef output) {
  return link({"-fuse-ld=lld", "-shared", "-o", output, object, "-lm"});
}
