//===- Planner.h - places buffers in one arena ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory planner. The compiler emits lifetimes, and sizes that are affine
// in the rows of a tower; this places the buffers for one number of rows. It
// depends on nothing but the standard library, so that the report links it too
// and shows the very offsets that a run uses.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_PLANNER_H
#define BELFRY_RUNTIME_CORE_PLANNER_H

#include <cstdint>
#include <vector>

namespace belfry::rt {

/// What the planner aligns every offset to, in bytes.
inline constexpr int64_t kArenaAlignment = 64;

/// A size of `perRow · rows + fixed` bytes.
struct AffineSize {
  int64_t perRow = 0;
  int64_t fixed = 0;
  int64_t at(int64_t rows) const { return perRow * rows + fixed; }
};

/// A buffer to place: `size` bytes, whose content matters from position
/// `first` to position `last` of the program, both included. Buffers whose
/// ranges share a position never overlap.
struct PlanRequest {
  int64_t size = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// Where everything is, in bytes.
struct Plan {
  std::vector<int64_t> offsets; ///< one a request, multiples of 64
  int64_t total = 0;            ///< size of the arena
  /// The largest sum of (aligned) sizes that are live at one position: no
  /// placement can be smaller.
  int64_t liveBound = 0;
};

/// Places `requests`, each in the smallest gap that holds it between the
/// buffers it is live together with, the lowest such gap on ties. That depends
/// on the order in which they are placed: several are tried (by falling size,
/// by size times time, by time, by either end), then moves of what stands at
/// the top, until the bound is reached or a fixed number of comparisons is used
/// up, some ten milliseconds. The same requests get the same offsets on every
/// machine. Requests of size 0 get offset 0.
Plan planBuffers(const std::vector<PlanRequest> &requests);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_PLANNER_H
