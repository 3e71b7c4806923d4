//===- AbiTest.cpp - the functions have the types that cuda.h says --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built where CMake finds cuda.h. Nothing of it runs: it compiles or it
// doesn't.
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Types.h"

// Macros of cuda.h.
static constexpr unsigned kPortable = belfry::fake::CU_MEMHOSTALLOC_PORTABLE;
static constexpr unsigned kMapped = belfry::fake::CU_MEMHOSTALLOC_DEVICEMAP;
static constexpr unsigned kWriteCombined =
    belfry::fake::CU_MEMHOSTALLOC_WRITECOMBINED;

#include <cuda.h>
#include <type_traits>

static_assert(CUDA_VERSION >= 13000, "names and suffixes are those of 13.0");

namespace {

template <typename T>
concept Complete = requires { sizeof(T); };

/// Whether values of both types are passed in the same way and mean the same:
/// numbers of one size and sign, pointers to such, opaque handles, structures
/// of one size, functions of such.
template <typename A, typename B> struct Same {
  static consteval bool holds() {
    if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>)
      return pointees<std::remove_pointer_t<A>, std::remove_pointer_t<B>>();
    else if constexpr (std::is_enum_v<A> && std::is_enum_v<B>)
      return sizeof(A) == sizeof(B);
    else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
      return sizeof(A) == sizeof(B) &&
             std::is_signed_v<A> == std::is_signed_v<B>;
    else if constexpr (std::is_class_v<A> && std::is_class_v<B>)
      return sizeof(A) == sizeof(B) && alignof(A) == alignof(B);
    else
      return std::is_same_v<A, B>;
  }

  template <typename C, typename D> static consteval bool pointees() {
    if constexpr (std::is_const_v<C> != std::is_const_v<D>)
      return false;
    else if constexpr (std::is_void_v<C> || std::is_void_v<D>)
      return std::is_void_v<C> && std::is_void_v<D>;
    else if constexpr (std::is_function_v<C> && std::is_function_v<D>)
      return Same<C, D>::holds();
    else if constexpr (!Complete<C> || !Complete<D>)
      return !Complete<C> && !Complete<D>;
    else
      return Same<std::remove_cv_t<C>, std::remove_cv_t<D>>::holds();
  }
};

template <typename R, typename... As, typename S, typename... Bs>
struct Same<R(As...), S(Bs...)> {
  static consteval bool holds() {
    if constexpr (sizeof...(As) != sizeof...(Bs))
      return false;
    else
      return Same<R, S>::holds() && (Same<As, Bs>::holds() && ...);
  }
};

// It can tell types apart.
static_assert(!Same<int(int), int(unsigned)>::holds());
static_assert(!Same<int(int *), int(long *)>::holds());
static_assert(!Same<int(const int *), int(int *)>::holds());
static_assert(!Same<int(int), int(int, int)>::holds());
static_assert(!Same<int(CUstream), int(int)>::holds());
static_assert(!Same<int(CUstream), int(unsigned *)>::holds());
static_assert(!Same<int(void *), int(int *)>::holds());
static_assert(!Same<int(CUdevice_attribute), int(int)>::holds());

} // namespace

// The types of ours, and not the functions, which would be the same functions
// as those of cuda.h.
namespace belfry::fake::types {
#define DRIVER_FUNCTION(name, parameters)                                      \
  using name##Type = CUresult parameters;
#include "test/fake-cuda/Functions.def"
} // namespace belfry::fake::types

#define DRIVER_FUNCTION(name, parameters)                                      \
  static_assert(                                                               \
      Same<belfry::fake::types::name##Type, decltype(::name)>::holds(),        \
      #name " is not as in cuda.h");
#include "test/fake-cuda/Functions.def"

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

#define SAME(name) static_assert(int(belfry::fake::name) == int(::name), #name)
SAME(CUDA_SUCCESS);
SAME(CUDA_ERROR_INVALID_VALUE);
SAME(CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ERROR_NOT_INITIALIZED);
SAME(CUDA_ERROR_NO_DEVICE);
SAME(CUDA_ERROR_INVALID_DEVICE);
SAME(CUDA_ERROR_INVALID_IMAGE);
SAME(CUDA_ERROR_INVALID_CONTEXT);
SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
SAME(CUDA_ERROR_INVALID_PTX);
SAME(CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CUDA_ERROR_INVALID_HANDLE);
SAME(CUDA_ERROR_ILLEGAL_STATE);
SAME(CUDA_ERROR_NOT_FOUND);
SAME(CUDA_ERROR_NOT_READY);
SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
SAME(CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(CUDA_ERROR_ASSERT);
SAME(CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUDA_ERROR_LAUNCH_FAILED);
SAME(CUDA_ERROR_NOT_SUPPORTED);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME(CUDA_ERROR_STREAM_CAPTURE_MERGE);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
SAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
SAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
SAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME(CUDA_ERROR_CAPTURED_EVENT);
SAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
SAME(CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
SAME(CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SAME(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
SAME(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CU_STREAM_CAPTURE_STATUS_NONE);
SAME(CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(CU_GET_PROC_ADDRESS_SUCCESS);
SAME(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
SAME(CU_STREAM_NON_BLOCKING);
SAME(CU_EVENT_BLOCKING_SYNC);
SAME(CU_EVENT_DISABLE_TIMING);
static_assert(kPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(kMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(kWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
SAME(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
SAME(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);

#undef SAME
static_assert(int(CU_DEVICE_ATTRIBUTE_MAX) == belfry::fake::kAttributeLimit);
static_assert(int(CU_FUNC_ATTRIBUTE_MAX) ==
              belfry::fake::kFunctionAttributeLimit);

#define DRIVER_ERROR(code, name, text)                                         \
  static_assert(int(CUDA_##name) == (code));
#include "test/fake-cuda/Errors.def"
