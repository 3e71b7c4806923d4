//===- Planner.cpp - places buffers in one arena --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Planner.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

using namespace belfry::rt;

namespace {

int64_t alignUp(int64_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
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

/// Places the requests one after the other, in the order of a list.
class Placer {
public:
  explicit Placer(const std::vector<PlanRequest> &requests)
      : offsets(requests.size(), 0), requests(requests) {
    for (const PlanRequest &request : requests)
      sizes.push_back(alignUp(request.size));
  }

  /// Each in the smallest gap that holds it between those that it is live
  /// together with, the lowest such gap on ties. Returns the size of the arena,
  /// or more than `limit` where it can't be at most that.
  int64_t place(const std::vector<size_t> &order, int64_t limit);

  std::vector<int64_t> offsets; ///< by request
  std::vector<int64_t> sizes;   ///< aligned, by request
  /// Of the last placement: the first buffer that ends where the arena ends.
  size_t top = 0;

private:
  struct Placed {
    int64_t offset, end;
    int64_t first, last;
  };
  const std::vector<PlanRequest> &requests;
  std::vector<Placed> placed; ///< by offset
};

int64_t Placer::place(const std::vector<size_t> &order, int64_t limit) {
  int64_t total = 0;
  placed.clear();
  for (size_t index : order) {
    const PlanRequest &request = requests[index];
    int64_t size = sizes[index];
    int64_t best = -1, bestGap = 0, end = 0;
    for (const Placed &other : placed) {
      if (request.first > other.last || other.first > request.last)
        continue;
      int64_t gap = other.offset - end;
      if (gap >= size && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other.end);
    }
    if (best < 0)
      best = end;
    offsets[index] = best;
    if (best + size > total) {
      total = best + size;
      top = index;
      if (total > limit)
        return total;
    }
    auto at = std::upper_bound(
        placed.begin(), placed.end(), best,
        [](int64_t offset, const Placed &p) { return offset < p.offset; });
    placed.insert(at, {best, best + size, request.first, request.last});
  }
  return total;
}

/// Comparisons of two buffers that a plan may take.
constexpr size_t kMostComparisons = 4'000'000;
/// Moves after which the search goes back to the best order.
constexpr size_t kRestart = 64;

} // namespace

Plan belfry::rt::planBuffers(const std::vector<PlanRequest> &requests) {
  Plan plan;
  plan.liveBound = liveBound(requests);
  Placer placer(requests);
  std::vector<size_t> indices;
  for (size_t i = 0; i < requests.size(); ++i)
    if (placer.sizes[i] > 0)
      indices.push_back(i);
  plan.offsets = placer.offsets;
  if (indices.empty())
    return plan;

  plan.total = std::numeric_limits<int64_t>::max();
  std::vector<size_t> bestOrder;
  // Takes an order that needs less. Returns whether there can be none better.
  auto attempt = [&](const std::vector<size_t> &order) {
    int64_t total = placer.place(order, plan.total - 1);
    if (total < plan.total) {
      plan.total = total;
      plan.offsets = placer.offsets;
      bestOrder = order;
    }
    return plan.total == plan.liveBound;
  };

  // By falling measure; ties by first position, then by index.
  auto span = [&](size_t i) { return requests[i].last - requests[i].first; };
  using Measure = std::function<double(size_t)>;
  for (const Measure &measure :
       {Measure([&](size_t i) { return double(placer.sizes[i]); }),
        Measure([&](size_t i) {
          return double(placer.sizes[i]) * double(span(i) + 1);
        }),
        Measure([&](size_t i) { return double(span(i)); }),
        Measure([&](size_t i) { return -double(requests[i].first); }),
        Measure([&](size_t i) { return double(requests[i].last); })}) {
    std::vector<size_t> order = indices;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      double one = measure(a), two = measure(b);
      if (one != two)
        return one > two;
      if (requests[a].first != requests[b].first)
        return requests[a].first < requests[b].first;
      return a < b;
    });
    if (attempt(order))
      return plan;
  }

  // The buffer at the top was placed too late: it goes somewhere further ahead.
  size_t rounds = kMostComparisons / (indices.size() * indices.size());
  std::vector<size_t> order = bestOrder;
  attempt(order);
  uint64_t state = 1;
  for (size_t round = 1; round < rounds; ++round) {
    auto at = std::find(order.begin(), order.end(), placer.top);
    state = state * 6364136223846793005 + 1442695040888963407;
    auto distance = size_t(at - order.begin());
    std::rotate(order.begin() + std::ptrdiff_t((state >> 33) % (distance + 1)),
                at, at + 1);
    if (attempt(order))
      break;
    if (round % kRestart == 0) {
      order = bestOrder;
      attempt(order);
    }
  }
  return plan;
}
