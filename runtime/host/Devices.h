//===- Devices.h - device contexts on the host ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_DEVICES_H
#define BELFRY_RUNTIME_HOST_DEVICES_H

#include "belfry/Runtime.h"
#include "runtime/host/Spin.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace belfry::rt {

/// Lets `participants` threads go on when all of them have arrived. Spins
/// first, then sleeps; where there are more threads than cores it sleeps at
/// once. Everything written before an arrival is seen after it.
class Barrier {
public:
  Barrier(int participants, bool crowded)
      : participants(uint32_t(participants)), spins(spinPauses(crowded)) {}
  void arriveAndWait();

private:
  alignas(64) std::atomic<uint32_t> arrived{0};
  alignas(64) std::atomic<uint32_t> generation{0};
  const uint32_t participants;
  const int spins;
};

/// M device contexts of the host: M persistent threads (the caller's is the
/// first), each with a pool of `threadsPerDevice` threads for work inside of a
/// tower. Threads are pinned where they take exactly the cores there are;
/// otherwise another process on the machine may need the same ones.
// Padded by its barriers, whose words stand on cache lines of their own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class DeviceGroup {
public:
  /// Throws std::system_error where the system grants no more threads.
  DeviceGroup(int devices, int threadsPerDevice);
  ~DeviceGroup();
  DeviceGroup(const DeviceGroup &) = delete;
  DeviceGroup &operator=(const DeviceGroup &) = delete;

  int size() const { return int(contexts.size()); }
  int threadsPerDevice() const { return threads; }

  /// Calls `body(device)` once on each device's thread, with the
  /// floating-point mode of generated code set, and returns when all of the
  /// calls have. One run at a time.
  template <typename Body> void run(Body &&body) {
    start([](void *data, int device) { (*static_cast<Body *>(data))(device); },
          &body);
  }

  /// Calls `body(first, last)` for parts of [0, count) that cover it, on all
  /// threads of all devices. Which thread gets which part is left open.
  template <typename Body>
  void forParts(int64_t count, int64_t least, Body &&body) {
    auto call = [](void *data, int64_t first, int64_t last) {
      (*static_cast<std::remove_reference_t<Body> *>(data))(first, last);
    };
    runParts(count, least, call, &body);
  }

  /// For use inside of `run`: waits for all devices.
  void barrier() {
    if (size() > 1)
      steps.arriveAndWait();
  }

  /// For use inside of `run`, by each device: calls `body()` on the first
  /// device's thread, while the threads of all devices belong to that one's
  /// context, and returns on every device when the call has.
  template <typename Body> void together(int device, Body &&body) {
    if (device == 0) {
      lend();
      body();
      takeBack();
    } else {
      assist(device);
    }
  }

  belfry_context *context(int device) const;

private:
  using Task = void (*)(void *, int);
  using Part = void (*)(void *, int64_t, int64_t);
  void start(Task task, void *data);
  void runParts(int64_t count, int64_t least, Part part, void *data);
  void open(int device);
  void signal(int newState);
  void serve(int device);
  void lend();
  void takeBack();
  void assist(int device);

  /// Counted by the device's own thread alone.
  struct alignas(64) Sessions {
    uint64_t count = 0;
  };

  const int threads;
  std::vector<int> homeCores; ///< of the caller, before it was pinned
  bool crowded;
  bool pinned = false;
  std::vector<std::unique_ptr<belfry_context>> contexts;
  std::vector<Sessions> sessions; ///< of `together`, by device
  Barrier steps, startLine;
  /// Threads wait until all of them are there (1), or some can't be (2).
  std::atomic<int> state{0};
  Task task = nullptr; ///< null ends the threads
  void *taskData = nullptr;
  std::vector<std::thread> workers;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_DEVICES_H
