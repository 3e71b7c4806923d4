//===- Devices.cpp - devices and their contexts ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Captures.h"
#include "test/fake-cuda/Functions.h"
#include "test/fake-cuda/Limits.h"

#include <cstdio>

using namespace belfry::fake;

static Device &deviceAt(Call &call, CUdevice device) {
  require(device >= 0 && size_t(device) < call.driver.devices.size(),
          CUDA_ERROR_INVALID_DEVICE);
  return *call.driver.devices[size_t(device)];
}

CUresult belfry::fake::cuInit(unsigned flags) {
  return enter(__func__, kBeforeInit, [&](Call &call) {
    require(flags == 0, CUDA_ERROR_INVALID_VALUE);
    require(!call.driver.devices.empty(), CUDA_ERROR_NO_DEVICE);
    call.driver.initialized = true;
  });
}

CUresult belfry::fake::cuDriverGetVersion(int *version) {
  return enter(__func__, kBeforeInit, [&](Call &call) {
    require(version != nullptr, CUDA_ERROR_INVALID_VALUE);
    *version = call.driver.settings.driver;
  });
}

//===----------------------------------------------------------------------===//
// What a device is
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuDeviceGetCount(int *count) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(count != nullptr, CUDA_ERROR_INVALID_VALUE);
    *count = int(call.driver.devices.size());
  });
}

CUresult belfry::fake::cuDeviceGet(CUdevice *device, int ordinal) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(device != nullptr, CUDA_ERROR_INVALID_VALUE);
    *device = deviceAt(call, ordinal).ordinal;
  });
}

static void copyText(char *to, int length, const std::string &text) {
  require(to != nullptr && length > 0, CUDA_ERROR_INVALID_VALUE);
  std::snprintf(to, size_t(length), "%s", text.c_str());
}

CUresult belfry::fake::cuDeviceGetName(char *name, int length,
                                       CUdevice device) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    deviceAt(call, device);
    copyText(name, length, call.driver.settings.name);
  });
}

/// The bus that a device is on; devices are one a bus, from 1.
static int busOf(const Device &device) { return device.physical + 1; }

CUresult belfry::fake::cuDeviceGetPCIBusId(char *id, int length,
                                           CUdevice device) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    char text[16];
    std::snprintf(text, sizeof(text), "0000:%02X:00.0",
                  unsigned(busOf(deviceAt(call, device))) & 0xff);
    copyText(id, length, text);
  });
}

static CUresult getUuid(const char *name, CUuuid *uuid, CUdevice device) {
  return enter(name, kOrdinary, [&](Call &call) {
    require(uuid != nullptr, CUDA_ERROR_INVALID_VALUE);
    *uuid = uuidOf(deviceAt(call, device).physical);
  });
}

CUresult belfry::fake::cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return getUuid(__func__, uuid, device);
}

CUresult belfry::fake::cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return getUuid(__func__, uuid, device);
}

CUresult belfry::fake::cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(bytes != nullptr, CUDA_ERROR_INVALID_VALUE);
    *bytes = deviceAt(call, device).memory;
  });
}

CUresult belfry::fake::cuDeviceGetAttribute(int *value,
                                            CUdevice_attribute attribute,
                                            CUdevice device) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(value != nullptr && attribute > 0 && attribute < kAttributeLimit,
            CUDA_ERROR_INVALID_VALUE);
    const Device &of = deviceAt(call, device);
    int architecture = call.driver.settings.architecture;
    const Limits &limits = limitsOf(architecture);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = kMaxThreads;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = int(kMaxGridX);
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = int(kMaxGridYZ);
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = kSharedOfBlock;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = limits.sharedOfBlock;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = limits.shared;
      return;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      *value = architecture >= 80 ? 1024 : 0;
      return;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = limits.threads;
      return;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = limits.blocks;
      return;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = limits.multiprocessors;
      return;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = limits.clockKHz;
      return;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = limits.memoryClockKHz;
      return;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = limits.busBits;
      return;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = limits.cacheBytes;
      return;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = architecture / 10;
      return;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = architecture % 10;
      return;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      *value = busOf(of);
      return;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      *value = 2;
      return;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
      *value = 1;
      return;
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      *value = 0;
      return;
    }
    fatal("attribute " + std::to_string(int(attribute)) + " is not emulated");
  });
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuDevicePrimaryCtxRetain(CUcontext *context,
                                                CUdevice device) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    require(context != nullptr, CUDA_ERROR_INVALID_VALUE);
    Device &of = deviceAt(call, device);
    call.use(of);
    ++of.retained;
    *context = of.context;
  });
}

/// The last release destroys the context: it waits for what is enqueued.
CUresult belfry::fake::cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return enter(__func__, kReleases | kUnsafeInCapture, [&](Call &call) {
    Device &of = deviceAt(call, device);
    require(of.retained > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (of.retained == 1) {
      call.driver.operations.wait(call.lock, call.allOf(of));
      of.peers.clear();
    }
    --of.retained;
    call.use(of);
  });
}

CUresult belfry::fake::cuCtxSetCurrent(CUcontext context) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    if (!context) {
      currentDevice = nullptr;
      return;
    }
    auto device = call.driver.contexts.get(context);
    require(device->retained > 0, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    currentDevice = device.get();
  });
}

CUresult belfry::fake::cuCtxGetCurrent(CUcontext *context) {
  return enter(__func__, kOrdinary, [&](Call &) {
    require(context != nullptr, CUDA_ERROR_INVALID_VALUE);
    *context = currentDevice ? currentDevice->context : nullptr;
  });
}

CUresult belfry::fake::cuCtxSynchronize() {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    Device &device = call.current();
    for (const auto &capture : call.driver.captures)
      for (const auto &stream : capture->streams)
        if (stream->device == &device)
          requireNotCaptured(*stream);
    call.wait(call.allOf(device), device);
  });
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuDeviceCanAccessPeer(int *can, CUdevice device,
                                             CUdevice peer) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(can != nullptr, CUDA_ERROR_INVALID_VALUE);
    *can = &deviceAt(call, device) != &deviceAt(call, peer) &&
           call.driver.settings.peer;
  });
}

CUresult belfry::fake::cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    require(flags == 0, CUDA_ERROR_INVALID_VALUE);
    Device &device = call.current();
    require(peer != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    auto other = call.driver.contexts.get(peer);
    require(other->retained > 0 && other.get() != &device,
            CUDA_ERROR_INVALID_CONTEXT);
    require(call.driver.settings.peer, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    require(device.peers.insert(other.get()).second,
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  });
}
