//===- Call.cpp - a call of the driver, from its entry to its result ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"

#include "test/fake-cuda/Captures.h"

#include <utility>

using namespace belfry::fake;

Device &Call::current() {
  require(currentDevice != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  require(currentDevice->retained > 0, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  use(*currentDevice);
  return *currentDevice;
}

void Call::use(const Device &device) {
  if (device.lost == CUDA_SUCCESS)
    return;
  require((rules & kReleases) != 0, device.lost);
  released = device.lost;
}

std::shared_ptr<Stream> Call::stream(CUstream handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  if (value == kPerThreadStream)
    fatal("CU_STREAM_PER_THREAD is not emulated");
  std::shared_ptr<Stream> stream;
  if (value == 0 || value == kLegacyStream)
    stream = current().legacy;
  else
    stream = driver.streams.get(handle);
  if (stream->device->retained == 0)
    fatal("the context of the stream's device " +
          std::to_string(stream->device->ordinal) + " is released");
  use(*stream->device);
  return stream;
}

Fault Call::takeFault() {
  Fault taken;
  if (fault.kind == Fault::Kind::Async || fault.kind == Fault::Kind::Hang)
    std::swap(taken, fault);
  return taken;
}

OperationList Call::before(const Stream &stream) {
  const Device &device = *stream.device;
  OperationList after = stream.last;
  if (&stream == device.legacy.get()) {
    // In step with all blocking streams of the context.
    for (const auto &[handle, other] : driver.streams.all())
      if (other->device == &device && other->blocking) {
        if (other->capture) {
          invalidate(*other->capture);
          throw Failure{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT};
        }
        after.insert(after.end(), other->last.begin(), other->last.end());
      }
  } else if (stream.blocking) {
    after.insert(after.end(), device.legacy->last.begin(),
                 device.legacy->last.end());
  }
  return after;
}

OperationList Call::upTo(const Stream &stream) {
  return &stream == stream.device->legacy.get() ? before(stream) : stream.last;
}

OperationPtr Call::submit(TaskPtr task, const OperationList &after) {
  driver.report.submitted(*task);
  OperationPtr op = driver.operations.submit(task, after);
  return task->join ? task->join(op) : op;
}

OperationPtr Call::enqueue(Stream &stream, Task task) {
  if (task.fault.kind == Fault::Kind::None)
    task.fault = takeFault();
  auto shared = std::make_shared<const Task>(std::move(task));
  if (stream.capture) {
    addNode(stream, std::move(shared));
    return nullptr;
  }
  OperationPtr op = submit(std::move(shared), before(stream));
  stream.last = {op};
  return op;
}

void Call::throwErrorOf(Device &device) {
  use(device);
  CUresult pending = std::exchange(device.pending, CUDA_SUCCESS);
  require(pending == CUDA_SUCCESS, pending);
}

void Call::wait(const OperationList &operations, Device &device) {
  driver.operations.wait(lock, operations);
  throwErrorOf(device);
}

bool Call::query(const OperationList &operations, Device &device) {
  bool done = driver.operations.query(lock, operations);
  throwErrorOf(device);
  return done;
}

OperationList Call::allOf(const Device &device) const {
  OperationList all = driver.operations.active(&device);
  all.insert(all.end(), device.legacy->last.begin(), device.legacy->last.end());
  for (const auto &[handle, stream] : driver.streams.all())
    if (stream->device == &device)
      all.insert(all.end(), stream->last.begin(), stream->last.end());
  return all;
}

CUresult Call::finish(CUresult result) {
  if (result == CUDA_SUCCESS)
    result = released;
  if (fault.kind == Fault::Kind::Call) {
    result = CUresult(fault.code);
    if (fault.sticky)
      for (const auto &device : driver.devices)
        if (!currentDevice || currentDevice == device.get())
          device->fail(result, /*sticky=*/true);
  } else if (fault.kind != Fault::Kind::None && result == CUDA_SUCCESS) {
    fatal("BELFRY_FAKE_CUDA_FAIL has a fault for what this call enqueues, "
          "but it enqueued nothing");
  }
  driver.operations.runAhead(lock);
  return result;
}
