//===- Exchange.cpp - sums over towers and gathered rows ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device d of D adds the d-th share of the elements of a sum:
//
//   1. all devices have their towers' arrays;
//   2. device d copies its share of the towers of other devices, and adds all
//      towers in the order of the tree;
//   3. all devices have their shares;
//   4. device d copies the shares of the others.
//
// In step 2 a device writes nothing but its own share of its own target, which
// no other device reads before step 4.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaExecutor.h"

#include "runtime/collectives/local/TreeReduce.h"

#include <algorithm>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

namespace {

const char *textOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Min:
    return "min";
  }
  return "";
}

} // namespace

Status CudaExecutor::planSums() {
  // Places of what is summed don't depend on the rows of a batch.
  ranges.assign(size_t(towers), {});
  auto add = [&](ReduceKind reduce, DType dtype, int64_t count) -> Sum & {
    Sum &sum = sums.emplace_back();
    sum.reduce = reduce;
    sum.dtype = dtype;
    sum.count = count;
    sum.targets.resize(gpus.size());
    return sum;
  };
  for (size_t i = 0; i < plan.buckets.size(); ++i) {
    auto [offset, bytes] = plan.memory.buckets[i];
    const Bucket &bucket = plan.buckets[i];
    Sum &sum =
        add(bucket.reduce, bucket.dtype, bytes / int64_t(sizeOf(bucket.dtype)));
    for (int64_t tower = 0; tower < towers; ++tower) {
      size_t d = deviceOf[size_t(tower)];
      const DeviceLayout &layout = plan.devices[d];
      sum.from.push_back(blocks[d].at(
          layout.towerArenas[size_t(tower - layout.towers.first)] + offset));
    }
    for (size_t d = 0; d < gpus.size(); ++d)
      sum.targets[d] = {blocks[d].at(plan.devices[d].towerArenas[0] + offset)};
  }
  for (size_t index : plan.single) {
    const ScheduleItem &item = function.schedule[index];
    Sum &sum = add(item.reduce, item.dtype, item.count);
    bool shared = function.buffers[size_t(item.to)].shared;
    for (int64_t tower = 0; tower < towers; ++tower) {
      size_t d = deviceOf[size_t(tower)];
      sum.from.push_back(placeOf(size_t(item.from), d, tower, false));
      if (!shared || sum.targets[d].empty())
        sum.targets[d].push_back(placeOf(size_t(item.to), d, tower, false));
    }
  }
  for (size_t i = 0; i < sums.size(); ++i)
    BELFRY_RETURN_IF_ERROR(writeLists(sums[i], i));
  return Status::success();
}

/// The lists of arrays that the kernel of a sum reads, on each device. A staged
/// array is given by where its first element would be.
Status CudaExecutor::writeLists(Sum &sum, size_t number) {
  std::string kernel = "towers_" + std::string(textOf(sum.reduce)) + "_" +
                       std::string(nameOf(sum.dtype));
  sum.kernel = gpus[0]->kernel(kernel);
  if (sum.kernel < 0)
    return Status::internal("the program has no kernel '" + kernel + "'");
  auto size = int64_t(sizeOf(sum.dtype));
  for (size_t d = 0; d < gpus.size(); ++d) {
    const DeviceLayout &layout = plan.devices[d];
    RowRange share = plan.shareOf(sum.count, d);
    int64_t staged = CudaPlan::stagedBytes(share, sum.dtype);
    DevicePtr next = blocks[d].at(layout.staging);
    std::vector<DevicePtr> list;
    for (int64_t tower = 0; tower < towers; ++tower) {
      if (deviceOf[size_t(tower)] == d) {
        list.push_back(sum.from[size_t(tower)]);
        continue;
      }
      list.push_back(next - uint64_t(share.first * size));
      next += uint64_t(staged);
    }
    list.insert(list.end(), sum.targets[d].begin(), sum.targets[d].end());
    DevicePtr place =
        blocks[d].at(layout.lists + plan.listBytes() * int64_t(number));
    sum.fromLists.push_back(place);
    sum.toLists.push_back(place + uint64_t(towers) * sizeof(DevicePtr));
    BELFRY_RETURN_IF_ERROR(gpus[d]->makeCurrent());
    BELFRY_CALL(*gpus[d], memcpyHtoD, place, list.data(),
                list.size() * sizeof(DevicePtr));
  }
  return Status::success();
}

