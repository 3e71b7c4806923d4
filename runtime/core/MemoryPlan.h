//===- MemoryPlan.h - arenas of one function --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_MEMORYPLAN_H
#define BELFRY_RUNTIME_CORE_MEMORYPLAN_H

#include "runtime/core/Manifest.h"

#include <vector>

namespace belfry::rt {

/// All-reduces between two phases whose sums stand in place of what is summed,
/// of one kind and element type: their arrays can be moved and added as one.
struct Bucket {
  ReduceKind reduce = ReduceKind::Sum;
  DType dtype = DType::F32;
  std::vector<size_t> items; ///< of the schedule
};
std::vector<Bucket> bucketsOf(const FunctionInfo &function);

/// Where the buffers of a function are, for a number of rows. Scratch of the
/// towers of one device shares one arena, since they run one after the other;
/// what crosses a phase has an arena a tower; what is shared by all towers of
/// a host, one arena.
struct MemoryPlan {
  enum class Place {
    External,
    DeviceArena,
    TowerArena,
    FirstTower, ///< within the first tower's arena
    SharedArena,
    SharedRows ///< the tower's rows of an array in the shared arena
  };
  struct Slot {
    Place place = Place::External;
    int64_t offset = 0;
  };
  std::vector<Slot> slots; ///< one a row of the buffer table
  Plan device, tower, shared;
  /// Of each bucket that the plan was made with: offset and bytes of its
  /// arrays, which lie side by side in the tower arena.
  std::vector<std::pair<int64_t, int64_t>> buckets;

  /// Bytes of all arenas of a host with so many devices and towers.
  int64_t totalBytes(int64_t devices, int64_t towers) const {
    return device.total * devices + tower.total * towers + shared.total;
  }
  int64_t liveBound(int64_t devices, int64_t towers) const {
    return device.liveBound * devices + tower.liveBound * towers +
           shared.liveBound;
  }
};

/// After which items of the schedule the devices have to wait for each other:
/// all but the last, but a phase that runs once, at whose end they are together
/// anyway, and but a collective before another one where neither
/// writes what the other reads or writes. `plan` says which buffers share a
/// place.
std::vector<bool> placeBarriers(const FunctionInfo &function,
                                const MemoryPlan &plan, int64_t towerRows,
                                int64_t globalRows);

/// Plans `function` for towers of up to `towerRows` rows and a global batch of
/// up to `globalRows`. A plan for more rows serves every smaller batch.
MemoryPlan planMemory(const FunctionInfo &function, int64_t towerRows,
                      int64_t globalRows,
                      const std::vector<Bucket> &buckets = {});

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_MEMORYPLAN_H
