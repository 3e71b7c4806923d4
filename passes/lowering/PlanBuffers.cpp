//===- PlanBuffers.cpp - allocations to rows of the buffer table ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each training function:
//
//   1. Number the ops of its phases, and its collectives, in the order of the
//      schedule.
//   2. Each memref.alloc becomes an argument of its phase and a row of kind
//      scratch: size from its type, lifetime from its uses. A buffer that is
//      used in a loop but comes from outside lives as long as the loop.
//   3. Rows of kind cross get the lifetime of their uses in all phases.
//   4. What a collective gives stands where its operand does, if it may.
//
//===----------------------------------------------------------------------===//

#include "passes/Optimizations.h"
#include "passes/Passes.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"
#include "passes/lowering/Views.h"

namespace belfry {
#define GEN_PASS_DEF_PLANBUFFERS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct Lifetime {
  int64_t first = -1, last = -1;
  void extend(int64_t from, int64_t to) {
    first = first < 0 ? from : std::min(first, from);
    last = std::max(last, to);
  }
};

class Planner {
public:
  Planner(ModuleOp module, DictionaryAttr table, ArrayAttr phases,
          bool shareMemory)
      : module(module), table(table), phases(phases), shareMemory(shareMemory),
        builder(module.getContext()) {}

  FailureOr<DictionaryAttr> run();
  int64_t scratch = 0;

private:
  void number(func::FuncOp phase);
  Lifetime rangeOf(Value buffer, Block *block);
  LogicalResult planPhase(func::FuncOp phase, bool once);
  LogicalResult planAlloc(func::FuncOp phase, memref::AllocOp alloc, bool once);
  void gatherInPlace();
  SmallVector<Attribute> markInPlace();
  ArrayAttr pair(int64_t a, int64_t b) {
    return builder.getArrayAttr(
        {builder.getI64IntegerAttr(a), builder.getI64IntegerAttr(b)});
  }

  ModuleOp module;
  DictionaryAttr table;
  ArrayAttr phases;
  bool shareMemory;
  OpBuilder builder;
  SmallVector<NamedAttrList> rows;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  DenseMap<int64_t, Lifetime> crossing;
  DenseMap<Attribute, int64_t> collectives; ///< positions
  int64_t position = 0;
};

} // namespace

/// Gives each op its position and that of the last op inside of it.
void Planner::number(func::FuncOp phase) {
  std::function<void(Block &)> visit = [&](Block &block) {
    for (Operation &op : block) {
      int64_t first = position++;
      // The body of a linalg op is one step.
      if (!isa<linalg::LinalgOp>(op))
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            visit(inner);
      positions[&op] = {first, position - 1};
    }
  };
  visit(phase.getBody().front());
}

Lifetime Planner::rangeOf(Value buffer, Block *block) {
  Lifetime range;
  SmallVector<Value> pending{buffer};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<memref::ReinterpretCastOp>(user)) {
        pending.push_back(user->getResult(0));
        continue;
      }
      Operation *outer = block->findAncestorOpInBlock(*user);
      auto [first, last] = positions.lookup(outer);
      range.extend(first, last);
    }
  }
  return range;
}

LogicalResult Planner::planAlloc(func::FuncOp phase, memref::AllocOp alloc,
                                 bool once) {
  Lifetime range = rangeOf(alloc, alloc->getBlock());
  if (range.first < 0) {
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      user->erase();
    alloc.erase();
    return success();
  }
  MemRefType type = alloc.getType();
  Affine bytes = Affine::of(elementBytes(type.getElementType()));
  int64_t multiple = 0;
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes = bytes * extent;
  for (Value extent : alloc.getDynamicSizes()) {
    auto affine = affineOf(extent, phase.getArgument(kRows));
    if (!affine || (!affine->isFixed() && !bytes.isFixed()))
      return alloc.emitOpError(
          "has an extent that is not a multiple of the rows");
    bytes = bytes * *affine;
    multiple = affine->perRow;
  }
  int64_t id = rows.size();
  NamedAttrList row;
  row.append("kind", builder.getStringAttr("scratch"));
  row.append("scope", builder.getStringAttr(once ? "shared" : "tower"));
  Type element = type.getElementType();
  row.append("dtype", builder.getStringAttr(nn::dtypeName(element)));
  row.append("bytes", pair(bytes.perRow, bytes.fixed));
  row.append("live", pair(range.first, range.last));
  rows.push_back(row);
  ++scratch;

  NamedAttrList attrs;
  attrs.append(kBufferAttr, builder.getI64IntegerAttr(id));
  if (multiple)
    attrs.append(kExtentAttr, builder.getI64IntegerAttr(multiple));
  unsigned index = phase.getNumArguments();
  if (failed(phase.insertArgument(index, type,
                                  attrs.getDictionary(module.getContext()),
                                  alloc.getLoc())))
    return failure();
  alloc.replaceAllUsesWith(phase.getArgument(index));
  alloc.erase();
  return success();
}

LogicalResult Planner::planPhase(func::FuncOp phase, bool once) {
  number(phase);
  Block *body = &phase.getBody().front();
  for (BlockArgument argument : body->getArguments()) {
    auto row = phase.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                   kBufferAttr);
    if (!row)
      continue;
    Lifetime range = rangeOf(argument, body);
    if (range.first >= 0)
      crossing[row.getInt()].extend(range.first, range.last);
  }
  SmallVector<memref::AllocOp> allocs;
  phase.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs)
    if (failed(planAlloc(phase, alloc, once)))
      return failure();
  return success();
}

