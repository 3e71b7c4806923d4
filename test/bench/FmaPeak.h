//===- FmaPeak.h - what the multiply-add units can do -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the peak of fused multiply-adds in f32: enough independent chains
// in registers to keep every unit busy, nothing loaded or stored. A ratio to
// it, taken in the same run, says more than GFLOP/s on a machine whose
// frequency and neighbours change.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_BENCH_FMAPEAK_H
#define BELFRY_TEST_BENCH_FMAPEAK_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace belfry::bench {

namespace detail {

#if defined(__x86_64__)
typedef float V512 __attribute__((vector_size(64)));
typedef float V256 __attribute__((vector_size(32)));
#endif
typedef float V128 __attribute__((vector_size(16)));

// The empty assembly keeps the chains in registers and the loop in being.
#define BELFRY_FMA_CHAINS(NAME, TYPE, CHAINS, ATTRIBUTE, CONSTRAINT)           \
  ATTRIBUTE inline void NAME(int64_t steps) {                                  \
    TYPE x = TYPE{} + 0.5f, y = TYPE{} + 0.25f;                                \
    TYPE sum[CHAINS] = {};                                                     \
    for (int64_t s = 0; s < steps; ++s) {                                      \
      _Pragma("clang loop unroll(full)") for (int c = 0; c < CHAINS; ++c) {    \
        sum[c] = __builtin_elementwise_fma(x, y, sum[c]);                      \
        asm volatile("" : "+" CONSTRAINT(sum[c]));                             \
      }                                                                        \
    }                                                                          \
  }

#if defined(__x86_64__)
BELFRY_FMA_CHAINS(chains512, V512, 16, __attribute__((target("avx512f"))), "v")
BELFRY_FMA_CHAINS(chains256, V256, 12, __attribute__((target("avx2,fma"))), "x")
#elif defined(__aarch64__)
BELFRY_FMA_CHAINS(chains128, V128, 24, , "w")
#endif
#undef BELFRY_FMA_CHAINS

} // namespace detail

/// Peak in GFLOP/s (a multiply-add counts two) of `threads` threads together,
/// with vectors of at most `vectorBytes`; the best of `tries` runs of some
/// milliseconds. 0 where the processor has no such instructions.
inline double fmaPeak(int threads, int vectorBytes = 64, int tries = 20) {
  void (*chains)(int64_t) = nullptr;
  double flopsOfAStep = 0;
#if defined(__x86_64__)
  if (vectorBytes >= 64 && __builtin_cpu_supports("avx512f")) {
    chains = detail::chains512;
    flopsOfAStep = 2 * 16 * 16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    chains = detail::chains256;
    flopsOfAStep = 2 * 8 * 12;
  }
#elif defined(__aarch64__)
  chains = detail::chains128;
  flopsOfAStep = 2 * 4 * 24;
#endif
  if (!chains)
    return 0;
  constexpr int64_t Steps = 400'000;
  double best = 0;
  for (int t = 0; t < tries; ++t) {
    std::atomic<int> ready{0};
    std::vector<double> seconds(static_cast<size_t>(threads));
    auto measure = [&](int index) {
      ++ready;
      while (ready < threads)
        std::this_thread::yield();
      auto start = std::chrono::steady_clock::now();
      chains(Steps);
      seconds[size_t(index)] = std::chrono::duration<double>(
                                   std::chrono::steady_clock::now() - start)
                                   .count();
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
      others.emplace_back(measure, i);
    measure(0);
    for (std::thread &other : others)
      other.join();
    double slowest = *std::max_element(seconds.begin(), seconds.end());
    best = std::max(best, flopsOfAStep * double(Steps) * threads / slowest);
  }
  return best * 1e-9;
}

} // namespace belfry::bench

#endif // BELFRY_TEST_BENCH_FMAPEAK_H
