//===- CudaPlan.cpp - the memory of a function on each GPU ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaExecutor.h"

#include "runtime/collectives/local/TreeReduce.h"

#include <algorithm>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

namespace {

bool isRowArray(BufferKind kind) {
  return kind == BufferKind::Input || kind == BufferKind::Target ||
         kind == BufferKind::SampleWeight || kind == BufferKind::Output;
}

bool isResult(BufferKind kind) {
  return kind == BufferKind::Loss || kind == BufferKind::MetricTotal ||
         kind == BufferKind::MetricCount || kind == BufferKind::GradientScale;
}

} // namespace

int64_t CudaPlan::rowsOn(const BufferInfo &buffer, size_t device) const {
  return buffer.shared ? maxBatch : deviceRows[device];
}

int64_t CudaPlan::listBytes() const {
  return alignOnDevice(2 * towers * int64_t(sizeof(DevicePtr)));
}

RowRange CudaPlan::shareOf(int64_t count, size_t device) const {
  auto [first, last] =
      elementShare(count, int64_t(device), int64_t(devices.size()));
  return {first, last - first};
}

int64_t CudaPlan::stagedBytes(const RowRange &share, DType dtype) {
  return alignOnDevice(share.rows * int64_t(sizeOf(dtype)));
}

/// Bytes of the largest share of a sum, of all towers of other devices.
int64_t CudaPlan::stagingBytes(size_t device) const {
  int64_t remote = towers - devices[device].towers.rows, most = 0;
  auto note = [&](int64_t count, DType dtype) {
    most = std::max(most, remote * stagedBytes(shareOf(count, device), dtype));
  };
  for (size_t i = 0; i < buckets.size(); ++i)
    note(memory.buckets[i].second / int64_t(sizeOf(buckets[i].dtype)),
         buckets[i].dtype);
  for (size_t item : single)
    note(function.schedule[item].count, function.schedule[item].dtype);
  return most;
}

CudaPlan::CudaPlan(const Manifest &manifest, const FunctionInfo &function,
                   int64_t towers, int64_t numDevices, int64_t maxBatch)
    : function(function), towers(towers), maxBatch(maxBatch),
      buckets(bucketsOf(function)),
      memory(planMemory(function,
                        maxTowerRows(maxBatch, towers, manifest.slicing),
                        maxBatch, buckets)),
      slicing(manifest.slicing) {
  int64_t towerRows = maxTowerRows(maxBatch, towers, slicing);
  std::vector<bool> inBucket(function.schedule.size(), false);
  for (const Bucket &bucket : buckets)
    for (size_t item : bucket.items)
      inBucket[item] = true;
  for (size_t i = 0; i < function.schedule.size(); ++i)
    if (function.schedule[i].kind == ScheduleItem::AllReduce && !inBucket[i])
      single.push_back(i);
  for (size_t row = 0; row < function.buffers.size(); ++row)
    if (isResult(function.buffers[row].kind))
      results.push_back(row);
  for (const RowRange &block : assignTowers(towers, numDevices)) {
    devices.emplace_back().towers = block;
    deviceRows.push_back(std::min(maxBatch, towerRows * block.rows));
  }
  for (size_t d = 0; d < devices.size(); ++d) {
    DeviceLayout &layout = devices[d];
    auto place = [&](int64_t bytes) {
      int64_t at = layout.total;
      layout.total += alignOnDevice(bytes);
      return at;
    };
    layout.scratch = place(memory.device.total);
    layout.shared = place(memory.shared.total);
    for (int64_t tower = 0; tower < layout.towers.rows; ++tower)
      layout.towerArenas.push_back(place(memory.tower.total));
    for (const BufferInfo &buffer : function.buffers) {
      bool rows = isRowArray(buffer.kind);
      int64_t bytes = rows ? buffer.bytes.at(rowsOn(buffer, d)) : 0;
      layout.externals.push_back(rows ? place(bytes) : -1);
      bool comes = rows && buffer.kind != BufferKind::Output;
      layout.incoming.push_back(comes ? place(bytes) : -1);
    }
    layout.scalars = place(scalarBytesOf(manifest));
    layout.results = place(int64_t(results.size()) * 8);
    layout.lists = place(listBytes() * int64_t(numSums()));
    layout.staging = place(stagingBytes(d));
  }
}
