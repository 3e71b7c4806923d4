//===- CaptureTest.cpp - captures and graphs ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <thread>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

constexpr auto kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr auto kThread = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

/// Ends a capture that has to be good, and makes it executable.
CUgraphExec finish(CUstream stream, size_t nodes) {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  size_t count = 0;
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, nodes);
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphDestroy(graph)); // the executable one is a copy
  return exec;
}

/// Ends one that is bad.
void expectEnd(CUstream stream, CUresult expected) {
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), expected);
  EXPECT_EQ(graph, nullptr);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  OK(cuStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

class Graphs : public testing::TestWithParam<const char *> {
protected:
  Variables seed(const char *devices = "1") const {
    return {{"SEED", GetParam()}, {"DEVICES", devices}};
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Graphs, testing::Values("0", "3", "8"));

TEST_P(Graphs, DoAtEachLaunchWhatWasCaptured) {
  expectClean(seed(), [] {
    Session s;
    CUstream stream = s.stream();
    CUfunction kernel = s.kernel("increment");
    CUdeviceptr a = s.alloc(4);
    float *host = s.pin<float>(2);
    host[0] = 1;
    OK(cuStreamBeginCapture_v2(stream, kGlobal));
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(stream, &status));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemcpyHtoDAsync_v2(a, host, 4, stream));
    for (int i = 0; i < 3; ++i)
      OK(increment(kernel, stream, a, a, 1));
    OK(cuMemcpyDtoHAsync_v2(host, a, 4, stream));
    OK(cuMemcpyDtoHAsync_v2(host + 1, a, 4, stream));
    CUgraphExec exec = finish(stream, 6);
    EXPECT_EQ(host[0], 1); // nothing ran
    OK(cuGraphUpload(exec, stream));
    for (int i = 0; i < 4; ++i)
      OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(host[0], 13);
    EXPECT_EQ(host[1], 13);
    OK(cuGraphExecDestroy(exec));
  });
}

// Launches of one graph come one after the other, in whatever streams.
TEST_P(Graphs, LaunchesComeAfterThemselves) {
  expectClean(seed(), [] {
    Session s;
    CUstream first = s.stream(), second = s.stream();
    CUfunction kernel = s.kernel("increment");
    CUdeviceptr a = s.alloc(4);
    float *host = s.pin<float>(1);
    OK(cuMemsetD8Async(a, 0, 4, first));
    OK(cuStreamSynchronize(first));
    OK(cuStreamBeginCapture_v2(first, kThread));
    OK(increment(kernel, first, a, a, 1));
    OK(cuMemcpyDtoHAsync_v2(host, a, 4, first));
    CUgraphExec exec = finish(first, 2);
    for (int i = 0; i < 5; ++i)
      OK(cuGraphLaunch(exec, i % 2 ? first : second));
    OK(cuCtxSynchronize());
    EXPECT_EQ(*host, 5);
    OK(cuGraphExecDestroy(exec));
  });
}

// Fork to a second stream and a second device, and join.
TEST_P(Graphs, ForkAndJoin) {
  expectClean(seed("2"), [] {
    Session s(2);
    CUstream main = s.stream(), side = s.stream();
    CUevent forked = s.event(), joined = s.event();
    CUdeviceptr a = s.alloc(4), b = s.alloc(4);
    float *host = s.pin<float>(2);
    s.use(1);
    CUstream far = s.stream();
    CUevent farJoined = s.event();
    CUdeviceptr c = s.alloc(4);
    s.use(0);
    CUfunction kernel = s.kernel("increment");
    CUfunction farKernel = s.kernel("increment", 1);
    host[0] = 1;

    OK(cuStreamBeginCapture_v2(main, kGlobal));
    OK(cuMemcpyHtoDAsync_v2(a, host, 4, main));
    OK(cuEventRecord(forked, main));
    OK(cuStreamWaitEvent(side, forked, 0));
    OK(cuStreamWaitEvent(far, forked, 0));
    OK(increment(kernel, side, b, a, 1));
    OK(cuEventRecord(joined, side));
    s.use(1);
    OK(cuMemcpyPeerAsync(c, s.context(1), a, s.context(0), 4, far));
    OK(increment(farKernel, far, c, c, 1));
    OK(increment(farKernel, far, c, c, 1));
    OK(cuMemcpyDtoHAsync_v2(host + 1, c, 4, far));
    OK(cuEventRecord(farJoined, far));
    s.use(0);
    OK(cuStreamWaitEvent(main, joined, 0));
    OK(cuStreamWaitEvent(main, farJoined, 0));
    OK(increment(kernel, main, b, b, 1));
    OK(cuMemcpyDtoHAsync_v2(host, b, 4, main));
    CUgraphExec exec = finish(main, 8);
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(far, &status));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);

    OK(cuGraphLaunch(exec, main));
    OK(cuGraphLaunch(exec, main));
    OK(cuStreamSynchronize(main));
    EXPECT_EQ(host[0], 5);
    EXPECT_EQ(host[1], 5); // of what the first launch left in host[0]
    OK(cuGraphExecDestroy(exec));
  });
}

