//===- MemoryTest.cpp - allocations and what copies may touch -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <cmath>
#include <cstring>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

TEST(Allocations, AreLimited) {
  expectClean({{"DEVICES", "2"}, {"MEMORY", "1000000"}}, [] {
    Session s(2);
    size_t free = 0, total = 0;
    CUdeviceptr a = 0, b = 0;
    EXPECT_EQ(cuMemAlloc_v2(&a, 1000001), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(cuMemAlloc_v2(&a, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAlloc_v2(&a, 600000));
    OK(cuMemGetInfo_v2(&free, &total));
    EXPECT_EQ(free, 400000u);
    EXPECT_EQ(total, 1000000u);
    EXPECT_EQ(cuMemAlloc_v2(&b, 400001), CUDA_ERROR_OUT_OF_MEMORY);
    s.use(1); // has its own
    OK(cuMemAlloc_v2(&b, 1000000));
    OK(cuMemFree_v2(b));
    s.use(0);
    OK(cuMemFree_v2(a));
    OK(cuMemAlloc_v2(&b, 1000000));
    EXPECT_NE(a, b); // addresses come once
    OK(cuMemFree_v2(b));
    OK(cuMemFree_v2(0));
  });
}

TEST(Allocations, AreAlignedAndFilledWithNaN) {
  expectClean({}, [] {
    Session s;
    for (size_t bytes :
         {size_t(1), size_t(256), size_t(1000), size_t(4096), size_t(5000)}) {
      CUdeviceptr a = s.alloc(bytes);
      EXPECT_EQ(a % 256, 0u);
    }
    CUdeviceptr a = s.alloc(8);
    double d;
    float f[2];
    OK(cuMemcpyDtoH_v2(&d, a, 8));
    OK(cuMemcpyDtoH_v2(f, a, 8));
    EXPECT_TRUE(std::isnan(d) && std::isnan(f[0]) && std::isnan(f[1]));
    EXPECT_TRUE(std::isnan(*s.pin<float>(1)));
  });
}

TEST(Allocations, WhatIsFreedIsToldOf) {
  expectAbort({}, "cuMemFree_v2: the memory at 0x", [] {
    Session s;
    CUdeviceptr a = 0;
    OK(cuMemAlloc_v2(&a, 4));
    OK(cuMemFree_v2(a));
    (void)cuMemFree_v2(a);
  });
  expectAbort({}, "cuMemFreeHost: the pinned memory at 0x", [] {
    Session s;
    void *a = nullptr;
    OK(cuMemHostAlloc(&a, 4, 0));
    OK(cuMemFreeHost(a));
    (void)cuMemFreeHost(a);
  });
  expectAbort({}, "are not allocated, or are freed", [] {
    Session s;
    CUdeviceptr a = 0;
    OK(cuMemAlloc_v2(&a, 4));
    OK(cuMemFree_v2(a));
    (void)cuMemsetD8Async(a, 0, 4, nullptr);
  });
  expectAbort({}, "were pinned and are freed", [] {
    Session s;
    CUdeviceptr a = s.alloc(4);
    void *host = nullptr;
    OK(cuMemHostAlloc(&host, 4, CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemFreeHost(host));
    (void)cuMemcpyHtoDAsync_v2(a, host, 4, nullptr);
  });
}

TEST(Allocations, OnlyWhatWasAllocatedIsFreed) {
  expectClean({}, [] {
    Session s;
    int local = 0;
    CUdeviceptr a = s.alloc(8);
    char *host = s.pin<char>(8);
    EXPECT_EQ(cuMemFree_v2(a + 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree_v2(CUdeviceptr(&local)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree_v2(CUdeviceptr(host)), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(host + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(&local), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(nullptr), CUDA_ERROR_INVALID_VALUE);
    void *other = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&other, 4, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostAlloc(&other, 0, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Allocations, FreeingWaitsForTheDevice) {
  expectClean({}, [] {
    Session s;
    char *host = s.pin<char>(4);
    CUstream stream = s.stream();
    CUdeviceptr a = 0;
    OK(cuMemAlloc_v2(&a, 4));
    OK(cuMemsetD8Async(a, 7, 4, stream));
    OK(cuMemcpyDtoHAsync_v2(host, a, 4, stream));
    OK(cuMemFree_v2(a));
    EXPECT_EQ(host[3], 7);
  });
}

TEST(Allocations, FreeingDoesNotWaitForOthers) {
  expectAbort(
      {{"DEVICES", "2"}},
      "are freed while device 1 may use them: cuMemcpyPeerAsync", [] {
        Session s(2);
        CUdeviceptr a = 0;
        OK(cuMemAlloc_v2(&a, 4));
        s.use(1);
        CUdeviceptr b = s.alloc(4);
        OK(cuMemcpyPeerAsync(b, s.context(1), a, s.context(0), 4, s.stream()));
        s.use(0);
        (void)cuMemFree_v2(a);
      });
  expectAbort({}, "are freed before anyone has waited for cuMemcpyHtoDAsync_v2",
              [] {
                Session s;
                CUdeviceptr a = s.alloc(4);
                void *host = nullptr;
                OK(cuMemHostAlloc(&host, 4, 0));
                OK(cuMemcpyHtoDAsync_v2(a, host, 4, s.stream()));
                (void)cuMemFreeHost(host);
              });
}

// Someone that runs on the host can do what a kernel can.
TEST(Allocations, WritesBesideThemAreToldOf) {
  for (int offset : {-1, 10})
    expectAbort({}, "something wrote beside the 10 bytes at 0x", [=] {
      Session s;
      CUdeviceptr a = 0;
      OK(cuMemAlloc_v2(&a, 10));
      reinterpret_cast<char *>(a)[offset] = 0;
      (void)cuMemFree_v2(a);
    });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(Copies, StayInsideOfAllocations) {
  struct Case {
    const char *message;
    std::function<void(CUdeviceptr, char *)> body;
  };
  const Case cases[] = {
      {"17 bytes at 0x",
       [](CUdeviceptr a, char *host) {
         (void)cuMemcpyHtoDAsync_v2(a, host, 17, nullptr);
       }},
      {"are beyond the 16 bytes at 0x",
       [](CUdeviceptr a, char *host) {
         (void)cuMemcpyDtoHAsync_v2(host, a + 8, 9, nullptr);
       }},
      {"are beyond the pinned 16 bytes",
       [](CUdeviceptr a, char *host) {
         (void)cuMemcpyDtoHAsync_v2(host + 1, a, 16, nullptr);
       }},
      {"are beyond the 16 bytes",
       [](CUdeviceptr a, char *) { (void)cuMemsetD8Async(a, 0, 17, nullptr); }},
      {"are pinned memory, expected a device's",
       [](CUdeviceptr, char *host) {
         (void)cuMemsetD8Async(CUdeviceptr(host), 0, 1, nullptr);
       }},
      {"are memory of a device, expected the host's",
       [](CUdeviceptr a, char *) {
         (void)cuMemcpyHtoD_v2(a, reinterpret_cast<void *>(a + 8), 8);
       }},
      {"overlap those at",
       [](CUdeviceptr a, char *) {
         (void)cuMemcpyDtoDAsync_v2(a, a + 7, 8, nullptr);
       }},
  };
  for (const Case &c : cases)
    expectAbort({}, c.message, [&] {
      Session s;
      char *host = s.pin<char>(16);
      c.body(s.alloc(16), host);
    });
}

TEST(Copies, OfUnknownMemoryAreErrors) {
  expectClean({}, [] {
    Session s;
    char host[4];
    CUdeviceptr a = s.alloc(4);
    EXPECT_EQ(cuMemcpyHtoD_v2(CUdeviceptr(&host), host, 4),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD_v2(0, host, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD_v2(a, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH_v2(nullptr, a, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyHtoD_v2(0, nullptr, 0)); // nothing to do
    OK(cuMemsetD8Async(0, 0, 0, nullptr));
  });
}

TEST(Copies, BelongToTheirDevice) {
  expectAbort({{"DEVICES", "2"}}, "are of device 0, but device 1 is to copy",
              [] {
                Session s(2);
                CUdeviceptr a = s.alloc(4);
                s.use(1);
                (void)cuMemsetD8Async(a, 0, 4, s.stream());
              });
  expectAbort({{"DEVICES", "2"}}, "are of device 0, but device 1 is to copy",
              [] {
                Session s(2);
                CUdeviceptr a = s.alloc(4);
                (void)cuMemcpyPeerAsync(a, s.context(1), a, s.context(0), 4,
                                        s.stream());
              });
  expectAbort({{"DEVICES", "3"}}, "a stream of device 2 copies from device 0",
              [] {
                Session s(3);
                CUdeviceptr a = s.alloc(4);
                s.use(1);
                CUdeviceptr b = s.alloc(4);
                s.use(2);
                (void)cuMemcpyPeerAsync(b, s.context(1), a, s.context(0), 4,
                                        s.stream());
              });
  expectClean({{"DEVICES", "2"}}, [] {
    Session s(2);
    CUdeviceptr a = s.alloc(4);
    s.use(1);
    CUdeviceptr b = s.alloc(4);
    OK(cuCtxEnablePeerAccess(s.context(0), 0));
    OK(cuMemcpyDtoDAsync_v2(b, a, 4, s.stream()));
    OK(cuCtxSynchronize());
  });
}

// What isn't pinned is read, or written, before the call returns.
TEST(Copies, OfPageableMemory) {
  Outcome outcome = inChild({}, [] {
    Session s;
    CUstream stream = s.stream();
    CUdeviceptr a = s.alloc(4);
    int from = 5, to = 0;
    OK(cuMemcpyHtoDAsync_v2(a, &from, 4, stream));
    from = 6;
    OK(cuMemcpyDtoHAsync_v2(&to, a, 4, stream));
    EXPECT_EQ(to, 5);
  });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.summary.find("\"pageable_copies\": 2"), std::string::npos);
}

} // namespace
