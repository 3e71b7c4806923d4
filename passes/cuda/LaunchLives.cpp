//===- LaunchLives.cpp - lifetimes of buffers by launches -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/LaunchLives.h"

#include "passes/cuda/LaunchGraph.h"
#include "passes/lowering/PhaseAttrs.h"

using namespace mlir;
using namespace belfry;

namespace {

/// Lifetimes of the rows of one function's table.
class Lives {
public:
  Lives(ModuleOp module, ArrayAttr phases) : module(module), phases(phases) {}
  FailureOr<DictionaryAttr> number(DictionaryAttr table, bool shareMemory);

private:
  void extend(int64_t row, int64_t first, int64_t last);
  void visit(func::FuncOp phase);

  ModuleOp module;
  ArrayAttr phases;
  int64_t position = 0;
  DenseMap<int64_t, std::pair<int64_t, int64_t>> lives;
};

} // namespace

void Lives::extend(int64_t row, int64_t first, int64_t last) {
  auto [it, fresh] = lives.try_emplace(row, first, last);
  if (!fresh)
    it->second = {std::min(it->second.first, first),
                  std::max(it->second.second, last)};
}

void Lives::visit(func::FuncOp phase) {
  int64_t begin = position;
  DenseMap<Operation *, int64_t> positions;
  for (auto launch : phase.getBody().front().getOps<gpu::LaunchFuncOp>())
    positions[launch] = position++;
  // What the phase itself does with a buffer may be at any time.
  int64_t end = std::max(begin, position - 1);
  position = end + 1;
  for (BlockArgument argument : phase.getArguments()) {
    std::optional<int64_t> row = rowOf(argument);
    if (!row)
      continue;
    SmallVector<Value> pending{argument};
    while (!pending.empty())
      for (Operation *user : pending.pop_back_val().getUsers()) {
        if (auto it = positions.find(user); it != positions.end()) {
          extend(*row, it->second, it->second);
          continue;
        }
        if (!isMemoryEffectFree(user) ||
            user->hasTrait<OpTrait::IsTerminator>())
          extend(*row, begin, end);
        for (Value result : user->getResults())
          if (isa<MemRefType>(result.getType()))
            pending.push_back(result);
      }
  }
}

FailureOr<DictionaryAttr> Lives::number(DictionaryAttr table,
                                        bool shareMemory) {
  for (Attribute item : table.getAs<ArrayAttr>("schedule")) {
    auto entry = cast<DictionaryAttr>(item);
    if (auto phase = entry.getAs<IntegerAttr>("phase")) {
      auto name = cast<FlatSymbolRefAttr>(phases[phase.getInt()]);
      auto function = module.lookupSymbol<func::FuncOp>(name.getAttr());
      if (!function)
        return module.emitError("phase '")
               << name.getValue() << "' is not there";
      visit(function);
      continue;
    }
    for (StringRef end : {"from", "to"})
      extend(entry.getAs<IntegerAttr>(end).getInt(), position, position);
    ++position;
  }
  Builder b(module.getContext());
  SmallVector<Attribute> rows(table.getAs<ArrayAttr>("buffers").getValue());
  // Where others make their rows, the whole is there.
  for (auto [id, row] : llvm::enumerate(rows))
    if (auto whole = cast<DictionaryAttr>(row).getAs<IntegerAttr>("rows_of"))
      if (auto it = lives.find(id); it != lives.end())
        extend(whole.getInt(), it->second.first, it->second.second);
  for (auto [id, row] : llvm::enumerate(rows)) {
    NamedAttrList facts(cast<DictionaryAttr>(row));
    if (!facts.get("live"))
      continue;
    std::pair<int64_t, int64_t> range = lives.lookup(id);
    if (!shareMemory)
      range = {0, std::max<int64_t>(position - 1, 0)};
    facts.set("live", b.getI64ArrayAttr({range.first, range.second}));
    row = facts.getDictionary(b.getContext());
  }
  NamedAttrList result(table);
  result.set("buffers", b.getArrayAttr(rows));
  return result.getDictionary(b.getContext());
}

LogicalResult belfry::numberLives(ModuleOp module, bool shareMemory) {
  auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  auto phases = module->getAttrOfType<ArrayAttr>(kPhasesAttr);
  if (!tables || !phases)
    return success();
  NamedAttrList result;
  for (NamedAttribute table : tables) {
    FailureOr<DictionaryAttr> numbered =
        Lives(module, phases)
            .number(cast<DictionaryAttr>(table.getValue()), shareMemory);
    if (failed(numbered))
      return failure();
    result.append(table.getName(), *numbered);
  }
  module->setAttr(kFunctionsAttr, result.getDictionary(module.getContext()));
  return success();
}
