//===- WeightsFile.h - Keras's weight files ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of Keras 3 (keras/src/saving/saving_lib.py): one dataset a
// variable, under the path of attributes that leads to it, which the manifest
// gives for each parameter; `vars` groups carry the name of their layer; the
// optimizer's variables follow under `optimizer/vars`.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CHECKPOINT_WEIGHTSFILE_H
#define BELFRY_RUNTIME_CHECKPOINT_WEIGHTSFILE_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"

#include <cstddef>
#include <string>
#include <vector>

namespace belfry::rt {

/// The values of a model, in the order of the manifest's lists.
struct ModelValues {
  std::vector<void *> parameters, slots;
  std::vector<double> hypers;
  int64_t iterations = 0; ///< updates made
};

/// Reads parameters from a `.weights.h5`, or from the one in a `.keras`
/// archive. Every parameter has to be there with its shape, and nothing else,
/// but for the optimizer's state. A failure lists the differences, and has
/// changed nothing.
Status readWeights(const std::string &file, const Manifest &manifest,
                   const std::vector<void *> &parameters);

/// The attribute of a weights file with the numerics id of the program that
/// wrote it. Keras passes over it.
inline constexpr const char *kNumericsAttribute = "belfry_numerics";

/// The numerics id in `file`, empty where it has none.
std::string readNumerics(const std::string &file);

/// Reads the state that the optimizer had when `file` was written: slots and
/// iterations. False where the file has none, or another optimizer's.
Expected<bool> readOptimizer(const std::string &file, const Manifest &manifest,
                             ModelValues &values);

/// Whether weights can be saved under this name; otherwise why not.
Status checkWeightsSuffix(const std::string &file);

/// Writes a `.weights.h5`, whole or not at all. With `isNew` it fails where
/// the place is taken.
Status writeWeights(const std::string &file, const Manifest &manifest,
                    const ModelValues &values, bool isNew);

/// Writes arrays under their parameters' names as an HDF5 file (gradients).
Status writeArrays(const std::string &file, const Manifest &manifest,
                   const std::vector<std::pair<size_t, const void *>> &arrays);

/// The order in which Keras 3 keeps the slots: interleaved by variable for
/// Adam and its kin, in blocks by kind for the others.
std::vector<size_t> kerasSlotOrder(const OptimizerInfo &optimizer);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CHECKPOINT_WEIGHTSFILE_H
