//===- Memory.h - memory of devices, and pinned memory -------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it is memory of the process, so that a kernel that runs on the host
// finds what its parameters point to. Each device has a range of addresses of
// its own, in which no address is given out twice. What is allocated ends, up
// to its alignment, at a page that can't be touched, and is filled with bytes
// that are NaN in each floating-point type.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_MEMORY_H
#define BELFRY_TEST_FAKE_CUDA_MEMORY_H

#include "test/fake-cuda/Types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace belfry::fake {

struct Device;

struct Allocation {
  uint64_t begin; ///< the address
  uint64_t bytes; ///< as asked for
  uint64_t pages; ///< where its first page begins
  uint64_t pageBytes;
  Device *device; ///< null: pinned memory of the host
  uint64_t end() const { return begin + bytes; }
};

class FAKE_CUDA_SHARED Memory {
public:
  /// As cuMemAlloc and cuMemHostAlloc align.
  static constexpr uint64_t kAlignment = 256;

  /// Of `device`, or pinned for null. 0 where the device has no more.
  uint64_t allocate(Device *device, uint64_t bytes);
  /// `allocation` is one that `find` gave. Aborts where someone wrote beside
  /// it.
  void release(const Allocation &allocation);

  /// The one that holds the byte at `address`, or null.
  const Allocation *find(uint64_t address) const;
  /// Whether one that has been released began there.
  bool wasReleased(uint64_t address) const { return released.count(address); }
  /// All that there are, by address.
  const std::map<uint64_t, Allocation> &all() const { return live; }

private:
  uint64_t place(Device *device, uint64_t pageBytes);

  std::map<uint64_t, Allocation> live; ///< by `begin`
  std::set<uint64_t> released;
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_MEMORY_H
