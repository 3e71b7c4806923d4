//===- Captures.cpp - sequences of calls that become graphs ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "Creating a Graph Using Stream Capture" of the CUDA C++ Programming Guide,
// and the comments of cuda.h on cuStreamBeginCapture and
// cuThreadExchangeStreamCaptureMode. Calls that the comments name only by
// example as unsafe are all refused: those that allocate, load or wait.
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Captures.h"

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Functions.h"

#include <algorithm>

using namespace belfry::fake;

void belfry::fake::addNode(Stream &stream, TaskPtr task) {
  Capture &capture = *stream.capture;
  require(capture.valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  capture.nodes.push_back({std::move(task), stream.lastNodes});
  stream.lastNodes = {capture.nodes.size() - 1};
}

void belfry::fake::invalidate(Capture &capture) { capture.valid = false; }

CUstreamCaptureStatus belfry::fake::statusOf(const Stream &stream) {
  if (!stream.capture)
    return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream.capture->valid ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                               : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

void belfry::fake::requireNotCaptured(const Stream &stream) {
  if (!stream.capture)
    return;
  invalidate(*stream.capture);
  throw Failure{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
}

void belfry::fake::checkSafety(Driver &driver) {
  if (captureMode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return;
  bool forbidden = false;
  for (const auto &capture : driver.captures) {
    bool own = capture->thread == std::this_thread::get_id() &&
               capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    bool foreign = captureMode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (own || foreign) {
      invalidate(*capture);
      forbidden = true;
    }
  }
  require(!forbidden, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

//===----------------------------------------------------------------------===//
// Forks and joins
//===----------------------------------------------------------------------===//

void belfry::fake::waitInCapture(const std::shared_ptr<Stream> &stream,
                                 const Event &event) {
  if (!event.capture) {
    // Work from before, or from beside, the capture.
    if (!event.recorded)
      return;
    invalidate(*stream->capture);
    throw Failure{CUDA_ERROR_STREAM_CAPTURE_ISOLATION};
  }
  require(!event.capture->ended, CUDA_ERROR_CAPTURED_EVENT);
  require(event.capture->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (!stream->capture) {
    if (stream == stream->device->legacy) {
      invalidate(*event.capture);
      throw Failure{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT};
    }
    stream->capture = event.capture;
    stream->lastNodes = event.nodes;
    event.capture->streams.push_back(stream);
    return;
  }
  require(stream->capture->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (stream->capture != event.capture) {
    invalidate(*stream->capture);
    invalidate(*event.capture);
    throw Failure{CUDA_ERROR_STREAM_CAPTURE_MERGE};
  }
  for (size_t node : event.nodes)
    if (std::find(stream->lastNodes.begin(), stream->lastNodes.end(), node) ==
        stream->lastNodes.end())
      stream->lastNodes.push_back(node);
}

/// Whether each node of the capture comes before, or is, one of `last`. What a
/// stream was forked off and never brought back hangs loose.
static bool isJoined(const Capture &capture, const std::vector<size_t> &last) {
  std::vector<bool> reached(capture.nodes.size());
  std::vector<size_t> stack = last;
  while (!stack.empty()) {
    size_t node = stack.back();
    stack.pop_back();
    if (reached[node])
      continue;
    reached[node] = true;
    const std::vector<size_t> &after = capture.nodes[node].after;
    stack.insert(stack.end(), after.begin(), after.end());
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

static void endCapture(Driver &driver,
                       const std::shared_ptr<Capture> &capture) {
  capture->ended = true;
  for (const std::shared_ptr<Stream> &stream : capture->streams) {
    stream->capture = nullptr;
    stream->lastNodes.clear();
  }
  capture->streams.clear();
  std::erase(driver.captures, capture);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuStreamBeginCapture_v2(CUstream handle,
                                               CUstreamCaptureMode mode) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
                mode <= CU_STREAM_CAPTURE_MODE_RELAXED,
            CUDA_ERROR_INVALID_VALUE);
    auto stream = call.stream(handle);
    require(stream != stream->device->legacy,
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    auto capture = std::make_shared<Capture>();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = stream.get();
    capture->streams = {stream};
    stream->capture = capture;
    stream->lastNodes.clear();
    call.driver.captures.push_back(std::move(capture));
  });
}

CUresult belfry::fake::cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  return enter(__func__, kReleases, [&](Call &call) {
    require(graph != nullptr, CUDA_ERROR_INVALID_VALUE);
    auto stream = call.stream(handle);
    *graph = nullptr;
    std::shared_ptr<Capture> capture = stream->capture;
    require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    require(capture->origin == stream.get(),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    require(capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
                capture->thread == std::this_thread::get_id(),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    bool joined = isJoined(*capture, stream->lastNodes);
    endCapture(call.driver, capture);
    require(capture->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    require(joined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (call.isFailing())
      return;
    auto made = std::make_shared<Graph>();
    made->nodes = std::move(capture->nodes);
    *graph = call.driver.graphs.add(std::move(made));
  });
}

CUresult belfry::fake::cuStreamIsCapturing(CUstream handle,
                                           CUstreamCaptureStatus *status) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(status != nullptr, CUDA_ERROR_INVALID_VALUE);
    auto stream = call.stream(handle);
    if (stream == stream->device->legacy)
      for (const auto &[value, other] : call.driver.streams.all())
        require(other->device != stream->device || !other->blocking ||
                    !other->capture,
                CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    *status = statusOf(*stream);
  });
}

CUresult
belfry::fake::cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return enter(__func__, kOrdinary, [&](Call &) {
    require(mode && *mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
                *mode <= CU_STREAM_CAPTURE_MODE_RELAXED,
            CUDA_ERROR_INVALID_VALUE);
    std::swap(*mode, captureMode);
  });
}
