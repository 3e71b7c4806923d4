//===- Executor.cpp - what all executors do -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Executor.h"

#include <cstring>

using namespace belfry::rt;

namespace {

/// Rows of the block of scalars: seed, step, then the hyperparameters.
constexpr int64_t kSeedRow = 0, kStepRow = 1, kHyperRow = 2;
constexpr int64_t kScalarStride = 64;

} // namespace

int64_t belfry::rt::scalarBytesOf(const Manifest &manifest) {
  return kScalarStride *
         (kHyperRow + int64_t(manifest.optimizer.hypers.size()));
}

int64_t Executor::scalarOffset(const BufferInfo &buffer) {
  switch (buffer.kind) {
  case BufferKind::Step:
    return kStepRow * kScalarStride;
  case BufferKind::Hyper:
    return (kHyperRow + buffer.index) * kScalarStride;
  default:
    return kSeedRow * kScalarStride;
  }
}

void Executor::writeScalars(const StepArrays &arrays, std::byte *block) const {
  std::memcpy(block + kSeedRow * kScalarStride, arrays.seed, 8);
  std::memcpy(block + kStepRow * kScalarStride, &arrays.step, 4);
  for (const BufferInfo &buffer : function.buffers) {
    if (buffer.kind != BufferKind::Hyper)
      continue;
    storeElement(buffer.dtype, block + scalarOffset(buffer), 0,
                 arrays.hypers[size_t(buffer.index)]);
  }
}

void *Executor::rowsOf(const BufferInfo &buffer, const StepArrays &arrays) {
  auto one = [&](const std::vector<void *> &list) -> void * {
    return size_t(buffer.index) < list.size() ? list[size_t(buffer.index)]
                                              : nullptr;
  };
  switch (buffer.kind) {
  case BufferKind::Input:
    return one(arrays.inputs);
  case BufferKind::Target:
    return one(arrays.targets);
  case BufferKind::SampleWeight:
    return one(arrays.sampleWeights);
  case BufferKind::Output:
    return one(arrays.outputs);
  default:
    return nullptr;
  }
}

Status Executor::cut(int64_t rows, std::vector<RowRange> &ranges,
                     int64_t &used) const {
  if (rows > maxBatch)
    return Status::internal("a batch of " + std::to_string(rows) +
                            " rows, planned for " + std::to_string(maxBatch));
  Expected<std::vector<RowRange>> slices =
      sliceBatch(rows, towers, manifest.slicing);
  if (!slices.ok())
    return slices.status();
  ranges = std::move(*slices);
  used = usedRows(rows, towers, manifest.slicing);
  return Status::success();
}

int64_t Executor::find(BufferKind kind, int64_t index) const {
  for (size_t row = 0; row < function.buffers.size(); ++row)
    if (function.buffers[row].kind == kind &&
        function.buffers[row].index == index)
      return int64_t(row);
  return -1;
}

double Executor::scalar(BufferKind kind, int64_t index) const {
  int64_t row = find(kind, index);
  const void *place = row < 0 ? nullptr : array(kind, index);
  if (!place)
    return 0;
  return loadElement(function.buffers[size_t(row)].dtype, place, 0);
}
