//===- Architectures.h - NVIDIA GPUs that kernels are for ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits are those of "Compute Capabilities" in the CUDA C++ Programming
// Guide 13.0, tables of technical specifications; versions of PTX those of its
// reference, "Release Notes".
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_CUDA_ARCHITECTURES_H
#define BELFRY_LIB_CUDA_ARCHITECTURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace belfry {

struct GpuArchitecture {
  unsigned sm;         ///< 90 for sm_90
  unsigned ptx;        ///< the first version of PTX that knows it, 78 for 7.8
  int64_t threads;     ///< of a multiprocessor, at most
  int64_t blocks;      ///< of a multiprocessor, at most
  int64_t sharedBytes; ///< of a multiprocessor
  int64_t reservedOfBlock; ///< bytes of shared memory that the system takes
  std::string name() const { return "sm_" + std::to_string(sm); }
};

/// Those that kernels can be compiled for, in rising order.
llvm::ArrayRef<GpuArchitecture> gpuArchitectures();
const GpuArchitecture *findArchitecture(unsigned sm);

/// `--cuda-arch`: numbers, or `all`; rising, each once. Those of a fat binary
/// where none are given. Fails with an error that lists the known ones.
llvm::Expected<std::vector<unsigned>>
parseArchitectures(llvm::ArrayRef<std::string> names);

/// What a kernel takes of a multiprocessor.
struct KernelResources {
  int64_t registers = 0;   ///< of a thread
  int64_t spillStores = 0; ///< bytes
  int64_t spillLoads = 0;  ///< bytes
  int64_t stackBytes = 0;  ///< of a thread
  int64_t sharedBytes = 0; ///< of a block, static
};

/// Threads of a multiprocessor that can run the kernel at once, of those that
/// it has room for: blocks are limited by threads, registers (65536, given to
/// warps by 256) and shared memory.
double occupancy(const GpuArchitecture &arch, const KernelResources &kernel,
                 int64_t threadsOfBlock);

} // namespace belfry

#endif // BELFRY_LIB_CUDA_ARCHITECTURES_H
