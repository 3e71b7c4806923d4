//===- Rendezvous.h - where towers meet -------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_RENDEZVOUS_H
#define BELFRY_INTERPRETER_RENDEZVOUS_H

#include "dialects/nn/Interpret.h"

#include <condition_variable>
#include <mutex>

namespace belfry {

/// A collective among threads: each brings a value and waits for all; the last
/// one to come combines them. When a tower fails, all that wait, or come
/// later, are turned away.
class Rendezvous {
public:
  using Combine =
      llvm::function_ref<nn::HostTensor(llvm::ArrayRef<nn::HostTensor>)>;

  explicit Rendezvous(int64_t towers) : values(towers) {}

  /// The combined value, or none once a tower has failed.
  nn::HostTensor meet(int64_t tower, const nn::HostTensor &value,
                      Combine combine) {
    std::unique_lock lock(mutex);
    if (broken)
      return {};
    values[tower] = value;
    if (++arrived == values.size()) {
      result = combine(values);
      arrived = 0;
      ++round;
      changed.notify_all();
      return result;
    }
    // No tower starts the next round before all have left this one with its
    // result: it takes all of them to complete a round.
    size_t mine = round;
    changed.wait(lock, [&] { return round != mine || broken; });
    return round != mine ? result : nn::HostTensor();
  }

  /// Turns everybody away.
  void breakUp() {
    std::lock_guard lock(mutex);
    broken = true;
    changed.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<nn::HostTensor> values;
  nn::HostTensor result;
  size_t arrived = 0, round = 0;
  bool broken = false;
};

} // namespace belfry

#endif // BELFRY_INTERPRETER_RENDEZVOUS_H
