//===- LaunchGraph.cpp - which launches of a phase wait for others --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/LaunchGraph.h"

#include "passes/host/HostViews.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static constexpr Effect kBoth{true, true};

/// What `user` does with an array; what else it makes of it goes to `views`.
static Effect effectOf(Operation *user, Value array,
                       SmallVectorImpl<Value> &views) {
  if (user->getNumRegions() > 0 || user->hasTrait<OpTrait::IsTerminator>())
    return kBoth;
  if (isMemoryEffectFree(user)) {
    for (Value result : user->getResults()) {
      if (isa<MemRefType>(result.getType()))
        views.push_back(result);
      else if (!result.getType().isIntOrIndexOrFloat())
        return kBoth; // a pointer or the like, which may go anywhere
    }
    return {};
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(user);
  if (!interface)
    return kBoth;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  Effect result;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getValue() && effect.getValue() != array)
      continue;
    result.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    result.writes |= !isa<MemoryEffects::Read>(effect.getEffect());
  }
  return result;
}

Effect belfry::effectOf(gpu::GPUFuncOp kernel, unsigned number) {
  Effect result;
  SmallVector<Value> views{kernel.getArgument(number)};
  while (!views.empty()) {
    Value array = views.pop_back_val();
    for (Operation *user : array.getUsers())
      result |= ::effectOf(user, array, views);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::optional<int64_t> belfry::rowOf(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto phase = argument
                   ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                   : func::FuncOp();
  if (!phase)
    return std::nullopt;
  auto row =
      phase.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kBufferAttr);
  return row ? std::optional(row.getInt()) : std::nullopt;
}

/// The number of a place that rows of the table may have in common, which is
/// that of one of them: rows of one kind with one number are one array, and a
/// row may be a part of another one. Scratch that shares memory by its lifetime
/// is apart: lifetimes follow the order of launches.
static int64_t placeOf(int64_t row, ArrayRef<Attribute> table) {
  if (row >= static_cast<int64_t>(table.size()))
    return row;
  auto facts = cast<DictionaryAttr>(table[row]);
  if (auto whole = facts.getAs<IntegerAttr>("rows_of"))
    return whole.getInt();
  if (facts.get("live"))
    return row;
  const auto *first = llvm::find_if(table, [&](Attribute other) {
    auto its = cast<DictionaryAttr>(other);
    return !its.get("live") && its.get("kind") == facts.get("kind") &&
           its.get("index") == facts.get("index");
  });
  return first - table.begin();
}

/// Of a buffer that no row says: it may be anywhere.
static constexpr int64_t kAnywhere = -1;

LaunchGraph::LaunchGraph(func::FuncOp phase,
                         const DenseMap<StringAttr, gpu::GPUFuncOp> &kernels) {
  ArrayAttr rows = bufferTableOf(phase);
  ArrayRef<Attribute> table = rows ? rows.getValue() : ArrayRef<Attribute>();
  DenseMap<Value, int64_t> places;
  auto placeBehind = [&](Value array) {
    Value buffer = bufferBehind(array);
    auto [it, fresh] = places.try_emplace(buffer, kAnywhere);
    if (std::optional<int64_t> row = rowOf(buffer); fresh && row)
      it->second = placeOf(*row, table);
    return it->second;
  };
  DenseMap<std::pair<Operation *, unsigned>, Effect> known;
  // By place, what the launches so far do there, in order.
  using Touches = SmallVector<std::pair<unsigned, Effect>>;
  llvm::MapVector<int64_t, Touches> touched;
  for (auto op : phase.getBody().front().getOps<gpu::LaunchFuncOp>()) {
    unsigned own = launches.size();
    gpu::GPUFuncOp kernel = kernels.lookup(op.getKernelName());
    llvm::MapVector<int64_t, Effect> effects;
    for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      auto [it, fresh] = known.try_emplace({kernel, unsigned(i)});
      if (fresh)
        it->second = belfry::effectOf(kernel, i);
      effects[placeBehind(operand)] |= it->second;
    }
    llvm::SmallSetVector<unsigned, 8> waits;
    for (const auto &[place, effect] : effects)
      for (const auto &[other, touches] : touched)
        if (place == other || place == kAnywhere || other == kAnywhere)
          for (const auto &[launch, its] : touches)
            if (effect.writes || its.writes)
              waits.insert(launch);
    launches.push_back(op);
    earlier.emplace_back(waits.begin(), waits.end());
    llvm::sort(earlier.back());
    later.emplace_back();
    for (unsigned other : earlier.back())
      later[other].push_back(own);
    for (const auto &[place, effect] : effects)
      touched[place].emplace_back(own, effect);
  }
}
