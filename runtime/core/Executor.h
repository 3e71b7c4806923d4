//===- Executor.h - runs the schedule of a function -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_EXECUTOR_H
#define BELFRY_RUNTIME_CORE_EXECUTOR_H

#include "belfry/Runtime.h"
#include "runtime/core/Manifest.h"
#include "runtime/core/MemoryPlan.h"
#include "runtime/core/Status.h"
#include "runtime/core/Storage.h"
#include "runtime/host/Devices.h"

#include <numeric>
#include <vector>

namespace belfry::rt {

/// The arrays of one step that live outside of the function's arenas. Arrays
/// of rows hold the global batch; a null entry stands for an array that the
/// function doesn't use.
struct StepArrays {
  std::vector<void *> inputs, targets, sampleWeights, outputs;
  std::vector<void *> parameters, slots;
  std::vector<double> hypers;
  int32_t seed[2] = {0, 0}; ///< low and high word
  int32_t step = 0;         ///< updates made before
};

/// What the steps of a function took, in seconds.
struct StepTimes {
  std::vector<double> each; ///< of each step, its batch's gathering included
  int64_t rows = 0;         ///< of all steps
  double feed = 0;          ///< gathering batches
  /// Of each device: in collectives, and waiting for other devices.
  std::vector<double> collectives, waits;

  double seconds() const {
    return std::accumulate(each.begin(), each.end(), 0.0);
  }
};

/// One function (train, evaluate or predict) of a program, ready to run on the
/// devices of a host.
class Executor {
public:
  /// `maxBatch` is the largest global batch that `run` is called with. The
  /// arguments have to outlive the executor.
  Executor(const belfry_program_v1 &program, const Manifest &manifest,
           const FunctionInfo &function, DeviceGroup &devices, int64_t towers,
           int64_t maxBatch);

  /// Runs the schedule on `rows` rows, at most maxBatch. Fails only where the
  /// slicing forbids this number of rows.
  Status run(const StepArrays &arrays, int64_t rows);

  /// From now on collectives and waits are added to `into`, which has to
  /// outlive the executor; null for none.
  void measure(StepTimes *into);
  StepTimes *measured() const { return times; }

  /// A scalar result of the last run; `index` counts the manifest's list of
  /// that kind. 0 where the function has no such result.
  double scalar(BufferKind kind, int64_t index) const;
  /// An array result of the last run (a gradient), or null.
  const void *array(BufferKind kind, int64_t index) const;

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
  const BufferInfo *find(BufferKind kind, int64_t index, size_t &row) const;

  const belfry_program_v1 &program;
  const Manifest &manifest;
  const FunctionInfo &function;
  DeviceGroup &devices;
  const int64_t towers;
  const int64_t maxBatch;
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
  StepTimes *times = nullptr;

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

#endif // BELFRY_RUNTIME_CORE_EXECUTOR_H
