//===- OpProfile.h - time of the ops on a device ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What belfry_profile_begin and belfry_profile_end (belfry/Runtime.h) write. A
// device's threads may be in the same op, so the counts are atomic.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_OPPROFILE_H
#define BELFRY_RUNTIME_HOST_OPPROFILE_H

#include <atomic>
#include <cstdint>
#include <vector>

namespace belfry::rt {

class OpProfile {
public:
  /// Of one op, over all its calls. A nanosecond of a call that all threads of
  /// three devices serve is three of devices.
  struct Count {
    int64_t calls = 0, nanoseconds = 0, deviceNanoseconds = 0, rows = 0;
  };

  /// For ops numbered from 0 to `ops` - 1; what has another number is left out.
  explicit OpProfile(size_t ops) : cells(ops) {}

  void add(int64_t op, int64_t nanoseconds, int64_t devices, int64_t rows);
  Count count(size_t op) const;

  /// The clock that is used, in nanoseconds; never 0.
  static int64_t now();

private:
  struct Cell {
    std::atomic<int64_t> calls{0}, nanoseconds{0}, deviceNanoseconds{0},
        rows{0};
  };
  std::vector<Cell> cells;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_OPPROFILE_H
