//===- Kernels.cpp - modules, functions and launches ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Functions.h"
#include "test/fake-cuda/Limits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/mman.h>

using namespace belfry::fake;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Options that say where a log goes; the others change nothing here.
static void writeLog(const std::string &log, unsigned count,
                     const CUjit_option *options, void **values) {
  char *buffer = nullptr;
  size_t size = 0;
  void **used = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      // Goes in and out in the place of the pointer.
      size = size_t(reinterpret_cast<uintptr_t>(values[i])) & 0xffffffff;
      used = &values[i];
    }
  }
  if (!buffer || size == 0)
    return;
  size_t length = std::min(size - 1, log.size());
  std::memcpy(buffer, log.data(), length);
  buffer[length] = 0;
  *used = reinterpret_cast<void *>(uintptr_t(length));
}

CUresult belfry::fake::cuModuleLoadDataEx(CUmodule *module, const void *image,
                                          unsigned count, CUjit_option *options,
                                          void **values) {
  return enter(__func__, kUnsafeInCapture, [&](Call &call) {
    require(module && image && (count == 0 || (options && values)),
            CUDA_ERROR_INVALID_VALUE);
    Device &device = call.current();
    const Settings &settings = call.driver.settings;
    auto loaded = std::make_shared<Image>();
    std::string log;
    CUresult result = call.driver.images.load(image, settings.architecture,
                                              settings.driver, *loaded, log);
    if (result != CUDA_SUCCESS)
      tell(std::string(currentCall) + ": " + log);
    writeLog(log, count, options, values);
    require(result == CUDA_SUCCESS, result);
    auto made = std::make_shared<Module>();
    made->device = &device;
    made->image = std::move(loaded);
    *module = call.driver.modules.add(std::move(made));
  });
}

CUresult belfry::fake::cuModuleUnload(CUmodule handle) {
  return enter(__func__, kReleases | kUnsafeInCapture, [&](Call &call) {
    auto module = call.driver.modules.get(handle);
    for (CUfunction function : module->functions)
      call.driver.functions.remove(function);
    call.driver.modules.remove(handle);
    call.use(*module->device);
  });
}

CUresult belfry::fake::cuModuleGetFunction(CUfunction *function,
                                           CUmodule moduleHandle,
                                           const char *name) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(function && name, CUDA_ERROR_INVALID_VALUE);
    auto module = call.driver.modules.get(moduleHandle);
    call.use(*module->device);
    const belfry_emulated_kernel *kernel = module->image->find(name);
    require(kernel != nullptr, CUDA_ERROR_NOT_FOUND);
    auto made = std::make_shared<Function>();
    made->device = module->device;
    made->module = module;
    made->kernel = kernel;
    const auto &uses = module->image->uses;
    if (auto use = uses.find(name); use != uses.end())
      made->use = use->second;
    made->dynamicShared =
        std::max(0, kSharedOfBlock - std::max(0, made->use.sharedBytes));
    *function = call.driver.functions.add(made);
    module->functions.push_back(*function);
  });
}

/// Images have kernels and no variables.
CUresult belfry::fake::cuModuleGetGlobal_v2(CUdeviceptr *, size_t *,
                                            CUmodule module, const char *name) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(name != nullptr, CUDA_ERROR_INVALID_VALUE);
    call.driver.modules.get(module);
    throw Failure{CUDA_ERROR_NOT_FOUND};
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

CUresult belfry::fake::cuFuncGetAttribute(int *value,
                                          CUfunction_attribute attribute,
                                          CUfunction handle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(value && attribute >= 0 && attribute < kFunctionAttributeLimit,
            CUDA_ERROR_INVALID_VALUE);
    auto function = call.driver.functions.get(handle);
    const Image &image = *function->module->image;
    int found = -1;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      found = int(function->kernel->threads);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      found = function->use.sharedBytes;
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      found = function->use.localBytes;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      found = function->use.registers;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      found = image.isPtx && attribute == CU_FUNC_ATTRIBUTE_BINARY_VERSION
                  ? call.driver.settings.architecture
                  : image.architecture;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      found = function->dynamicShared;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = function->carveout; // -1 where nothing was asked for
      return;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      break;
    }
    if (found < 0)
      fatal("attribute " + std::to_string(int(attribute)) + " of kernel '" +
            function->kernel->name + "' can't be told from its image");
    *value = found;
  });
}

CUresult belfry::fake::cuFuncSetAttribute(CUfunction handle,
                                          CUfunction_attribute attribute,
                                          int value) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto function = call.driver.functions.get(handle);
    call.use(*function->device);
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
      int most = limitsOf(call.driver.settings.architecture).sharedOfBlock -
                 std::max(0, function->use.sharedBytes);
      require(value >= 0 && value <= most, CUDA_ERROR_INVALID_VALUE);
      function->dynamicShared = value;
    } else if (attribute ==
               CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
      require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE);
      function->carveout = value;
    } else {
      throw Failure{CUDA_ERROR_INVALID_VALUE};
    }
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Blocks of a grid come in no order. Runs it in pieces, the last first, or
/// shuffled by `order` where it isn't 0.
static void runGrid(const belfry_emulated_kernel &kernel,
                    const std::vector<uint64_t> &words, int64_t blocks,
                    uint64_t order) {
  // On the stack and without a destructor: a kernel may be given up.
  std::array<int64_t, 8> sequence;
  auto pieces = std::min(blocks, int64_t(sequence.size()));
  for (int64_t i = 0; i < pieces; ++i)
    sequence[size_t(i)] = pieces - 1 - i;
  if (order)
    std::shuffle(sequence.begin(), sequence.begin() + pieces,
                 std::mt19937_64(order));
  for (int64_t i = 0; i < pieces; ++i) {
    int64_t piece = sequence[size_t(i)];
    kernel.run(words.data(), piece * blocks / pieces,
               (piece + 1) * blocks / pieces);
  }
}

