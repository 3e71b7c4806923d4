//===- CudaExecutor.h - runs a function on GPUs ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/gpu-target.md, "Programs for CUDA", is the design.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CUDA_CUDAEXECUTOR_H
#define BELFRY_RUNTIME_CUDA_CUDAEXECUTOR_H

#include "runtime/core/Executor.h"
#include "runtime/core/MemoryPlan.h"
#include "runtime/core/Slicing.h"
#include "runtime/cuda/Gpu.h"

#include <map>
#include <memory>
#include <vector>

namespace belfry::rt::cuda {

/// Parameters and slots on one device, in the order of the manifest's lists.
struct DeviceValues {
  std::vector<DevicePtr> parameters, slots;
};

/// Where the arrays of a function are in the memory of one device.
struct DeviceLayout {
  RowRange towers; ///< of the device
  int64_t scratch = 0, shared = 0;
  std::vector<int64_t> towerArenas;
  /// By row of the buffer table, or -1: arrays of rows, and where those of the
  /// next step arrive.
  std::vector<int64_t> externals, incoming;
  int64_t scalars = 0, results = 0, lists = 0, staging = 0;
  int64_t total = 0;
};

/// All arrays of a function on some devices, for batches of up to `maxBatch`
/// rows.
class CudaPlan {
public:
  CudaPlan(const Manifest &manifest, const FunctionInfo &function,
           int64_t towers, int64_t devices, int64_t maxBatch);

  const FunctionInfo &function;
  const int64_t towers, maxBatch;
  std::vector<Bucket> buckets;
  MemoryPlan memory;
  std::vector<DeviceLayout> devices;

  /// Rows of a buffer of arrays of rows on a device, at most.
  int64_t rowsOn(const BufferInfo &buffer, size_t device) const;
  /// The elements that a device adds of a sum of `count`, and the bytes that a
  /// tower's share of another device takes there.
  RowRange shareOf(int64_t count, size_t device) const;
  static int64_t stagedBytes(const RowRange &share, DType dtype);

  /// What is read back after each step: rows of the buffer table, a word each.
  std::vector<size_t> results;

  /// Bytes that one sum's lists of arrays take.
  int64_t listBytes() const;
  /// Sums over towers: buckets, then all-reduces that are in none.
  size_t numSums() const { return buckets.size() + single.size(); }
  std::vector<size_t> single; ///< items of the schedule

private:
  int64_t stagingBytes(size_t device) const;
  const SlicingMode slicing;
  std::vector<int64_t> deviceRows;
};

/// Runs one function; see Executor.
class CudaExecutor : public Executor {
public:
  /// The arguments have to outlive the executor.
  static Expected<std::unique_ptr<CudaExecutor>>
  create(const belfry_program_v2 &program, const Manifest &manifest,
         const FunctionInfo &function,
         const std::vector<std::unique_ptr<Gpu>> &gpus,
         const std::vector<DeviceValues> &values, int64_t towers,
         int64_t maxBatch);
  ~CudaExecutor() override;

  Status begin(const StepArrays &arrays, int64_t rows) override;
  Status finish() override;
  bool looksAhead() const override { return true; }
  Status stage(const StepArrays &arrays, int64_t rows) override;
  const void *array(BufferKind kind, int64_t index) const override;

private:
  /// A sum over towers, on all devices.
  struct Sum {
    ReduceKind reduce = ReduceKind::Sum;
    DType dtype = DType::F32;
    int64_t count = 0; ///< elements
    int64_t kernel = -1;
    std::vector<DevicePtr> from;                 ///< by tower
    std::vector<std::vector<DevicePtr>> targets; ///< by device
    /// Lists in the memory of each device.
    std::vector<DevicePtr> fromLists, toLists;
  };

  CudaExecutor(const belfry_program_v2 &program, const Manifest &manifest,
               const FunctionInfo &function,
               const std::vector<std::unique_ptr<Gpu>> &gpus,
               const std::vector<DeviceValues> &values, int64_t towers,
               int64_t maxBatch);
  Status allocate();
  Status planSums();
  Status writeLists(Sum &sum, size_t number);

  void bind();
  DevicePtr placeOf(size_t row, size_t device, int64_t tower, bool once) const;
  Status sendInputs(const StepArrays &arrays,
                    const std::vector<RowRange> &towerRows, int64_t used);
  Status takeInputs();
  Status copyOutputs();
  Status inStep(const Status &status) const;

  Expected<GraphExec> graphFor(int64_t rows);
  Status enqueueStep();
  Status enqueuePhase(const ScheduleItem &item, size_t device);
  Status enqueueSums(size_t first, size_t last);
  Status enqueueSum(const Sum &sum);
  Status enqueueShare(const Sum &sum, size_t device);
  Status shareSum(const Sum &sum, size_t device);
  Status enqueueGather(const ScheduleItem &item);
  Status enqueueResults();

  /// All streams of one kind wait for all of another.
  Status meet(Stream Gpu::*from, Stream Gpu::*to);
  Expected<Event> event(size_t device);
  Status waitFor(Event done);

  const belfry_program_v2 &program;
  const std::vector<std::unique_ptr<Gpu>> &gpus;
  const std::vector<DeviceValues> &values;
  CudaPlan plan;
  std::vector<size_t> deviceOf; ///< of each tower
  std::vector<DeviceBlock> blocks;
  /// Scalars and results of the host; input and output rows of each device.
  PinnedBlock scalars, results;
  std::vector<PinnedBlock> rowBlocks;
  std::vector<std::vector<int64_t>> rowOffsets; ///< by device, then table row
  std::vector<Sum> sums;                        ///< buckets, then single ones
  std::vector<std::vector<Event>> events;       ///< by device
  std::vector<size_t> usedEvents;
  Event done = nullptr;
  std::vector<Event> arrived; ///< by device: the inputs that were sent last
  int64_t stagedRows = -1;    ///< that were sent for the next step
  bool sent = false;          ///< any inputs
  const StepArrays *running = nullptr;

  // The batch that tables and streams are set for.
  int64_t globalRows = 0;
  std::vector<RowRange> ranges;
  std::vector<std::vector<std::vector<void *>>> tables; ///< device, tower, row
  std::vector<std::vector<void *>> onceTables;          ///< device, row
  std::map<int64_t, GraphExec> graphs;                  ///< by rows
  int64_t steps = 0;
  mutable std::vector<std::vector<std::byte>> fetched; ///< by table row
};

} // namespace belfry::rt::cuda

#endif // BELFRY_RUNTIME_CUDA_CUDAEXECUTOR_H