/// The device's share, on its stream for exchanges.
Status CudaExecutor::enqueueShare(const Sum &sum, size_t device) {
  Gpu &gpu = *gpus[device];
  RowRange share = plan.shareOf(sum.count, device);
  if (share.rows == 0)
    return Status::success();
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  auto size = int64_t(sizeOf(sum.dtype));
  int64_t staged = CudaPlan::stagedBytes(share, sum.dtype);
  DevicePtr next = blocks[device].at(plan.devices[device].staging);
  for (int64_t tower = 0; tower < towers; ++tower) {
    size_t source = deviceOf[size_t(tower)];
    if (source == device)
      continue;
    BELFRY_RETURN_IF_ERROR(
        gpu.copyFrom(next, *gpus[source],
                     sum.from[size_t(tower)] + uint64_t(share.first * size),
                     share.rows * size, gpu.exchange));
    next += uint64_t(staged);
  }
  const belfry_kernel &kernel = gpu.code().kernels[sum.kernel];
  const uint64_t words[] = {sum.fromLists[device], uint64_t(towers),
                            sum.toLists[device],   sum.targets[device].size(),
                            uint64_t(share.first), uint64_t(share.rows)};
  int64_t blocksOfGrid = (share.rows + kernel.threads - 1) / kernel.threads;
  return gpu.launch(sum.kernel, blocksOfGrid, words, gpu.exchange, "");
}

/// The shares of the other devices.
Status CudaExecutor::shareSum(const Sum &sum, size_t device) {
  Gpu &gpu = *gpus[device];
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  auto size = int64_t(sizeOf(sum.dtype));
  for (size_t other = 0; other < gpus.size(); ++other) {
    RowRange share = plan.shareOf(sum.count, other);
    if (other == device || share.rows == 0)
      continue;
    uint64_t ahead = uint64_t(share.first * size);
    for (DevicePtr target : sum.targets[device])
      BELFRY_RETURN_IF_ERROR(gpu.copyFrom(target + ahead, *gpus[other],
                                          sum.targets[other].front() + ahead,
                                          share.rows * size, gpu.exchange));
  }
  return Status::success();
}

Status CudaExecutor::enqueueSums(size_t first, size_t last) {
  BELFRY_RETURN_IF_ERROR(meet(&Gpu::compute, &Gpu::exchange));
  auto isHere = [&](size_t item) { return first <= item && item <= last; };
  for (size_t i = 0; i < sums.size(); ++i) {
    bool here = i < plan.buckets.size()
                    ? isHere(plan.buckets[i].items.front())
                    : isHere(plan.single[i - plan.buckets.size()]);
    if (here)
      BELFRY_RETURN_IF_ERROR(enqueueSum(sums[i]));
  }
  return meet(&Gpu::exchange, &Gpu::compute);
}

Status CudaExecutor::enqueueSum(const Sum &sum) {
  for (size_t d = 0; d < gpus.size(); ++d)
    BELFRY_RETURN_IF_ERROR(enqueueShare(sum, d));
  if (gpus.size() == 1)
    return Status::success();
  BELFRY_RETURN_IF_ERROR(meet(&Gpu::exchange, &Gpu::exchange));
  for (size_t d = 0; d < gpus.size(); ++d)
    BELFRY_RETURN_IF_ERROR(shareSum(sum, d));
  // The room for staged arrays is used again, and targets may be sources.
  return meet(&Gpu::exchange, &Gpu::exchange);
}

/// Every device gets the rows of all towers.
Status CudaExecutor::enqueueGather(const ScheduleItem &item) {
  int64_t unit = item.perRow * item.inner * int64_t(sizeOf(item.dtype));
  BELFRY_RETURN_IF_ERROR(meet(&Gpu::compute, &Gpu::exchange));
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    for (int64_t tower = 0; tower < towers; ++tower) {
      const RowRange &rows = ranges[size_t(tower)];
      if (rows.rows == 0 || unit == 0)
        continue;
      size_t source = deviceOf[size_t(tower)];
      DevicePtr from = placeOf(size_t(item.from), source, tower, false),
                to = placeOf(size_t(item.to), d, plan.devices[d].towers.first,
                             false);
      for (int64_t o = 0; o < item.outer; ++o)
        BELFRY_RETURN_IF_ERROR(
            gpu.copyFrom(to + uint64_t((o * globalRows + rows.first) * unit),
                         *gpus[source], from + uint64_t(o * rows.rows * unit),
                         rows.rows * unit, gpu.exchange));
    }
  }
  return meet(&Gpu::exchange, &Gpu::compute);
}