//===----------------------------------------------------------------------===//
// What a capture must not do
//===----------------------------------------------------------------------===//

TEST(Captures, HaveToBeJoined) {
  expectClean({}, [] {
    Session s;
    CUstream main = s.stream(), side = s.stream();
    CUevent event = s.event();
    CUdeviceptr a = s.alloc(4);
    OK(cuStreamBeginCapture_v2(main, kGlobal));
    OK(cuEventRecord(event, main));
    OK(cuStreamWaitEvent(side, event, 0));
    OK(cuMemsetD8Async(a, 0, 4, side));
    expectEnd(main, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    OK(cuMemsetD8Async(a, 0, 4, side)); // an ordinary stream again
    // Once more, but without work in it.
    OK(cuStreamBeginCapture_v2(main, kGlobal));
    OK(cuEventRecord(event, main));
    OK(cuStreamWaitEvent(side, event, 0));
    OK(cuGraphExecDestroy(finish(main, 0)));
  });
}

TEST(Captures, EndWhereTheyBegan) {
  expectClean({}, [] {
    Session s;
    CUstream main = s.stream(), side = s.stream();
    CUevent event = s.event();
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(main, &graph), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, kGlobal),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    OK(cuStreamBeginCapture_v2(main, kThread));
    EXPECT_EQ(cuStreamBeginCapture_v2(main, kThread), CUDA_ERROR_ILLEGAL_STATE);
    OK(cuEventRecord(event, main));
    OK(cuStreamWaitEvent(side, event, 0));
    EXPECT_EQ(cuStreamEndCapture(side, &graph),
              CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    std::thread([&] {
      EXPECT_EQ(cuStreamEndCapture(main, &graph),
                CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }).join();
    OK(cuGraphExecDestroy(finish(main, 0)));
    OK(cuStreamBeginCapture_v2(main, kRelaxed));
    std::thread([&] {
      OK(cuStreamEndCapture(main, &graph));
      OK(cuGraphDestroy(graph));
    }).join();
  });
}

/// A call that ends a capture with `error`, and then what the stream says.
void expectRefused(CUresult error,
                   const std::function<CUresult(Session &, CUstream)> &call,
                   CUstreamCaptureMode mode = kGlobal, unsigned flags = 1) {
  expectClean({}, [&] {
    Session s;
    CUstream stream = s.stream(flags);
    OK(cuStreamBeginCapture_v2(stream, mode));
    EXPECT_EQ(call(s, stream), error);
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(stream, &status));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(cuLaunchHostFunc(
                  stream, [](void *) {}, nullptr),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    expectEnd(stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  });
}

TEST(Captures, RefuseToWait) {
  for (auto mode : {kGlobal, kThread, kRelaxed}) {
    auto synchronize = [](Session &, CUstream stream) {
      return cuStreamSynchronize(stream);
    };
    auto query = [](Session &, CUstream stream) {
      return cuStreamQuery(stream);
    };
    auto context = [](Session &, CUstream) { return cuCtxSynchronize(); };
    expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, synchronize, mode);
    expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, query, mode);
    expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, context, mode);
  }
  expectRefused(
      CUDA_ERROR_CAPTURED_EVENT,
      [](Session &s, CUstream stream) {
        CUevent event = s.event();
        OK(cuEventRecord(event, stream));
        return cuEventSynchronize(event);
      },
      kRelaxed);
}

TEST(Captures, RefuseWhatIsUnsafe) {
  auto allocate = [](Session &, CUstream) {
    CUdeviceptr a = 0;
    return cuMemAlloc_v2(&a, 4);
  };
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, allocate, kGlobal);
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, allocate, kThread);
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                [](Session &, CUstream) { return cuMemFree_v2(0); });
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, [](Session &, CUstream) {
    CUmodule module = nullptr;
    return cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr);
  });
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, [](Session &, CUstream) {
    int host = 0;
    return cuMemcpyHtoD_v2(0, &host, 4);
  });
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                [&](Session &s, CUstream stream) {
                  CUresult result = CUDA_SUCCESS;
                  std::thread([&] {
                    s.use(0);
                    result = allocate(s, stream);
                  }).join();
                  return result;
                });
}

