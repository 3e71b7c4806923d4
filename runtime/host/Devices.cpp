//===- Devices.cpp - device contexts on the host --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Devices.h"

#include "runtime/host/Context.h"
#include "runtime/host/Cores.h"
#include "runtime/host/FloatingPointMode.h"

#include <algorithm>
#include <system_error>

using namespace belfry::rt;

void Barrier::arriveAndWait() {
  uint32_t now = generation.load(std::memory_order_relaxed);
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == participants) {
    arrived.store(0, std::memory_order_relaxed);
    generation.store(now + 1, std::memory_order_release);
    generation.notify_all();
    return;
  }
  for (int i = 0; i < spins; ++i) {
    if (generation.load(std::memory_order_acquire) != now)
      return;
    pauseThread();
  }
  while (generation.load(std::memory_order_acquire) == now)
    generation.wait(now, std::memory_order_acquire);
}

DeviceGroup::DeviceGroup(int devices, int threadsPerDevice)
    : threads(threadsPerDevice), homeCores(allowedCores()),
      crowded(devices * threadsPerDevice > usableCores()), contexts(devices),
      sessions(devices), steps(devices, crowded), startLine(devices, crowded) {
  pinned = devices > 1 && size_t(devices) * threads == homeCores.size() &&
           usableCores() == int(homeCores.size());
  try {
    for (int device = 1; device < devices; ++device)
      workers.emplace_back([this, device] { serve(device); });
  } catch (const std::system_error &) {
    signal(2);
    for (std::thread &worker : workers)
      worker.join();
    throw;
  }
  signal(1);
  open(0);
  // All contexts are there when the constructor returns.
  if (devices > 1)
    startLine.arriveAndWait();
}

belfry_context *DeviceGroup::context(int device) const {
  return contexts[device].get();
}

DeviceGroup::~DeviceGroup() {
  start(nullptr, nullptr);
  for (std::thread &worker : workers)
    worker.join();
  if (pinned)
    pinThisThread(homeCores);
}

void DeviceGroup::open(int device) {
  if (pinned) {
    auto first = homeCores.begin() + size_t(device) * threads;
    pinThisThread(std::vector<int>(first, first + threads));
  }
  // Made here, so that its threads inherit the cores of the device.
  contexts[device] = std::make_unique<belfry_context>(
      threads, crowded, device == 0 ? (size() - 1) * threads : 0);
}

void DeviceGroup::signal(int newState) {
  state.store(newState, std::memory_order_release);
  state.notify_all();
}

void DeviceGroup::serve(int device) {
  state.wait(0, std::memory_order_acquire);
  if (state.load(std::memory_order_acquire) == 2)
    return;
  open(device);
  startLine.arriveAndWait();
  while (true) {
    startLine.arriveAndWait();
    if (!task)
      return;
    {
      FloatingPointScope mode;
      task(taskData, device);
    }
    startLine.arriveAndWait();
  }
}

void DeviceGroup::start(Task newTask, void *data) {
  task = newTask;
  taskData = data;
  if (size() > 1)
    startLine.arriveAndWait();
  if (!newTask)
    return;
  {
    FloatingPointScope mode;
    newTask(data, 0);
  }
  if (size() > 1)
    startLine.arriveAndWait();
}

void DeviceGroup::lend() {
  if (size() > 1)
    context(0)->pool()->open((size() - 1) * threads);
}

void DeviceGroup::takeBack() {
  if (size() > 1)
    context(0)->pool()->close();
}

void DeviceGroup::assist(int device) {
  struct Job {
    ParallelFor *pool;
    uint64_t session;
    int firstId;
  } job = {context(0)->pool(), ++sessions[size_t(device)].count,
           device * threads};
  context(device)->pool()->run(
      threads,
      [](void *arg, int64_t i) {
        auto *job = static_cast<Job *>(arg);
        job->pool->assist(job->session, job->firstId + int(i));
      },
      &job);
}

void DeviceGroup::runParts(int64_t count, int64_t least, Part part,
                           void *data) {
  int64_t parts = std::min<int64_t>(int64_t(size()) * threads,
                                    count / std::max<int64_t>(1, least));
  if (parts <= 1)
    return part(data, 0, count);
  struct Job {
    int64_t count, parts, first;
    Part part;
    void *data;
  };
  auto runOne = [](void *arg, int64_t tile) {
    auto *job = static_cast<Job *>(arg);
    int64_t i = job->first + tile;
    if (i < job->parts)
      job->part(job->data, job->count * i / job->parts,
                job->count * (i + 1) / job->parts);
  };
  run([&](int device) {
    Job job = {count, parts, int64_t(device) * threads, part, data};
    context(device)->pool()->run(threads, runOne, &job);
  });
}
