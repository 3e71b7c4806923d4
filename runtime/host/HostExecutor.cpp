//===- HostExecutor.cpp - runs the schedule of a function -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostExecutor.h"

#include "runtime/collectives/local/TreeReduce.h"
#include "runtime/host/Context.h"
#include "runtime/host/OpProfile.h"

#include <algorithm>

using namespace belfry::rt;

namespace {

/// Rows of the table of scalars: seed, step, then the hyperparameters.
constexpr size_t kSeedRow = 0, kStepRow = 1, kHyperRow = 2;
constexpr size_t kScalarStride = 64;

/// Parameters that are worth the threads of all devices for a tower that has
/// rows alone: those of small models stay near one core, and what is computed
/// with them for a row takes no longer than to hand it out.
constexpr int64_t kShareBytes = int64_t(1) << 20;

/// What a thread needs of rows, of a tower that works on some of them at a
/// time, and the scratch that stays near: beyond it more rows at a time are
/// slower.
constexpr int64_t kRowsOfAThread = 64;
constexpr int64_t kNearBytes = int64_t(4) << 20;

/// Elements of an all-reduce that one thread adds up at least.
constexpr int64_t kReduceChunk = 1024;

/// Adds the time until its end to `to`, unless that is null.
class Stopwatch {
public:
  explicit Stopwatch(double *to) : to(to), start(to ? OpProfile::now() : 0) {}
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;
  ~Stopwatch() {
    if (to)
      *to += double(OpProfile::now() - start) * 1e-9;
  }

private:
  double *to;
  int64_t start;
};

} // namespace

HostExecutor::HostExecutor(const belfry_program_v2 &program,
                           const Manifest &manifest,
                           const FunctionInfo &function, DeviceGroup &devices,
                           int64_t towers, int64_t maxBatch)
    : Executor(function), program(program), manifest(manifest),
      devices(devices), towers(towers), maxBatch(maxBatch),
      plan(planMemory(function,
                      maxTowerRows(maxBatch, towers, manifest.slicing),
                      maxBatch)),
      barriers(placeBarriers(function, plan,
                             maxTowerRows(maxBatch, towers, manifest.slicing),
                             maxBatch)),
      blocks(assignTowers(towers, devices.size())), deviceOf(towers),
      sharedArena(size_t(plan.shared.total)),
      scalars((kHyperRow + manifest.optimizer.hypers.size()) * kScalarStride),
      tables(towers + 1, std::vector<void *>(function.buffers.size())) {
  for (int device = 0; device < devices.size(); ++device) {
    deviceArenas.emplace_back(size_t(plan.device.total));
    const RowRange &block = blocks[device];
    for (int64_t i = 0; i < block.rows; ++i) {
      deviceOf[block.first + i] = device;
      towerArenas.emplace_back(size_t(plan.tower.total));
    }
  }
  for (const BufferInfo &buffer : function.buffers)
    if (buffer.kind == BufferKind::Parameter)
      parameterBytes += buffer.bytes.fixed;
  planReductions();
  planRowParts();
}

/// A function of one phase a tower gives rows of outputs and nothing else, each
/// from its own row of the inputs, or towers would not give what one device
/// does. So a tower may take its rows a few at a time, and what it makes of
/// them stays in the caches.
void HostExecutor::planRowParts() {
  auto ofRows = [](const BufferInfo &buffer) {
    switch (buffer.kind) {
    case BufferKind::Output:
      return !buffer.shared && buffer.bytes.fixed == 0;
    case BufferKind::Input:
    case BufferKind::Scratch:
      return !buffer.shared || buffer.bytes.perRow == 0;
    case BufferKind::Parameter:
    case BufferKind::Seed:
    case BufferKind::Step:
      return true;
    default:
      return false;
    }
  };
  if (function.schedule.size() != 1 ||
      function.schedule[0].run != ScheduleItem::PerTower ||
      !std::all_of(function.buffers.begin(), function.buffers.end(), ofRows))
    return;
  int64_t most = maxTowerRows(maxBatch, towers, manifest.slicing);
  int64_t rowBytes = plan.device.total / std::max<int64_t>(most, 1);
  partTables.resize(size_t(devices.size()), tables[0]);
  nearRows = kNearBytes / std::max<int64_t>(rowBytes, 1);
}

