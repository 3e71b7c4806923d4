//===- Limits.h - what devices of an architecture have -------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_LIMITS_H
#define BELFRY_TEST_FAKE_CUDA_LIMITS_H

#include <cstdint>

namespace belfry::fake {

inline constexpr int kMaxThreads = 1024; ///< of a block
inline constexpr uint32_t kMaxGridX = 2147483647;
inline constexpr uint32_t kMaxGridYZ = 65535;
inline constexpr int kSharedOfBlock = 49152; ///< bytes, if not asked for more

/// Of a multiprocessor and of a device. The first five are those of "Compute
/// Capabilities" in the CUDA C++ Programming Guide 13.0; the others those of a
/// device of that architecture.
struct Limits {
  int architecture;
  int threads, blocks;
  int shared;        ///< bytes
  int sharedOfBlock; ///< bytes, the most that a kernel may ask for
  int multiprocessors, clockKHz, memoryClockKHz, busBits, cacheBytes;
};

inline constexpr int kKiB = 1024;
inline constexpr Limits kLimits[] = {
    {75, 1024, 16, 64 * kKiB, 64 * kKiB, 40, 1590000, 5001000, 256,
     4096 * kKiB},
    {80, 2048, 32, 164 * kKiB, 163 * kKiB, 108, 1410000, 1215000, 5120,
     40960 * kKiB},
    {86, 1536, 16, 100 * kKiB, 99 * kKiB, 84, 1740000, 8001000, 384,
     6144 * kKiB},
    {89, 1536, 24, 100 * kKiB, 99 * kKiB, 128, 2520000, 10501000, 384,
     73728 * kKiB},
    {90, 2048, 32, 228 * kKiB, 227 * kKiB, 132, 1980000, 3201000, 6144,
     61440 * kKiB},
    {100, 2048, 32, 228 * kKiB, 227 * kKiB, 148, 1965000, 3996000, 8192,
     129536 * kKiB},
    {120, 1536, 24, 100 * kKiB, 99 * kKiB, 170, 2407000, 14001000, 512,
     98304 * kKiB},
};

/// Those of the last architecture in the table that isn't later.
constexpr const Limits &limitsOf(int architecture) {
  const Limits *found = kLimits;
  for (const Limits &limits : kLimits)
    if (limits.architecture <= architecture)
      found = &limits;
  return *found;
}

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_LIMITS_H
