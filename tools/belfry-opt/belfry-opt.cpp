//===- belfry-opt.cpp - Belfry's passes and MLIR's, on a file -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As mlir-opt, but for three things: where a pass printed results, the module
// is written only if -o is given; where a comparison that was asked for
// failed, the exit status is 3; and --print-pipeline lists the passes of
// --belfry-pipeline and runs nothing.
//
//===----------------------------------------------------------------------===//

#include "belfry/InitAll.h"
#include "lib/interpreter/Passes.h"
#include "passes/StagePipeline.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Exit statuses of every tool of the project.
enum ExitStatus { kSuccess = 0, kUserError = 1, kCheckFailed = 3 };

/// The options of --belfry-pipeline as the command line gives them.
static std::string pipelineOptions(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = llvm::StringRef(argv[i]).ltrim('-');
    if (arg.consume_front("belfry-pipeline="))
      return arg.str();
  }
  return "";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  auto outcome = std::make_shared<belfry::InterpreterOutcome>();
  DialectRegistry registry;
  belfry::registerAllDialects(registry);
  belfry::registerAllPasses();
  belfry::registerInterpreterPasses(outcome);
  static llvm::cl::opt<bool> printPipeline(
      "print-pipeline",
      llvm::cl::desc("List the stages of --belfry-pipeline and their passes"));
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Belfry's optimizer driver\n", registry);
  if (printPipeline)
    return succeeded(belfry::printPipeline(pipelineOptions(argc, argv),
                                           llvm::outs(), llvm::errs()))
               ? kSuccess
               : kUserError;
  outcome->inputFile = input;
  bool outputGiven =
      llvm::cl::getRegisteredOptions().lookup("o")->getNumOccurrences() > 0;

  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &error);
  if (!file) {
    llvm::errs() << error << '\n';
    return kUserError;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result = MlirOptMain(stream, std::move(file), registry, config);
  if (outcome->checkFailed)
    return kCheckFailed;
  if (failed(result))
    return kUserError;
  if (outcome->printed && !outputGiven)
    return kSuccess;
  std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(output, &error);
  if (!out) {
    llvm::errs() << error << '\n';
    return kUserError;
  }
  out->os() << stream.str();
  out->keep();
  return kSuccess;
}
