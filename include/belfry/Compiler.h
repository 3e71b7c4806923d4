//===- Compiler.h - compiles a model ----------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What belfryc and belfry-report call. docs/command-line.md says what the
// options mean to a user.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_COMPILER_H
#define BELFRY_COMPILER_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belfry {

enum class Emit {
  Mlir,
  Llvm,
  Ptx,
  Cubin,
  Emulated, ///< kernels for CUDA as a shared library of the host
  Object,
  Library,
  Executable
};

struct CompileOptions {
  std::string output; ///< "-" is standard output, for text
  /// An executable where it is not given, or the module with `stopAfter`, which
  /// takes Mlir only.
  std::optional<Emit> emit;

  /// Default number of towers of the program; what the module says, or 1,
  /// where it is not given.
  std::optional<int64_t> towers;
  /// balanced, drop-remainder, last-takes-rest or strict.
  std::optional<std::string> slicing;
  std::string target = "host";
  std::string mcpu = "native";
  /// Of target cuda: architectures of GPUs ("90", …, "all"); 80, 90 and 120
  /// where there are none.
  std::vector<std::string> cudaArch;
  /// The folder of the CUDA toolkit; looked for where it is empty.
  std::string cudaPath;
  /// File for the coverage certificate, text where its suffix is .txt, else
  /// JSON. Empty for none.
  std::string certificate;
  /// Proves that every op has a kernel for GPUs, which the targets for GPUs
  /// need anyway, takes the kernels as far as the lowering goes without ptxas,
  /// and notes what was proven.
  bool verifyGpuCoverage = false;
  /// Runs ops without a kernel on the host. Not in this version: an error.
  bool allowCpuFallback = false;
  /// In place of the file's compile section, as belfry-import takes them.
  std::optional<std::string> loss, optimizer, metrics;
  /// Layers whose values @predict gives too.
  std::vector<std::string> outputs;

  /// The program can measure its ops (its `--profile`).
  bool profileOps = false;
  /// Names of the optimisations to leave out (docs/optimizations.md), and
  /// `kernel-FAMILY` for families of kernels for GPUs to go without.
  std::vector<std::string> disable;
  /// low, balanced or fast; balanced where it is not given.
  std::optional<std::string> memory;

  /// Name of the last stage to reach; empty for all. The output is the module.
  std::string stopAfter;
  /// Folder for a file a stage; empty for none.
  std::string dumpStages;
  /// Folder of the runtime; empty for the one that was built with the tool.
  std::string runtimeDir;
  /// Path of the running tool, beside which the runtime is looked for.
  std::string tool;
  /// File for the report; its suffix chooses text or JSON. Empty for none.
  std::string report;
};

/// What a part of a compilation took.
struct PartTime {
  std::string part;
  double seconds = 0;
  /// Its passes, in order; empty where it runs none.
  std::vector<std::pair<std::string, double>> passes;
};

/// What a compilation ended with.
struct CompileResult {
  /// 0, 1 for an error of the user's, 2 for one of the compiler.
  int status = 0;
  std::vector<std::string> errors, warnings;
  /// What was asked for and is no file.
  std::vector<std::string> notes;
  /// In order.
  std::vector<PartTime> timing;
  /// Functions of kernels, and loop nests that call them; 0 where stage
  /// `target` was not reached.
  int64_t kernels = 0, loopNests = 0;
  /// The program's manifest, where stage `bufferized` was reached.
  std::string manifest;
};

/// Compiles a model file (.keras, .json) or a module (.mlir, of any stage).
/// Nothing is left of the output where the status is not 0.
CompileResult compile(const std::string &path, const CompileOptions &options);

/// The manifest of a model, as compile() makes it, without an output: all
/// stages up to `bufferized`.
CompileResult describe(const std::string &path, const CompileOptions &options);

} // namespace belfry

#endif // BELFRY_COMPILER_H
