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

#include <numeric>

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

namespace {
struct Access {
  int64_t place;
  Value buffer;
  MemRefType part; ///< the view of the buffer
  Effect effect;
};
} // namespace

/// Whether two views of one buffer are other columns of it: where rows of
/// `period` elements follow one another, each has an interval of every row.
static bool areOtherColumns(MemRefType x, MemRefType y) {
  int64_t period = 0;
  const MemRefType types[] = {x, y};
  std::pair<int64_t, int64_t> columns[2]; // first, and number
  for (auto [type, own] : llvm::zip(types, columns)) {
    SmallVector<int64_t> strides;
    if (failed(type.getStridesAndOffset(strides, own.first)) ||
        strides.size() < 2 || strides.back() != 1 ||
        ShapedType::isDynamic(own.first) ||
        ShapedType::isDynamic(type.getShape().back()))
      return false;
    own.second = type.getShape().back();
    strides.pop_back();
    for (int64_t stride : strides) {
      if (ShapedType::isDynamic(stride) || stride < 0)
        return false;
      period = std::gcd(period, stride);
    }
  }
  if (period == 0)
    return false;
  auto [first, second] = columns;
  first.first %= period;
  second.first %= period;
  if (second.first < first.first)
    std::swap(first, second);
  return first.first + first.second <= second.first &&
         second.first + second.second <= period;
}

/// Whether the order of two accesses matters.
static bool conflict(const Access &x, const Access &y) {
  if (!x.effect.writes && !y.effect.writes)
    return false;
  if (x.place == kAnywhere || y.place == kAnywhere)
    return true;
  return x.place == y.place &&
         (x.buffer != y.buffer || !areOtherColumns(x.part, y.part));
}

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
  llvm::MapVector<int64_t, SmallVector<std::pair<unsigned, Access>>> touched;
  for (auto op : phase.getBody().front().getOps<gpu::LaunchFuncOp>()) {
    unsigned own = launches.size();
    gpu::GPUFuncOp kernel = kernels.lookup(op.getKernelName());
    SmallVector<Access> accesses;
    for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      auto [it, fresh] = known.try_emplace({kernel, unsigned(i)});
      if (fresh)
        it->second = belfry::effectOf(kernel, i);
      accesses.push_back({placeBehind(operand), bufferBehind(operand),
                          cast<MemRefType>(operand.getType()), it->second});
    }
    llvm::SmallSetVector<unsigned, 8> waits;
    for (const Access &access : accesses)
      for (const auto &[place, touches] : touched)
        if (access.place == place || access.place == kAnywhere ||
            place == kAnywhere)
          for (const auto &[launch, other] : touches)
            if (conflict(access, other))
              waits.insert(launch);
    launches.push_back(op);
    earlier.emplace_back(waits.begin(), waits.end());
    llvm::sort(earlier.back());
    later.emplace_back();
    for (unsigned other : earlier.back())
      later[other].push_back(own);
    for (const Access &access : accesses)
      touched[access.place].emplace_back(own, access);
  }
}
