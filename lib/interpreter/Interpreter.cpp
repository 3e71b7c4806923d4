//===- Interpreter.cpp - runs functions of nn core and tower ops ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Interpreter.h"

#include "lib/interpreter/Rendezvous.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <bit>
#include <thread>

using namespace mlir;
using namespace belfry;
using namespace belfry::tower;
using nn::dispatchComputed;
using nn::HostTensor;
using nn::HostType;
using nn::InterpretableOpInterface;
using nn::InterpretContext;

//===----------------------------------------------------------------------===//
// Rows of a tower, sums over towers
//===----------------------------------------------------------------------===//

FailureOr<RowBlock> belfry::cutRows(Slicing slicing, int64_t rows,
                                    int64_t index, int64_t towers,
                                    std::string &message) {
  int64_t each = rows / towers, rest = rows % towers;
  switch (slicing) {
  case Slicing::Balanced:
    return RowBlock{index * each + std::min(index, rest),
                    each + (index < rest ? 1 : 0)};
  case Slicing::DropRemainder:
    return RowBlock{index * each, each};
  case Slicing::LastTakesRest:
    return RowBlock{index * each, index == towers - 1 ? each + rest : each};
  case Slicing::Strict:
    if (rest == 0)
      return RowBlock{index * each, each};
    message = ("cannot cut " + Twine(rows) + " rows into " + Twine(towers) +
               " towers without a remainder; the nearest batch sizes are " +
               Twine(each * towers) + " and " + Twine((each + 1) * towers))
                  .str();
    return failure();
  }
  return failure();
}

template <typename T> static T combineElements(ReduceKind kind, T x, T y) {
  switch (kind) {
  case ReduceKind::Sum:
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(x) +
                            static_cast<uint64_t>(y));
    else
      return x + y;
  case ReduceKind::Max:
    return x != x || x >= y ? x : y;
  case ReduceKind::Min:
    return x != x || x <= y ? x : y;
  }
  return x;
}

HostTensor belfry::combineTowers(ReduceKind kind, ArrayRef<HostTensor> values) {
  if (values.size() == 1)
    return values.front();
  if (HostType type = values.front().getType(); isNarrow(type)) {
    // Rounded once, whatever the number of towers.
    SmallVector<HostTensor> wide;
    for (const HostTensor &value : values)
      wide.push_back(value.convertTo(HostType::F32));
    return combineTowers(kind, wide).convertTo(type);
  }
  size_t middle = std::bit_ceil(values.size()) / 2;
  HostTensor result = combineTowers(kind, values.take_front(middle));
  HostTensor upper = combineTowers(kind, values.drop_front(middle));
  dispatchComputed(result.getType(), [&]<typename T>() {
    MutableArrayRef<T> to = result.mutableValues<T>();
    ArrayRef<T> from = upper.values<T>();
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = combineElements(kind, to[i], from[i]);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Evaluator
//===----------------------------------------------------------------------===//

namespace {

/// What all threads of a run share; not written to while they run.
struct Run {
  InterpreterOptions options;
  /// Rows of the global batch, none where no argument has a dynamic extent.
  std::optional<int64_t> batch;
  /// Values of a block that no op after this one reads.
  DenseMap<Operation *, SmallVector<Value>> dying;
};

/// The tower that a thread is.
struct Tower {
  int64_t index;
  int64_t of;
  Slicing slicing;
  Rendezvous *rendezvous;
};

/// Runs one block: the function's, or a replicated region for one tower.
class Evaluator {
public:
  Evaluator(const Run &run, const Evaluator *outer = nullptr,
            const Tower *tower = nullptr)
      : run(run), outer(outer), tower(tower), context(run.options.precision) {}

  void define(Value value, const HostTensor &tensor) { values[value] = tensor; }
  HostTensor lookup(Value value) const {
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    return outer ? outer->lookup(value) : HostTensor();
  }

  /// Fails without a failure in the context where another tower failed.
  LogicalResult runBlock(Block &block, SmallVectorImpl<HostTensor> &results);
  InterpretContext &getContext() { return context; }

private:
  LogicalResult runOp(Operation &op, ArrayRef<HostTensor> operands,
                      SmallVectorImpl<HostTensor> &results);
  LogicalResult runReplicate(ReplicateOp op,
                             SmallVectorImpl<HostTensor> &results);
  LogicalResult runAllReduce(AllReduceOp op, ArrayRef<HostTensor> operands,
                             SmallVectorImpl<HostTensor> &results);
  LogicalResult runAllGather(AllGatherOp op, const HostTensor &operand,
                             SmallVectorImpl<HostTensor> &results);
  LogicalResult runReduceScatter(ReduceScatterOp op, const HostTensor &operand,
                                 SmallVectorImpl<HostTensor> &results);

  /// Meets the other towers; fails where one of them has.
  LogicalResult meet(Operation *op, const HostTensor &operand,
                     Rendezvous::Combine combine,
                     SmallVectorImpl<HostTensor> &results);
  /// Combines the towers' values, none where their shapes differ.
  HostTensor combine(Operation *op, ReduceKind kind,
                     ArrayRef<HostTensor> parts);
  /// The block of a value's dimension of the given extent that belongs to the
  /// tower that `index` and `of` name, else to this one.
  FailureOr<RowBlock> blockOf(Operation *op, int64_t extent,
                              std::optional<int64_t> index,
                              std::optional<int64_t> of,
                              std::optional<Slicing> slicing);

  const Run &run;
  const Evaluator *outer;
  const Tower *tower;
  InterpretContext context;
  DenseMap<Value, HostTensor> values;
};

} // namespace

LogicalResult Evaluator::runBlock(Block &block,
                                  SmallVectorImpl<HostTensor> &results) {
  SmallVector<HostTensor> operands, opResults;
  for (Operation &op : block) {
    operands.clear();
    for (Value v : op.getOperands())
      operands.push_back(lookup(v));
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results.assign(operands.begin(), operands.end());
      return success();
    }
    opResults.clear();
    if (failed(runOp(op, operands, opResults)))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), opResults))
      values[value] = std::move(tensor);
    auto dying = run.dying.find(&op);
    if (dying != run.dying.end())
      for (Value v : dying->second)
        values.erase(v);
  }
  return success();
}

