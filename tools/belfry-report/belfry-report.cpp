//===- belfry-report.cpp - what a model or training binary does -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/Compiler.h"
#include "lib/import/Diagnostics.h"
#include "lib/import/WriteFile.h"
#include "lib/report/Report.h"
#include "lib/support/CommandLine.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace belfry;

namespace {
struct Arguments {
  std::string model, format = "text", output = "-";
  CompileOptions compile;
  ReportOptions report;
  bool allErrors = false;
};
} // namespace

static void addOptions(CLI::App &app, Arguments &arguments) {
  CompileOptions &compile = arguments.compile;
  app.add_option("model", arguments.model,
                 "a .keras archive, a .json file, a module (.mlir) or a "
                 "training binary")
      ->required()
      ->type_name("MODEL|PROGRAM");
  app.add_option("--towers", arguments.report.towers,
                 "number of towers (default: the program's, or 1)")
      ->type_name("N");
  app.add_option("--devices", arguments.report.devices,
                 "devices that the towers are on (default: one each)")
      ->type_name("M");
  app.add_option("--batch-size", arguments.report.batchSize,
                 "rows of the global batch (default: 32)")
      ->type_name("B");
  app.add_option("--samples", arguments.report.samples,
                 "rows of the data, for the steps of an epoch")
      ->type_name("S");
  app.add_option("--format", arguments.format, "text (default) or json")
      ->type_name("FORMAT");
  app.add_option("-o,--output", arguments.output,
                 "the report (default: standard output)")
      ->type_name("FILE");
  app.add_option("--target", compile.target, "host (default)")
      ->type_name("TARGET");
  app.add_option("--mcpu", compile.mcpu, "processor, as belfryc takes it")
      ->type_name("NAME");
  app.add_option("--slicing", compile.slicing,
                 "how a batch is cut: balanced (default), drop-remainder, "
                 "last-takes-rest, strict")
      ->type_name("HOW");
  app.add_option("--loss", compile.loss, "as belfryc takes it")
      ->type_name("LOSS");
  app.add_option("--optimizer", compile.optimizer, "as belfryc takes it")
      ->type_name("OPTIMIZER");
  app.add_option("--metrics", compile.metrics, "as belfryc takes it")
      ->type_name("METRICS");
  app.add_flag("--all-errors", arguments.allErrors,
               "prints every error, not only the first 20 lines");
}

static bool isElf(const std::string &path) {
  auto head = llvm::MemoryBuffer::getFileSlice(path, 4, 0);
  return head && (*head)->getBuffer() == "\x7f"
                                         "ELF";
}

static int run(Arguments &arguments, ImportDiagnostics &diags) {
  auto fail = [&](llvm::Error error) {
    (void)diags.error(llvm::toString(std::move(error)));
    return 1;
  };
  if (arguments.format != "text" && arguments.format != "json") {
    (void)diags.error("unknown '--format' '" + arguments.format +
                      "'; known are text, json");
    return 1;
  }
  std::string manifest;
  if (isElf(arguments.model)) {
    llvm::Expected<std::string> extracted = extractManifest(arguments.model);
    if (!extracted)
      return fail(extracted.takeError());
    manifest = std::move(*extracted);
  } else {
    arguments.compile.towers = arguments.report.towers;
    CompileResult result = describe(arguments.model, arguments.compile);
    for (const std::string &error : result.errors)
      (void)diags.error(error);
    for (const std::string &warning : result.warnings)
      diags.warning(warning);
    if (result.status)
      return result.status;
    manifest = std::move(result.manifest);
  }
  llvm::Expected<std::string> text =
      arguments.format == "json" ? renderJson(manifest, arguments.report)
                                 : renderText(manifest, arguments.report);
  if (!text)
    return fail(text.takeError());
  if (arguments.output == "-") {
    llvm::outs() << *text;
    return 0;
  }
  if (llvm::Error error = belfry::writeFile(
          arguments.output, [&](llvm::raw_ostream &os) { os << *text; })) {
    (void)diags.error(llvm::toString(std::move(error)));
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Says what a model becomes, or what a training binary is: ops, "
               "devices and kernels by layer, parameters, memory, and the "
               "bytes exchanged a step.\nA binary is read, never run.",
               "belfry-report");
  Arguments arguments;
  addOptions(app, arguments);
  if (std::optional<int> status = belfry::parseCommandLine(app, argc, argv))
    return *status;
  ImportDiagnostics diags;
  int status = run(arguments, diags);
  diags.print(llvm::errs(), arguments.allErrors);
  return status;
}
