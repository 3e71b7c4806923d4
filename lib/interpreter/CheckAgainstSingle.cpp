//===- CheckAgainstSingle.cpp - the pass --check-against-single -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Make the two programs: single-device functions and replicated ones, by
//    the passes that the module's stage still lacks. Where functions are
//    replicated already, the single program is the same on one tower.
// 2. For each function, batch and number of towers: run both on one set of
//    arguments, and keep the largest difference of each result.
// 3. Print a table; report a failure where a difference is beyond the
//    tolerance.
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Arguments.h"
#include "lib/interpreter/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

namespace belfry {
#define GEN_PASS_DEF_CHECKAGAINSTSINGLEPASS
#include "lib/interpreter/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using nn::HostTensor;
using nn::Precision;

/// What makes training functions of a model, and replicated functions of those.
static constexpr StringLiteral kTrainStepPipeline = "nn-build-train-step";
static constexpr StringLiteral kParallelPipeline =
    "widen-narrow-floats,make-parallel{towers=2},insert-all-reduce,"
    "elide-all-reduce";
/// The largest batch of generated data that is tried by default.
static constexpr int64_t kMostRows = 32;
/// Least scale of a gradient, relative to the largest one.
static constexpr double kFloor = 1e-3;

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

namespace {

/// The largest difference of a result over all runs, and where it was.
struct Difference {
  double value = 0.0;
  int64_t batch = 0, towers = 0;
  std::string reason; ///< why values cannot be compared at all
};

/// One line of the table.
struct Row {
  std::string label;
  std::string kind; ///< shared by results that are compared on one scale
  Difference largest;
  int64_t runs = 0;
};

} // namespace

/// The largest finite magnitude.
static double largestOf(const HostTensor &a) {
  double largest = 0.0;
  for (int64_t i = 0; i < a.size(); ++i)
    if (double x = a.getAsDouble(i); std::isfinite(x))
      largest = std::max(largest, std::fabs(x));
  return largest;
}

/// The largest |a − b|, relative to `scale`; absolute where that is 0. Infinite
/// where one is NaN and the other is not.
static double differenceOf(const HostTensor &a, const HostTensor &b,
                           double scale) {
  double difference = 0.0;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.getAsDouble(i), y = b.getAsDouble(i);
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double d = std::fabs(x - y);
    difference =
        std::max(difference,
                 std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
  }
  return scale > 0.0 ? difference / scale : difference;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct CheckAgainstSinglePass
    : belfry::impl::CheckAgainstSinglePassBase<CheckAgainstSinglePass> {
  explicit CheckAgainstSinglePass(std::shared_ptr<InterpreterOutcome> outcome)
      : outcome(outcome ? std::move(outcome)
                        : std::make_shared<InterpreterOutcome>()) {}
  CheckAgainstSinglePass(const CheckAgainstSinglePass &other)
      : CheckAgainstSinglePassBase(other), outcome(other.outcome) {}

  void runOnOperation() override {
    OwningOpRef<ModuleOp> single, parallel;
    if (failed(checkOptions()) || failed(makePrograms(single, parallel)))
      return signalPassFailure();
    llvm::Expected<ParameterValues> read =
        readInitialWeights(getOperation(), outcome->inputFile);
    if (!read) {
      emitError(getOperation().getLoc()) << llvm::toString(read.takeError());
      return signalPassFailure();
    }
    FailureOr<ArgumentSource> made = ArgumentSource::create(
        getOperation().getLoc(), data, inputs, seed, std::move(*read));
    if (failed(made))
      return signalPassFailure();
    source = std::move(*made);
    SmallVector<func::FuncOp> functions;
    for (auto f : single->getOps<func::FuncOp>())
      if (!f.isDeclaration())
        functions.push_back(f);
    SmallVector<Row> table;
    if (failed(settleBatches(functions)))
      return signalPassFailure();
    for (func::FuncOp f : functions)
      if (failed(compareFunction(f, *parallel, table)))
        return signalPassFailure();
    outcome->printed = true;
    print(table);
    if (failed(judge(table))) {
      outcome->checkFailed = true;
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  LogicalResult checkOptions();
  LogicalResult settleBatches(ArrayRef<func::FuncOp> functions);
  LogicalResult makePrograms(OwningOpRef<ModuleOp> &single,
                             OwningOpRef<ModuleOp> &parallel);
  LogicalResult transform(ModuleOp module, StringRef passes);
  LogicalResult compareFunction(func::FuncOp single, ModuleOp parallel,
                                SmallVectorImpl<Row> &table);
  LogicalResult compareRun(func::FuncOp single, func::FuncOp parallel,
                           int64_t rows, int64_t count,
                           MutableArrayRef<Row> table);
  void print(ArrayRef<Row> table);
  LogicalResult judge(ArrayRef<Row> table);

  double limit() const {
    if (tolerance >= 0.0)
      return tolerance;
    return precision == Precision::F64 ? 1e-11 : 1e-4;
  }

  std::shared_ptr<InterpreterOutcome> outcome;
  ArgumentSource source;
};

} // namespace

LogicalResult CheckAgainstSinglePass::checkOptions() {
  if (towers.empty())
    towers = {1, 2, 3, 4, 8};
  for (int64_t n : towers)
    if (n < 1)
      return emitError(getOperation().getLoc())
             << "expected at least 1 tower, got " << n;
  for (int64_t b : batch)
    if (b < 0)
      return emitError(getOperation().getLoc())
             << "expected a batch of at least 0 rows, got " << b;
  return success();
}

/// Where no batch is asked for, awkward ones and, of files, all rows.
LogicalResult
CheckAgainstSinglePass::settleBatches(ArrayRef<func::FuncOp> functions) {
  Location loc = getOperation().getLoc();
  FailureOr<std::optional<int64_t>> rows = source.rowsOfFiles(functions);
  if (failed(rows) || failed(source.checkNames(loc, functions)))
    return failure();
  if (!batch.empty())
    return success();
  SmallVector<int64_t> chosen;
  int64_t most = rows->value_or(kMostRows);
  for (int64_t b : {1, 5, 7})
    if (b < most)
      chosen.push_back(b);
  chosen.push_back(most);
  batch = chosen;
  return success();
}

/// Runs passes on a module of its own.
LogicalResult CheckAgainstSinglePass::transform(ModuleOp module,
                                                StringRef passes) {
  PassManager manager(&getContext(), ModuleOp::getOperationName());
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(parsePassPipeline(passes, manager, errors)))
    return emitError(getOperation().getLoc())
           << "pipeline '" << passes << "' cannot be built: " << message;
  return manager.run(module);
}

LogicalResult
CheckAgainstSinglePass::makePrograms(OwningOpRef<ModuleOp> &single,
                                     OwningOpRef<ModuleOp> &parallel) {
  ModuleOp module = getOperation();
  single = module.clone();
  if (!single->getOps<nn::ModelOp>().empty() &&
      failed(transform(*single, kTrainStepPipeline)))
    return failure();
  if (single->getOps<func::FuncOp>().empty())
    return emitError(module.getLoc()) << "has no function to run";
  parallel = single->clone();
  bool isReplicated = false;
  single->walk([&](tower::ReplicateOp) { isReplicated = true; });
  if (isReplicated)
    return success();
  return transform(*parallel, pipeline.empty() ? StringRef(kParallelPipeline)
                                               : StringRef(pipeline));
}

/// What results of one kind share: the role, and the name of a slot.
static std::string kindOf(func::FuncOp f, unsigned index) {
  auto role = f.getResultAttrOfType<nn::RoleAttr>(index, nn::kRoleAttr);
  if (!role || (role.getValue() != nn::Role::Gradient &&
                role.getValue() != nn::Role::Slot))
    return std::to_string(index);
  auto name = f.getResultAttrOfType<StringAttr>(index, nn::kNameAttr);
  return role.getValue() == nn::Role::Slot && name
             ? "slot " + name.getValue().str()
             : nn::stringifyRole(role.getValue()).str();
}

/// How the towers of a function cut the batch.
static tower::Slicing slicingOf(func::FuncOp f) {
  tower::Slicing slicing = tower::Slicing::Balanced;
  f.walk([&](tower::ReplicateOp op) { slicing = op.getSlicing(); });
  return slicing;
}

LogicalResult
CheckAgainstSinglePass::compareFunction(func::FuncOp single, ModuleOp parallel,
                                        SmallVectorImpl<Row> &table) {
  auto replicated = parallel.lookupSymbol<func::FuncOp>(single.getName());
  if (!replicated)
    return emitError(single.getLoc())
           << "function '" << single.getName()
           << "' is gone from the replicated program";
  size_t first = table.size();
  for (unsigned i = 0; i < single.getNumResults(); ++i) {
    std::string what = describeResult(single, i);
    table.push_back({(single.getName() + " " +
                      (what.empty() ? "result " + std::to_string(i) : what))
                         .str(),
                     kindOf(single, i),
                     {},
                     0});
  }
  tower::Slicing slicing = slicingOf(replicated);
  for (int64_t rows : batch)
    for (int64_t count : towers) {
      if (slicing == tower::Slicing::Strict && rows % count != 0)
        continue;
      // What such a program leaves out, the single one does not get either.
      int64_t used =
          slicing == tower::Slicing::DropRemainder ? rows - rows % count : rows;
      if (failed(compareRun(single, replicated, used, count,
                            MutableArrayRef(table).drop_front(first))))
        return failure();
    }
  return success();
}

LogicalResult CheckAgainstSinglePass::compareRun(func::FuncOp single,
                                                 func::FuncOp parallel,
                                                 int64_t rows, int64_t count,
                                                 MutableArrayRef<Row> table) {
  SmallVector<HostTensor> arguments, expected, got;
  if (failed(source.make(single, rows, arguments)) ||
      failed(interpret(single, arguments, {precision, 1}, expected)) ||
      failed(interpret(parallel, arguments, {precision, count}, got)))
    return failure();
  if (expected.size() != got.size())
    return emitError(single.getLoc())
           << "function '" << single.getName() << "' has " << expected.size()
           << " results, but " << got.size() << " in the replicated program";
  // A gradient that is zero but for rounding, such as that of a bias in front
  // of a softmax over rows, has no scale of its own: it is held against the
  // other gradients, a slot against the slots of its name.
  SmallVector<double> scales;
  llvm::StringMap<double> largest; // by kind
  for (auto [row, a] : llvm::zip_equal(table, expected)) {
    scales.push_back(largestOf(a));
    double &known = largest[row.kind];
    known = std::max(known, scales.back());
  }
  for (auto [row, a, b, scale] :
       llvm::zip_equal(table, expected, got, scales)) {
    ++row.runs;
    scale = std::max(scale, kFloor * largest[row.kind]);
    double value = std::numeric_limits<double>::infinity();
    std::string reason;
    if (a.getType() != b.getType() || a.getShape() != b.getShape())
      reason = a.typeString() + " became " + b.typeString();
    else
      value = differenceOf(a, b, scale);
    if (value > row.largest.value)
      row.largest = {value, rows, count, reason};
  }
  return success();
}

void CheckAgainstSinglePass::print(ArrayRef<Row> table) {
  raw_ostream &out = llvm::outs();
  out << "towers against one, precision = "
      << (precision == Precision::F64 ? "f64" : "f32")
      << " tolerance = " << llvm::format("%.3g", limit()) << '\n';
  size_t width = 12;
  for (const Row &row : table)
    width = std::max(width, row.label.size());
  for (const Row &row : table) {
    out << "  " << row.label;
    out.indent(static_cast<unsigned>(width - row.label.size()));
    out << "  " << llvm::format("%9.3g", row.largest.value);
    if (row.largest.value > 0.0)
      out << "  batch = " << row.largest.batch
          << " towers = " << row.largest.towers;
    if (row.largest.value > limit())
      out << "  beyond the tolerance";
    if (!row.largest.reason.empty())
      out << ": " << row.largest.reason;
    out << '\n';
  }
  out.flush();
}

LogicalResult CheckAgainstSinglePass::judge(ArrayRef<Row> table) {
  int64_t beyond = 0, runs = 0;
  for (const Row &row : table) {
    beyond += row.largest.value > limit();
    runs = std::max(runs, row.runs);
  }
  if (runs == 0)
    return emitError(getOperation().getLoc())
           << "no batch of the list can be cut into any number of towers of "
              "the list";
  if (beyond)
    return emitError(getOperation().getLoc())
           << beyond << " of " << table.size()
           << " results differ from the single-device program's by more than "
           << limit();
  llvm::outs() << "  all " << table.size() << " agree within the tolerance\n";
  llvm::outs().flush();
  return success();
}

std::unique_ptr<Pass> belfry::createCheckAgainstSinglePass(
    std::shared_ptr<InterpreterOutcome> outcome) {
  return std::make_unique<CheckAgainstSinglePass>(std::move(outcome));
}
