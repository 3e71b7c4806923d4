//===- Architectures.cpp - NVIDIA GPUs that kernels are for ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Architectures.h"

#include "lib/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace belfry;
using llvm::StringRef;

static constexpr int64_t kKiB = 1024;

static const GpuArchitecture kArchitectures[] = {
    {75, 63, 1024, 16, 64 * kKiB, 0},
    {80, 70, 2048, 32, 164 * kKiB, kKiB},
    {86, 71, 1536, 16, 100 * kKiB, kKiB},
    {89, 78, 1536, 24, 100 * kKiB, kKiB},
    {90, 78, 2048, 32, 228 * kKiB, kKiB},
    {100, 86, 2048, 32, 228 * kKiB, kKiB},
    {120, 87, 1536, 24, 100 * kKiB, kKiB},
};

llvm::ArrayRef<GpuArchitecture> belfry::gpuArchitectures() {
  return kArchitectures;
}

const GpuArchitecture *belfry::findArchitecture(unsigned sm) {
  const auto *found = llvm::find_if(
      kArchitectures, [&](const GpuArchitecture &a) { return a.sm == sm; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

llvm::Expected<std::vector<unsigned>>
belfry::parseArchitectures(llvm::ArrayRef<std::string> names) {
  if (names.empty())
    return std::vector<unsigned>{80, 90, 120};
  std::set<unsigned> chosen;
  for (StringRef name : names) {
    unsigned sm = 0;
    if (name == "all") {
      for (const GpuArchitecture &arch : kArchitectures)
        chosen.insert(arch.sm);
    } else if (!name.getAsInteger(10, sm) && findArchitecture(sm)) {
      chosen.insert(sm);
    } else {
      std::string known;
      for (const GpuArchitecture &arch : kArchitectures)
        known += std::to_string(arch.sm) + ", ";
      return makeError("unknown GPU architecture '" + name +
                       "' of '--cuda-arch'; known are " + known + "all");
    }
  }
  return std::vector<unsigned>(chosen.begin(), chosen.end());
}

double belfry::occupancy(const GpuArchitecture &arch,
                         const KernelResources &kernel,
                         int64_t threadsOfBlock) {
  constexpr int64_t kRegisters = 65536, kWarp = 32, kRegisterUnit = 256;
  int64_t warps = llvm::divideCeil(threadsOfBlock, kWarp);
  int64_t blocks =
      std::min(arch.blocks, arch.threads / std::max<int64_t>(1, warps * kWarp));
  if (kernel.registers > 0) {
    int64_t ofWarp = int64_t(
        llvm::alignTo(uint64_t(kernel.registers * kWarp), kRegisterUnit));
    blocks = std::min(blocks, kRegisters / ofWarp / warps);
  }
  if (int64_t shared = kernel.sharedBytes + arch.reservedOfBlock; shared > 0)
    blocks = std::min(blocks, arch.sharedBytes / shared);
  return double(blocks * warps * kWarp) / double(arch.threads);
}
