//===- Copies.cpp - memory, copies and memsets ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Captures.h"
#include "test/fake-cuda/Functions.h"

#include <cstring>

using namespace belfry::fake;

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}

static uint64_t address(const void *at) {
  return uint64_t(reinterpret_cast<uintptr_t>(at));
}

static std::string rangeText(uint64_t at, uint64_t bytes) {
  return std::to_string(bytes) + " bytes at " + hex(at);
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuMemGetInfo_v2(size_t *free, size_t *total) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(free && total, CUDA_ERROR_INVALID_VALUE);
    const Device &device = call.current();
    *free = device.memory - device.used;
    *total = device.memory;
  });
}

CUresult belfry::fake::cuMemAlloc_v2(CUdeviceptr *at, size_t bytes) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    require(at && bytes > 0, CUDA_ERROR_INVALID_VALUE);
    uint64_t made = call.driver.memory.allocate(&call.current(), bytes);
    require(made != 0, CUDA_ERROR_OUT_OF_MEMORY);
    *at = made;
  });
}

/// Waits for all that the device has to do, as the real one does.
CUresult belfry::fake::cuMemFree_v2(CUdeviceptr at) {
  return enter(__func__, kReleases | kUnsafeInCapture, [&](Call &call) {
    call.current();
    if (at == 0)
      return;
    Memory &memory = call.driver.memory;
    const Allocation *found = memory.find(at);
    if (!found && memory.wasReleased(at))
      fatal("the memory at " + hex(at) + " is freed twice");
    require(found && found->begin == at && found->device,
            CUDA_ERROR_INVALID_VALUE);
    Allocation allocation = *found;
    Device &device = *allocation.device;
    if (device.lost == CUDA_SUCCESS)
      call.driver.operations.wait(call.lock, call.allOf(device));
    // Another device may be at it, whom nobody waits for.
    OperationList users =
        call.driver.operations.touching(allocation.begin, allocation.end());
    for (const OperationPtr &user : users)
      if (user->task->device != &device &&
          user->task->device->lost == CUDA_SUCCESS &&
          device.lost == CUDA_SUCCESS)
        fatal("the " + rangeText(at, allocation.bytes) +
              " are freed while device " +
              std::to_string(user->task->device->ordinal) +
              " may use them: " + user->task->name);
    memory.release(allocation);
    call.use(device);
  });
}

CUresult belfry::fake::cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    constexpr unsigned kKnown = CU_MEMHOSTALLOC_PORTABLE |
                                CU_MEMHOSTALLOC_DEVICEMAP |
                                CU_MEMHOSTALLOC_WRITECOMBINED;
    require(at && bytes > 0 && (flags & ~kKnown) == 0,
            CUDA_ERROR_INVALID_VALUE);
    call.current();
    *at = pointer(call.driver.memory.allocate(nullptr, bytes));
  });
}

CUresult belfry::fake::cuMemFreeHost(void *at) {
  return enter(__func__, kReleases | kUnsafeInCapture, [&](Call &call) {
    require(at != nullptr, CUDA_ERROR_INVALID_VALUE);
    call.current();
    Memory &memory = call.driver.memory;
    const Allocation *found = memory.find(address(at));
    if (!found && memory.wasReleased(address(at)))
      fatal("the pinned memory at " + hex(address(at)) + " is freed twice");
    require(found && found->begin == address(at) && !found->device,
            CUDA_ERROR_INVALID_VALUE);
    Allocation allocation = *found;
    for (const OperationPtr &user :
         call.driver.operations.touching(allocation.begin, allocation.end()))
      if (user->task->device->lost == CUDA_SUCCESS)
        fatal("the pinned " + rangeText(address(at), allocation.bytes) +
              " are freed before anyone has waited for " + user->task->name);
    memory.release(allocation);
  });
}

//===----------------------------------------------------------------------===//
// What a copy may touch
//===----------------------------------------------------------------------===//

/// Of a device that `device` can reach.
static void checkDevice(const Call &call, uint64_t at, uint64_t bytes,
                        const Device &device) {
  const Memory &memory = call.driver.memory;
  const Allocation *found = memory.find(at);
  if (!found) {
    for (const auto &other : call.driver.devices)
      if (other->rangeBegin <= at && at < other->rangeBegin + other->rangeUsed)
        fatal(rangeText(at, bytes) + " of device " +
              std::to_string(other->ordinal) +
              " are not allocated, or are freed");
    throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
  if (!found->device)
    fatal(rangeText(at, bytes) + " are pinned memory, expected a device's");
  if (bytes > found->end() - at)
    fatal(rangeText(at, bytes) + " are beyond the " +
          rangeText(found->begin, found->bytes));
  if (found->device != &device && !device.peers.count(found->device))
    fatal(rangeText(at, bytes) + " are of device " +
          std::to_string(found->device->ordinal) + ", but device " +
          std::to_string(device.ordinal) + " is to copy them");
}

/// Whether memory of the host is pinned.
static bool checkHost(const Call &call, const void *at, uint64_t bytes) {
  require(at != nullptr, CUDA_ERROR_INVALID_VALUE);
  const Memory &memory = call.driver.memory;
  const Allocation *found = memory.find(address(at));
  if (!found) {
    for (const auto &device : call.driver.devices)
      if (address(at) - device->rangeBegin < device->rangeUsed)
        fatal(rangeText(address(at), bytes) +
              " are memory of a device, expected the host's");
    if (memory.wasReleased(address(at)))
      fatal(rangeText(address(at), bytes) + " were pinned and are freed");
    return false;
  }
  if (found->device)
    fatal(rangeText(address(at), bytes) +
          " are memory of a device, expected the host's");
  if (bytes > found->end() - address(at))
    fatal(rangeText(address(at), bytes) + " are beyond the pinned " +
          rangeText(found->begin, found->bytes));
  return true;
}

static Task copyTask(Device &device, uint64_t to, uint64_t from, uint64_t bytes,
                     Task::Direction direction, unsigned stream) {
  Task task{Task::Kind::Copy,
            std::string(currentCall) + " in stream " + std::to_string(stream),
            &device};
  task.work = [=] { std::memmove(pointer(to), pointer(from), bytes); };
  task.accesses = {{from, from + bytes, Access::Kind::Read},
                   {to, to + bytes, Access::Kind::Write}};
  task.direction = direction;
  task.bytes = bytes;
  return task;
}

static void checkPageable(Call &call, const Stream &stream, const void *at) {
  ++call.driver.report.pageableCopies;
  if (stream.capture)
    fatal("the host's memory at " + hex(address(at)) +
          " is not pinned, and the stream is captured");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuMemcpyHtoD_v2(CUdeviceptr to, const void *from,
                                       size_t bytes) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    Device &device = call.current();
    if (bytes == 0)
      return;
    checkDevice(call, to, bytes, device);
    checkHost(call, from, bytes);
    OperationPtr op = call.enqueue(*device.legacy,
                                   copyTask(device, to, address(from), bytes,
                                            Task::Direction::HostToDevice, 0));
    call.wait({op}, device);
  });
}

