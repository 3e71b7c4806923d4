//===- HostExecutor.h - runs the schedule of a function --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_HOSTEXECUTOR_H
#define BELFRY_RUNTIME_HOST_HOSTEXECUTOR_H

#include "belfry/Runtime.h"
#include "runtime/core/Executor.h"
#include "runtime/core/MemoryPlan.h"
#include "runtime/core/Storage.h"
#include "runtime/host/Devices.h"

#include <vector>

namespace belfry::rt {

/// Runs a function on the devices of the host: contexts of threads.
class HostExecutor : public Executor {
public:
  /// `maxBatch` is the largest global batch that `run` is called with. The
  /// arguments have to outlive the executor.
  HostExecutor(const belfry_program_v2 &program, const Manifest &manifest,
               const FunctionInfo &function, DeviceGroup &devices,
               int64_t towers, int64_t maxBatch);

  Status begin(const StepArrays &arrays, int64_t rows) override;
  /// Collectives and waits are added, too.
  void measure(StepTimes *into) override;
  const void *array(BufferKind kind, int64_t index) const override;

  const MemoryPlan &memory() const { return plan; }
  /// Bytes of all arenas, as placed.
  int64_t arenaBytes() const { return plan.totalBytes(devices.size(), towers); }

private:
  void bind(const StepArrays &arrays, int64_t rows);
  void *external(const BufferInfo &buffer, const StepArrays &arrays,
                 int64_t firstRow);
  void runOnDevice(int device);
  belfry_phase_args phaseArgs(int device) const;
  void runPhase(const ScheduleItem &item, int device);
  void runTowers(const ScheduleItem &item, int device, const RowRange &which);
  void planRowParts();
  int64_t rowParts(int64_t rows) const;
  static RowRange partOf(const RowRange &range, int64_t part, int64_t parts);
  void **partTable(int64_t tower, int device, int64_t first);
  void planReductions();
  size_t reduce(size_t first, int device);
  static void reducePart(const void *arg, int64_t begin, int64_t end);
  void gather(const ScheduleItem &item, int device);

  const belfry_program_v2 &program;
  DeviceGroup &devices;
  MemoryPlan plan;
  std::vector<bool> barriers; ///< after which items
  /// The arrays of each all-reduce, by item.
  struct Reduction {
    const ScheduleItem *item;
    std::vector<const void *> from;
    std::vector<void *> to;
  };
  std::vector<Reduction> reductions;
  /// The elements that a device adds up, as a loop over chunks of them.
  struct Share {
    const Reduction *reduction;
    int64_t first, last;
  };
  std::vector<std::vector<Share>> shares;           ///< by device, then by item
  std::vector<std::vector<belfry_loop>> shareLoops; ///< likewise
  std::vector<RowRange> blocks;                     ///< towers of each device
  std::vector<int> deviceOf;                        ///< of each tower
  std::vector<Storage> deviceArenas, towerArenas;
  Storage sharedArena;
  Storage scalars; ///< hypers, seed and step, one cache line each

  int64_t parameterBytes = 0; ///< that the function reads
  int64_t nearRows = 0;       ///< whose scratch stays in the caches

  // The run in progress.
  int64_t globalRows = 0;
  std::vector<RowRange> ranges;
  bool towersInTurn = false; ///< each with the threads of all devices
  /// Buffer tables: one a tower, and one for the phases that run once.
  std::vector<std::vector<void *>> tables;
  /// For parts of a tower's rows, one a device; none where a tower's rows are
  /// worked on all at once.
  std::vector<std::vector<void *>> partTables;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_HOSTEXECUTOR_H
