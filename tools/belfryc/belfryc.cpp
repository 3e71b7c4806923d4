//===- belfryc.cpp - from a model to a training binary --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/Compiler.h"
#include "lib/import/Diagnostics.h"
#include "lib/support/CommandLine.h"
#include "passes/Optimizations.h"
#include "passes/cuda/KernelRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace belfry;

namespace {
struct Arguments {
  std::string model;
  CompileOptions compile;
  std::string emit;
  bool timing = false, allErrors = false;
};
} // namespace

static void addOptions(CLI::App &app, Arguments &arguments) {
  CompileOptions &compile = arguments.compile;
  app.add_option("model", arguments.model,
                 "a .keras archive, a .json file or a module (.mlir)")
      ->required()
      ->type_name("MODEL");
  app.add_option("-o,--output", compile.output, "the program")
      ->type_name("FILE");
  app.add_option("--towers", compile.towers,
                 "towers of the program where its own --towers says nothing "
                 "(default: 1)")
      ->type_name("N");
  app.add_option("--slicing", compile.slicing,
                 "how a batch is cut: balanced (default), drop-remainder, "
                 "last-takes-rest, strict")
      ->type_name("HOW");
  app.add_option("--target", compile.target,
                 "host (default); cuda: a program for NVIDIA GPUs; "
                 "cuda-emulated: a program whose kernels for GPUs the host "
                 "runs, to test them")
      ->type_name("TARGET");
  app.add_option("--cuda-arch", compile.cudaArch,
                 "architectures of GPUs: 75, 80, 86, 89, 90, 100, 120, all "
                 "(default: 80,90,120)")
      ->delimiter(',')
      ->type_name("N,…");
  app.add_option("--cuda-path", compile.cudaPath,
                 "the folder of the CUDA toolkit (default: CUDA_HOME, "
                 "CUDA_PATH, PATH)")
      ->type_name("DIR");
  app.add_option("--certificate", compile.certificate,
                 "writes which kernel each op has on the GPU, and what it "
                 "takes of it: .txt gives text, else JSON")
      ->type_name("FILE");
  app.add_flag("--verify-gpu-coverage", compile.verifyGpuCoverage,
               "proves that every op has a kernel for GPUs, and prints what "
               "was proven (the targets for GPUs never compile without)");
  app.add_flag("--allow-cpu-fallback", compile.allowCpuFallback,
               "not in this version: ops without a kernel for GPUs would run "
               "on the host");
  app.add_option("--mcpu", compile.mcpu,
                 "processor, as LLVM names it: native (default), x86-64-v3 for "
                 "a portable program, …")
      ->type_name("NAME");
  app.add_option("--loss", compile.loss,
                 "NAME, NAME(key=value, …) or OUTPUT=NAME,…, in place of the "
                 "file's")
      ->type_name("LOSS");
  app.add_option("--optimizer", compile.optimizer,
                 "NAME or NAME(key=value, …), in place of the file's")
      ->type_name("OPTIMIZER");
  app.add_option("--metrics", compile.metrics,
                 "NAME,… or OUTPUT=NAME,…, in place of the file's")
      ->type_name("METRICS");
  app.add_option("--outputs", compile.outputs,
                 "layers whose values 'predict' gives too")
      ->delimiter(',')
      ->type_name("LAYER,…");
  app.add_flag(
      "--profile-ops", compile.profileOps,
      "the program can measure each of its ops ('fit --profile FILE')");
  app.add_option(
         "--memory", compile.memory,
         "low: what is cheap to make again is not kept; balanced "
         "(default); fast: memory is not a reason to compute more, or in "
         "another order")
      ->type_name("MODE");
  app.add_option(
         "--disable", compile.disable,
         "builds the program without these optimisations, listed below; "
         "'all' is every one; for developers: kernel-FAMILY, without a family "
         "of kernels for GPUs, to see what is refused then")
      ->delimiter(',')
      ->type_name("NAME,…");
  app.add_option(
         "--emit", arguments.emit,
         "exe (default), lib (an archive), obj, llvm, ptx, cubin, emulated "
         "(kernels for CUDA as a library of the host), mlir "
         "(default with --stop-after, which takes no other)")
      ->type_name("KIND");
  app.add_option("--report", compile.report,
                 "writes the report too: .json gives JSON, else text")
      ->type_name("FILE");
  app.add_option("--stop-after", compile.stopAfter,
                 "writes the module after a stage: import, train-step, "
                 "parallel, placed, lowered, bufferized, target")
      ->type_name("STAGE");
  app.add_option("--dump-stages", compile.dumpStages,
                 "writes the module after each stage to a folder")
      ->type_name("DIR");
  app.add_option("--runtime-dir", compile.runtimeDir,
                 "the folder with belfry-runtime.link (default: the one that "
                 "was built with this tool)")
      ->type_name("DIR");
  app.add_flag("--timing", arguments.timing,
               "prints the seconds that each part took, and passes that took "
               "long");
  app.add_flag("--all-errors", arguments.allErrors,
               "prints every error, not only the first 20 lines");
}

