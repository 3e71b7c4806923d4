//===- KernelTest.cpp - images, functions and launches --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <cstdio>
#include <unistd.h>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

CUresult load(const void *image, CUmodule &module) {
  module = nullptr;
  return cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr);
}

void expectLoads(const Variables &variables, const void *image,
                 CUresult expected, const std::string &message) {
  Outcome outcome = inChild(variables, [=] {
    Session s;
    CUmodule module = nullptr;
    EXPECT_EQ(load(image, module), expected);
    if (module)
      OK(cuModuleUnload(module));
  });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err,
            message.empty()
                ? ""
                : "fake-cuda: cuModuleLoadDataEx: " + message + "\n");
}

TEST(Images, FitTheDeviceAndTheDriver) {
  const void *cubin = kCubin80.data();
  expectLoads({{"ARCH", "80"}}, cubin, CUDA_SUCCESS, "");
  expectLoads({{"ARCH", "89"}}, cubin, CUDA_SUCCESS, "");
  expectLoads({{"ARCH", "75"}}, cubin, CUDA_ERROR_NO_BINARY_FOR_GPU,
              "the cubin is for sm_80, the device is sm_75");
  expectLoads({{"ARCH", "90"}}, cubin, CUDA_ERROR_NO_BINARY_FOR_GPU,
              "the cubin is for sm_80, the device is sm_90");
  expectLoads({{"ARCH", "80"}, {"DRIVER", "12090"}}, cubin,
              CUDA_ERROR_INVALID_IMAGE,
              "the cubin is of CUDA 13, the driver of CUDA 12.9");

  expectLoads({{"ARCH", "75"}, {"DRIVER", "10000"}}, kPtx, CUDA_SUCCESS, "");
  expectLoads({{"ARCH", "120"}}, kPtx, CUDA_SUCCESS, "");
  expectLoads({{"ARCH", "70"}}, kPtx, CUDA_ERROR_INVALID_PTX,
              "the PTX is for sm_75, the device is sm_70");
  expectLoads({{"ARCH", "90"}}, kPtxOf90a, CUDA_SUCCESS, "");
  expectLoads({{"ARCH", "100"}}, kPtxOf90a, CUDA_ERROR_INVALID_PTX,
              "the PTX is for sm_90a, the device is sm_100");
  expectLoads({{"DRIVER", "11080"}}, kPtxOf90a,
              CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
              "the image is PTX 8.0, the driver knows 7.8");

  expectLoads({}, "no image", CUDA_ERROR_INVALID_IMAGE,
              "the image is neither a cubin nor PTX");
  expectLoads(
      {}, kUnknownPtx, CUDA_ERROR_NO_BINARY_FOR_GPU,
      "no library of BELFRY_FAKE_CUDA_KERNELS has the image with hash " +
          hex(fnv(kUnknownPtx, sizeof(kUnknownPtx) - 1)) +
          " (27 bytes of PTX for sm_75, 1 libraries)");
  auto other = kCubin90;
  other[15] = 1;
  expectLoads(
      {}, other.data(), CUDA_ERROR_NO_BINARY_FOR_GPU,
      "no library of BELFRY_FAKE_CUDA_KERNELS has the image with hash " +
          hex(fnv(other.data(), other.size())) +
          " (64 bytes of a cubin for sm_90, 1 libraries)");
}

