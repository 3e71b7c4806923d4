//===- Assemble.cpp - cubins from PTX, by ptxas ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Ptx.h"
#include "lib/cuda/ToolkitLocation.h"
#include "lib/import/WriteFile.h"
#include "lib/support/Error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/ThreadPool.h"

#include <optional>
#include <set>

using namespace belfry;
using llvm::StringRef;

llvm::Expected<std::string> belfry::findPtxas(StringRef cudaPath) {
  auto in = [](StringRef folder) -> std::optional<std::string> {
    llvm::SmallString<256> file(folder);
    llvm::sys::path::append(file, "bin", "ptxas");
    if (llvm::sys::fs::can_execute(file))
      return file.str().str();
    return std::nullopt;
  };
  if (!cudaPath.empty()) {
    if (auto found = in(cudaPath))
      return *found;
    return makeError("no CUDA toolkit in '" + cudaPath +
                     "' of '--cuda-path': expected 'bin/ptxas' there");
  }
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto folder = llvm::sys::Process::GetEnv(variable))
      if (auto found = in(*folder))
        return *found;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (llvm::sys::fs::can_execute(kPtxas))
    return std::string(kPtxas);
  return makeError("'ptxas' of the CUDA toolkit is missing, which assembles "
                   "kernels: it is not in PATH, CUDA_HOME or CUDA_PATH; "
                   "'--cuda-path' says where the toolkit is, '--emit ptx' "
                   "needs none");
}

/// What `ptxas -v` says of each kernel.
static std::map<std::string, KernelResources> readResources(StringRef said) {
  std::map<std::string, KernelResources> kernels;
  KernelResources *kernel = nullptr;
  llvm::Regex entry("Compiling entry function '([^']+)'"),
      stack("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
            "([0-9]+) bytes spill loads"),
      registers("Used ([0-9]+) registers"), shared("([0-9]+) bytes smem");
  llvm::SmallVector<StringRef> lines, match;
  said.split(lines, '\n');
  auto number = [&](unsigned group) {
    int64_t value = 0;
    (void)match[group].getAsInteger(10, value);
    return value;
  };
  for (StringRef line : lines) {
    if (entry.match(line, &match)) {
      kernel = &kernels[match[1].str()];
      continue;
    }
    if (!kernel)
      continue;
    if (stack.match(line, &match)) {
      kernel->stackBytes = number(1);
      kernel->spillStores = number(2);
      kernel->spillLoads = number(3);
    }
    if (registers.match(line, &match))
      kernel->registers = number(1);
    if (shared.match(line, &match))
      kernel->sharedBytes = number(1);
  }
  return kernels;
}

namespace {
/// One run of ptxas.
struct Run {
  unsigned sm;
  std::optional<TemporaryFile> cubin, log;
  int status = -1;
  std::string problem;
};
} // namespace

static std::string textOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Assembles the PTX once for each architecture.
static llvm::Expected<std::vector<Cubin>>
assembleOnce(StringRef ptx, llvm::ArrayRef<unsigned> architectures,
             StringRef ptxas) {
  llvm::Expected<TemporaryFile> source = TemporaryFile::create("ptx");
  if (!source)
    return source.takeError();
  if (llvm::Error error =
          writeFile(source->path(), [&](llvm::raw_ostream &os) { os << ptx; }))
    return error;
  std::vector<Run> runs(architectures.size());
  for (auto [run, sm] : llvm::zip(runs, architectures)) {
    run.sm = sm;
    for (auto [file, suffix] :
         {std::pair(&run.cubin, "cubin"), std::pair(&run.log, "log")}) {
      llvm::Expected<TemporaryFile> made = TemporaryFile::create(suffix);
      if (!made)
        return made.takeError();
      file->emplace(std::move(*made));
    }
  }
  {
    llvm::DefaultThreadPool pool;
    for (Run &run : runs)
      pool.async([&run, &ptxas, &source] {
        std::string arch = "-arch=" + findArchitecture(run.sm)->name();
        StringRef arguments[] = {ptxas,          "-v", arch,
                                 source->path(), "-o", run.cubin->path()};
        std::optional<StringRef> redirects[] = {StringRef(""),
                                                StringRef(run.log->path()),
                                                StringRef(run.log->path())};
        run.status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                               redirects, 0, 0, &run.problem);
      });
  }
  std::vector<Cubin> cubins;
  for (Run &run : runs) {
    std::string said = textOf(run.log->path());
    if (run.status != 0) {
      StringRef line = StringRef(said).trim().split('\n').first;
      // People may want to see the line that ptxas names.
      std::string kept = source->path();
      source->release();
      return makeError("ptxas failed for " + findArchitecture(run.sm)->name() +
                       ": " + (line.empty() ? StringRef(run.problem) : line) +
                       " (the PTX is kept: '" + kept + "')");
    }
    cubins.push_back({run.sm, textOf(run.cubin->path()), readResources(said)});
  }
  return cubins;
}

/// The kernels that keep values of a thread in memory for want of registers.
static std::set<std::string> spillingKernels(const Cubin &cubin) {
  std::set<std::string> names;
  for (const auto &[name, use] : cubin.kernels)
    if (use.spillStores > 0 || use.spillLoads > 0)
      names.insert(name);
  return names;
}

/// Says of these kernels that one block a multiprocessor is enough, so that
/// ptxas gives each thread the registers that it needs.
static std::string withAllRegisters(StringRef ptx,
                                    const std::set<std::string> &kernels) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool chosen = false;
  llvm::Regex entry("^\\.visible \\.entry ([^( ]+)");
  for (llvm::SmallVector<StringRef> match; !ptx.empty();) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    os << line << '\n';
    if (entry.match(line, &match))
      chosen = kernels.count(match[1].str()) > 0;
    else if (chosen && line.starts_with(".maxntid"))
      os << ".minnctapersm 1\n";
  }
  return text;
}

llvm::Expected<std::vector<Cubin>>
belfry::assemble(std::string &ptx, llvm::ArrayRef<unsigned> architectures,
                 StringRef ptxas) {
  llvm::Expected<std::vector<Cubin>> cubins =
      assembleOnce(ptx, architectures, ptxas);
  if (!cubins)
    return cubins;
  std::set<std::string> spilling;
  std::vector<unsigned> again;
  for (const Cubin &cubin : *cubins)
    if (std::set<std::string> names = spillingKernels(cubin); !names.empty()) {
      spilling.insert(names.begin(), names.end());
      again.push_back(cubin.sm);
    }
  if (again.empty())
    return cubins;
  ptx = withAllRegisters(ptx, spilling);
  llvm::Expected<std::vector<Cubin>> better = assembleOnce(ptx, again, ptxas);
  if (!better)
    return better;
  for (Cubin &cubin : *better)
    *llvm::find_if(*cubins, [&](const Cubin &old) {
      return old.sm == cubin.sm;
    }) = std::move(cubin);
  return cubins;
}
