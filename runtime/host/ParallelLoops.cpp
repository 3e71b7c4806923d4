//===- ParallelLoops.cpp - loops of generated code on many threads --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a call are laid end to end, each as long as it costs, and the
// whole is cut into slices of equal cost; a slice is a tile of the pool's grid.
// What a loop computes doesn't depend on the cuts (belfry/Runtime.h), so they
// may depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "runtime/host/Context.h"

#include <algorithm>

using namespace belfry::rt;

namespace {

// The least work of a slice: several times what it costs to hand it to a thread
// that is awake, or, in a crowded process, to wake one up.
constexpr double Microsecond{BELFRY_LOOP_COST_OF_MICROSECOND};
constexpr double LeastSlice = 3 * Microsecond;
constexpr double LeastSliceCrowded = 60 * Microsecond;
// More slices than threads: one that was held up leaves its share to others.
constexpr int64_t SlicesPerThread = 4;

// Rows are cut at multiples of what the widest product kernels take at a time.
constexpr int64_t RowMultiple = 8;
// A thread has more than one slice only where each has so many rows.
constexpr int64_t ManyRows = 64;

struct Slices {
  const belfry_loop *list;
  int64_t loops;
  double total;
  int64_t count;
};

double costOf(const belfry_loop &loop) {
  return double(loop.count) * double(loop.cost);
}

/// The iteration of `loop` at which the slice ends that reaches `cost` into it.
int64_t cutAt(const belfry_loop &loop, double cost) {
  if (cost <= 0)
    return 0;
  if (cost >= costOf(loop))
    return loop.count;
  auto at = int64_t(cost / double(loop.cost));
  return std::min(at - at % loop.multiple, loop.count);
}

void runSlice(void *arg, int64_t slice) {
  const auto &s = *static_cast<const Slices *>(arg);
  double from = s.total * double(slice) / double(s.count);
  double to = s.total * double(slice + 1) / double(s.count);
  double base = 0;
  for (int64_t i = 0; i < s.loops; ++i) {
    const belfry_loop &loop = s.list[i];
    int64_t begin = cutAt(loop, from - base);
    int64_t end = slice + 1 == s.count ? loop.count : cutAt(loop, to - base);
    if (begin < end)
      loop.fn(loop.arg, begin, end);
    base += costOf(loop);
  }
}

/// The threads that share a call of the calling thread.
int64_t threadsFor(ParallelFor *pool) {
  return pool && !pool->isInside() ? pool->threads() : 1;
}

double leastSlice(const ParallelFor &pool) {
  return pool.crowded() ? LeastSliceCrowded : LeastSlice;
}

struct RowSlices {
  void (*fn)(const void *arg, int64_t begin, int64_t end);
  const void *arg;
  int64_t rows, count;
};

void runRows(void *arg, int64_t slice) {
  const auto &s = *static_cast<const RowSlices *>(arg);
  int64_t groups = (s.rows + RowMultiple - 1) / RowMultiple;
  int64_t begin = groups * slice / s.count * RowMultiple;
  int64_t end = std::min(groups * (slice + 1) / s.count * RowMultiple, s.rows);
  if (begin < end)
    s.fn(s.arg, begin, end);
}

} // namespace

void belfry_parallel_rows(belfry_context *context,
                          void (*fn)(const void *arg, int64_t begin,
                                     int64_t end),
                          const void *arg, int64_t rows, int64_t cost) {
  if (rows <= 0)
    return;
  ParallelFor *pool = context ? context->pool() : nullptr;
  int64_t threads = threadsFor(pool);
  if (threads > 1) {
    double worth = double(rows) * double(cost) / leastSlice(*pool);
    int64_t most =
        std::clamp(rows / ManyRows, threads, threads * SlicesPerThread);
    most = std::min(most - most % threads, rows / RowMultiple);
    RowSlices slices = {fn, arg, rows, int64_t(std::min(worth, double(most)))};
    if (slices.count > 1)
      return pool->run(slices.count, runRows, &slices);
  }
  fn(arg, 0, rows);
}

void belfry_parallel_for(belfry_context *context, int64_t loops,
                         const belfry_loop *list) {
  ParallelFor *pool = context ? context->pool() : nullptr;
  int64_t threads = threadsFor(pool);
  if (threads > 1) {
    Slices slices = {list, loops, 0, 1};
    for (int64_t i = 0; i < loops; ++i)
      slices.total += costOf(list[i]);
    double worth = slices.total / leastSlice(*pool);
    slices.count = int64_t(std::min(worth, double(threads * SlicesPerThread)));
    if (slices.count > 1)
      return pool->run(slices.count, runSlice, &slices);
  }
  for (int64_t i = 0; i < loops; ++i)
    if (list[i].count > 0)
      list[i].fn(list[i].arg, 0, list[i].count);
}
