//===- Placement.h - towers and devices of a run ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_PLACEMENT_H
#define BELFRY_RUNTIME_TRAINING_PLACEMENT_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"
#include "runtime/training/Backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belfry::rt {

/// What the command line asks for; what is left open is chosen by the machine.
struct PlacementRequest {
  std::optional<int64_t> towers;
  /// `cpu:M`, or GPUs (`gpu:0,gpu:2`); empty: as many as there are, at most the
  /// towers.
  std::string devices;
  std::optional<int64_t> threadsPerDevice;
};

struct Placement {
  int64_t towers = 1;
  int devices = 1;
  int threadsPerDevice = 1;
  /// Of devices that are not the host's contexts; else empty. The host then has
  /// one context, which makes batches.
  std::vector<std::string> names;

  /// How many of its towers a device runs at a time: where its threads can be
  /// dealt out evenly to them, and its towers to these lanes, towers side by
  /// side need no meeting of threads within one. Never shows in the bits.
  int lanesPerDevice() const;
  /// Device contexts and the threads of each: a lane is a context.
  int contexts() const {
    return names.empty() ? devices * lanesPerDevice() : 1;
  }
  int threadsPerContext() const {
    return names.empty() ? threadsPerDevice / lanesPerDevice()
                         : threadsPerDevice;
  }

  /// "8 towers on 2 devices: cpu:0 [0-3] cpu:1 [4-7]", and whether they are
  /// uneven.
  std::string describe() const;
};

/// The largest numbers that are taken, so that a slip of the keyboard does not
/// ask the machine for millions of threads.
inline constexpr int64_t kMaxTowers = 65536;
inline constexpr int64_t kMaxThreads = 4096;

/// "1 tower", "2 towers".
std::string plural(int64_t count, const std::string &what);

/// Fails where `--devices` names more devices than there are towers.
Status checkDeviceCount(const std::string &request, int64_t devices,
                        int64_t towers);

/// Settles towers and devices for `cores` usable cores. Fails on more devices
/// than towers or threads, on numbers below 1, and on devices that the target
/// has not. `backend` is the program's, or null.
Expected<Placement> settlePlacement(const PlacementRequest &request,
                                    const Manifest &manifest, int cores,
                                    Backend *backend = nullptr);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_PLACEMENT_H