/// Whether an address is one of the process.
static bool isMapped(uint64_t address) {
  constexpr uint64_t kPage = 4096;
  unsigned char resident;
  return mincore(reinterpret_cast<void *>(uintptr_t(address / kPage * kPage)),
                 kPage, &resident) == 0;
}

/// A parameter that points into an allocation may be read and written all
/// through it. One of another device has to be a peer's.
static std::vector<Access> accessesOf(const Call &call,
                                      const Function &function,
                                      const std::vector<uint64_t> &words) {
  std::vector<Access> accesses;
  for (uint32_t i = 0; i < function.kernel->num_params; ++i) {
    if (function.kernel->param_bytes[i] != 8)
      continue;
    const Allocation *found = call.driver.memory.find(words[i]);
    if (!found) {
      // A number may happen to be an address, but hardly one that is in use.
      bool isDevices = std::any_of(
          call.driver.devices.begin(), call.driver.devices.end(),
          [&](const auto &device) {
            return words[i] - device->rangeBegin < device->rangeBytes;
          });
      if (!isDevices && words[i] >> 32 && isMapped(words[i]))
        fatal("parameter " + std::to_string(i) + " of kernel '" +
              function.kernel->name + "' points to the host's memory at " +
              hex(words[i]) + ", which is not pinned");
      continue;
    }
    const Device *of = found->device;
    if (of && of != function.device && !function.device->peers.count(of))
      fatal("parameter " + std::to_string(i) + " of kernel '" +
            function.kernel->name + "' points to device " +
            std::to_string(of->ordinal) + ", which device " +
            std::to_string(function.device->ordinal) + " has no access to");
    accesses.push_back({found->begin, found->end(), Access::Kind::Unknown});
  }
  return accesses;
}

CUresult belfry::fake::cuLaunchKernel(CUfunction handle, unsigned gridX,
                                      unsigned gridY, unsigned gridZ,
                                      unsigned blockX, unsigned blockY,
                                      unsigned blockZ, unsigned sharedBytes,
                                      CUstream streamHandle, void **parameters,
                                      void **extra) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto function = call.driver.functions.get(handle);
    const belfry_emulated_kernel &kernel = *function->kernel;
    const std::string named = "kernel '" + std::string(kernel.name) + "'";
    auto stream = call.stream(streamHandle);
    require(&call.current() == function->device, CUDA_ERROR_INVALID_CONTEXT);
    require(stream->device == function->device, CUDA_ERROR_INVALID_HANDLE);

    require(gridX > 0 && gridX <= kMaxGridX && gridY > 0 &&
                gridY <= kMaxGridYZ && gridZ > 0 && gridZ <= kMaxGridYZ,
            CUDA_ERROR_INVALID_VALUE);
    require(blockX > 0 && blockY > 0 && blockZ > 0, CUDA_ERROR_INVALID_VALUE);
    uint64_t threads = uint64_t(blockX) * blockY * blockZ;
    require(threads <= uint64_t(kMaxThreads) && threads <= kernel.threads,
            CUDA_ERROR_INVALID_VALUE);
    if (blockX != kernel.threads || gridY != 1 || gridZ != 1)
      fatal(named + " has blocks of " + std::to_string(kernel.threads) +
            " threads in one dimension, got a grid of " +
            std::to_string(gridX) + " x " + std::to_string(gridY) + " x " +
            std::to_string(gridZ) + " blocks of " + std::to_string(blockX) +
            " x " + std::to_string(blockY) + " x " + std::to_string(blockZ));
    require(sharedBytes <= unsigned(function->dynamicShared),
            CUDA_ERROR_INVALID_VALUE);
    if (sharedBytes)
      fatal(named + " has no dynamic shared memory, got " +
            std::to_string(sharedBytes) + " bytes");
    // Registers go to warps by 256; a multiprocessor has 65536.
    int64_t ofWarp =
        (std::max(0, function->use.registers) * 32 + 255) / 256 * 256;
    require(ofWarp * ((kernel.threads + 31) / 32) <= 65536,
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    require(!parameters || !extra, CUDA_ERROR_INVALID_VALUE);
    if (extra)
      fatal("'extra' is not emulated");
    require(parameters || kernel.num_params == 0, CUDA_ERROR_INVALID_VALUE);

    std::vector<uint64_t> words(kernel.num_params);
    for (uint32_t i = 0; i < kernel.num_params; ++i) {
      if (!parameters[i])
        fatal("parameter " + std::to_string(i) + " of " + named + " is null");
      std::memcpy(&words[i], parameters[i], kernel.param_bytes[i]);
    }
    uint64_t order = call.driver.operations.isRandom()
                         ? call.driver.operations.draw(UINT64_MAX) + 1
                         : 0;
    Task task{Task::Kind::Kernel,
              named + " in stream " + std::to_string(stream->number),
              function->device};
    task.accesses = accessesOf(call, *function, words);
    task.kernel = kernel.name;
    task.work = [&kernel, words = std::move(words), gridX, order] {
      runGrid(kernel, words, gridX, order);
    };
    call.enqueue(*stream, std::move(task));
  });
}
