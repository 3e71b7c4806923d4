//===- MemoryPlan.cpp - arenas of one function ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/MemoryPlan.h"

#include <limits>

using namespace belfry::rt;

namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max() / 2;

MemoryPlan::Place placeOf(const BufferInfo &buffer) {
  switch (buffer.kind) {
  case BufferKind::Scratch:
    return buffer.shared ? MemoryPlan::Place::SharedArena
                         : MemoryPlan::Place::DeviceArena;
  case BufferKind::Cross:
  case BufferKind::Loss:
  case BufferKind::MetricTotal:
  case BufferKind::MetricCount:
  case BufferKind::Gradient:
  case BufferKind::GradientScale:
    return buffer.shared ? MemoryPlan::Place::SharedArena
                         : MemoryPlan::Place::TowerArena;
  default:
    return MemoryPlan::Place::External;
  }
}

bool isResult(BufferKind kind) {
  return kind != BufferKind::Scratch && kind != BufferKind::Cross;
}

} // namespace

MemoryPlan belfry::rt::planMemory(const FunctionInfo &function,
                                  int64_t towerRows, int64_t globalRows) {
  MemoryPlan plan;
  plan.slots.resize(function.buffers.size());
  auto place = [&](MemoryPlan::Place where, Plan &arena, int64_t rows) {
    std::vector<PlanRequest> requests;
    std::vector<size_t> owners;
    for (size_t i = 0; i < function.buffers.size(); ++i) {
      const BufferInfo &buffer = function.buffers[i];
      if (placeOf(buffer) != where)
        continue;
      auto [first, last] =
          buffer.live.value_or(std::pair<int64_t, int64_t>(0, kEnd));
      // The runtime reads results after the last phase.
      if (isResult(buffer.kind))
        last = kEnd;
      requests.push_back({buffer.bytes.at(rows), first, last});
      owners.push_back(i);
    }
    arena = planBuffers(requests);
    for (size_t i = 0; i < owners.size(); ++i)
      plan.slots[owners[i]] = {where, arena.offsets[i]};
  };
  place(MemoryPlan::Place::DeviceArena, plan.device, towerRows);
  place(MemoryPlan::Place::TowerArena, plan.tower, towerRows);
  place(MemoryPlan::Place::SharedArena, plan.shared, globalRows);
  return plan;
}
