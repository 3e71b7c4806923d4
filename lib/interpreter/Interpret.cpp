//===- Interpret.cpp - the pass --interpret
//------------------------------------===//
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

#include "lib/interpreter/GenerateData.h"
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

static void printElements(raw_ostream &out, const HostTensor &tensor,
                          int64_t count) {
  out << '[';
  bool isFloat =
      tensor.getType() == HostType::F32 || tensor.getType() == HostType::F64;
  for (int64_t i = 0; i < count; ++i) {
    out << (i ? ", " : "");
    if (isFloat)
      out << llvm::format("%.9g", tensor.getAsDouble(i));
    else
      out << static_cast<int64_t>(tensor.getAsDouble(i));
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

/// What a file holds, in the shape and kind of element of an argument: elements
/// are converted, items whose element counts agree reshaped. What does not fit
/// is left for the interpreter to refuse.
static HostTensor adapt(HostTensor tensor, RankedTensorType type) {
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element);
  if (isFloat && tensor.getType() != HostType::F32)
    tensor = tensor.convertTo(HostType::F64);
  else if (!isFloat)
    tensor =
        tensor.convertTo(element.isInteger(1) ? HostType::Bool : HostType::I32);
  SmallVector<int64_t> shape(type.getShape());
  int64_t known = 1;
  for (int64_t d : shape)
    known *= ShapedType::isDynamic(d) ? 1 : d;
  if (known == 0 || tensor.size() % known != 0)
    return tensor;
  for (int64_t &d : shape)
    d = ShapedType::isDynamic(d) ? tensor.size() / known : d;
  return type.hasStaticShape() && tensor.size() != known
             ? tensor
             : tensor.reshape(shape);
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
    weights = std::move(*read);
    for (func::FuncOp f : functions)
      if (failed(run(f)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult checkOptions();
  LogicalResult chooseFunctions(SmallVectorImpl<func::FuncOp> &functions);
  LogicalResult makeArguments(func::FuncOp f,
                              SmallVectorImpl<HostTensor> &arguments);
  LogicalResult run(func::FuncOp f);
  LogicalResult write(func::FuncOp f, unsigned index, const HostTensor &tensor);

  std::shared_ptr<InterpreterOutcome> outcome;
  ParameterValues weights;
};

} // namespace

LogicalResult InterpretPass::checkOptions() {
  if (batch < 0)
    return emitError(getOperation().getLoc())
           << "expected a batch of at least 0 rows, got " << batch;
  if (towers < 0)
    return emitError(getOperation().getLoc())
           << "expected at least 1 tower, got " << towers;
  for (const std::string &item : data)
    if (!StringRef(item).contains('='))
      return emitError(getOperation().getLoc())
             << "expected NAME=FILE.npy for 'data', got '" << item << "'";
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

LogicalResult
InterpretPass::makeArguments(func::FuncOp f,
                             SmallVectorImpl<HostTensor> &arguments) {
  for (auto [i, type] : llvm::enumerate(f.getArgumentTypes())) {
    if (!isa<RankedTensorType>(type))
      return emitError(f.getLoc()) << "argument " << i << " has type " << type
                                   << ", which is no ranked tensor";
    std::string name = argumentName(f, i), file;
    for (StringRef item : data) {
      auto [key, path] = item.split('=');
      if (key == name || key == std::to_string(i))
        file = path.str();
    }
    for (const std::string &folder : inputs) {
      SmallString<128> path(folder);
      llvm::sys::path::append(path, argumentFile(f, i));
      if (file.empty() && llvm::sys::fs::exists(path))
        file = path.str().str();
    }
    if (file.empty()) {
      arguments.push_back(generateArgument(f, i, batch, seed, weights));
      continue;
    }
    llvm::Expected<HostTensor> tensor = readNpy(file);
    if (!tensor)
      return emitError(f.getLoc()) << llvm::toString(tensor.takeError());
    arguments.push_back(adapt(*tensor, cast<RankedTensorType>(type)));
  }
  return success();
}

LogicalResult InterpretPass::run(func::FuncOp f) {
  SmallVector<HostTensor> arguments, results;
  InterpreterOptions options{precision, std::nullopt};
  if (towers > 0)
    options.towers = towers;
  if (failed(makeArguments(f, arguments)) ||
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
