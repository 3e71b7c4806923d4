//===- Backend.h - devices other than the host's ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_BACKEND_H
#define BELFRY_RUNTIME_TRAINING_BACKEND_H

#include "belfry/Runtime.h"
#include "runtime/checkpoint/WeightsFile.h"
#include "runtime/core/Executor.h"
#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"

#include <memory>
#include <string>
#include <vector>

/// What runs a program on devices that have memories of their own. One thread
/// uses it at a time. A program for the host has none.
struct belfry_backend {
  virtual ~belfry_backend() = default;

  /// What the program needs of a machine, in a line; asks no device.
  virtual std::string needs() const = 0;

  /// The names of the devices that `--devices` asks for, in order; without a
  /// request those of this machine, at most `towers`. Fails with what is wanted
  /// and what is there.
  virtual belfry::rt::Expected<std::vector<std::string>>
  choose(const std::string &request, int64_t towers) = 0;

  /// Opens the devices, before all that follows. The manifest has to outlive
  /// the backend.
  virtual belfry::rt::Status start(const belfry::rt::Manifest &manifest,
                                   const std::vector<std::string> &devices,
                                   int64_t towers) = 0;

  /// The memory that batches of so many rows take of each device, in a line,
  /// for the functions that are run. Fails where it isn't there, with the
  /// largest batch for which it is.
  virtual belfry::rt::Expected<std::string>
  checkMemory(const std::vector<std::string> &functions, int64_t maxBatch) = 0;

  /// Parameters and slots of the host go to all devices; those of the first
  /// device to the host.
  virtual belfry::rt::Status upload(const belfry::rt::ModelValues &values) = 0;
  virtual belfry::rt::Status download(belfry::rt::ModelValues &values) = 0;

  virtual belfry::rt::Expected<std::unique_ptr<belfry::rt::Executor>>
  prepare(const belfry::rt::FunctionInfo &function, int64_t maxBatch) = 0;
};

namespace belfry::rt {
using Backend = ::belfry_backend;
} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_BACKEND_H
