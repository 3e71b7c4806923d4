//===- Session.h - a program with its weights -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_SESSION_H
#define BELFRY_RUNTIME_TRAINING_SESSION_H

#include "belfry/Runtime.h"
#include "runtime/checkpoint/WeightsFile.h"
#include "runtime/core/Executor.h"
#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"
#include "runtime/core/Storage.h"
#include "runtime/host/Devices.h"
#include "runtime/host/OpProfile.h"
#include "runtime/training/Backend.h"
#include "runtime/training/Placement.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace belfry::rt {

/// A compiled program on its devices, with the values of its model: what
/// training, evaluation and prediction share, and all that another program
/// needs to run steps of its own. One thread uses it at a time.
class Session {
public:
  /// Reads the manifest of `program`, which has to outlive the session.
  static Expected<std::unique_ptr<Session>>
  open(const belfry_program_v2 &program);

  const Manifest &manifest() const { return manifest_; }
  const Placement &placement() const { return placement_; }

  /// What runs the program where that isn't the host itself; else null.
  Backend *backend() const { return backend_.get(); }

  /// Starts the devices. Before any step.
  Status start(const Placement &placement);

  /// Measures every step from now on; after `start`, before `prepare`.
  void startProfile();
  /// By function.
  const std::map<std::string, StepTimes> &stepTimes() const { return times; }
  /// An op of the manifest, over all devices.
  OpProfile::Count opCount(size_t op) const;

  /// What `start` started.
  DeviceGroup &devices() { return *deviceGroup; }

  void setSeed(uint64_t seed) { seed_ = seed; }
  uint64_t seed() const { return seed_; }

  /// Sets a numeric argument of the optimizer. An unknown name fails with the
  /// known ones.
  Status setHyper(const std::string &name, double value);

  bool hasEmbeddedWeights() const { return program.weights != nullptr; }
  Status loadEmbeddedWeights();
  Status loadWeights(const std::string &file);
  /// Slots and iterations of a file that `loadWeights` has read.
  Expected<bool> loadOptimizer(const std::string &file);
  /// Fills the parameters by their initializers and the seed.
  Status initializeWeights();

  /// Prepares `train`, `evaluate` or `predict` for batches of up to `maxBatch`
  /// rows, after the values are set; null where the program has no such
  /// function. Valid until the next call for the same function.
  Expected<Executor *> prepare(const std::string &function, int64_t maxBatch);

  /// Arrays with the model's values filled in; inputs and outputs are the
  /// caller's to add.
  StepArrays stepArrays();
  /// Counts an update.
  void finishUpdate() { ++values.iterations; }

  /// As of the last `fetchValues` where there is a backend.
  const ModelValues &modelValues() const { return values; }
  /// Brings the model's values to the memory of the host.
  Status fetchValues();

private:
  explicit Session(const belfry_program_v2 &program) : program(program) {}

  const belfry_program_v2 &program;
  Manifest manifest_;
  Placement placement_;
  uint64_t seed_ = 0;
  Storage storage; ///< parameters, then slots
  ModelValues values;
  std::unique_ptr<Backend> backend_;
  bool hostIsNewer = true; ///< than what the backend has
  std::unique_ptr<DeviceGroup> deviceGroup;
  bool profiled = false;
  std::map<std::string, StepTimes> times;
  std::map<std::string, std::unique_ptr<Executor>> executors;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_SESSION_H
