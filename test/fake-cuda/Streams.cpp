//===- Streams.cpp - streams and events -----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Captures.h"
#include "test/fake-cuda/Functions.h"

using namespace belfry::fake;

CUresult belfry::fake::cuStreamCreate(CUstream *stream, unsigned flags) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(stream && (flags & ~CU_STREAM_NON_BLOCKING) == 0,
            CUDA_ERROR_INVALID_VALUE);
    auto made = std::make_shared<Stream>();
    made->device = &call.current();
    made->blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
    made->number = ++call.driver.streamsMade;
    *stream = call.driver.streams.add(made);
  });
}

/// What is enqueued still runs.
CUresult belfry::fake::cuStreamDestroy_v2(CUstream handle) {
  return enter(__func__, kReleases, [&](Call &call) {
    require(reinterpret_cast<uintptr_t>(handle) > kPerThreadStream,
            CUDA_ERROR_INVALID_HANDLE);
    auto stream = call.driver.streams.get(handle);
    if (stream->capture)
      fatal("stream " + std::to_string(stream->number) + " is being captured");
    call.driver.streams.remove(handle);
    call.use(*stream->device);
  });
}

CUresult belfry::fake::cuStreamSynchronize(CUstream handle) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    auto stream = call.stream(handle);
    requireNotCaptured(*stream);
    call.wait(call.upTo(*stream), *stream->device);
  });
}

CUresult belfry::fake::cuStreamQuery(CUstream handle) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    auto stream = call.stream(handle);
    requireNotCaptured(*stream);
    require(call.query(call.upTo(*stream), *stream->device),
            CUDA_ERROR_NOT_READY);
  });
}

CUresult belfry::fake::cuStreamWaitEvent(CUstream handle, CUevent eventHandle,
                                         unsigned flags) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(flags == 0, CUDA_ERROR_INVALID_VALUE);
    auto stream = call.stream(handle);
    auto event = call.driver.events.get(eventHandle);
    call.use(*event->device);
    if (stream->capture || event->capture)
      waitInCapture(stream, *event);
    else if (event->recorded)
      stream->last.push_back(event->recorded);
  });
}

CUresult belfry::fake::cuLaunchHostFunc(CUstream handle, CUhostFn function,
                                        void *argument) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(function != nullptr, CUDA_ERROR_INVALID_VALUE);
    auto stream = call.stream(handle);
    Task task{Task::Kind::HostFunction,
              "a host function in stream " + std::to_string(stream->number),
              stream->device};
    task.work = [=] { function(argument); };
    call.enqueue(*stream, std::move(task));
  });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuEventCreate(CUevent *event, unsigned flags) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    constexpr unsigned kKnown =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
    require(event && (flags & ~kKnown) == 0, CUDA_ERROR_INVALID_VALUE);
    auto made = std::make_shared<Event>();
    made->device = &call.current();
    made->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *event = call.driver.events.add(std::move(made));
  });
}

CUresult belfry::fake::cuEventRecord(CUevent handle, CUstream streamHandle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto event = call.driver.events.get(handle);
    auto stream = call.stream(streamHandle);
    require(event->device == stream->device, CUDA_ERROR_INVALID_HANDLE);
    if (stream->capture) {
      // No node: what waits for the event comes after what is there now.
      require(stream->capture->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
      event->capture = stream->capture;
      event->nodes = stream->lastNodes;
      event->recorded = nullptr;
      return;
    }
    event->capture = nullptr;
    event->recorded = call.enqueue(
        *stream, Task{Task::Kind::Event,
                      "an event in stream " + std::to_string(stream->number),
                      stream->device});
  });
}

/// Events of a capture are no work that has been, or will be, done.
static void requireUncaptured(const Event &event) {
  if (!event.capture)
    return;
  if (!event.capture->ended)
    invalidate(*event.capture);
  throw Failure{CUDA_ERROR_CAPTURED_EVENT};
}

static OperationList operationsOf(const Event &event) {
  return event.recorded ? OperationList{event.recorded} : OperationList();
}

CUresult belfry::fake::cuEventQuery(CUevent handle) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    auto event = call.driver.events.get(handle);
    call.use(*event->device);
    requireUncaptured(*event);
    require(call.query(operationsOf(*event), *event->device),
            CUDA_ERROR_NOT_READY);
  });
}

CUresult belfry::fake::cuEventSynchronize(CUevent handle) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    auto event = call.driver.events.get(handle);
    call.use(*event->device);
    requireUncaptured(*event);
    call.wait(operationsOf(*event), *event->device);
  });
}

/// The host's time between the two: nothing is known of a GPU's.
static CUresult elapsedTime(const char *name, float *milliseconds,
                            CUevent startHandle, CUevent endHandle) {
  return enter(name, kOrdinary, [&](Call &call) {
    require(milliseconds != nullptr, CUDA_ERROR_INVALID_VALUE);
    auto start = call.driver.events.get(startHandle);
    auto end = call.driver.events.get(endHandle);
    requireUncaptured(*start);
    requireUncaptured(*end);
    require(start->device == end->device && start->timed && end->timed &&
                start->recorded && end->recorded,
            CUDA_ERROR_INVALID_HANDLE);
    require(start->recorded->state == Operation::State::Done &&
                end->recorded->state == Operation::State::Done,
            CUDA_ERROR_NOT_READY);
    *milliseconds =
        float((end->recorded->seconds - start->recorded->seconds) * 1e3);
  });
}

CUresult belfry::fake::cuEventElapsedTime(float *milliseconds, CUevent start,
                                          CUevent end) {
  return elapsedTime(__func__, milliseconds, start, end);
}

CUresult belfry::fake::cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                                             CUevent end) {
  return elapsedTime(__func__, milliseconds, start, end);
}

CUresult belfry::fake::cuEventDestroy_v2(CUevent handle) {
  return enter(__func__, kReleases, [&](Call &call) {
    auto event = call.driver.events.get(handle);
    call.driver.events.remove(handle);
    call.use(*event->device);
  });
}