TEST(Images, SayWhyInTheLog) {
  Outcome outcome = inChild({{"ARCH", "90"}}, [] {
    Session s;
    CUmodule module = nullptr;
    char log[16] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    EXPECT_EQ(cuModuleLoadDataEx(&module, kCubin80.data(), 2, options, values),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_STREQ(log, "the cubin is fo");
    EXPECT_EQ(values[1], reinterpret_cast<void *>(15));
    EXPECT_EQ(cuModuleLoadDataEx(&module, nullptr, 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadDataEx(&module, kPtx, 1, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(outcome.exit, 0);
}

TEST(Images, SayWhatKernelsTake) {
  expectClean({}, [] {
    Session s;
    std::string cubin = makeCubinWithKernels() + "what follows is not read";
    CUmodule module = nullptr;
    CUfunction increment = nullptr, wide = nullptr;
    OK(load(cubin.data(), module));
    OK(cuModuleGetFunction(&increment, module, "increment"));
    OK(cuModuleGetFunction(&wide, module, "wide"));
    for (auto [attribute, expected] :
         {std::pair(CU_FUNC_ATTRIBUTE_NUM_REGS, 40),
          {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 16},
          {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 2048},
          {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152 - 2048},
          {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 90}}) {
      int value = -1;
      OK(cuFuncGetAttribute(&value, attribute, increment));
      EXPECT_EQ(value, expected) << attribute;
    }
    int value = -1;
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, wide));
    EXPECT_EQ(value, 0);
    // 32 warps of 255 registers a thread are four times what there is.
    EXPECT_EQ(
        cuLaunchKernel(wide, 1, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, nullptr),
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    OK(cuModuleUnload(module));
  });
  expectAbort(
      {}, "attribute 4 of kernel 'nothing' can't be told from its image", [] {
        Session s;
        int value;
        (void)cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                 s.kernel("nothing"));
      });
}

TEST(Images, LibrariesHaveToBeThere) {
  expectAbort({{"KERNELS", "/none.so"}},
              "BELFRY_FAKE_CUDA_KERNELS: /none.so: ", [] { (void)cuInit(0); });
  expectAbort({{"KERNELS", "libm.so.6"}},
              "'libm.so.6' of BELFRY_FAKE_CUDA_KERNELS has no "
              "'belfry_emulated'",
              [] { (void)cuInit(0); });
}

TEST(Functions, AreFoundByName) {
  expectClean({}, [] {
    Session s;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr at = 0;
    OK(load(kPtx, module));
    EXPECT_EQ(cuModuleGetFunction(&function, module, "none"),
              CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuModuleGetFunction(&function, module, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleGetGlobal_v2(&at, nullptr, module, "none"),
              CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&function, module, "scale"));
    int value = 0;
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                          function));
    EXPECT_EQ(value, 64);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    EXPECT_EQ(value, 90);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    EXPECT_EQ(value, 75);
    auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    OK(cuFuncGetAttribute(&value, dynamic, function));
    EXPECT_EQ(value, 49152);
    OK(cuFuncSetAttribute(function, dynamic, 232448));
    EXPECT_EQ(cuFuncSetAttribute(function, dynamic, 232449),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 4),
              CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleUnload(module));
  });
  expectAbort({}, "the function 0x", [] {
    Session s;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    OK(load(kPtx, module));
    OK(cuModuleGetFunction(&function, module, "nothing"));
    OK(cuModuleUnload(module)); // takes them with it
    (void)cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr,
                         nullptr);
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST(Launches, ReadTheirParametersAtTheCall) {
  expectClean({}, [] {
    Session s;
    CUdeviceptr to = s.alloc(400);
    std::vector<float> host(100, 2);
    float a = 3;
    int16_t b = -1;
    bool negate = true;
    int32_t n = 100;
    OK(cuMemcpyHtoD_v2(to, host.data(), 400));
    void *parameters[] = {&to, &a, &b, &negate, &n};
    OK(cuLaunchKernel(s.kernel("scale"), 2, 1, 1, 64, 1, 1, 0, nullptr,
                      parameters, nullptr));
    a = 0, b = 9, negate = false, n = 0;
    OK(cuMemcpyDtoH_v2(host.data(), to, 400));
    EXPECT_EQ(host[0], -5);
    EXPECT_EQ(host[99], -5);
  });
}

TEST(Launches, HaveLimits) {
  expectClean({}, [] {
    Session s;
    CUfunction kernel = s.kernel("nothing");
    auto launch = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by,
                      unsigned shared = 0) {
      return cuLaunchKernel(kernel, gx, gy, 1, bx, by, 1, shared, nullptr,
                            nullptr, nullptr);
    };
    OK(launch(2147483647, 1, 64, 1));
    EXPECT_EQ(launch(0, 1, 64, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(2147483648u, 1, 64, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(1, 65536, 64, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(1, 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(1, 1, 64, 2), CUDA_ERROR_INVALID_VALUE); // .maxntid
    EXPECT_EQ(launch(1, 1, 2048, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(1, 1, 64, 1, 49153), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLaunchKernel(s.kernel("order"), 1, 1, 1, 64, 1, 1, 0, nullptr,
                             nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  for (auto [gridY, threads] : {std::pair(1u, 32u), {2u, 64u}})
    expectAbort(
        {}, "kernel 'nothing' has blocks of 64 threads in one dimension", [=] {
          Session s;
          (void)cuLaunchKernel(s.kernel("nothing"), 1, gridY, 1, threads, 1, 1,
                               0, nullptr, nullptr, nullptr);
        });
  expectAbort({}, "has no dynamic shared memory, got 16 bytes", [] {
    Session s;
    (void)cuLaunchKernel(s.kernel("nothing"), 1, 1, 1, 64, 1, 1, 16, nullptr,
                         nullptr, nullptr);
  });
  expectAbort({}, "parameter 0 of kernel 'order' is null", [] {
    Session s;
    void *parameters[] = {nullptr};
    (void)cuLaunchKernel(s.kernel("order"), 1, 1, 1, 64, 1, 1, 0, nullptr,
                         parameters, nullptr);
  });
}

TEST(Launches, TouchTheirDeviceAndItsPeers) {
  auto body = [](bool peer) {
    Session s(2);
    CUdeviceptr a = s.alloc(4);
    s.use(1);
    if (peer)
      OK(cuCtxEnablePeerAccess(s.context(0), 0));
    OK(increment(s.kernel("increment", 1), nullptr, a, a, 1));
    OK(cuCtxSynchronize());
  };
  expectClean({{"DEVICES", "2"}}, [&] { body(true); });
  expectAbort({{"DEVICES", "2"}},
              "parameter 0 of kernel 'increment' points to device 0, which "
              "device 1 has no access to",
              [&] { body(false); });
}

TEST(Launches, TouchPinnedMemoryOnly) {
  expectClean({}, [] {
    Session s;
    float *host = s.pin<float>(2);
    host[0] = 1;
    OK(increment(s.kernel("increment"), nullptr, CUdeviceptr(host + 1),
                 CUdeviceptr(host), 1));
    OK(cuCtxSynchronize());
    EXPECT_EQ(host[1], 2);
  });
  expectAbort({},
              "parameter 1 of kernel 'increment' points to the host's "
              "memory at 0x",
              [] {
                Session s;
                CUdeviceptr a = s.alloc(4);
                float host = 0;
                (void)increment(s.kernel("increment"), nullptr, a,
                                CUdeviceptr(&host), 1);
              });
}

// An address that isn't there loses the context, as on a GPU.
TEST(Launches, TouchWhatIsThere) {
  Outcome outcome = inChild({}, [] {
    Session s;
    CUdeviceptr a = s.alloc(4096), freed = 0;
    OK(cuMemAlloc_v2(&freed, 4096));
    OK(cuMemFree_v2(freed));
    OK(increment(s.kernel("increment"), nullptr, a, freed, 1024));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUevent event = nullptr;
    EXPECT_EQ(cuEventCreate(&event, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.err.starts_with(
      "fake-cuda: kernel 'increment' in stream 0 touches 0x"))
      << outcome.err;
}

} // namespace
