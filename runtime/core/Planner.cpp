//===- Planner.cpp - places buffers in one arena --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Planner.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace belfry::rt;

namespace {

int64_t alignUp(int64_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool overlap(const PlanRequest &a, const PlanRequest &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The largest sum of sizes over all positions, by a sweep over the ends.
int64_t liveBound(const std::vector<PlanRequest> &requests) {
  std::map<int64_t, int64_t> changes;
  for (const PlanRequest &request : requests) {
    changes[request.first] += alignUp(request.size);
    changes[request.last + 1] -= alignUp(request.size);
  }
  int64_t live = 0, most = 0;
  for (const auto &change : changes) {
    live += change.second;
    most = std::max(most, live);
  }
  return most;
}

} // namespace

Plan belfry::rt::planBuffers(const std::vector<PlanRequest> &requests) {
  Plan plan;
  plan.offsets.assign(requests.size(), 0);
  plan.liveBound = liveBound(requests);

  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (requests[a].size != requests[b].size)
      return requests[a].size > requests[b].size;
    if (requests[a].first != requests[b].first)
      return requests[a].first < requests[b].first;
    return a < b;
  });

  // Placed buffers by offset, so that one walk finds the gaps.
  std::multimap<int64_t, size_t> placed;
  for (size_t index : order) {
    int64_t size = alignUp(requests[index].size);
    if (size <= 0)
      continue;
    int64_t best = -1, bestGap = 0, end = 0;
    for (const auto &[offset, other] : placed) {
      if (!overlap(requests[index], requests[other]))
        continue;
      int64_t gap = offset - end;
      if (gap >= size && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, offset + alignUp(requests[other].size));
    }
    if (best < 0)
      best = end;
    plan.offsets[index] = best;
    placed.emplace(best, index);
    plan.total = std::max(plan.total, best + size);
  }
  return plan;
}
