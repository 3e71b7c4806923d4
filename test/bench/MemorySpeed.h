//===- MemorySpeed.h - what the memory can do -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_BENCH_MEMORYSPEED_H
#define BELFRY_TEST_BENCH_MEMORYSPEED_H

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace belfry::bench {

/// GB/s of `threads` threads together in a[i] = b[i] + 0.5·c[i] on arrays of
/// `bytes` bytes each: two are read and one is written, three counted. The best
/// of `tries` runs.
inline double memorySpeed(int threads, size_t bytes, int tries = 10) {
  size_t count = bytes / sizeof(float);
  std::vector<float> a(count, 0.f), b(count, 1.f), c(count, 2.f);
  auto part = [&](size_t first, size_t last) {
    float *to = a.data();
    const float *x = b.data(), *y = c.data();
    for (size_t i = first; i < last; ++i)
      to[i] = x[i] + 0.5f * y[i];
    asm volatile("" : : "r"(to) : "memory");
  };
  double best = 0;
  for (int t = 0; t < tries; ++t) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    size_t n = size_t(threads);
    for (size_t i = 1; i < n; ++i)
      others.emplace_back(part, count * i / n, count * (i + 1) / n);
    part(0, count / n);
    for (std::thread &other : others)
      other.join();
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    best = std::max(best, 3 * double(count * sizeof(float)) / seconds.count());
  }
  return best * 1e-9;
}

} // namespace belfry::bench

#endif // BELFRY_TEST_BENCH_MEMORYSPEED_H
