//===- Meter.h - loss and metrics over an epoch -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_METER_H
#define BELFRY_RUNTIME_TRAINING_METER_H

#include "runtime/core/Executor.h"
#include "runtime/core/Manifest.h"

#include <string>
#include <utility>
#include <vector>

namespace belfry::rt {

/// Names and values, in the order of the manifest: losses, then metrics.
using Logs = std::vector<std::pair<std::string, double>>;

/// Adds up a pass over the data as Keras 3 does: a loss, the total and each
/// output's own, is the mean of the batches' losses weighted by their rows, a
/// metric the sum of its totals over the sum of its counts, 0 where there was
/// nothing to count. (Where TensorFlow has traced a batch of unknown size,
/// Keras gives each batch of an output's own loss one weight.)
class Meter {
public:
  explicit Meter(const Manifest &manifest)
      : manifest(&manifest), losses(manifest.losses.size()),
        totals(manifest.metrics.size()), counts(manifest.metrics.size()) {}

  /// Takes in the results of the last run of `executor` on `rows` rows.
  void update(const Executor &executor, int64_t rows);
  void reset() { *this = Meter(*manifest); }
  Logs logs(const std::string &prefix = "") const;
  /// The total loss of the last batch by itself.
  double lastLoss() const { return last; }

private:
  const Manifest *manifest;
  std::vector<double> losses, totals, counts;
  double rows = 0, last = 0;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_METER_H
