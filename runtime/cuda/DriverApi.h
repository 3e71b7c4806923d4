//===- DriverApi.h - the functions of the CUDA driver ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of all functions of the driver that the runtime calls, filled from
// libcuda.so.1 when devices are needed. Declarations are our own, as the CUDA
// Driver API reference (13.0) has them, so that the runtime builds without a
// toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CUDA_DRIVERAPI_H
#define BELFRY_RUNTIME_CUDA_DRIVERAPI_H

#include "runtime/core/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace belfry::rt::cuda {

using Result = int; ///< CUresult
inline constexpr Result kSuccess = 0, kNoDevice = 100, kInvalidImage = 200,
                        kNoBinaryForGpu = 209, kNotReady = 600;

using DeviceId = int;       ///< CUdevice
using DevicePtr = uint64_t; ///< CUdeviceptr
using Context = struct ContextT *;
using Stream = struct StreamT *;
using Event = struct EventT *;
using Module = struct ModuleT *;
using Function = struct FunctionT *;
using Graph = struct GraphT *;
using GraphExec = struct GraphExecT *;

inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;
inline constexpr Result kPeerAccessAlreadyEnabled = 704;

/// The first version that has all of these functions: 11.4.
inline constexpr int kLeastDriver = 11040;

// Member, symbol, parameters.
#define BELFRY_CUDA_DRIVER(X)                                                  \
  X(init, cuInit, (unsigned))                                                  \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(getErrorName, cuGetErrorName, (Result, const char **))                     \
  X(getErrorString, cuGetErrorString, (Result, const char **))                 \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (DeviceId *, int))                                 \
  X(deviceGetName, cuDeviceGetName, (char *, int, DeviceId))                   \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, DeviceId))          \
  X(deviceCanAccessPeer, cuDeviceCanAccessPeer, (int *, DeviceId, DeviceId))   \
  X(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, DeviceId))   \
  X(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceId))         \
  X(ctxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(ctxEnablePeerAccess, cuCtxEnablePeerAccess, (Context, unsigned))           \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(memAlloc, cuMemAlloc_v2, (DevicePtr *, size_t))                            \
  X(memFree, cuMemFree_v2, (DevicePtr))                                        \
  X(memHostAlloc, cuMemHostAlloc, (void **, size_t, unsigned))                 \
  X(memFreeHost, cuMemFreeHost, (void *))                                      \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (DevicePtr, const void *, size_t))            \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, DevicePtr, size_t))                  \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (DevicePtr, const void *, size_t, Stream))                                 \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *, DevicePtr, size_t, Stream))                                       \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (DevicePtr, DevicePtr, size_t, Stream))                                    \
  X(memcpyPeerAsync, cuMemcpyPeerAsync,                                        \
    (DevicePtr, Context, DevicePtr, Context, size_t, Stream))                  \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                               \
  X(streamQuery, cuStreamQuery, (Stream))                                      \
  X(streamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))             \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream, int))                \
  X(streamEndCapture, cuStreamEndCapture, (Stream, Graph *))                   \
  X(eventCreate, cuEventCreate, (Event *, unsigned))                           \
  X(eventRecord, cuEventRecord, (Event, Stream))                               \
  X(eventQuery, cuEventQuery, (Event))                                         \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                  \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(moduleUnload, cuModuleUnload, (Module))                                    \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function *, Module, const char *))                                        \
  X(launchKernel, cuLaunchKernel,                                              \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
     unsigned, Stream, void **, void **))                                      \
  X(graphInstantiateWithFlags, cuGraphInstantiateWithFlags,                    \
    (GraphExec *, Graph, unsigned long long))                                  \
  X(graphLaunch, cuGraphLaunch, (GraphExec, Stream))                           \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec))                         \
  X(graphDestroy, cuGraphDestroy, (Graph))

/// The functions by their names without `cu`.
struct Driver {
  // NOLINTBEGIN(bugprone-macro-parentheses): these make a declaration.
#define BELFRY_DECLARE(MEMBER, SYMBOL, PARAMETERS)                             \
  Result(*MEMBER) PARAMETERS = nullptr;
  BELFRY_CUDA_DRIVER(BELFRY_DECLARE)
#undef BELFRY_DECLARE
  // NOLINTEND(bugprone-macro-parentheses)
  int version = 0; ///< 13000 for CUDA 13.0

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(Result result) const;
};

/// "13.0" for 13000.
std::string versionText(int version);

/// What there is to say where the driver shows no GPU.
Status noGpu();

/// Opens the driver and initialises it, once a process. A failure says what is
/// missing, and that the target `host` needs none of it.
Expected<const Driver *> openDriver();

} // namespace belfry::rt::cuda

#endif // BELFRY_RUNTIME_CUDA_DRIVERAPI_H
