//===- Batch.cpp - the global batch of a step -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Batch.h"

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

void gatherAll(const Feed &feed, const std::vector<int64_t> *order,
               int64_t first, int64_t rows, std::vector<Storage> &target) {
  for (size_t i = 0; i < feed.size(); ++i)
    feed.gather(i, order ? order->data() + first : nullptr, first, rows,
                target[i].data());
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

void Batch::gather(const DataSet &data, const std::vector<int64_t> *order,
                   int64_t first, int64_t rows) {
  gatherAll(data.inputs, order, first, rows, inputs);
  gatherAll(data.targets, order, first, rows, targets);
  gatherAll(data.sampleWeights, order, first, rows, sampleWeights);
}

void Batch::bind(StepArrays &arrays) const {
  bindAll(inputs, arrays.inputs);
  bindAll(targets, arrays.targets);
  bindAll(sampleWeights, arrays.sampleWeights);
  bindAll(outputs, arrays.outputs);
}