void *HostExecutor::external(const BufferInfo &buffer, const StepArrays &arrays,
                             int64_t firstRow) {
  auto row = [&](const std::vector<void *> &list) -> void * {
    auto *base = size_t(buffer.index) < list.size()
                     ? static_cast<std::byte *>(list[buffer.index])
                     : nullptr;
    return base ? base + buffer.bytes.perRow * firstRow : nullptr;
  };
  switch (buffer.kind) {
  case BufferKind::Input:
    return row(arrays.inputs);
  case BufferKind::Target:
    return row(arrays.targets);
  case BufferKind::SampleWeight:
    return row(arrays.sampleWeights);
  case BufferKind::Output:
    return row(arrays.outputs);
  case BufferKind::Parameter:
    return arrays.parameters[buffer.index];
  case BufferKind::Slot:
    return arrays.slots[buffer.index];
  case BufferKind::Seed:
    return scalars.data() + kSeedRow * kScalarStride;
  case BufferKind::Step:
    return scalars.data() + kStepRow * kScalarStride;
  case BufferKind::Hyper:
    return scalars.data() + (kHyperRow + buffer.index) * kScalarStride;
  default:
    return nullptr;
  }
}

void HostExecutor::bind(const StepArrays &arrays, int64_t rows) {
  globalRows = rows;
  std::memcpy(scalars.data() + kSeedRow * kScalarStride, arrays.seed, 8);
  std::memcpy(scalars.data() + kStepRow * kScalarStride, &arrays.step, 4);
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    const BufferInfo &buffer = function.buffers[i];
    if (buffer.kind == BufferKind::Hyper) {
      std::byte *place =
          scalars.data() + (kHyperRow + buffer.index) * kScalarStride;
      storeElement(buffer.dtype, place, 0, arrays.hypers[buffer.index]);
    }
    // The table after the towers' is that of the phases which run once: they
    // see the whole batch, and the first tower's copy of what each tower has.
    for (int64_t table = 0; table <= towers; ++table) {
      bool once = table == towers;
      int64_t tower = once ? 0 : table;
      int64_t offset = plan.slots[i].offset;
      void *place = nullptr;
      switch (plan.slots[i].place) {
      case MemoryPlan::Place::External:
        place = external(buffer, arrays,
                         once || buffer.shared ? 0 : ranges[tower].first);
        break;
      case MemoryPlan::Place::DeviceArena:
        place = deviceArenas[deviceOf[tower]].data() + offset;
        break;
      case MemoryPlan::Place::TowerArena:
        place = towerArenas[tower].data() + offset;
        break;
      case MemoryPlan::Place::FirstTower:
        place = towerArenas[0].data() + offset;
        break;
      case MemoryPlan::Place::SharedArena:
        place = sharedArena.data() + offset;
        break;
      case MemoryPlan::Place::SharedRows:
        place = sharedArena.data() + offset +
                buffer.bytes.perRow * (once ? 0 : ranges[tower].first);
        break;
      }
      tables[table][i] = place;
    }
  }
  for (Reduction &reduction : reductions) {
    for (size_t tower = 0; tower < reduction.from.size(); ++tower)
      reduction.from[tower] = tables[tower][reduction.item->from];
    for (size_t tower = 0; tower < reduction.to.size(); ++tower)
      reduction.to[tower] = tables[tower][reduction.item->to];
  }
}

