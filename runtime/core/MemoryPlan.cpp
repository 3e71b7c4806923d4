//===- MemoryPlan.cpp - arenas of one function ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/MemoryPlan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

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

int64_t aligned(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// Whether two buffers of a function may share a byte.
bool mayOverlap(const FunctionInfo &function, const MemoryPlan &plan, int64_t a,
                int64_t b, int64_t towerRows, int64_t globalRows) {
  if (a == b)
    return true;
  const MemoryPlan::Slot &one = plan.slots[size_t(a)];
  const MemoryPlan::Slot &two = plan.slots[size_t(b)];
  auto arenaOf = [](MemoryPlan::Place place) {
    switch (place) {
    case MemoryPlan::Place::FirstTower:
      return MemoryPlan::Place::TowerArena;
    case MemoryPlan::Place::SharedRows:
      return MemoryPlan::Place::SharedArena;
    default:
      return place;
    }
  };
  if (arenaOf(one.place) != arenaOf(two.place))
    return false;
  const BufferInfo &first = function.buffers[size_t(a)];
  const BufferInfo &second = function.buffers[size_t(b)];
  if (one.place == MemoryPlan::Place::External)
    return first.kind == second.kind && first.index == second.index;
  bool shared = arenaOf(one.place) == MemoryPlan::Place::SharedArena;
  int64_t rows = shared ? globalRows : towerRows;
  return one.offset < two.offset + second.bytes.at(rows) &&
         two.offset < one.offset + first.bytes.at(rows);
}

} // namespace

std::vector<bool> belfry::rt::placeBarriers(const FunctionInfo &function,
                                            const MemoryPlan &plan,
                                            int64_t towerRows,
                                            int64_t globalRows) {
  const std::vector<ScheduleItem> &schedule = function.schedule;
  std::vector<bool> barriers(schedule.size(), false);
  // Collectives since the last barrier.
  size_t begin = 0;
  for (size_t i = 0; i + 1 < schedule.size(); ++i) {
    const ScheduleItem &next = schedule[i + 1];
    // The devices leave a phase that runs once together.
    bool once = schedule[i].kind == ScheduleItem::Phase &&
                schedule[i].run == ScheduleItem::Once;
    if (once) {
      begin = i + 1;
      continue;
    }
    bool wait = schedule[i].kind == ScheduleItem::Phase ||
                next.kind == ScheduleItem::Phase;
    auto overlap = [&](int64_t a, int64_t b) {
      return mayOverlap(function, plan, a, b, towerRows, globalRows);
    };
    for (size_t k = begin; k <= i && !wait; ++k)
      wait = overlap(schedule[k].to, next.from) ||
             overlap(schedule[k].to, next.to) ||
             overlap(schedule[k].from, next.to);
    barriers[i] = wait;
    if (wait)
      begin = i + 1;
  }
  return barriers;
}

std::vector<Bucket> belfry::rt::bucketsOf(const FunctionInfo &function) {
  std::vector<Bucket> buckets;
  size_t run = 0; // the first bucket since the last phase
  for (size_t i = 0; i < function.schedule.size(); ++i) {
    const ScheduleItem &item = function.schedule[i];
    if (item.kind != ScheduleItem::AllReduce) {
      run = buckets.size();
      continue;
    }
    if (!item.inPlace)
      continue;
    auto same = std::find_if(buckets.begin() + ptrdiff_t(run), buckets.end(),
                             [&](const Bucket &bucket) {
                               return bucket.reduce == item.reduce &&
                                      bucket.dtype == item.dtype;
                             });
    if (same == buckets.end())
      same = buckets.insert(buckets.end(), {item.reduce, item.dtype, {}});
    same->items.push_back(i);
  }
  return buckets;
}

MemoryPlan belfry::rt::planMemory(const FunctionInfo &function,
                                  int64_t towerRows, int64_t globalRows,
                                  const std::vector<Bucket> &buckets) {
  MemoryPlan plan;
  plan.buckets.resize(buckets.size());
  std::map<int64_t, size_t> bucketOf; // by row of the buffer table
  for (size_t i = 0; i < buckets.size(); ++i)
    for (size_t item : buckets[i].items)
      bucketOf[function.schedule[item].from] = i;
  plan.slots.resize(function.buffers.size());
  // Of each sum in place, the array that it stands in; those arrays.
  std::map<int64_t, int64_t> arrayOf;
  std::set<int64_t> arrays;
  for (const ScheduleItem &item : function.schedule)
    if (item.inPlace) {
      arrayOf[item.to] = item.from;
      arrays.insert(item.from);
    }
  auto place = [&](MemoryPlan::Place where, Plan &arena, int64_t rows) {
    std::vector<PlanRequest> requests;
    // What stands at each place: a row of the table, or rows one behind the
    // other.
    std::vector<std::vector<size_t>> owners;
    std::vector<size_t> ofBucket(buckets.size(), SIZE_MAX);
    for (size_t i = 0; i < function.buffers.size(); ++i) {
      const BufferInfo &buffer = function.buffers[i];
      if (placeOf(buffer) != where || arrayOf.count(int64_t(i)) ||
          buffer.rowsOf >= 0)
        continue;
      auto [first, last] =
          buffer.live.value_or(std::pair<int64_t, int64_t>(0, kEnd));
      // The runtime reads results after the last phase.
      if (isResult(buffer.kind) || arrays.count(int64_t(i)))
        last = kEnd;
      PlanRequest request = {buffer.bytes.at(rows), first, last};
      auto bucket = bucketOf.find(int64_t(i));
      if (bucket != bucketOf.end() && ofBucket[bucket->second] != SIZE_MAX) {
        size_t known = ofBucket[bucket->second];
        requests[known].first = std::min(requests[known].first, first);
        requests[known].size = aligned(requests[known].size) + request.size;
        owners[known].push_back(i);
        continue;
      }
      if (bucket != bucketOf.end())
        ofBucket[bucket->second] = requests.size();
      requests.push_back(request);
      owners.push_back({i});
    }
    arena = planBuffers(requests);
    for (size_t i = 0; i < owners.size(); ++i) {
      int64_t offset = arena.offsets[i];
      for (size_t row : owners[i]) {
        plan.slots[row] = {where, offset};
        offset = aligned(offset + function.buffers[row].bytes.at(rows));
      }
    }
    for (size_t i = 0; i < buckets.size(); ++i)
      if (ofBucket[i] != SIZE_MAX)
        plan.buckets[i] = {arena.offsets[ofBucket[i]],
                           requests[ofBucket[i]].size};
  };
  place(MemoryPlan::Place::DeviceArena, plan.device, towerRows);
  place(MemoryPlan::Place::TowerArena, plan.tower, towerRows);
  place(MemoryPlan::Place::SharedArena, plan.shared, globalRows);
  for (auto [sum, array] : arrayOf)
    plan.slots[size_t(sum)] = {MemoryPlan::Place::FirstTower,
                               plan.slots[size_t(array)].offset};
  for (size_t i = 0; i < function.buffers.size(); ++i)
    if (int64_t whole = function.buffers[i].rowsOf; whole >= 0)
      plan.slots[i] = {MemoryPlan::Place::SharedRows,
                       plan.slots[size_t(whole)].offset};
  return plan;
}
