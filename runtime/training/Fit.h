//===- Fit.h - the loops over epochs and batches ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_FIT_H
#define BELFRY_RUNTIME_TRAINING_FIT_H

#include "runtime/training/Batch.h"
#include "runtime/training/Meter.h"
#include "runtime/training/Session.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace belfry::rt {

/// What is told of a training run while it goes on. Called on the thread that
/// called `fit`.
class FitObserver {
public:
  virtual ~FitObserver() = default;
  virtual void epochBegins(int64_t epoch, int64_t epochs, int64_t steps) {}
  virtual void stepDone(int64_t step, const Logs &logs) {}
  /// `logs` has the values of the validation too.
  virtual void epochDone(int64_t epoch, const Logs &logs) {}
};

struct FitOptions {
  int64_t batchSize = 32;
  int64_t epochs = 1;
  bool shuffle = true;
  bool allowNan = false;
  bool logSteps = false;
  /// Set from elsewhere (a signal) to stop after the step in progress.
  const std::atomic<bool> *stop = nullptr;
  /// Given the executor after the first step, while its gradients are there.
  std::function<Status(const Executor &)> afterFirstStep;
};

/// Keras's `History.history`, and the loss of each step.
struct History {
  std::vector<std::pair<std::string, std::vector<double>>> epochs;
  std::vector<double> stepLoss;
  bool interrupted = false;

  /// One JSON object of lists; `step_loss` with `withSteps`.
  std::string json(bool withSteps) const;
};

/// Trains on `data`: each epoch in an order of its own by seed, in batches of
/// `batchSize` rows with a smaller last one kept; then validation, if there is
/// any. Fails on a loss that is NaN or infinite unless allowed.
Expected<History> fit(Session &session, const DataSet &data,
                      const std::optional<DataSet> &validation,
                      const FitOptions &options, FitObserver &observer);

/// Loss and metrics over `data`. Stops early where `stop` is set.
Expected<Logs> evaluate(Session &session, const DataSet &data,
                        int64_t batchSize,
                        const std::atomic<bool> *stop = nullptr);

/// The outputs numbered `wanted`, each for all rows. Rows keep their order.
struct Prediction {
  size_t output = 0;
  Shape shape;
  Storage data;
};
Expected<std::vector<Prediction>>
predict(Session &session, const DataSet &data, int64_t batchSize,
        const std::vector<size_t> &wanted,
        const std::atomic<bool> *stop = nullptr);

/// Whether the slicing can cut every batch of `rows` rows.
Status checkBatches(const Session &session, int64_t rows, int64_t batchSize);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_FIT_H