Status HostExecutor::begin(const StepArrays &arrays, int64_t rows) {
  if (rows > maxBatch)
    return Status::internal("a batch of " + std::to_string(rows) +
                            " rows, planned for " + std::to_string(maxBatch));
  Expected<std::vector<RowRange>> cut =
      sliceBatch(rows, towers, manifest.slicing);
  if (!cut.ok())
    return cut.status();
  ranges = std::move(*cut);
  bind(arrays, usedRows(rows, towers, manifest.slicing));
  // A tower that has rows alone has the threads of all devices, too.
  auto hasRows = [](const RowRange &range) { return range.rows > 0; };
  towersInTurn = devices.size() > 1 && parameterBytes >= kShareBytes &&
                 std::count_if(ranges.begin(), ranges.end(), hasRows) == 1;
  devices.run([this](int device) { runOnDevice(device); });
  return Status::success();
}

void HostExecutor::measure(StepTimes *into) {
  times = into;
  if (times) {
    times->collectives.resize(size_t(devices.size()));
    times->waits.resize(size_t(devices.size()));
  }
}

void HostExecutor::runOnDevice(int device) {
  double *collectives = times ? &times->collectives[size_t(device)] : nullptr;
  double *waits = times ? &times->waits[size_t(device)] : nullptr;
  for (size_t i = 0; i < function.schedule.size(); ++i) {
    const ScheduleItem &item = function.schedule[i];
    switch (item.kind) {
    case ScheduleItem::Phase:
      runPhase(item, device);
      break;
    case ScheduleItem::AllReduce: {
      Stopwatch watch(collectives);
      i = reduce(i, device);
      break;
    }
    case ScheduleItem::AllGather: {
      Stopwatch watch(collectives);
      gather(item, device);
      break;
    }
    }
    if (barriers[i]) {
      Stopwatch watch(waits);
      devices.barrier();
    }
  }
}

/// What is the same for all towers of a device.
belfry_phase_args HostExecutor::phaseArgs(int device) const {
  belfry_phase_args args = {};
  args.global_rows = globalRows;
  args.towers = int32_t(towers);
  args.context = devices.context(device);
  return args;
}

void HostExecutor::runPhase(const ScheduleItem &item, int device) {
  if (item.run == ScheduleItem::Once)
    return devices.together(device, [&] {
      belfry_phase_args args = phaseArgs(device);
      args.rows = globalRows;
      args.buffers = tables[towers].data();
      program.phases[item.phase](&args);
    });
  if (towersInTurn)
    return devices.together(device,
                            [&] { runTowers(item, device, {0, towers}); });
  runTowers(item, device, blocks[device]);
}

void HostExecutor::runTowers(const ScheduleItem &item, int device,
                             const RowRange &which) {
  belfry_phase_args args = phaseArgs(device);
  for (int64_t tower = which.first; tower < which.first + which.rows; ++tower) {
    args.tower = int32_t(tower);
    int64_t parts = rowParts(ranges[tower].rows);
    for (int64_t part = 0; part < parts; ++part) {
      RowRange rows = partOf(ranges[tower], part, parts);
      args.rows = rows.rows;
      args.row_offset = rows.first;
      args.buffers = partTable(tower, device, rows.first);
      program.phases[item.phase](&args);
    }
  }
}

/// How many parts a tower cuts its rows into, of which each serves its threads.
int64_t HostExecutor::rowParts(int64_t rows) const {
  if (partTables.empty())
    return 1;
  // Nothing is written but rows.
  if (rows == 0)
    return 0;
  int64_t threads =
      devices.threadsPerDevice() * (towersInTurn ? devices.size() : 1);
  return std::max<int64_t>(rows / std::max(nearRows, kRowsOfAThread * threads),
                           1);
}

/// A part of rows, cut at multiples of those of a product's tile.
RowRange HostExecutor::partOf(const RowRange &range, int64_t part,
                              int64_t parts) {
  auto cut = [&](int64_t at) {
    return at == parts ? range.rows : range.rows * at / parts / 8 * 8;
  };
  return {range.first + cut(part), cut(part + 1) - cut(part)};
}

