//===- Settings.h - what the environment says ----------------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_SETTINGS_H
#define BELFRY_TEST_FAKE_CUDA_SETTINGS_H

#include "test/fake-cuda/Types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belfry::fake {

/// Read once, at the first call. README.md lists the variables; one that can't
/// be read ends the program.
struct Settings {
  int devices = 1;
  uint64_t memory = uint64_t(2) << 30; ///< bytes of a device
  int architecture = 90;               ///< 90 for compute capability 9.0
  int driver = 13000;                  ///< 1000 · major + 10 · minor
  bool peer = true;                    ///< devices can reach each other
  std::string name;                    ///< of a device
  uint64_t seed = 0;                   ///< of the order of operations
  int nccl = 22809;                    ///< what ncclGetVersion says: 2.28.9
  int patience = 60; ///< seconds until a collective that lacks ranks is told
  std::optional<std::string> visible; ///< CUDA_VISIBLE_DEVICES
  std::vector<std::string> kernels;   ///< paths of side libraries
  std::string failures;
  std::string summary; ///< path, or empty
};

Settings readSettings();

/// The devices that a program sees, as numbers below `settings.devices`, in its
/// order: as the driver reads CUDA_VISIBLE_DEVICES, whose list ends at the
/// first entry that names no device, and shows none where one is named twice.
/// `uuidText` gives "GPU-…" of a device.
std::vector<int> visibleDevices(const Settings &settings,
                                std::string (*uuidText)(int device));

/// Writes `fake-cuda: CALL: message` and aborts: for what a real driver leaves
/// undefined. CALL is the driver's function that the thread is in.
[[noreturn]] FAKE_CUDA_SHARED void fatal(const std::string &message);

/// Writes `fake-cuda: message`, at once.
void tell(const std::string &message);

/// The driver's function that the thread is in; set by whoever enters one.
FAKE_CUDA_SHARED extern thread_local const char *currentCall;

/// `0x…`
FAKE_CUDA_SHARED std::string hex(uint64_t value);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_SETTINGS_H