/// Takes out of the schedule what gathers rows into one array: the towers make
/// them there, each its own.
void Planner::gatherInPlace() {
  auto is = [&](int64_t id, StringRef scope) {
    return cast<StringAttr>(rows[id].get("kind")).getValue() == "cross" &&
           cast<StringAttr>(rows[id].get("scope")).getValue() == scope;
  };
  SmallVector<Attribute> items;
  for (Attribute attr : table.getAs<ArrayAttr>("schedule")) {
    auto item = cast<DictionaryAttr>(attr);
    auto outer = item.getAs<IntegerAttr>("outer");
    int64_t from = -1, to = -1;
    if (item.get("all_gather") && outer && outer.getInt() == 1) {
      from = item.getAs<IntegerAttr>("from").getInt();
      to = item.getAs<IntegerAttr>("to").getInt();
    }
    if (from < 0 || !is(from, "tower") || !is(to, "shared") ||
        rows[from].get("rows_of") ||
        rows[from].get("bytes") != rows[to].get("bytes")) {
      items.push_back(attr);
      continue;
    }
    rows[from].set("rows_of", builder.getI64IntegerAttr(to));
    Lifetime range = crossing.lookup(from);
    crossing[to].extend(range.first, range.last);
  }
  NamedAttrList fewer(table);
  fewer.set("schedule", builder.getArrayAttr(items));
  table = fewer.getDictionary(module.getContext());
}

/// The schedule, with `in_place` on each all-reduce whose sum the first tower's
/// own array may hold: it is of no use afterwards, and nothing that runs for
/// each tower comes later, which could get its place.
SmallVector<Attribute> Planner::markInPlace() {
  auto schedule = table.getAs<ArrayAttr>("schedule");
  auto isShared = [&](DictionaryAttr item, StringRef end) {
    const NamedAttrList &row = rows[item.getAs<IntegerAttr>(end).getInt()];
    return cast<StringAttr>(row.get("scope")).getValue() == "shared";
  };
  SmallVector<Attribute> items(schedule.begin(), schedule.end());
  for (Attribute &attr : llvm::reverse(items)) {
    auto item = cast<DictionaryAttr>(attr);
    if (item.get("phase")) {
      if (item.getAs<StringAttr>("run").getValue() != "once")
        break;
      continue;
    }
    if (!isShared(item, "to"))
      break;
    int64_t from = item.getAs<IntegerAttr>("from").getInt();
    bool ends =
        cast<StringAttr>(rows[from].get("kind")).getValue() == "cross" &&
        crossing.lookup(from).last == collectives.lookup(attr);
    if (!shareMemory || !ends || !item.get("all_reduce"))
      continue;
    NamedAttrList marked(item);
    marked.set("in_place", builder.getBoolAttr(true));
    attr = marked.getDictionary(module.getContext());
  }
  return items;
}

FailureOr<DictionaryAttr> Planner::run() {
  for (Attribute row : table.getAs<ArrayAttr>("buffers"))
    rows.emplace_back(cast<DictionaryAttr>(row));
  for (Attribute item : table.getAs<ArrayAttr>("schedule")) {
    auto entry = cast<DictionaryAttr>(item);
    if (auto phase = entry.getAs<IntegerAttr>("phase")) {
      auto symbol = cast<FlatSymbolRefAttr>(phases[phase.getInt()]);
      auto function = module.lookupSymbol<func::FuncOp>(symbol.getAttr());
      bool once = entry.getAs<StringAttr>("run").getValue() == "once";
      if (!function) {
        module.emitError("phase '") << symbol.getValue() << "' is not there";
        return failure();
      }
      if (failed(verifyPhase<MemRefType>(function)) ||
          failed(planPhase(function, once)))
        return failure();
      continue;
    }
    for (StringRef end : {"from", "to"})
      crossing[entry.getAs<IntegerAttr>(end).getInt()].extend(position,
                                                              position);
    collectives[item] = position;
    ++position;
  }
  if (shareMemory)
    gatherInPlace();
  SmallVector<Attribute> buffers;
  for (auto [id, row] : llvm::enumerate(rows)) {
    if (cast<StringAttr>(row.get("kind")).getValue() == "cross") {
      Lifetime range = crossing.lookup(id);
      row.set("live", pair(std::max<int64_t>(range.first, 0),
                           std::max<int64_t>(range.last, 0)));
    }
    // What lives as long as the step has a place of its own.
    if (!shareMemory && row.get("live"))
      row.set("live", pair(0, std::max<int64_t>(position - 1, 0)));
    buffers.push_back(row.getDictionary(module.getContext()));
  }
  NamedAttrList result(table);
  result.set("buffers", builder.getArrayAttr(buffers));
  result.set("schedule", builder.getArrayAttr(markInPlace()));
  return result.getDictionary(module.getContext());
}

namespace {
struct PlanBuffersPass : belfry::impl::PlanBuffersBase<PlanBuffersPass> {
  using PlanBuffersBase::PlanBuffersBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyPhaseTable(module)))
      return signalPassFailure();
    auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
    auto phases = module->getAttrOfType<ArrayAttr>(kPhasesAttr);
    NamedAttrList result;
    for (NamedAttribute table : tables) {
      Planner planner(module, cast<DictionaryAttr>(table.getValue()), phases,
                      optimizations.has(Optimization::ShareMemory));
      FailureOr<DictionaryAttr> planned = planner.run();
      if (failed(planned))
        return signalPassFailure();
      result.append(table.getName(), *planned);
      numScratch += planner.scratch;
    }
    module->setAttr(kFunctionsAttr, result.getDictionary(&getContext()));
  }

  Optimizations optimizations;
};
} // namespace
