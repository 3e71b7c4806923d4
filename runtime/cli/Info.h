//===- Info.h - says what was compiled --------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_INFO_H
#define BELFRY_RUNTIME_CLI_INFO_H

#include "runtime/core/Manifest.h"

#include <string>

namespace belfry::rt::cli {

/// What a training binary is: model, layers, parameters, towers, target,
/// numerics, and the memory of a batch of `batchSize` rows on `devices`
/// devices, which run `contexts` towers at a time (Placement.h). `needs` is
/// what it needs of a machine, or empty.
std::string describeProgram(const Manifest &manifest, bool hasWeights,
                            int64_t towers, int64_t devices, int64_t contexts,
                            int64_t batchSize, const std::string &needs = {});

/// Whether the sizes of a batch of `batchSize` rows can be computed at all;
/// otherwise the most rows that can.
Status checkMemory(const Manifest &manifest, int64_t towers, int64_t batchSize);

} // namespace belfry::rt::cli

#endif // BELFRY_RUNTIME_CLI_INFO_H
