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

/// A part of a gather that is worth a thread, in bytes.
constexpr int64_t kPartBytes = int64_t(1) << 15;

} // namespace

void Batch::gather(DeviceGroup &devices, const Feed &feed,
                   const std::vector<int64_t> *order, int64_t first,
                   int64_t count, Role &role) const {
  role.copies.resize(feed.size());
  role.rows.assign(feed.size(), nullptr);
  for (size_t i = 0; i < feed.size(); ++i) {
    const std::byte *there = order ? nullptr : feed.inPlace(i, first);
    if (there) {
      role.rows[i] = there;
      continue;
    }
    auto bytes = int64_t(rowBytes(feed.info(i)));
    Storage &target = role.copies[i];
    if (!target.data())
      target = Storage(size_t(bytes * maxRows));
    devices.forParts(count, kPartBytes / std::max<int64_t>(1, bytes) + 1,
                     [&](int64_t begin, int64_t end) {
                       feed.gather(
                           i, order ? order->data() + first + begin : nullptr,
                           first + begin, end - begin,
                           target.data() + begin * bytes);
                     });
    role.rows[i] = target.data();
  }
}

Batch::Batch(const std::vector<TensorInfo> &outputInfos, int64_t maxRows)
    : maxRows(maxRows) {
  for (const TensorInfo &info : outputInfos)
    outputs.emplace_back(rowBytes(info) * size_t(maxRows));
}

void Batch::gather(DeviceGroup &devices, const DataSet &data,
                   const std::vector<int64_t> *order, int64_t first,
                   int64_t rows) {
  gather(devices, data.inputs, order, first, rows, inputs);
  gather(devices, data.targets, order, first, rows, targets);
  gather(devices, data.sampleWeights, order, first, rows, sampleWeights);
}

void Batch::bind(StepArrays &arrays) const {
  auto bind = [](const Role &role, std::vector<void *> &list) {
    list.clear();
    // Programs read these arrays only.
    for (const std::byte *rows : role.rows)
      list.push_back(const_cast<std::byte *>(rows));
  };
  bind(inputs, arrays.inputs);
  bind(targets, arrays.targets);
  bind(sampleWeights, arrays.sampleWeights);
  arrays.outputs.clear();
  for (const Storage &one : outputs)
    arrays.outputs.push_back(one.data());
}
