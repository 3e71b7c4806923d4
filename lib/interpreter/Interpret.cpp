//===- Interpret.cpp - the pass --interpret -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Choose the functions.
// 2. Make arguments: files that the user names, generated data for the rest.
// 3. Run, print a summary of each result, write the files asked for.
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Arguments.h"
#include "lib/interpreter/Npy.h"
#include "lib/interpreter/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace belfry {
#define GEN_PASS_DEF_INTERPRETPASS
#include "lib/interpreter/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// Elements that are printed of a large tensor.
static constexpr int64_t kFirst = 8;
/// Tensors of up to so many elements are printed whole.
static constexpr int64_t kWhole = 32;
/// Rows of a batch that neither an option nor a file gives.
static constexpr int64_t kDefaultRows = 4;

static void printElements(raw_ostream &out, const HostTensor &tensor,
                          int64_t count) {
  out << '[';
  for (int64_t i = 0; i < count; ++i) {
    out << (i ? ", " : "");
    if (isFloat(tensor.getType()))
      out << llvm::format("%.9g", tensor.getAsDouble(i));
    else
      out << tensor.getAsInteger(i);
  }
  out << ']';
}

/// "5x9xf32 sum = 1.25 first = [0.5, …]", or all values of a small tensor.
static void printTensor(raw_ostream &out, const HostTensor &tensor) {
  out << tensor.typeString();
  if (tensor.size() <= kWhole) {
    out << " values = ";
    printElements(out, tensor, tensor.size());
    return;
  }
  double sum = 0.0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    sum += tensor.getAsDouble(i);
  out << " sum = " << llvm::format("%.9g", sum) << " first = ";
  printElements(out, tensor, kFirst);
}

namespace {

struct InterpretPass : belfry::impl::InterpretPassBase<InterpretPass> {
  explicit InterpretPass(std::shared_ptr<InterpreterOutcome> outcome)
      : outcome(outcome ? std::move(outcome)
                        : std::make_shared<InterpreterOutcome>()) {}
  InterpretPass(const InterpretPass &other)
      : InterpretPassBase(other), outcome(other.outcome) {}

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    if (failed(checkOptions()) || failed(chooseFunctions(functions)))
      return signalPassFailure();
    outcome->printed = true;
    llvm::Expected<ParameterValues> read =
        readInitialWeights(getOperation(), outcome->inputFile);
    if (!read) {
      emitError(getOperation().getLoc()) << llvm::toString(read.takeError());
      return signalPassFailure();
    }
    FailureOr<ArgumentSource> source = ArgumentSource::create(
        getOperation().getLoc(), data, inputs, seed, std::move(*read));
    if (failed(source) ||
        failed(source->checkNames(getOperation().getLoc(), functions)))
      return signalPassFailure();
    FailureOr<std::optional<int64_t>> found = source->rowsOfFiles(functions);
    if (failed(found))
      return signalPassFailure();
    int64_t rows = batch >= 0 ? batch : found->value_or(kDefaultRows);
    for (func::FuncOp f : functions)
      if (failed(run(f, *source, rows)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult checkOptions();
  LogicalResult chooseFunctions(SmallVectorImpl<func::FuncOp> &functions);
  LogicalResult run(func::FuncOp f, ArgumentSource &source, int64_t rows);
  LogicalResult write(func::FuncOp f, unsigned index, const HostTensor &tensor);

  std::shared_ptr<InterpreterOutcome> outcome;
};

} // namespace

LogicalResult InterpretPass::checkOptions() {
  if (batch < -1)
    return emitError(getOperation().getLoc())
           << "expected a batch of at least 0 rows, got " << batch;
  if (towers < 0)
    return emitError(getOperation().getLoc())
           << "expected at least 1 tower, got " << towers;
  return success();
}

LogicalResult
InterpretPass::chooseFunctions(SmallVectorImpl<func::FuncOp> &functions) {
  ModuleOp module = getOperation();
  for (auto f : module.getOps<func::FuncOp>())
    if (!f.isDeclaration() && (function.empty() || f.getName() == function))
      functions.push_back(f);
  if (!functions.empty())
    return success();
  InFlightDiagnostic diag = emitError(module.getLoc());
  if (!function.empty())
    diag << "has no function '" << function << "' to run";
  else
    diag << "has no function to run";
  for (auto model : module.getOps<ModelOp>())
    diag.attachNote(model.getLoc())
        << "model '" << model.getName()
        << "' becomes functions by --nn-build-train-step";
  return diag;
}

LogicalResult InterpretPass::run(func::FuncOp f, ArgumentSource &source,
                                 int64_t rows) {
  SmallVector<HostTensor> arguments, results;
  InterpreterOptions options{precision, std::nullopt};
  if (towers > 0)
    options.towers = towers;
  if (failed(source.make(f, rows, arguments)) ||
      failed(interpret(f, arguments, options, results)))
    return failure();
  raw_ostream &out = llvm::outs();
  out << "func @" << f.getName()
      << " precision = " << (precision == Precision::F32 ? "f32" : "f64");
  f.walk([&](tower::ReplicateOp op) {
    out << " towers = " << options.towers.value_or(op.getTowers());
  });
  out << '\n';
  for (auto [i, tensor] : llvm::enumerate(results)) {
    out << "  result " << i << ':';
    std::string what = describeResult(f, i);
    out << (what.empty() ? "" : " ") << what << ' ';
    printTensor(out, tensor);
    out << '\n';
    if (!outputs.empty() && failed(write(f, i, tensor)))
      return failure();
  }
  out.flush();
  return success();
}

LogicalResult InterpretPass::write(func::FuncOp f, unsigned index,
                                   const HostTensor &tensor) {
  if (std::error_code error = llvm::sys::fs::create_directories(outputs))
    return emitError(f.getLoc())
           << "folder '" << outputs << "' cannot be made: " << error.message();
  SmallString<128> path(outputs);
  llvm::sys::path::append(path, resultFile(f, index));
  if (llvm::Error error = writeNpy(path, tensor))
    return emitError(f.getLoc()) << llvm::toString(std::move(error));
  return success();
}

std::unique_ptr<Pass>
belfry::createInterpretPass(std::shared_ptr<InterpreterOutcome> outcome) {
  return std::make_unique<InterpretPass>(std::move(outcome));
}

void belfry::registerInterpreterPasses(
    std::shared_ptr<InterpreterOutcome> outcome) {
  registerPass([outcome] { return createInterpretPass(outcome); });
  registerPass([outcome] { return createCheckAgainstSinglePass(outcome); });
}