LogicalResult Evaluator::runOp(Operation &op, ArrayRef<HostTensor> operands,
                               SmallVectorImpl<HostTensor> &results) {
  if (auto rule = dyn_cast<InterpretableOpInterface>(&op))
    return rule.interpret(operands, context, results);
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ReplicateOp op) { return runReplicate(op, results); })
      .Case([&](AllReduceOp op) { return runAllReduce(op, operands, results); })
      .Case([&](AllGatherOp op) {
        return runAllGather(op, operands[0], results);
      })
      .Case([&](ReduceScatterOp op) {
        return runReduceScatter(op, operands[0], results);
      })
      .Case([&](SliceOp op) -> LogicalResult {
        int64_t dim = op.getDim();
        FailureOr<RowBlock> block =
            blockOf(op, operands[0].getDim(dim), op.getIndex(), op.getOf(),
                    op.getSlicing());
        if (failed(block))
          return failure();
        results.push_back(
            operands[0].takeBlock(dim, block->begin, block->count));
        return success();
      })
      .Case([&](RowOffsetOp op) -> LogicalResult {
        auto type = cast<RankedTensorType>(op.getOfValue().getType());
        int64_t dim = 0;
        while (dim < type.getRank() && !type.isDynamicDim(dim))
          ++dim;
        if (dim == type.getRank())
          return context.fail(op, "is of a value without a dynamic dimension");
        FailureOr<RowBlock> block =
            blockOf(op, operands[0].getDim(dim), op.getIndex(), op.getOf(),
                    op.getSlicing());
        if (failed(block))
          return failure();
        results.push_back(
            HostTensor::scalar(static_cast<int32_t>(block->begin)));
        return success();
      })
      .Case([&](IndexOp op) -> LogicalResult {
        std::optional<int64_t> index = op.getIndex();
        if (!index && !tower)
          return context.fail(op, "stands outside of tower.replicate and names "
                                  "no tower");
        results.push_back(HostTensor::scalar(
            static_cast<int32_t>(index ? *index : tower->index)));
        return success();
      })
      .Case([&](tower::ConcatOp op) {
        results.push_back(HostTensor::join(operands, op.getDim()));
        return success();
      })
      .Default([&](Operation *op) {
        return context.fail(op, "has no rule for the interpreter");
      });
}