TEST(Captures, AllowWhatTheModeSays) {
  expectClean({}, [] {
    Session s;
    CUstream stream = s.stream();
    OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    s.alloc(4);
    OK(cuGraphExecDestroy(finish(stream, 0)));
    OK(cuStreamBeginCapture_v2(stream, kThread));
    std::thread([&] {
      s.use(0);
      s.alloc(4);
    }).join();
    OK(cuGraphExecDestroy(finish(stream, 0)));
    OK(cuStreamBeginCapture_v2(stream, kGlobal));
    CUstreamCaptureMode mode = kRelaxed;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kGlobal);
    s.alloc(4);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kRelaxed);
    OK(cuGraphExecDestroy(finish(stream, 0)));
    mode = CUstreamCaptureMode(3);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Captures, RefuseTheLegacyStream) {
  auto use = [](Session &, CUstream) {
    return cuLaunchHostFunc(nullptr, [](void *) {}, nullptr);
  };
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, use, kRelaxed, 0);
  expectClean({},
              [&] { // which a stream that doesn't block has nothing to do with
                Session s;
                CUstream stream = s.stream();
                OK(cuStreamBeginCapture_v2(stream, kRelaxed));
                OK(use(s, stream));
                OK(cuGraphExecDestroy(finish(stream, 0)));
              });
  expectRefused(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                [](Session &s, CUstream stream) {
                  CUevent event = s.event();
                  OK(cuEventRecord(event, stream));
                  return cuStreamWaitEvent(nullptr, event, 0);
                });
}

TEST(Captures, DependOnNothingElse) {
  expectClean({}, [] {
    Session s;
    CUstream first = s.stream(), second = s.stream();
    CUevent event = s.event();
    OK(cuStreamBeginCapture_v2(first, kGlobal));
    OK(cuStreamWaitEvent(first, event, 0)); // never recorded: nothing
    OK(cuEventRecord(event, second));
    EXPECT_EQ(cuStreamWaitEvent(first, event, 0),
              CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    expectEnd(first, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    // Two captures stay two.
    OK(cuStreamBeginCapture_v2(first, kGlobal));
    OK(cuStreamBeginCapture_v2(second, kGlobal));
    OK(cuEventRecord(event, first));
    EXPECT_EQ(cuStreamWaitEvent(second, event, 0),
              CUDA_ERROR_STREAM_CAPTURE_MERGE);
    expectEnd(first, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    expectEnd(second, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    // An event of a capture that is over.
    EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_ERROR_CAPTURED_EVENT);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  });
}

TEST(Captures, WantPinnedMemory) {
  expectAbort({}, "is not pinned, and the stream is captured", [] {
    Session s;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    int host = 0;
    OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    (void)cuMemcpyHtoDAsync_v2(a, &host, 4, stream);
  });
}

TEST(Captures, KeepTheirStream) {
  expectAbort({}, "cuStreamDestroy_v2: stream 1 is being captured", [] {
    Session s;
    CUstream stream = s.stream();
    OK(cuStreamBeginCapture_v2(stream, kGlobal));
    (void)cuStreamDestroy_v2(stream);
  });
}

TEST(GraphLaunches, FindTheirMemory) {
  expectAbort({}, "the graph has cuMemsetD8Async in stream 1, whose memory",
              [] {
                Session s;
                CUstream stream = s.stream();
                CUdeviceptr a = 0;
                OK(cuMemAlloc_v2(&a, 4));
                OK(cuStreamBeginCapture_v2(stream, kGlobal));
                OK(cuMemsetD8Async(a, 0, 4, stream));
                CUgraphExec exec = finish(stream, 1);
                OK(cuMemFree_v2(a));
                (void)cuGraphLaunch(exec, stream);
              });
}

// Two nodes that no edge puts in order.
TEST(GraphLaunches, AreCheckedForRaces) {
  expectAbort({}, "races with", [] {
    Session s;
    CUstream main = s.stream(), side = s.stream();
    CUevent event = s.event(), joined = s.event();
    CUdeviceptr a = s.alloc(4);
    OK(cuStreamBeginCapture_v2(main, kGlobal));
    OK(cuEventRecord(event, main));
    OK(cuStreamWaitEvent(side, event, 0));
    OK(cuMemsetD8Async(a, 0, 4, main));
    OK(cuMemsetD8Async(a, 1, 4, side));
    OK(cuEventRecord(joined, side));
    OK(cuStreamWaitEvent(main, joined, 0));
    (void)cuGraphLaunch(finish(main, 2), main);
  });
}

TEST(GraphLaunches, OfNothingKeepTheOrder) {
  expectClean({}, [] {
    Session s;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    OK(cuStreamBeginCapture_v2(stream, kGlobal));
    CUgraphExec exec = finish(stream, 0);
    OK(cuMemsetD8Async(a, 1, 4, stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuMemsetD8Async(a, 2, 4, stream));
    OK(cuStreamSynchronize(stream));
    int got = 0;
    OK(cuMemcpyDtoH_v2(&got, a, 4));
    EXPECT_EQ(got, 0x02020202);
    CUgraph graph = nullptr;
    CUgraphExec other = nullptr;
    OK(cuStreamBeginCapture_v2(stream, kGlobal));
    OK(cuStreamEndCapture(stream, &graph));
    EXPECT_EQ(cuGraphInstantiateWithFlags(&other, graph, 4),
              CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
    OK(cuGraphExecDestroy(exec));
  });
}

} // namespace
