//===- OpProfile.cpp - time of the ops on a device ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/OpProfile.h"

#include "belfry/Runtime.h"
#include "runtime/host/Context.h"

#include <algorithm>
#include <chrono>

using namespace belfry::rt;

int64_t OpProfile::now() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count() |
         1;
}

void OpProfile::add(int64_t op, int64_t nanoseconds, int64_t devices,
                    int64_t rows) {
  if (op < 0 || size_t(op) >= cells.size())
    return;
  Cell &cell = cells[size_t(op)];
  cell.calls.fetch_add(1, std::memory_order_relaxed);
  cell.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
  cell.deviceNanoseconds.fetch_add(nanoseconds * devices,
                                   std::memory_order_relaxed);
  cell.rows.fetch_add(rows, std::memory_order_relaxed);
}

OpProfile::Count OpProfile::count(size_t op) const {
  const Cell &cell = cells[op];
  return {cell.calls.load(std::memory_order_relaxed),
          cell.nanoseconds.load(std::memory_order_relaxed),
          cell.deviceNanoseconds.load(std::memory_order_relaxed),
          cell.rows.load(std::memory_order_relaxed)};
}

int64_t belfry_profile_begin(belfry_context *context) {
  return context->profile ? OpProfile::now() : 0;
}

void belfry_profile_end(belfry_context *context, int32_t op, int64_t begin,
                        int64_t rows) {
  if (begin == 0)
    return;
  int64_t time = OpProfile::now() - begin;
  // Where threads share the rows of a loop, all of them are at it: the parts of
  // an op add up to the time that it takes.
  const ParallelFor &pool = *context->pool();
  if (pool.isInside())
    time /= std::max(pool.sharing(), 1);
  int own = pool.threads() - pool.guests();
  context->profile->add(op, time, pool.threads() / own, rows);
}
