//===- Batch.cpp - the global batch of a step -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Batch.h"

#include <algorithm>

using namespace belfry::rt;

namespace {

size_t rowBytes(const TensorInfo &info) {
  return size_t(info.rowElements()) * sizeOf(info.dtype);
}

std::vector<Storage> storageFor(const Feed &feed, int64_t rows) {
  std::vector<Storage> storage;
  for (size_t i = 0; i < feed.size(); ++i)
    storage.emplace_back(rowBytes(feed.info(i)) * size_t(rows));
  return storage;
}

/// A part of a gather that is worth a thread, in bytes.
constexpr int64_t kPartBytes = int64_t(1) << 15;

void gatherAll(DeviceGroup &devices, const Feed &feed,
               const std::vector<int64_t> *order, int64_t first, int64_t rows,
               std::vector<Storage> &target) {
  for (size_t i = 0; i < feed.size(); ++i) {
    auto bytes = int64_t(rowBytes(feed.info(i)));
    devices.forParts(rows, kPartBytes / std::max<int64_t>(1, bytes) + 1,
                     [&](int64_t begin, int64_t end) {
                       feed.gather(
                           i, order ? order->data() + first + begin : nullptr,
                           first + begin, end - begin,
                           target[i].data() + begin * bytes);
                     });
  }
}

void bindAll(const std::vector<Storage> &storage, std::vector<void *> &list) {
  list.clear();
  for (const Storage &one : storage)
    list.push_back(one.data());
}

} // namespace

Batch::Batch(const DataSet &data, const std::vector<TensorInfo> &outputInfos,
             int64_t maxRows)
    : inputs(storageFor(data.inputs, maxRows)),
      targets(storageFor(data.targets, maxRows)),
      sampleWeights(storageFor(data.sampleWeights, maxRows)) {
  for (const TensorInfo &info : outputInfos)
    outputs.emplace_back(rowBytes(info) * size_t(maxRows));
}

void Batch::gather(DeviceGroup &devices, const DataSet &data,
                   const std::vector<int64_t> *order, int64_t first,
                   int64_t rows) {
  gatherAll(devices, data.inputs, order, first, rows, inputs);
  gatherAll(devices, data.targets, order, first, rows, targets);
  gatherAll(devices, data.sampleWeights, order, first, rows, sampleWeights);
}

void Batch::bind(StepArrays &arrays) const {
  bindAll(inputs, arrays.inputs);
  bindAll(targets, arrays.targets);
  bindAll(sampleWeights, arrays.sampleWeights);
  bindAll(outputs, arrays.outputs);
}
