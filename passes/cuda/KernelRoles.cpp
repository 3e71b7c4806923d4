//===- KernelRoles.cpp - what the ops of phases are for -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function of the table:
//
//   1. List the ops of its phases and its collectives in the order of the
//      schedule, each with the rows of the buffer table that it reads and
//      writes.
//   2. Go through them backwards, once for each purpose, from the rows that
//      have it: what writes a row that is needed is needed, and so is all that
//      it reads. Nothing is taken off the list of needed rows, since an op may
//      write a part of a row.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/KernelRoles.h"

#include "passes/host/HostViews.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace belfry;

namespace {

using Rows = llvm::SmallDenseSet<int64_t>;

/// An op of a phase, or a collective, which has none.
struct Step {
  Operation *op = nullptr;
  Rows reads, writes;
  bool random = false, onlyMasks = true;
};

class RoleFinder {
public:
  RoleFinder(ModuleOp module, DictionaryAttr table,
             llvm::DenseMap<Operation *, std::string> &roles)
      : module(module), table(table), roles(roles) {}

  void run();

private:
  void addPhase(func::FuncOp phase);
  void addOp(Operation *op);
  void addOperand(Value value, Step &step);
  /// The steps that the rows of these kinds need.
  llvm::BitVector neededFor(ArrayRef<StringRef> kinds) const;

  ModuleOp module;
  DictionaryAttr table;
  llvm::DenseMap<Operation *, std::string> &roles;
  SmallVector<Step> steps;
};

} // namespace

static std::optional<int64_t> rowOf(Value memref) {
  auto argument = dyn_cast<BlockArgument>(bufferBehind(memref));
  auto phase =
      argument
          ? dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp())
          : func::FuncOp();
  auto row = phase ? phase.getArgAttrOfType<IntegerAttr>(
                         argument.getArgNumber(), kBufferAttr)
                   : IntegerAttr();
  return row ? std::optional<int64_t>(row.getInt()) : std::nullopt;
}

/// What a kernel computes or loads for itself.
void RoleFinder::addOperand(Value value, Step &step) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<MemRefType>(value.getType()))
    return;
  step.random |= op->hasAttr(kArgumentAttr);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    if (std::optional<int64_t> row = rowOf(load.getMemRef()))
      step.reads.insert(*row);
  for (Value operand : op->getOperands())
    addOperand(operand, step);
}

void RoleFinder::addOp(Operation *op) {
  Step step;
  step.op = op;
  op->walk([&](Operation *inner) {
    step.random |= inner->hasAttr(kArgumentAttr);
    for (Value operand : inner->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && !op->isAncestor(maker))
        addOperand(operand, step);
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects)
      return;
    for (Value operand : inner->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      std::optional<int64_t> row = type ? rowOf(operand) : std::nullopt;
      if (!row)
        continue;
      if (effects.getEffectOnValue<MemoryEffects::Read>(operand))
        step.reads.insert(*row);
      if (!effects.getEffectOnValue<MemoryEffects::Write>(operand))
        continue;
      step.writes.insert(*row);
      step.onlyMasks &= type.getElementType().isInteger(1);
    }
  });
  steps.push_back(std::move(step));
}

void RoleFinder::addPhase(func::FuncOp phase) {
  for (Operation &op : phase.getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op) && !isa<memref::LoadOp>(op))
      addOp(&op);
}

llvm::BitVector RoleFinder::neededFor(ArrayRef<StringRef> kinds) const {
  Rows needed;
  for (auto [row, attr] : llvm::enumerate(table.getAs<ArrayAttr>("buffers")))
    if (auto kind = cast<DictionaryAttr>(attr).getAs<StringAttr>("kind");
        llvm::is_contained(kinds, kind.getValue()))
      needed.insert(int64_t(row));
  llvm::BitVector result(steps.size());
  for (size_t i = steps.size(); i-- > 0;)
    if (llvm::any_of(steps[i].writes,
                     [&](int64_t row) { return needed.contains(row); })) {
      result.set(i);
      needed.insert(steps[i].reads.begin(), steps[i].reads.end());
    }
  return result;
}

void RoleFinder::run() {
  auto phases = module->getAttrOfType<ArrayAttr>(kPhasesAttr);
  for (Attribute attr : table.getAs<ArrayAttr>("schedule")) {
    auto item = cast<DictionaryAttr>(attr);
    if (auto phase = item.getAs<IntegerAttr>("phase")) {
      auto name = cast<FlatSymbolRefAttr>(phases[phase.getInt()]);
      if (auto function = module.lookupSymbol<func::FuncOp>(name))
        addPhase(function);
      continue;
    }
    Step step;
    step.reads.insert(item.getAs<IntegerAttr>("from").getInt());
    step.writes.insert(item.getAs<IntegerAttr>("to").getInt());
    steps.push_back(std::move(step));
  }
  const std::pair<StringRef, llvm::BitVector> purposes[] = {
      {"forward", neededFor({"output", "loss"})},
      {"backward", neededFor({"gradient", "gradient_scale"})},
      {"metrics", neededFor({"metric_total", "metric_count"})}};
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (!step.op)
      continue;
    std::string role = "optimizer";
    for (const auto &[name, needed] : llvm::reverse(purposes))
      if (needed.test(unsigned(i)))
        role = name.str();
    if (step.random)
      role += ",random";
    if (step.onlyMasks && !step.writes.empty())
      role += ",mask";
    roles[step.op] = role;
  }
}

llvm::DenseMap<Operation *, std::string> belfry::kernelRoles(ModuleOp module) {
  llvm::DenseMap<Operation *, std::string> roles;
  auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  // Pieces of a program, as tests have them, lack the table.
  if (!tables || !module->hasAttr(kPhasesAttr))
    return roles;
  for (NamedAttribute entry : tables)
    RoleFinder(module, cast<DictionaryAttr>(entry.getValue()), roles).run();
  return roles;
}
