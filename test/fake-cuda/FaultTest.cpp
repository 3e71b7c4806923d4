//===- FaultTest.cpp - errors that a test asks for ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <chrono>
#include <unistd.h>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

TEST(Faults, OfOneCall) {
  Outcome outcome = inChild(
      {{"FAIL", "cuMemAlloc:2=2,cuStreamCreate:1=999,cuInit:2=100"}}, [] {
        OK(cuInit(0));
        EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
        Session s;
        CUdeviceptr a = s.alloc(4), b = 0;
        EXPECT_EQ(cuMemAlloc_v2(&b, 4), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(b, 0u);
        s.alloc(4);
        CUstream stream = nullptr;
        EXPECT_EQ(cuStreamCreate(&stream, 0), CUresult(999));
        OK(cuMemsetD8Async(a, 0, 4, s.stream()));
      });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.summary.find("\"faults\": 3"), std::string::npos);
  EXPECT_NE(outcome.summary.find("\"faults_not_met\": []"), std::string::npos);
}

TEST(Faults, ThatNoCallMet) {
  Outcome outcome = inChild({{"FAIL", "cuMemAlloc:9=2"}}, [] { Session s; });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.summary.find("\"faults_not_met\": [\"cuMemAlloc:9=2\"]"),
            std::string::npos)
      << outcome.summary;
}

// What gives something back does so all the same: no leak of the program's.
TEST(Faults, OfCallsThatGiveBack) {
  expectClean(
      {{"FAIL", "cuMemFree:1=1,cuStreamDestroy:1=400,"
                "cuEventDestroy_v2:1=400,cuStreamEndCapture:1=901,"
                "cuDevicePrimaryCtxRelease:1=4,cuModuleUnload:1=400"}},
      [] {
        OK(cuInit(0));
        CUcontext context = nullptr;
        CUdeviceptr a = 0;
        CUstream stream = nullptr;
        CUevent event = nullptr;
        CUmodule module = nullptr;
        CUgraph graph = nullptr;
        OK(cuDevicePrimaryCtxRetain(&context, 0));
        OK(cuCtxSetCurrent(context));
        OK(cuMemAlloc_v2(&a, 4));
        OK(cuStreamCreate(&stream, 1));
        OK(cuEventCreate(&event, 0));
        OK(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
        OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        EXPECT_EQ(cuStreamEndCapture(stream, &graph),
                  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        EXPECT_EQ(graph, nullptr);
        EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
        EXPECT_EQ(cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUresult(4));
      });
}

// The device is lost, others are not; what it had can still be given back.
TEST(Faults, ThatStick) {
  expectClean({{"DEVICES", "2"}, {"FAIL", "cuLaunchKernel:2=700*"}}, [] {
    OK(cuInit(0));
    CUcontext contexts[2];
    CUstream streams[2], more = nullptr;
    for (int i = 0; i < 2; ++i) {
      OK(cuDevicePrimaryCtxRetain(&contexts[i], i));
      OK(cuCtxSetCurrent(contexts[i]));
      OK(cuStreamCreate(&streams[i], 1));
    }
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    OK(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
    OK(cuModuleGetFunction(&function, module, "nothing"));
    auto launch = [&] {
      return cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, streams[1], nullptr,
                            nullptr);
    };
    OK(launch());
    EXPECT_EQ(launch(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(launch(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuStreamQuery(streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuStreamCreate(&more, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuStreamDestroy_v2(streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuCtxSynchronize());
    OK(cuStreamDestroy_v2(streams[0]));
    OK(cuDevicePrimaryCtxRelease_v2(0));
  });
}

// Told of when someone waits; 701 does not lose the context, 719 does.
TEST(Faults, OfWhatRuns) {
  expectClean({{"FAIL", "async:cuLaunchKernel:1=701"}}, [] {
    Session s;
    CUstream stream = s.stream();
    OK(cuLaunchKernel(s.kernel("nothing"), 1, 1, 1, 64, 1, 1, 0, stream,
                      nullptr, nullptr));
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    OK(cuStreamSynchronize(stream));
  });
  for (const char *fault :
       {"async:cuMemsetD8Async:1=719", "async:cuMemsetD8Async:1=701*"})
    EXPECT_EQ(inChild({{"FAIL", fault}},
                      [] {
                        Session s;
                        CUstream stream = s.stream();
                        CUdeviceptr a = s.alloc(4);
                        OK(cuMemsetD8Async(a, 0, 4, stream));
                        CUresult first = cuStreamSynchronize(stream);
                        EXPECT_NE(first, CUDA_SUCCESS);
                        EXPECT_EQ(cuStreamSynchronize(stream), first);
                        _exit(testing::Test::HasFailure() ? 1 : 0);
                      })
                  .exit,
              0);
}

// At each launch of the graph again.
TEST(Faults, OfNodes) {
  expectClean({{"FAIL", "async:cuMemsetD8Async:1=1"}}, [] {
    Session s;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD8Async(a, 0, 4, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
      OK(cuGraphLaunch(exec, stream));
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_VALUE);
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
  });
}

TEST(Faults, HangUntilKilled) {
  auto begin = std::chrono::steady_clock::now();
  Outcome outcome = inChild(
      {{"FAIL", "cuEventRecord:1=hang"}},
      [] {
        Session s;
        CUstream stream = s.stream(), other = s.stream();
        CUevent event = s.event();
        OK(cuEventRecord(event, stream));
        OK(cuStreamSynchronize(other));
        for (int i = 0; i < 10; ++i)
          EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
        if (testing::Test::HasFailure())
          _exit(1);
        (void)cuStreamSynchronize(stream);
        _exit(1);
      },
      /*seconds=*/1);
  EXPECT_EQ(outcome.exit, -1);
  EXPECT_FALSE(outcome.aborted);
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(900));
}

TEST(Faults, ThatCannotBeRead) {
  for (const char *text : {"x", "cuInit:0=1", "cuInit:1=", "cuInit:1=0",
                           "cuInit=1", "cuInit:1=1000", "cuInit:1=5x"})
    expectAbort({{"FAIL", text}},
                "settings: BELFRY_FAKE_CUDA_FAIL has '" + std::string(text) +
                    "', expected [async:]FUNCTION:NUMBER=CODE[*] or "
                    "FUNCTION:NUMBER=hang",
                [] { (void)cuInit(0); });
  expectAbort({{"FAIL", "async:cuMemAlloc:1=1"}},
              "cuMemAlloc_v2: BELFRY_FAKE_CUDA_FAIL has a fault for what this "
              "call enqueues, but it enqueued nothing",
              [] {
                Session s;
                s.alloc(4);
              });
}

} // namespace
