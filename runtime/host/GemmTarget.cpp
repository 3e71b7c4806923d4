//===- GemmTarget.cpp - which kernels run ---------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Gemm.h"
#include "runtime/host/GemmKernels.h"

#include <atomic>
#include <iterator>
#include <string_view>

using namespace belfry::rt::gemm;

namespace {

std::atomic<const KernelSet *> active{nullptr};

#if defined(__x86_64__)

bool runsAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool runsAvx512() {
  return runsAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

const KernelSet *best() {
  if (runsAvx512())
    return &avx512Kernels;
  return runsAvx2() ? &avx2Kernels : &baselineKernels;
}

// LLVM's names. Those with AVX-512 of full width, those without AVX2; all the
// others have AVX2 and FMA.
constexpr std::string_view Avx512Names[] = {
    "x86-64-v4",      "skylake-avx512",  "skx",
    "cascadelake",    "cooperlake",      "cannonlake",
    "icelake-client", "icelake-server",  "rocketlake",
    "tigerlake",      "sapphirerapids",  "emeraldrapids",
    "graniterapids",  "graniterapids-d", "diamondrapids",
    "znver4",         "znver5",          "avx512"};
constexpr std::string_view BaselineNames[] = {
    "x86-64",        "x86-64-v2",  "generic",    "nocona",     "core2",
    "penryn",        "nehalem",    "westmere",   "corei7",     "sandybridge",
    "ivybridge",     "corei7-avx", "core-avx-i", "silvermont", "goldmont",
    "goldmont-plus", "tremont",    "bonnell",    "atom",       "k8",
    "k8-sse3",       "opteron",    "athlon64",   "amdfam10",   "barcelona",
    "btver1",        "btver2",     "bdver1",     "bdver2",     "bdver3",
    "baseline"};

template <size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  for (std::string_view n : names)
    if (n == name)
      return true;
  return false;
}

/// Null where this processor can't run it.
const KernelSet *select(std::string_view name) {
  if (contains(Avx512Names, name))
    return runsAvx512() ? &avx512Kernels : nullptr;
  if (contains(BaselineNames, name))
    return &baselineKernels;
  return runsAvx2() ? &avx2Kernels : nullptr;
}

#else

const KernelSet *best() { return &baselineKernels; }
const KernelSet *select(std::string_view) { return &baselineKernels; }

#endif

} // namespace

const KernelSet &belfry::rt::gemm::activeKernels() {
  const KernelSet *set = active.load(std::memory_order_acquire);
  if (!set) {
    // Threads that come here together store the same pointer.
    const KernelSet *chosen = best();
    if (active.compare_exchange_strong(set, chosen, std::memory_order_acq_rel))
      set = chosen;
  }
  return *set;
}

int belfry_gemm_set_target(const char *mcpu) {
  std::string_view name = mcpu ? mcpu : "native";
  const KernelSet *set = name == "native" ? best() : select(name);
  if (!set)
    return -1;
  active.store(set, std::memory_order_release);
  return 0;
}

const char *belfry_gemm_target(void) { return activeKernels().name; }