CUresult belfry::fake::cuMemcpyDtoH_v2(void *to, CUdeviceptr from,
                                       size_t bytes) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    Device &device = call.current();
    if (bytes == 0)
      return;
    checkDevice(call, from, bytes, device);
    checkHost(call, to, bytes);
    OperationPtr op = call.enqueue(*device.legacy,
                                   copyTask(device, address(to), from, bytes,
                                            Task::Direction::DeviceToHost, 0));
    call.wait({op}, device);
  });
}

/// What isn't pinned is read before the call returns.
CUresult belfry::fake::cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                            size_t bytes, CUstream handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto stream = call.stream(handle);
    if (bytes == 0)
      return;
    Device &device = *stream->device;
    checkDevice(call, to, bytes, device);
    bool pinned = checkHost(call, from, bytes);
    Task task = copyTask(device, to, address(from), bytes,
                         Task::Direction::HostToDevice, stream->number);
    if (!pinned) {
      checkPageable(call, *stream, from);
      auto *first = static_cast<const char *>(from);
      auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
      task.work = [=] { std::memcpy(pointer(to), staged->data(), bytes); };
      task.accesses.erase(task.accesses.begin());
    }
    call.enqueue(*stream, std::move(task));
  });
}

/// What isn't pinned is written before the call returns.
CUresult belfry::fake::cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from,
                                            size_t bytes, CUstream handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto stream = call.stream(handle);
    if (bytes == 0)
      return;
    Device &device = *stream->device;
    checkDevice(call, from, bytes, device);
    bool pinned = checkHost(call, to, bytes);
    if (!pinned)
      checkPageable(call, *stream, to);
    OperationPtr op = call.enqueue(
        *stream, copyTask(device, address(to), from, bytes,
                          Task::Direction::DeviceToHost, stream->number));
    if (!pinned)
      call.wait({op}, device);
  });
}

CUresult belfry::fake::cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                            size_t bytes, CUstream handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto stream = call.stream(handle);
    if (bytes == 0)
      return;
    Device &device = *stream->device;
    checkDevice(call, to, bytes, device);
    checkDevice(call, from, bytes, device);
    if (to < from + bytes && from < to + bytes)
      fatal("the " + rangeText(to, bytes) + " overlap those at " + hex(from));
    call.enqueue(*stream,
                 copyTask(device, to, from, bytes, Task::Direction::SameDevice,
                          stream->number));
  });
}

/// Needs no access of one device to the other: the driver stages then.
CUresult belfry::fake::cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                                         CUdeviceptr from,
                                         CUcontext fromContext, size_t bytes,
                                         CUstream handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto stream = call.stream(handle);
    require(toContext && fromContext, CUDA_ERROR_INVALID_CONTEXT);
    auto toDevice = call.driver.contexts.get(toContext);
    auto fromDevice = call.driver.contexts.get(fromContext);
    require(toDevice->retained > 0 && fromDevice->retained > 0,
            CUDA_ERROR_CONTEXT_IS_DESTROYED);
    if (stream->device != toDevice.get() && stream->device != fromDevice.get())
      fatal("a stream of device " + std::to_string(stream->device->ordinal) +
            " copies from device " + std::to_string(fromDevice->ordinal) +
            " to device " + std::to_string(toDevice->ordinal));
    if (bytes == 0)
      return;
    checkDevice(call, to, bytes, *toDevice);
    checkDevice(call, from, bytes, *fromDevice);
    call.use(*toDevice);
    call.use(*fromDevice);
    call.enqueue(*stream, copyTask(*stream->device, to, from, bytes,
                                   Task::Direction::Peer, stream->number));
  });
}

CUresult belfry::fake::cuMemsetD8Async(CUdeviceptr at, unsigned char value,
                                       size_t bytes, CUstream handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto stream = call.stream(handle);
    if (bytes == 0)
      return;
    checkDevice(call, at, bytes, *stream->device);
    Task task{Task::Kind::Memset,
              "cuMemsetD8Async in stream " + std::to_string(stream->number),
              stream->device};
    task.work = [=] { std::memset(pointer(at), value, bytes); };
    task.accesses = {{at, at + bytes, Access::Kind::Write}};
    task.bytes = bytes;
    call.enqueue(*stream, std::move(task));
  });
}
