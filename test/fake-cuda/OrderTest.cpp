//===- OrderTest.cpp - operations run late, and in the order that was asked for
//===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <cmath>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

class Order : public testing::TestWithParam<const char *> {
protected:
  Variables seed() const { return {{"SEED", GetParam()}}; }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Order, testing::Values("0", "1", "2", "17"));

// A chain in one stream, host to host.
TEST_P(Order, StreamIsAChain) {
  expectClean(seed(), [] {
    Session s;
    constexpr int64_t n = 1000;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(n * 4), b = s.alloc(n * 4);
    float *host = s.pin<float>(n);
    CUfunction kernel = s.kernel("increment");
    for (int64_t i = 0; i < n; ++i)
      host[i] = float(i);
    OK(cuMemcpyHtoDAsync_v2(a, host, n * 4, stream));
    for (int i = 0; i < 5; ++i) {
      OK(increment(kernel, stream, b, a, n));
      OK(increment(kernel, stream, a, b, n));
    }
    OK(cuMemcpyDtoHAsync_v2(host, a, n * 4, stream));
    OK(cuStreamSynchronize(stream));
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(host[i], float(i + 10));
  });
}

// With an event between them, streams of two devices are in order.
TEST_P(Order, EventsOrderStreams) {
  Variables variables = seed();
  variables.emplace_back("DEVICES", "2");
  expectClean(variables, [] {
    Session s(2);
    constexpr int64_t n = 100;
    float *host = s.pin<float>(n);
    for (int64_t i = 0; i < n; ++i)
      host[i] = 1;
    CUstream first = s.stream();
    CUevent event = s.event();
    CUdeviceptr a = s.alloc(n * 4);
    OK(cuMemcpyHtoDAsync_v2(a, host, n * 4, first));
    OK(increment(s.kernel("increment"), first, a, a, n));
    OK(cuEventRecord(event, first));
    s.use(1);
    CUstream second = s.stream();
    CUdeviceptr b = s.alloc(n * 4);
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuMemcpyPeerAsync(b, s.context(1), a, s.context(0), n * 4, second));
    OK(increment(s.kernel("increment", 1), second, b, b, n));
    OK(cuMemcpyDtoHAsync_v2(host, b, n * 4, second));
    OK(cuStreamSynchronize(second));
    EXPECT_EQ(host[0], 3);
    EXPECT_EQ(host[n - 1], 3);
  });
}

// Without one, the later stream goes first.
TEST(OrderOfSeed0, MissingEventGivesNaN) {
  expectClean({}, [] {
    Session s;
    constexpr int64_t n = 64;
    float *host = s.pin<float>(n);
    CUstream first = s.stream(), second = s.stream();
    CUdeviceptr a = s.alloc(n * 4), b = s.alloc(n * 4);
    OK(cuMemsetD8Async(a, 0, n * 4, first));
    OK(increment(s.kernel("increment"), second, b, a, n));
    OK(cuMemcpyDtoHAsync_v2(host, b, n * 4, second));
    OK(cuCtxSynchronize());
    EXPECT_TRUE(std::isnan(host[0]));
  });
}

TEST(OrderOfSeed0, NothingRunsBeforeSomeoneWaits) {
  expectClean({}, [] {
    Session s;
    int *host = s.pin<int>(1);
    *host = 1;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    OK(cuMemcpyHtoDAsync_v2(a, host, 4, stream));
    *host = 2; // too early, and so it shows
    int got = 0;
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(&got, a, 4));
    EXPECT_EQ(got, 2);
  });
}

TEST(OrderOfSeed0, BlocksComeInAnyOrder) {
  expectClean({}, [] {
    Session s;
    CUdeviceptr list = s.alloc(17 * 8);
    std::vector<int64_t> host(17);
    OK(cuMemsetD8Async(list, 0, 8, nullptr));
    void *parameters[] = {&list};
    OK(cuLaunchKernel(s.kernel("order"), 16, 1, 1, 64, 1, 1, 0, nullptr,
                      parameters, nullptr));
    OK(cuMemcpyDtoH_v2(host.data(), list, 17 * 8));
    EXPECT_EQ(host[0], 16);
    EXPECT_EQ(host[1], 14); // pieces of two blocks, the last first
    EXPECT_EQ(host[16], 1);
  });
}

