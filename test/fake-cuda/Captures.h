//===- Captures.h - sequences of calls that become graphs ----- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_CAPTURES_H
#define BELFRY_TEST_FAKE_CUDA_CAPTURES_H

#include "test/fake-cuda/Driver.h"

namespace belfry::fake {

/// Adds a node after the last ones of a stream that is captured.
void addNode(Stream &stream, TaskPtr task);
/// From now on, calls on its streams fail.
void invalidate(Capture &capture);
/// The status that a stream shows.
CUstreamCaptureStatus statusOf(const Stream &stream);
/// Fails where `stream` is captured, which a call that waits for it or asks
/// for its state must not meet; the capture is invalid then.
void requireNotCaptured(const Stream &stream);

/// cuStreamWaitEvent where the stream or the event is part of a capture.
void waitInCapture(const std::shared_ptr<Stream> &stream, const Event &event);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_CAPTURES_H