/// The tower's buffer table, for rows of the batch from `first` on.
void **HostExecutor::partTable(int64_t tower, int device, int64_t first) {
  int64_t ahead = first - ranges[tower].first;
  if (ahead == 0)
    return tables[tower].data();
  std::vector<void *> &table = partTables[size_t(device)];
  for (size_t i = 0; i < table.size(); ++i) {
    const BufferInfo &buffer = function.buffers[i];
    void *place = tables[tower][i];
    bool rows = place && !buffer.shared &&
                plan.slots[i].place == MemoryPlan::Place::External;
    table[i] =
        rows ? static_cast<std::byte *>(place) + buffer.bytes.perRow * ahead
             : place;
  }
  return table.data();
}

void HostExecutor::planReductions() {
  size_t items = function.schedule.size();
  for (const ScheduleItem &item : function.schedule) {
    Reduction &reduction = reductions.emplace_back(Reduction{&item, {}, {}});
    if (item.kind != ScheduleItem::AllReduce)
      continue;
    reduction.from.resize(size_t(towers));
    reduction.to.resize(function.buffers[item.to].shared ? 1 : size_t(towers));
  }
  for (int device = 0; device < devices.size(); ++device) {
    std::vector<Share> &mine = shares.emplace_back();
    std::vector<belfry_loop> &loops = shareLoops.emplace_back();
    for (size_t i = 0; i < items; ++i) {
      const ScheduleItem &item = function.schedule[i];
      auto [first, last] =
          elementShare(item.kind == ScheduleItem::AllReduce ? item.count : 0,
                       device, devices.size());
      mine.push_back({&reductions[i], first, last});
    }
    for (const Share &share : mine)
      loops.push_back(
          {reducePart, &share,
           (share.last - share.first + kReduceChunk - 1) / kReduceChunk,
           kReduceChunk * 4 * (towers + 1), 1});
  }
}

void HostExecutor::reducePart(const void *arg, int64_t begin, int64_t end) {
  const auto &share = *static_cast<const Share *>(arg);
  const Reduction &reduction = *share.reduction;
  treeReduce(reduction.item->reduce, reduction.item->dtype, reduction.from,
             reduction.to, share.first + begin * kReduceChunk,
             std::min(share.last, share.first + end * kReduceChunk));
}

/// The device's share of the all-reduce `first` and of those after it that no
/// barrier parts from it. Returns the last one.
size_t HostExecutor::reduce(size_t first, int device) {
  size_t last = first;
  while (!barriers[last] && last + 1 < function.schedule.size() &&
         function.schedule[last + 1].kind == ScheduleItem::AllReduce)
    ++last;
  belfry_parallel_for(devices.context(device), int64_t(last - first) + 1,
                      &shareLoops[size_t(device)][first]);
  return last;
}

void HostExecutor::gather(const ScheduleItem &item, int device) {
  int64_t unit = item.perRow * item.inner * int64_t(sizeOf(item.dtype));
  const RowRange &block = blocks[device];
  for (int64_t tower = block.first; tower < block.first + block.rows; ++tower) {
    auto *from = static_cast<const std::byte *>(tables[tower][item.from]);
    auto *to = static_cast<std::byte *>(tables[tower][item.to]);
    const RowRange &rows = ranges[tower];
    if (rows.rows == 0 || unit == 0)
      continue;
    for (int64_t o = 0; o < item.outer; ++o)
      std::memcpy(to + (o * globalRows + rows.first) * unit,
                  from + o * rows.rows * unit, size_t(rows.rows * unit));
  }
}

const void *HostExecutor::array(BufferKind kind, int64_t index) const {
  int64_t row = find(kind, index);
  return row < 0 ? nullptr : tables[towers][size_t(row)];
}