TEST_P(Order, QueriesComeToAnEnd) {
  expectClean(seed(), [] {
    Session s;
    CUstream stream = s.stream();
    CUevent event = s.event();
    CUdeviceptr a = s.alloc(256);
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS); // never recorded
    for (int i = 0; i < 10; ++i)
      OK(cuMemsetD8Async(a, 1, 256, stream));
    OK(cuEventRecord(event, stream));
    int asked = 0;
    CUresult result;
    while ((result = cuEventQuery(event)) == CUDA_ERROR_NOT_READY)
      ++asked;
    OK(result);
    EXPECT_LE(asked, 11);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
}

TEST_P(Order, TheLegacyStreamIsInStepWithBlockingStreams) {
  expectClean(seed(), [] {
    Session s;
    CUstream blocking = s.stream(0);
    CUdeviceptr a = s.alloc(4);
    OK(cuMemsetD8Async(a, 1, 4, blocking));
    OK(cuMemsetD8Async(a, 2, 4, nullptr));
    OK(cuMemsetD8Async(a, 3, 4, blocking));
    int got = 0;
    OK(cuMemcpyDtoH_v2(&got, a, 4));
    EXPECT_EQ(got, 0x03030303);
  });
}

// Who waits for a stream has not waited for others.
TEST(OrderOfSeed0, WaitingForAStreamIsNotMore) {
  expectClean({}, [] {
    Session s;
    CUstream blocking = s.stream(0), other = s.stream();
    char *host = s.pin<char>(1);
    *host = 0;
    CUdeviceptr a = s.alloc(1);
    OK(cuMemsetD8Async(a, 1, 1, nullptr));
    OK(cuMemcpyDtoHAsync_v2(host, a, 1, nullptr));
    OK(cuStreamSynchronize(other));
    OK(cuStreamSynchronize(blocking));
    EXPECT_EQ(*host, 0);
    OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(*host, 1);
  });
}

TEST_P(Order, HostFunctionsRunInTheirPlace) {
  expectClean(seed(), [] {
    Session s;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    unsigned char *host = s.pin<unsigned char>(4);
    static unsigned char *seen;
    static int value;
    seen = host;
    OK(cuMemsetD8Async(a, 9, 4, stream));
    OK(cuMemcpyDtoHAsync_v2(host, a, 4, stream));
    OK(cuLaunchHostFunc(
        stream, [](void *to) { *static_cast<int *>(to) = seen[0]; }, &value));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(value, 9);
  });
}

TEST(HostFunctions, MayNotCallTheDriver) {
  expectAbort({}, "cuStreamQuery: called from a function of cuLaunchHostFunc",
              [] {
                Session s;
                CUstream stream = s.stream();
                OK(cuLaunchHostFunc(
                    stream, [](void *of) { (void)cuStreamQuery(CUstream(of)); },
                    stream));
                OK(cuStreamSynchronize(stream));
              });
}

TEST(Events, MeasureTheHostsTime) {
  expectClean({}, [] {
    Session s;
    CUstream stream = s.stream();
    CUevent start = s.event(0), end = s.event(0), untimed = s.event();
    float ms = -1;
    EXPECT_EQ(cuEventElapsedTime_v2(&ms, start, end),
              CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(start, stream));
    OK(cuEventRecord(end, stream));
    OK(cuEventRecord(untimed, stream));
    EXPECT_EQ(cuEventElapsedTime(&ms, start, end), CUDA_ERROR_NOT_READY);
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime_v2(&ms, start, end));
    EXPECT_GE(ms, 0);
    EXPECT_EQ(cuEventElapsedTime(&ms, start, untimed),
              CUDA_ERROR_INVALID_HANDLE);
  });
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

TEST(Races, OfTwoStreams) {
  for (const char *seed : {"0", "5"})
    expectAbort({{"SEED", seed}},
                "cuMemsetD8Async in stream 2 races with cuMemcpyDtoDAsync_v2 "
                "in stream 1 over [",
                [] {
                  Session s;
                  CUstream first = s.stream(), second = s.stream();
                  CUdeviceptr a = s.alloc(4096), b = s.alloc(4096);
                  OK(cuMemcpyDtoDAsync_v2(b, a, 2048, first));
                  OK(cuMemsetD8Async(a + 2047, 0, 1, second));
                });
}

TEST(Races, NoneWhereNothingIsWrittenOrSomeoneHasWaited) {
  for (const char *seed : {"0", "5"})
    expectClean({{"SEED", seed}}, [] {
      Session s;
      CUstream first = s.stream(), second = s.stream();
      CUdeviceptr a = s.alloc(4096), b = s.alloc(4096), c = s.alloc(4096);
      OK(cuMemcpyDtoDAsync_v2(b, a, 4096, first));
      OK(cuMemcpyDtoDAsync_v2(c, a, 4096, second)); // both read
      OK(cuMemsetD8Async(b, 1, 4096, first));       // in order
      OK(cuStreamSynchronize(first));
      OK(cuMemsetD8Async(b, 2, 4096, second)); // the host knows it is done
      OK(cuMemsetD8Async(a, 2, 1, second));
    });
}

// Two buffers of the host are two ranges as well.
TEST(Races, InPinnedMemory) {
  expectAbort({}, "cuMemcpyDtoHAsync_v2 in stream 2 races with", [] {
    Session s;
    CUstream first = s.stream(), second = s.stream();
    CUdeviceptr a = s.alloc(16), b = s.alloc(16);
    char *host = s.pin<char>(32);
    OK(cuMemcpyDtoHAsync_v2(host, a, 16, first));
    OK(cuMemcpyDtoHAsync_v2(host + 15, b, 16, second));
  });
}

} // namespace