/// The optimisations that --disable takes, a line each.
static std::string describeOptimizations() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "OPTIMISATIONS (without those marked * results agree to rounding, "
        "without the others bit for bit, but for signs of zeros):\n";
  for (const OptimizationInfo &info : allOptimizations())
    os << "  " << (info.exact ? ' ' : '*') << ' '
       << llvm::left_justify(info.name, 18) << ' ' << info.summary << '\n';
  return text;
}

/// The families of kernels for GPUs, a line each.
static std::string describeKernels() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "\nFAMILIES OF KERNELS for GPUs ('--disable kernel-FAMILY'):\n";
  for (const KernelFamily &family : kernelFamilies())
    os << "    " << llvm::left_justify(family.name, 18) << ' ' << family.summary
       << '\n';
  return text;
}

/// Errors and warnings in Belfry's form.
static void print(const CompileResult &result, bool all) {
  ImportDiagnostics diags;
  for (const std::string &error : result.errors)
    (void)diags.error(error);
  for (const std::string &warning : result.warnings)
    diags.warning(warning);
  diags.print(llvm::errs(), all);
  for (const std::string &note : result.notes)
    llvm::errs() << note << '\n';
}

/// A line a part, with the passes in it that took a twentieth of the whole.
static void printTiming(const CompileResult &result) {
  double total = 0;
  for (const PartTime &part : result.timing)
    total += part.seconds;
  for (const PartTime &part : result.timing) {
    llvm::errs() << llvm::format("%8.3f s  ", part.seconds) << part.part
                 << '\n';
    for (const auto &[pass, seconds] : part.passes)
      if (seconds >= total / 20)
        llvm::errs() << llvm::format("%12.3f s  --", seconds) << pass << '\n';
  }
  llvm::errs() << llvm::format("%8.3f s  ", total) << "total";
  if (result.kernels)
    llvm::errs() << "; " << result.kernels << " kernels for "
                 << result.loopNests << " loop nests";
  llvm::errs() << '\n';
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Compiles a model into a training binary: fit, evaluate, "
               "predict, info.\nThe model is one that Keras 3 saved, or what "
               "belfry-import made of it; a module may be of any stage.",
               "belfryc");
  Arguments arguments;
  addOptions(app, arguments);
  app.footer(describeOptimizations() + describeKernels());
  if (std::optional<int> status = belfry::parseCommandLine(app, argc, argv))
    return *status;
  static const std::map<std::string, Emit> kinds = {
      {"exe", Emit::Executable}, {"lib", Emit::Library},
      {"obj", Emit::Object},     {"llvm", Emit::Llvm},
      {"ptx", Emit::Ptx},        {"cubin", Emit::Cubin},
      {"mlir", Emit::Mlir},      {"emulated", Emit::Emulated}};
  auto kind = kinds.find(arguments.emit);
  if (kind != kinds.end()) {
    arguments.compile.emit = kind->second;
  } else if (!arguments.emit.empty()) {
    llvm::errs() << "error: unknown '--emit' '" << arguments.emit
                 << "'; known are exe, lib, obj, llvm, ptx, cubin, emulated, "
                    "mlir\n";
    return 1;
  }
  arguments.compile.tool = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&main));
  CompileResult result = compile(arguments.model, arguments.compile);
  print(result, arguments.allErrors);
  if (arguments.timing)
    printTiming(result);
  return result.status;
}
