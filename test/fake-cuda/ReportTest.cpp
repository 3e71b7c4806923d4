//===- ReportTest.cpp - leaks and the summary -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <unistd.h>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

TEST(Leaks, OfEachKind) {
  auto body = [] {
    OK(cuInit(0));
    CUcontext context = nullptr;
    CUdeviceptr a = 0;
    void *pinned = nullptr;
    CUstream stream = nullptr, captured = nullptr;
    CUevent event = nullptr;
    CUmodule module = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc_v2(&a, 123));
    OK(cuMemHostAlloc(&pinned, 45, 0));
    OK(cuStreamCreate(&stream, 1));
    OK(cuStreamCreate(&captured, 1));
    OK(cuEventCreate(&event, 0));
    OK(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD8Async(a, 0, 123, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
  };
  Outcome outcome = inChild({}, body);
  EXPECT_EQ(outcome.exit, 97);
  for (const char *line :
       {"fake-cuda: leak: 123 bytes at 0x", " of device 0\n",
        "fake-cuda: leak: 45 bytes at 0x", " of pinned memory\n",
        "fake-cuda: leak: a capture that stream 2 began\n",
        "fake-cuda: leak: stream 1 of device 0\n", "fake-cuda: leak: event 0x",
        "fake-cuda: leak: module 0x", "fake-cuda: leak: graph 0x",
        " of 1 nodes\n", "fake-cuda: leak: executable graph 0x",
        "fake-cuda: leak: the context of device 0, retained 1 times more than "
        "released\n"})
    EXPECT_NE(outcome.err.find(line), std::string::npos) << line << outcome.err;
  EXPECT_NE(outcome.summary.find("\"leaks\": [\"123 bytes at 0x"),
            std::string::npos)
      << outcome.summary;
  // A program that fails keeps its status, and hears of them as well.
  outcome = inChild({}, [&] {
    body();
    std::exit(3);
  });
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("fake-cuda: leak: stream 1"), std::string::npos);
}

TEST(Summary, HasTheCounts) {
  Outcome outcome = inChild({{"DEVICES", "2"}}, [] {
    Session s(2);
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(1000);
    float *host = s.pin<float>(250);
    CUfunction kernel = s.kernel("increment");
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemcpyHtoDAsync_v2(a, host, 1000, stream));
    OK(increment(kernel, stream, a, a, 250));
    OK(cuMemcpyDtoHAsync_v2(host, a, 900, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 3; ++i)
      OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemsetD8Async(a, 0, 10, stream));
    s.use(1);
    CUdeviceptr b = s.alloc(500);
    OK(cuMemcpyPeerAsync(b, s.context(1), a, s.context(0), 300, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphDestroy(graph));
    OK(cuGraphExecDestroy(exec));
  });
  EXPECT_EQ(outcome.exit, 0);
  for (const char *part :
       {"\"cuGraphLaunch\": 3", "\"cuLaunchKernel\": 1", "\"launches\": 3",
        "\"kernels\": {\"increment\": 3}", "\"graph_launches\": 3",
        "\"graphs\": [{\"nodes\": 3, \"edges\": 2, \"kernels\": 1, "
        "\"copies\": 2, \"launches\": 3}]",
        "\"host_to_device\": 3000", "\"device_to_host\": 2700", "\"peer\": 300",
        "\"memset\": 10", "\"pageable_copies\": 0",
        "\"peak_bytes\": [1000, 500]", "\"not_waited_for\": 0",
        "\"leaks\": []"})
    EXPECT_NE(outcome.summary.find(part), std::string::npos) << part << "\n"
                                                             << outcome.summary;
}

// A program that never came to use the library has nothing to report.
TEST(Summary, IsNoneWithoutACall) {
  Outcome outcome = inChild({}, [] {});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.summary, "");
}

} // namespace