FailureOr<RowBlock> Evaluator::blockOf(Operation *op, int64_t extent,
                                       std::optional<int64_t> index,
                                       std::optional<int64_t> of,
                                       std::optional<Slicing> slicing) {
  if (!index && !tower)
    return context.fail(op,
                        "stands outside of tower.replicate and names no tower");
  // An extent that is a multiple of the batch is cut at multiples of rows.
  int64_t rows = extent, unit = 1;
  if (run.batch && *run.batch > 0 && extent % *run.batch == 0) {
    rows = *run.batch;
    unit = extent / rows;
  }
  std::string message;
  Slicing policy = slicing ? *slicing
                   : tower ? tower->slicing
                           : Slicing::Balanced;
  FailureOr<RowBlock> block =
      cutRows(policy, rows, index ? *index : tower->index,
              index ? of.value_or(1) : tower->of, message);
  if (failed(block))
    return context.fail(op, message);
  return RowBlock{block->begin * unit, block->count * unit};
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::meet(Operation *op, const HostTensor &operand,
                              Rendezvous::Combine combine,
                              SmallVectorImpl<HostTensor> &results) {
  if (!tower)
    return context.fail(op, "stands outside of tower.replicate");
  HostTensor result = tower->rendezvous->meet(tower->index, operand, combine);
  if (!result)
    return failure();
  results.push_back(std::move(result));
  return success();
}

HostTensor Evaluator::combine(Operation *op, ReduceKind kind,
                              ArrayRef<HostTensor> parts) {
  for (const HostTensor &part : parts)
    if (part.getShape() != parts[0].getShape()) {
      (void)context.fail(op, "combines " + parts[0].typeString() + " and " +
                                 part.typeString());
      return {};
    }
  return combineTowers(kind, parts);
}

LogicalResult Evaluator::runAllReduce(AllReduceOp op,
                                      ArrayRef<HostTensor> operands,
                                      SmallVectorImpl<HostTensor> &results) {
  if (!tower) { // unrolled: an operand a tower
    HostTensor result = combine(op, op.getKind(), operands);
    results.append(operands.size(), result);
    return success(static_cast<bool>(result));
  }
  if (operands.size() != 1)
    return context.fail(op, "has " + Twine(operands.size()) +
                                " operands inside of tower.replicate, where "
                                "one is expected");
  return meet(
      op, operands[0],
      [&](ArrayRef<HostTensor> parts) {
        return combine(op, op.getKind(), parts);
      },
      results);
}

LogicalResult Evaluator::runAllGather(AllGatherOp op, const HostTensor &operand,
                                      SmallVectorImpl<HostTensor> &results) {
  return meet(
      op, operand,
      [&](ArrayRef<HostTensor> parts) {
        return HostTensor::join(parts, op.getDim());
      },
      results);
}

LogicalResult
Evaluator::runReduceScatter(ReduceScatterOp op, const HostTensor &operand,
                            SmallVectorImpl<HostTensor> &results) {
  if (failed(meet(
          op, operand,
          [&](ArrayRef<HostTensor> parts) {
            return combine(op, op.getKind(), parts);
          },
          results)))
    return failure();
  int64_t dim = op.getDim();
  FailureOr<RowBlock> block = blockOf(op, operand.getDim(dim), std::nullopt,
                                      std::nullopt, std::nullopt);
  if (failed(block))
    return failure();
  results[0] = results[0].takeBlock(dim, block->begin, block->count);
  return success();
}

//===----------------------------------------------------------------------===//
// tower.replicate
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::runReplicate(ReplicateOp op,
                                      SmallVectorImpl<HostTensor> &results) {
  int64_t count = run.options.towers.value_or(op.getTowers());
  if (count < 1)
    return context.fail(op, "expected at least 1 tower, got " + Twine(count));
  Rendezvous rendezvous(count);
  std::vector<Tower> towers;
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  std::vector<SmallVector<HostTensor>> yielded(count);
  // Not vector<bool>: each thread writes its own element.
  std::vector<uint8_t> ok(count, 0);
  for (int64_t i = 0; i < count; ++i)
    towers.push_back({i, count, op.getSlicing(), &rendezvous});
  for (int64_t i = 0; i < count; ++i)
    evaluators.push_back(std::make_unique<Evaluator>(run, this, &towers[i]));
  {
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        ok[i] = succeeded(
            evaluators[i]->runBlock(op.getBody().front(), yielded[i]));
        if (!ok[i])
          rendezvous.breakUp();
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  for (int64_t i = 0; i < count; ++i)
    if (const auto *failed = evaluators[i]->getContext().getFailure())
      return context.adopt(*failed,
                           "in tower " + Twine(i) + " of " + Twine(count));
  if (!llvm::all_of(ok, [](uint8_t b) { return b; }))
    return context.fail(op, "stopped in one of its towers");

  auto yield = cast<tower::YieldOp>(op.getBody().front().getTerminator());
  for (auto [k, dim] : llvm::enumerate(yield.getConcat())) {
    SmallVector<HostTensor> parts;
    for (const auto &values : yielded)
      parts.push_back(values[k]);
    if (dim >= 0) {
      results.push_back(HostTensor::join(parts, dim));
      continue;
    }
    for (int64_t i = 1; i < count; ++i)
      if (!parts[i].isIdenticalTo(parts[0]))
        return context.fail(yield, "says of value " + Twine(k) +
                                       " that every tower has it, but tower " +
                                       Twine(i) + " has another than tower 0");
    results.push_back(parts[0]);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Finds the values of a block that are last read by each op.
static void findDying(Block &block,
                      DenseMap<Operation *, SmallVector<Value>> &dying) {
  DenseSet<Value> read;
  for (Operation &op : llvm::reverse(block)) {
    // A value read by a nested region lives as long as one read by the op.
    SmallVector<Value> operands;
    op.walk([&](Operation *nested) {
      llvm::append_range(operands, nested->getOperands());
    });
    for (Value v : operands)
      if (v.getParentBlock() == &block && read.insert(v).second &&
          !op.hasTrait<OpTrait::IsTerminator>())
        dying[&op].push_back(v);
    for (Value v : op.getResults())
      if (!read.contains(v))
        dying[&op].push_back(v);
    if (auto replicate = dyn_cast<ReplicateOp>(op))
      findDying(replicate.getBody().front(), dying);
  }
}

/// The rows of the batch: the dynamic extent of the first input, or of the
/// first argument that has one.
static std::optional<int64_t> findBatch(func::FuncOp function,
                                        ArrayRef<HostTensor> arguments) {
  std::optional<int64_t> batch;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    auto role = function.getArgAttrOfType<nn::RoleAttr>(i, nn::kRoleAttr);
    bool isInput = role && role.getValue() == nn::Role::Input;
    for (int64_t d = 0; d < tensor.getRank(); ++d)
      if (tensor.isDynamicDim(d)) {
        if (isInput)
          return arguments[i].getDim(d);
        if (!batch)
          batch = arguments[i].getDim(d);
      }
  }
  return batch;
}

/// Whether a host tensor has the type of an argument.
static bool fits(const HostTensor &tensor, RankedTensorType type) {
  // Any float becomes the argument's; an integer has its width.
  HostType expected =
      InterpretContext(nn::Precision::F64).getHostType(type.getElementType());
  bool same = isFloat(expected) ? isFloat(tensor.getType())
                                : tensor.getType() == expected;
  if (!same || tensor.getRank() != type.getRank())
    return false;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!type.isDynamicDim(d) && type.getDimSize(d) != tensor.getDim(d))
      return false;
  return true;
}

LogicalResult belfry::interpret(func::FuncOp function,
                                ArrayRef<HostTensor> arguments,
                                const InterpreterOptions &options,
                                SmallVectorImpl<HostTensor> &results) {
  if (function.isDeclaration())
    return emitError(function.getLoc())
           << "'" << function.getName() << "' has no body to run";
  if (!llvm::hasSingleElement(function.getBody()))
    return emitError(function.getLoc())
           << "'" << function.getName() << "' has more than one block";
  if (arguments.size() != function.getNumArguments())
    return emitError(function.getLoc())
           << "'" << function.getName() << "' takes "
           << function.getNumArguments() << " arguments, got "
           << arguments.size();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return emitError(function.getLoc())
             << "argument " << i << " has type " << type
             << ", which is no ranked tensor";
    if (!fits(arguments[i], tensor))
      return emitError(function.getLoc())
             << "argument " << i << " has type " << type << ", got "
             << arguments[i].typeString();
  }
  Run run;
  run.options = options;
  run.batch = findBatch(function, arguments);
  Block &body = function.getBody().front();
  findDying(body, run.dying);
  Evaluator evaluator(run);
  InterpretContext &context = evaluator.getContext();
  for (auto [value, tensor] : llvm::zip_equal(body.getArguments(), arguments)) {
    auto type = cast<RankedTensorType>(value.getType());
    evaluator.define(
        value, tensor.convertTo(context.getHostType(type.getElementType())));
  }
  if (succeeded(evaluator.runBlock(body, results)))
    return success();
  const InterpretContext::Failure *failed = context.getFailure();
  if (!failed) // every failure has a reason
    return emitError(function.getLoc())
           << "'" << function.getName() << "' cannot be run";
  InFlightDiagnostic diag = emitError(failed->loc) << failed->message;
  if (!failed->where.empty())
    diag.attachNote(function.getLoc()) << failed->where;
  return diag;
}
