//===- DeviceTest.cpp - devices, contexts and handles ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"
#include "test/fake-cuda/NcclFunctions.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

TEST(Devices, AreWhatTheVariablesSay) {
  expectClean(
      {{"DEVICES", "3"},
       {"MEMORY", "1048576"},
       {"ARCH", "86"},
       {"DRIVER", "12040"},
       {"NAME", "Test"}},
      [] {
        int version = 0, count = 0, value = 0;
        OK(cuDriverGetVersion(&version)); // before cuInit
        EXPECT_EQ(version, 12040);
        OK(cuInit(0));
        OK(cuDeviceGetCount(&count));
        EXPECT_EQ(count, 3);
        CUdevice device = -1;
        OK(cuDeviceGet(&device, 2));
        EXPECT_EQ(device, 2);
        EXPECT_EQ(cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
        EXPECT_EQ(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
        char name[8] = "";
        OK(cuDeviceGetName(name, 8, 2));
        EXPECT_STREQ(name, "Test");
        OK(cuDeviceGetName(name, 3, 2));
        EXPECT_STREQ(name, "Te");
        OK(cuDeviceGetPCIBusId(name, 8, 2));
        EXPECT_STREQ(name, "0000:03");
        size_t bytes = 0;
        OK(cuDeviceTotalMem_v2(&bytes, 1));
        EXPECT_EQ(bytes, 1048576u);
        OK(cuDeviceGetAttribute(
            &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
        EXPECT_EQ(value, 8);
        OK(cuDeviceGetAttribute(
            &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
        EXPECT_EQ(value, 6);
        OK(cuDeviceGetAttribute(
            &value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
        EXPECT_EQ(value, 101376);
        EXPECT_EQ(cuDeviceGetAttribute(&value, CUdevice_attribute(0), 0),
                  CUDA_ERROR_INVALID_VALUE);
        CUuuid first, second;
        OK(cuDeviceGetUuid_v2(&first, 0));
        OK(cuDeviceGetUuid(&second, 1));
        EXPECT_NE(std::memcmp(&first, &second, sizeof(first)), 0);
      });
}

TEST(Devices, OtherAttributesAreToldOf) {
  expectAbort({}, "cuDeviceGetAttribute: attribute 124 is not emulated", [] {
    OK(cuInit(0));
    int value;
    (void)cuDeviceGetAttribute(&value, CUdevice_attribute(124), 0);
  });
}

/// The physical numbers that a program sees, from their buses.
std::string visible(const char *list) {
  std::string seen;
  Outcome outcome =
      inChild({{"DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", list}}, [&] {
        CUresult result = cuInit(0);
        int count = 0;
        if (result == CUDA_SUCCESS)
          OK(cuDeviceGetCount(&count));
        else
          EXPECT_EQ(result, CUDA_ERROR_NO_DEVICE);
        for (int i = 0; i < count; ++i) {
          int bus = 0;
          OK(cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i));
          std::fprintf(stderr, "%d", bus - 1);
        }
      });
  EXPECT_EQ(outcome.exit, 0);
  return outcome.err;
}

TEST(Devices, VisibleOnes) {
  EXPECT_EQ(visible("2,0"), "20");
  EXPECT_EQ(visible("1,9,0"), "1");
  EXPECT_EQ(visible("1,-1,0"), "1");
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("x"), "");
  EXPECT_EQ(visible("1,1"), "");
  EXPECT_EQ(visible("GPU-42656c66-7279-2064-6576-696365202303,0"), "30");
  EXPECT_EQ(visible("GPU-42656c66"), ""); // of all four
}

TEST(Devices, BadVariablesAreToldOf) {
  for (auto [name, value] : {std::pair("DEVICES", "many"),
                             {"DEVICES", "-1"},
                             {"ARCH", "9000"},
                             {"PEER", "2"},
                             {"MEMORY", "1k"}})
    expectAbort({{name, value}},
                "settings: BELFRY_FAKE_CUDA_" + std::string(name) + " is '" +
                    value + "', expected a number from ",
                [] { (void)cuInit(0); });
}

TEST(Devices, NoneAreAnError) {
  expectClean({{"DEVICES", "0"}}, [] {
    EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  });
}

TEST(Devices, NothingWorksBeforeInit) {
  expectClean({}, [] {
    EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    int count = 0;
    CUcontext context = nullptr;
    CUdeviceptr at = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0),
              CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuMemAlloc_v2(&at, 4), CUDA_ERROR_NOT_INITIALIZED);
    const char *text = nullptr;
    OK(cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &text));
    EXPECT_STREQ(text, "CUDA_ERROR_NOT_INITIALIZED");
    OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT_STREQ(text, "an illegal memory access was encountered");
    EXPECT_EQ(cuGetErrorName(CUresult(12345), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
  });
}

TEST(Devices, FunctionsByName) {
  expectClean({{"DRIVER", "12000"}}, [] {
    void *function = nullptr;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status));
    EXPECT_EQ(function, reinterpret_cast<void *>(&cuMemAlloc_v2));
    OK(cuGetProcAddress_v2("cuInit", &function, 12000, 0, nullptr));
    EXPECT_EQ(function, reinterpret_cast<void *>(&cuInit));
    OK(cuGetProcAddress_v2("cuNone", &function, 12000, 0, &status));
    EXPECT_EQ(function, nullptr);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress_v2("cuInit", &function, 13000, 0, &status));
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_EQ(cuGetProcAddress_v2("cuNone", &function, 12000, 0, nullptr),
              CUDA_ERROR_NOT_FOUND);
  });
}

// As a program finds them: by the name of the library and of the function.
TEST(Libraries, HaveTheirNames) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *nccl = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(driver && nccl);
#define DRIVER_FUNCTION(name, parameters)                                      \
  EXPECT_EQ(dlsym(driver, #name), reinterpret_cast<void *>(&name));
#include "test/fake-cuda/Functions.def"
#define NCCL_FUNCTION(result, name, parameters)                                \
  EXPECT_EQ(dlsym(nccl, #name), reinterpret_cast<void *>(&name));
#include "test/fake-cuda/NcclFunctions.def"
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

TEST(Contexts, CountTheirUsers) {
  expectClean({{"DEVICES", "2"}}, [] {
    OK(cuInit(0));
    CUcontext first = nullptr, again = nullptr, current = nullptr;
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    EXPECT_EQ(first, again);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&again, 2), CUDA_ERROR_INVALID_DEVICE);
    OK(cuCtxSetCurrent(first));
    OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, first);
    std::thread([] { // it is the thread's
      EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    })
        .join();
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease_v2(0));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuCtxSetCurrent(first), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(nullptr));
    OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
  });
}

TEST(Contexts, StreamsDieWithThem) {
  expectAbort({}, "the context of the stream's device 0 is released", [] {
    OK(cuInit(0));
    CUcontext context = nullptr;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    CUstream stream = nullptr;
    OK(cuStreamCreate(&stream, 0));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    (void)cuStreamSynchronize(stream);
  });
}

TEST(Contexts, PeerAccess) {
  expectClean({{"DEVICES", "2"}}, [] {
    Session s(2);
    int can = -1;
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 1);
    OK(cuDeviceCanAccessPeer(&can, 1, 1));
    EXPECT_EQ(can, 0);
    EXPECT_EQ(cuCtxEnablePeerAccess(s.context(1), 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxEnablePeerAccess(s.context(0), 0),
              CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxEnablePeerAccess(s.context(1), 0));
    EXPECT_EQ(cuCtxEnablePeerAccess(s.context(1), 0),
              CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  });
  expectClean({{"DEVICES", "2"}, {"PEER", "0"}}, [] {
    Session s(2);
    int can = -1;
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 0);
    EXPECT_EQ(cuCtxEnablePeerAccess(s.context(1), 0),
              CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  });
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TEST(Handles, NullIsAnError) {
  expectClean({}, [] {
    Session s;
    CUfunction function = nullptr;
    EXPECT_EQ(cuEventRecord(nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleUnload(nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleGetFunction(&function, nullptr, "x"),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuGraphDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuGraphLaunch(nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    CUstream stream = nullptr;
    EXPECT_EQ(cuStreamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
    CUevent event = nullptr;
    EXPECT_EQ(cuEventCreate(&event, 8), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Handles, DestroyedOnesAreToldOf) {
  expectAbort({}, "cuStreamSynchronize: the stream 0x", [] {
    Session s;
    CUstream stream = nullptr;
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamDestroy_v2(stream));
    (void)cuStreamSynchronize(stream);
  });
  expectAbort({}, "is destroyed", [] {
    Session s;
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    OK(cuEventDestroy_v2(event));
    (void)cuEventDestroy_v2(event);
  });
  expectAbort({}, " is no event", [] {
    Session s;
    (void)cuEventQuery(reinterpret_cast<CUevent>(s.stream()));
  });
  expectAbort({}, "is no handle that the driver gave out, and so no module",
              [] {
                Session s;
                int local;
                (void)cuModuleUnload(reinterpret_cast<CUmodule>(&local));
              });
  expectAbort({}, "CU_STREAM_PER_THREAD is not emulated", [] {
    Session s;
    (void)cuStreamSynchronize(reinterpret_cast<CUstream>(kPerThreadStream));
  });
}

// What a real driver allows of other devices' handles, and what not.
TEST(Handles, OfAnotherDevice) {
  expectClean({{"DEVICES", "2"}}, [] {
    Session s(2);
    CUstream first = s.stream();
    CUevent event = s.event();
    CUdeviceptr a = s.alloc(4);
    CUfunction kernel = s.kernel("nothing");
    s.use(1);
    CUstream second = s.stream();
    EXPECT_EQ(cuEventRecord(event, second), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(
        cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, first, nullptr, nullptr),
        CUDA_ERROR_INVALID_CONTEXT);
    s.use(0);
    EXPECT_EQ(
        cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, second, nullptr, nullptr),
        CUDA_ERROR_INVALID_HANDLE);
    s.use(1);
    OK(cuMemsetD8Async(a, 0, 4, first));
    OK(cuEventRecord(event, first));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuEventSynchronize(event));
    OK(cuStreamSynchronize(second));
  });
}

} // namespace
