//===- CudaExecutor.cpp - runs a function on GPUs -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaExecutor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

#define BELFRY_CALL(GPU, MEMBER, ...)                                          \
  BELFRY_RETURN_IF_ERROR(                                                      \
      (GPU).check((GPU).driver().MEMBER(__VA_ARGS__), #MEMBER))

namespace {

/// Rows of the block of scalars: seed, step, then the hyperparameters.
constexpr int64_t kSeedRow = 0, kStepRow = 1, kHyperRow = 2;
constexpr int64_t kScalarStride = 64;
/// Graphs that are kept: a full batch, the last one, and some more where
/// somebody alternates.
constexpr size_t kMostGraphs = 8;

} // namespace

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

CudaExecutor::CudaExecutor(const belfry_program_v2 &program,
                           const Manifest &manifest,
                           const FunctionInfo &function,
                           const std::vector<std::unique_ptr<Gpu>> &gpus,
                           const std::vector<DeviceValues> &values,
                           int64_t towers, int64_t maxBatch)
    : Executor(function), program(program), manifest(manifest), gpus(gpus),
      values(values), towers(towers),
      plan(manifest, function, towers, int64_t(gpus.size()), maxBatch),
      deviceOf(size_t(towers)), events(gpus.size()), usedEvents(gpus.size()),
      tables(gpus.size()), onceTables(gpus.size()),
      fetched(function.buffers.size()) {
  for (size_t d = 0; d < gpus.size(); ++d)
    for (int64_t i = 0; i < plan.devices[d].towers.rows; ++i)
      deviceOf[size_t(plan.devices[d].towers.first + i)] = d;
}

Expected<std::unique_ptr<CudaExecutor>> CudaExecutor::create(
    const belfry_program_v2 &program, const Manifest &manifest,
    const FunctionInfo &function, const std::vector<std::unique_ptr<Gpu>> &gpus,
    const std::vector<DeviceValues> &values, int64_t towers, int64_t maxBatch) {
  std::unique_ptr<CudaExecutor> executor(new CudaExecutor(
      program, manifest, function, gpus, values, towers, maxBatch));
  BELFRY_RETURN_IF_ERROR(executor->allocate());
  BELFRY_RETURN_IF_ERROR(executor->planSums());
  return executor;
}

CudaExecutor::~CudaExecutor() {
  // After a failure, a step may still be at work on other devices.
  bool idle = true;
  for (const std::unique_ptr<Gpu> &gpu : gpus)
    idle = gpu->drain() && idle;
  if (!idle) {
    for (DeviceBlock &block : blocks)
      block.abandon();
    for (PinnedBlock &block : rowBlocks)
      block.abandon();
    scalars.abandon();
    results.abandon();
    return;
  }
  for (auto [rows, graph] : graphs)
    if (graph && gpus[0]->makeCurrent().ok())
      gpus[0]->driver().graphExecDestroy(graph);
  for (size_t d = 0; d < gpus.size(); ++d) {
    if (!gpus[d]->makeCurrent().ok())
      continue;
    for (Event one : events[d])
      gpus[d]->driver().eventDestroy(one);
    if (d == 0 && done)
      gpus[d]->driver().eventDestroy(done);
    if (d < arrived.size())
      gpus[d]->driver().eventDestroy(arrived[d]);
  }
}

Status CudaExecutor::allocate() {
  for (size_t d = 0; d < gpus.size(); ++d) {
    Expected<DeviceBlock> block =
        DeviceBlock::allocate(*gpus[d], plan.devices[d].total);
    if (!block.ok())
      return block.status();
    blocks.push_back(std::move(*block));
    std::vector<int64_t> &offsets = rowOffsets.emplace_back();
    int64_t bytes = 0;
    for (size_t row = 0; row < function.buffers.size(); ++row) {
      const BufferInfo &buffer = function.buffers[row];
      offsets.push_back(bytes);
      if (plan.devices[d].externals[row] >= 0)
        bytes += (buffer.bytes.at(plan.rowsOn(buffer, d)) + 63) / 64 * 64;
    }
    Expected<PinnedBlock> rows = PinnedBlock::allocate(*gpus[d], bytes);
    if (!rows.ok())
      return rows.status();
    rowBlocks.push_back(std::move(*rows));
    Event mark = nullptr;
    BELFRY_RETURN_IF_ERROR(gpus[d]->makeCurrent());
    BELFRY_CALL(*gpus[d], eventCreate, &mark, kEventDisableTiming);
    arrived.push_back(mark);
  }
  int64_t hypers = int64_t(manifest.optimizer.hypers.size());
  for (auto [block, bytes] :
       {std::pair(&scalars, kScalarStride * (kHyperRow + hypers)),
        std::pair(&results, int64_t(plan.results.size()) * 8)}) {
    Expected<PinnedBlock> pinned = PinnedBlock::allocate(*gpus[0], bytes);
    if (!pinned.ok())
      return pinned.status();
    *block = std::move(*pinned);
  }
  BELFRY_RETURN_IF_ERROR(gpus[0]->makeCurrent());
  BELFRY_CALL(*gpus[0], eventCreate, &done, kEventDisableTiming);
  return Status::success();
}

Expected<Event> CudaExecutor::event(size_t device) {
  std::vector<Event> &mine = events[device];
  if (usedEvents[device] == mine.size()) {
    Event made = nullptr;
    BELFRY_RETURN_IF_ERROR(gpus[device]->makeCurrent());
    BELFRY_CALL(*gpus[device], eventCreate, &made, kEventDisableTiming);
    mine.push_back(made);
  }
  return mine[usedEvents[device]++];
}

Status CudaExecutor::meet(Stream Gpu::*from, Stream Gpu::*to) {
  if (gpus.size() == 1 && from == to)
    return Status::success();
  std::vector<Event> reached;
  for (size_t d = 0; d < gpus.size(); ++d) {
    Expected<Event> mark = event(d);
    if (!mark.ok())
      return mark.status();
    BELFRY_RETURN_IF_ERROR(gpus[d]->makeCurrent());
    BELFRY_CALL(*gpus[d], eventRecord, *mark, (*gpus[d]).*from);
    reached.push_back(*mark);
  }
  for (const std::unique_ptr<Gpu> &gpu : gpus) {
    BELFRY_RETURN_IF_ERROR(gpu->makeCurrent());
    for (Event mark : reached)
      BELFRY_CALL(*gpu, streamWaitEvent, (*gpu).*to, mark, 0);
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// A batch
//===----------------------------------------------------------------------===//

/// Where a buffer of a tower is, which is one of the device's; for a phase that
/// runs once, the whole batch, or the first tower's of the device.
DevicePtr CudaExecutor::placeOf(size_t row, size_t device, int64_t tower,
                                bool once) const {
  const BufferInfo &buffer = function.buffers[row];
  const DeviceLayout &layout = plan.devices[device];
  const MemoryPlan::Slot &slot = plan.memory.slots[row];
  auto at = [&](int64_t offset) { return blocks[device].at(offset); };
  int64_t local = once ? 0 : tower - layout.towers.first;
  switch (slot.place) {
  case MemoryPlan::Place::DeviceArena:
    return at(layout.scratch + slot.offset);
  case MemoryPlan::Place::TowerArena:
    return at(layout.towerArenas[size_t(local)] + slot.offset);
  case MemoryPlan::Place::FirstTower:
    return at(layout.towerArenas[0] + slot.offset);
  case MemoryPlan::Place::SharedArena:
    return at(layout.shared + slot.offset);
  case MemoryPlan::Place::SharedRows:
    return at(layout.shared + slot.offset +
              (once ? 0 : buffer.bytes.perRow * ranges[size_t(tower)].first));
  case MemoryPlan::Place::External:
    break;
  }
  switch (buffer.kind) {
  case BufferKind::Parameter:
    return values[device].parameters[size_t(buffer.index)];
  case BufferKind::Slot:
    return values[device].slots[size_t(buffer.index)];
  case BufferKind::Seed:
    return at(layout.scalars + kSeedRow * kScalarStride);
  case BufferKind::Step:
    return at(layout.scalars + kStepRow * kScalarStride);
  case BufferKind::Hyper:
    return at(layout.scalars + (kHyperRow + buffer.index) * kScalarStride);
  default: {
    int64_t first = ranges[size_t(layout.towers.first)].first;
    int64_t ahead =
        once || buffer.shared ? 0 : ranges[size_t(tower)].first - first;
    return at(layout.externals[row] + buffer.bytes.perRow * ahead);
  }
  }
}

void CudaExecutor::bind() {
  for (size_t d = 0; d < gpus.size(); ++d) {
    const RowRange &mine = plan.devices[d].towers;
    tables[d].assign(size_t(mine.rows), {});
    auto fill = [&](std::vector<void *> &table, int64_t tower, bool once) {
      table.clear();
      for (size_t row = 0; row < function.buffers.size(); ++row)
        table.push_back(reinterpret_cast<void *>(placeOf(row, d, tower, once)));
    };
    for (int64_t i = 0; i < mine.rows; ++i)
      fill(tables[d][size_t(i)], mine.first + i, false);
    fill(onceTables[d], mine.first, true);
  }
}

void CudaExecutor::writeScalars(const StepArrays &arrays) {
  std::byte *base = scalars.data();
  std::memcpy(base + kSeedRow * kScalarStride, arrays.seed, 8);
  std::memcpy(base + kStepRow * kScalarStride, &arrays.step, 4);
  for (const BufferInfo &buffer : function.buffers) {
    if (buffer.kind != BufferKind::Hyper)
      continue;
    std::byte *place = base + (kHyperRow + buffer.index) * kScalarStride;
    storeElement(buffer.dtype, place, 0, arrays.hypers[size_t(buffer.index)]);
  }
}

const void *CudaExecutor::hostArray(const BufferInfo &buffer,
                                    const StepArrays &arrays) const {
  const std::vector<void *> *list = nullptr;
  switch (buffer.kind) {
  case BufferKind::Input:
    list = &arrays.inputs;
    break;
  case BufferKind::Target:
    list = &arrays.targets;
    break;
  case BufferKind::SampleWeight:
    list = &arrays.sampleWeights;
    break;
  case BufferKind::Output:
    list = &arrays.outputs;
    break;
  default:
    return nullptr;
  }
  return size_t(buffer.index) < list->size() ? (*list)[size_t(buffer.index)]
                                             : nullptr;
}

/// The rows of a buffer that a device has.
static RowRange rowsOfDevice(const std::vector<RowRange> &ranges,
                             const RowRange &towers, bool shared,
                             int64_t globalRows) {
  if (shared)
    return {0, globalRows};
  const RowRange &first = ranges[size_t(towers.first)],
                 &last = ranges[size_t(towers.first + towers.rows - 1)];
  return {first.first, last.first + last.rows - first.first};
}

/// Copies the inputs of a step to where they arrive on their devices.
Status CudaExecutor::sendInputs(const StepArrays &arrays,
                                const std::vector<RowRange> &towerRows,
                                int64_t used) {
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    const DeviceLayout &layout = plan.devices[d];
    // What was sent before has left the memory of the host.
    if (sent)
      BELFRY_RETURN_IF_ERROR(waitFor(arrived[d]));
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    for (size_t row = 0; row < function.buffers.size(); ++row) {
      const BufferInfo &buffer = function.buffers[row];
      const auto *from =
          static_cast<const std::byte *>(hostArray(buffer, arrays));
      if (!from || layout.incoming[row] < 0)
        continue;
      RowRange rows =
          rowsOfDevice(towerRows, layout.towers, buffer.shared, used);
      int64_t bytes = buffer.bytes.at(rows.rows);
      if (bytes == 0)
        continue;
      std::byte *pinned = rowBlocks[d].data() + rowOffsets[d][row];
      std::memcpy(pinned, from + buffer.bytes.perRow * rows.first,
                  size_t(bytes));
      BELFRY_CALL(gpu, memcpyHtoDAsync, blocks[d].at(layout.incoming[row]),
                  pinned, size_t(bytes), gpu.copies);
    }
    BELFRY_CALL(gpu, eventRecord, arrived[d], gpu.copies);
  }
  sent = true;
  return Status::success();
}

/// Puts what has arrived where the step reads it; no step is running.
Status CudaExecutor::takeInputs() {
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    const DeviceLayout &layout = plan.devices[d];
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    for (size_t row = 0; row < function.buffers.size(); ++row) {
      const BufferInfo &buffer = function.buffers[row];
      if (layout.incoming[row] < 0)
        continue;
      RowRange rows =
          rowsOfDevice(ranges, layout.towers, buffer.shared, globalRows);
      BELFRY_RETURN_IF_ERROR(
          gpu.copyFrom(blocks[d].at(layout.externals[row]), gpu,
                       blocks[d].at(layout.incoming[row]),
                       buffer.bytes.at(rows.rows), gpu.copies));
    }
    // The step runs as one graph on the first device's stream.
    Expected<Event> mark = event(d);
    if (!mark.ok())
      return mark.status();
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    BELFRY_CALL(gpu, eventRecord, *mark, gpu.copies);
    BELFRY_RETURN_IF_ERROR(gpus[0]->makeCurrent());
    BELFRY_CALL(*gpus[0], streamWaitEvent, gpus[0]->compute, *mark, 0);
  }
  return Status::success();
}

/// Rows of outputs come back after the step; `done` is at its end.
Status CudaExecutor::copyOutputs() {
  struct Part {
    std::byte *to;
    const std::byte *from;
    int64_t bytes;
  };
  std::vector<Part> parts;
  std::vector<Event> ends;
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    bool some = false;
    for (size_t row = 0; row < function.buffers.size(); ++row) {
      const BufferInfo &buffer = function.buffers[row];
      if (buffer.kind != BufferKind::Output || (buffer.shared && d > 0))
        continue;
      // The executor's caller gives arrays to write for outputs.
      auto *to = static_cast<std::byte *>(
          const_cast<void *>(hostArray(buffer, *running)));
      RowRange rows = rowsOfDevice(ranges, plan.devices[d].towers,
                                   buffer.shared, globalRows);
      int64_t bytes = buffer.bytes.at(rows.rows);
      if (!to || bytes == 0)
        continue;
      BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
      if (!some)
        BELFRY_CALL(gpu, streamWaitEvent, gpu.copies, done, 0);
      some = true;
      std::byte *pinned = rowBlocks[d].data() + rowOffsets[d][row];
      BELFRY_CALL(gpu, memcpyDtoHAsync, pinned,
                  blocks[d].at(plan.devices[d].externals[row]), size_t(bytes),
                  gpu.copies);
      parts.push_back({to + buffer.bytes.perRow * rows.first, pinned, bytes});
    }
    if (!some)
      continue;
    Expected<Event> mark = event(d);
    if (!mark.ok())
      return mark.status();
    BELFRY_CALL(gpu, eventRecord, *mark, gpu.copies);
    ends.push_back(*mark);
  }
  for (Event end : ends)
    BELFRY_RETURN_IF_ERROR(waitFor(end));
  for (const Part &part : parts)
    std::memcpy(part.to, part.from, size_t(part.bytes));
  return Status::success();
}

/// Asks all devices in turn, so that one that fails is heard of whatever the
/// others wait for.
Status CudaExecutor::waitFor(Event end) {
  for (int64_t round = 0;; ++round) {
    Result result = gpus[0]->driver().eventQuery(end);
    if (result == kSuccess)
      return Status::success();
    if (result != kNotReady)
      return gpus[0]->check(result, "cuEventQuery");
    for (const std::unique_ptr<Gpu> &gpu : gpus) {
      BELFRY_RETURN_IF_ERROR(gpu->makeCurrent());
      if (Result own = gpu->driver().streamQuery(gpu->compute);
          own != kSuccess && own != kNotReady)
        return gpu->check(own, "cuStreamQuery");
    }
    // A step of a small model takes tens of microseconds.
    if (round > 1000)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    else
      std::this_thread::yield();
  }
}

Status CudaExecutor::cut(int64_t rows, std::vector<RowRange> &towerRows,
                         int64_t &used) const {
  if (rows > plan.maxBatch)
    return Status::internal("a batch of " + std::to_string(rows) +
                            " rows, planned for " +
                            std::to_string(plan.maxBatch));
  Expected<std::vector<RowRange>> slices =
      sliceBatch(rows, towers, manifest.slicing);
  if (!slices.ok())
    return slices.status();
  towerRows = std::move(*slices);
  used = usedRows(rows, towers, manifest.slicing);
  return Status::success();
}

/// An error of a device says which step it was.
Status CudaExecutor::inStep(const Status &status) const {
  if (status.ok())
    return status;
  return Status::user(status.message() + ", at step " +
                      std::to_string(steps + 1) + " of this run");
}

Status CudaExecutor::begin(const StepArrays &arrays, int64_t rows) {
  BELFRY_RETURN_IF_ERROR(cut(rows, ranges, globalRows));
  running = &arrays;
  auto start = [&]() -> Status {
    Expected<GraphExec> graph = graphFor(globalRows);
    if (!graph.ok())
      return graph.status();
    // Those of a graph are in it.
    std::fill(usedEvents.begin(), usedEvents.end(), 0);
    writeScalars(arrays);
    if (stagedRows != rows)
      BELFRY_RETURN_IF_ERROR(sendInputs(arrays, ranges, globalRows));
    stagedRows = -1;
    BELFRY_RETURN_IF_ERROR(takeInputs());
    Gpu &first = *gpus[0];
    BELFRY_RETURN_IF_ERROR(first.makeCurrent());
    BELFRY_CALL(first, graphLaunch, *graph, first.compute);
    BELFRY_CALL(first, eventRecord, done, first.compute);
    return Status::success();
  };
  return inStep(start());
}

Status CudaExecutor::stage(const StepArrays &arrays, int64_t rows) {
  std::vector<RowRange> towerRows;
  int64_t used = 0;
  BELFRY_RETURN_IF_ERROR(cut(rows, towerRows, used));
  stagedRows = rows;
  return inStep(sendInputs(arrays, towerRows, used));
}

Status CudaExecutor::finish() {
  Status status = copyOutputs();
  if (status.ok())
    status = waitFor(done);
  BELFRY_RETURN_IF_ERROR(inStep(status));
  for (std::vector<std::byte> &one : fetched)
    one.clear();
  running = nullptr;
  ++steps;
  return Status::success();
}

const void *CudaExecutor::array(BufferKind kind, int64_t index) const {
  int64_t row = find(kind, index);
  if (row < 0)
    return nullptr;
  auto result =
      std::find(plan.results.begin(), plan.results.end(), size_t(row));
  if (result != plan.results.end())
    return results.data() + (result - plan.results.begin()) * 8;
  std::vector<std::byte> &copy = fetched[size_t(row)];
  if (copy.empty()) {
    const BufferInfo &buffer = function.buffers[size_t(row)];
    copy.resize(size_t(buffer.bytes.at(globalRows)));
    Gpu &gpu = *gpus[0];
    if (!gpu.makeCurrent().ok() ||
        gpu.driver().memcpyDtoH(
            copy.data(),
            reinterpret_cast<DevicePtr>(onceTables[0][size_t(row)]),
            copy.size()) != kSuccess)
      return nullptr;
  }
  return copy.data();
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

Expected<GraphExec> CudaExecutor::graphFor(int64_t rows) {
  auto known = graphs.find(rows);
  if (known != graphs.end())
    return known->second;
  Gpu &first = *gpus[0];
  if (graphs.size() >= kMostGraphs) {
    BELFRY_RETURN_IF_ERROR(first.makeCurrent());
    BELFRY_CALL(first, graphExecDestroy, graphs.begin()->second);
    graphs.erase(graphs.begin());
  }
  bind();
  std::fill(usedEvents.begin(), usedEvents.end(), 0);
  BELFRY_RETURN_IF_ERROR(first.makeCurrent());
  BELFRY_CALL(first, streamBeginCapture, first.compute, kCaptureThreadLocal);
  Status status = enqueueStep();
  Graph graph = nullptr;
  BELFRY_RETURN_IF_ERROR(first.makeCurrent());
  Result ended = first.driver().streamEndCapture(first.compute, &graph);
  if (status.ok())
    status = first.check(ended, "cuStreamEndCapture");
  GraphExec exec = nullptr;
  if (status.ok())
    status =
        first.check(first.driver().graphInstantiateWithFlags(&exec, graph, 0),
                    "cuGraphInstantiateWithFlags");
  if (graph)
    first.driver().graphDestroy(graph);
  if (!status.ok())
    return status;
  graphs[rows] = exec;
  return exec;
}

Status CudaExecutor::enqueueStep() {
  // All streams join the first one's capture.
  Expected<Event> start = event(0);
  if (!start.ok())
    return start.status();
  BELFRY_RETURN_IF_ERROR(gpus[0]->makeCurrent());
  BELFRY_CALL(*gpus[0], eventRecord, *start, gpus[0]->compute);
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    if (d > 0)
      BELFRY_CALL(gpu, streamWaitEvent, gpu.compute, *start, 0);
    BELFRY_CALL(gpu, memcpyHtoDAsync, blocks[d].at(plan.devices[d].scalars),
                scalars.data(), size_t(scalars.size()), gpu.compute);
  }
  const std::vector<ScheduleItem> &schedule = function.schedule;
  for (size_t i = 0; i < schedule.size(); ++i) {
    switch (schedule[i].kind) {
    case ScheduleItem::Phase:
      for (size_t d = 0; d < gpus.size(); ++d)
        BELFRY_RETURN_IF_ERROR(enqueuePhase(schedule[i], d));
      break;
    case ScheduleItem::AllReduce: {
      size_t last = i;
      while (last + 1 < schedule.size() &&
             schedule[last + 1].kind == ScheduleItem::AllReduce)
        ++last;
      BELFRY_RETURN_IF_ERROR(enqueueSums(i, last));
      i = last;
      break;
    }
    case ScheduleItem::AllGather:
      BELFRY_RETURN_IF_ERROR(enqueueGather(schedule[i]));
      break;
    }
  }
  BELFRY_RETURN_IF_ERROR(enqueueResults());
  return meet(&Gpu::compute, &Gpu::compute);
}

Status CudaExecutor::enqueuePhase(const ScheduleItem &item, size_t device) {
  Gpu &gpu = *gpus[device];
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  belfry_phase_args args = {};
  args.global_rows = globalRows;
  args.towers = int32_t(towers);
  args.context = gpu.launchContext();
  if (item.run == ScheduleItem::Once) {
    args.rows = globalRows;
    args.buffers = onceTables[device].data();
    program.phases[item.phase](&args);
    return gpu.takeLaunchStatus();
  }
  const RowRange &mine = plan.devices[device].towers;
  for (int64_t i = 0; i < mine.rows; ++i) {
    const RowRange &rows = ranges[size_t(mine.first + i)];
    args.tower = int32_t(mine.first + i);
    args.rows = rows.rows;
    args.row_offset = rows.first;
    args.buffers = tables[device][size_t(i)].data();
    program.phases[item.phase](&args);
  }
  return gpu.takeLaunchStatus();
}

/// Losses and metrics, side by side, to the host.
Status CudaExecutor::enqueueResults() {
  if (plan.results.empty())
    return Status::success();
  Gpu &gpu = *gpus[0];
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  DevicePtr block = blocks[0].at(plan.devices[0].results);
  for (size_t i = 0; i < plan.results.size(); ++i) {
    size_t row = plan.results[i];
    BELFRY_RETURN_IF_ERROR(gpu.copyFrom(
        block + i * 8, gpu, reinterpret_cast<DevicePtr>(onceTables[0][row]),
        int64_t(sizeOf(function.buffers[row].dtype)), gpu.compute));
  }
  BELFRY_CALL(gpu, memcpyDtoHAsync, results.data(), block,
              size_t(results.size()), gpu.compute);
  return Status::success();
}
