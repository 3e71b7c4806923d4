//===- Fit.cpp - the loops over epochs and batches ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Fit.h"

#include "runtime/core/Random.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace belfry::rt;

namespace {

bool stopAsked(const std::atomic<bool> *stop) {
  return stop && stop->load(std::memory_order_relaxed);
}

Status missing(const Session &session, const std::string &function) {
  return Status::user("'" + session.manifest().model +
                      "' was compiled without a loss, so it can't " + function +
                      "; compile it with belfryc's '--loss'");
}

/// The first name of a learning rate that can be set, for the advice on NaN.
std::string adviceOnNan(const Session &session) {
  std::string advice;
  for (const auto &hyper : session.manifest().optimizer.hypers)
    if (hyper.first == "learning_rate")
      advice = "lower the learning rate with '--set learning_rate=…', ";
  return advice + "look for NaN or unscaled values in the data, or go on with "
                  "'--allow-nan'";
}

/// The walk of one pass over the data. Where the executor looks ahead, the
/// batch of the next step is made while a step runs.
class Pass {
public:
  Pass(Session &session, Executor &executor, const DataSet &data,
       int64_t batchSize)
      : session(session), executor(executor), data(data), batchSize(batchSize) {
    for (int i = 0; i < (executor.looksAhead() ? 2 : 1); ++i)
      batches.emplace_back(session.manifest().outputs, batchSize);
  }

  int64_t steps() const { return (data.rows + batchSize - 1) / batchSize; }
  /// That of the last step.
  const Batch &batch() const { return batches[current]; }

  /// Runs step `step`; `rows` is how many rows took part.
  Status run(int64_t step, const std::vector<int64_t> *order, int64_t &rows) {
    rows = rowsOf(step);
    if (rows == 0)
      return Status::success();
    StepTimes *times = executor.measured();
    int64_t begin = times ? OpProfile::now() : 0;
    if (ahead == step)
      current = 1 - current;
    else
      gather(current, step, order);
    ahead = -1;
    int64_t gathered = times ? OpProfile::now() : 0;
    StepArrays arrays = session.stepArrays();
    batches[current].bind(arrays);
    BELFRY_RETURN_IF_ERROR(executor.begin(arrays, countOf(step)));
    if (executor.looksAhead() && step + 1 < steps() && rowsOf(step + 1) > 0)
      BELFRY_RETURN_IF_ERROR(lookAhead(step + 1, order));
    BELFRY_RETURN_IF_ERROR(executor.finish());
    if (times) {
      times->feed += double(gathered - begin) * 1e-9;
      times->each.push_back(double(OpProfile::now() - begin) * 1e-9);
      times->rows += rows;
    }
    return Status::success();
  }

private:
  int64_t countOf(int64_t step) const {
    return std::min(batchSize, data.rows - step * batchSize);
  }
  int64_t rowsOf(int64_t step) const {
    return usedRows(countOf(step), session.placement().towers,
                    session.manifest().slicing);
  }
  void gather(size_t into, int64_t step, const std::vector<int64_t> *order) {
    batches[into].gather(session.devices(), data, order, step * batchSize,
                         rowsOf(step));
  }
  Status lookAhead(int64_t step, const std::vector<int64_t> *order) {
    gather(1 - current, step, order);
    StepArrays arrays = session.stepArrays();
    batches[1 - current].bind(arrays);
    ahead = step;
    return executor.stage(arrays, countOf(step));
  }

  Session &session;
  Executor &executor;
  const DataSet &data;
  int64_t batchSize;
  std::vector<Batch> batches;
  size_t current = 0;
  int64_t ahead = -1; ///< the step whose batch is there
};

Status checkLoss(const Session &session, const Meter &meter, int64_t epoch,
                 int64_t step, bool allowNan) {
  double loss = meter.lastLoss();
  if (allowNan || std::isfinite(loss))
    return Status::success();
  return Status::user("the loss is " +
                      std::string(std::isnan(loss) ? "NaN" : "infinite") +
                      " at step " + std::to_string(step + 1) + " of epoch " +
                      std::to_string(epoch + 1) + "; " + adviceOnNan(session));
}

void record(History &history, const Logs &logs) {
  for (const auto &[name, value] : logs) {
    auto found = std::find_if(history.epochs.begin(), history.epochs.end(),
                              [&, wanted = name](const auto &entry) {
                                return entry.first == wanted;
                              });
    if (found == history.epochs.end())
      found = history.epochs.insert(history.epochs.end(), {name, {}});
    found->second.push_back(value);
  }
}

Expected<Logs> measure(Session &session, Executor &executor,
                       const DataSet &data, int64_t batchSize,
                       const std::atomic<bool> *stop,
                       const std::string &prefix) {
  Pass pass(session, executor, data, batchSize);
  Meter meter(session.manifest());
  for (int64_t step = 0; step < pass.steps() && !stopAsked(stop); ++step) {
    int64_t rows = 0;
    BELFRY_RETURN_IF_ERROR(pass.run(step, nullptr, rows));
    if (rows > 0)
      meter.update(executor, rows);
  }
  return meter.logs(prefix);
}

} // namespace

Status belfry::rt::checkBatches(const Session &session, int64_t rows,
                                int64_t batchSize) {
  const Manifest &manifest = session.manifest();
  int64_t towers = session.placement().towers;
  for (int64_t batch : {std::min(rows, batchSize), rows % batchSize}) {
    Expected<std::vector<RowRange>> cut =
        sliceBatch(batch, towers, manifest.slicing);
    if (!cut.ok())
      return cut.status();
  }
  if (usedRows(std::min(rows, batchSize), towers, manifest.slicing) == 0)
    return Status::user(
        "slicing=drop-remainder drops every row of a batch of " +
        std::to_string(std::min(rows, batchSize)) + " rows on " +
        std::to_string(towers) + " towers");
  return Status::success();
}

Expected<History> belfry::rt::fit(Session &session, const DataSet &data,
                                  const std::optional<DataSet> &validation,
                                  const FitOptions &options,
                                  FitObserver &observer) {
  int64_t batchSize = std::min(options.batchSize, data.rows);
  Expected<Executor *> trainer = session.prepare("train", batchSize);
  if (!trainer.ok())
    return trainer.status();
  Executor *train = *trainer;
  if (!train)
    return missing(session, "fit");
  Pass pass(session, *train, data, batchSize);

  Executor *evaluator = nullptr;
  int64_t validationSize = 0;
  if (validation) {
    validationSize = std::min(options.batchSize, validation->rows);
    Expected<Executor *> made = session.prepare("evaluate", validationSize);
    if (!made.ok())
      return made.status();
    evaluator = *made;
    if (!evaluator)
      return missing(session, "evaluate");
  }

  // A run that goes on takes up the orders of rows where the first one ended.
  int64_t epochsBefore = session.modelValues().iterations / pass.steps();
  History history;
  bool first = true;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    std::vector<int64_t> order;
    if (options.shuffle)
      order = shuffledRows(session.seed(), uint32_t(epochsBefore + epoch),
                           data.rows);
    observer.epochBegins(epoch, options.epochs, pass.steps());
    Meter meter(session.manifest());
    for (int64_t step = 0; step < pass.steps(); ++step) {
      int64_t rows = 0;
      BELFRY_RETURN_IF_ERROR(
          pass.run(step, options.shuffle ? &order : nullptr, rows));
      if (rows == 0)
        continue;
      session.finishUpdate();
      meter.update(*train, rows);
      if (std::exchange(first, false) && options.afterFirstStep)
        BELFRY_RETURN_IF_ERROR(options.afterFirstStep(*train));
      BELFRY_RETURN_IF_ERROR(
          checkLoss(session, meter, epoch, step, options.allowNan));
      history.stepLoss.push_back(meter.lastLoss());
      observer.stepDone(step, meter.logs());
      if (stopAsked(options.stop)) {
        history.interrupted = true;
        break;
      }
    }
    Logs logs = meter.logs();
    if (validation && !history.interrupted) {
      Expected<Logs> more = measure(session, *evaluator, *validation,
                                    validationSize, options.stop, "val_");
      if (!more.ok())
        return more.status();
      history.interrupted = stopAsked(options.stop);
      if (!history.interrupted)
        logs.insert(logs.end(), more->begin(), more->end());
    }
    observer.epochDone(epoch, logs);
    if (history.interrupted)
      break;
    record(history, logs);
  }
  return history;
}

Expected<Logs> belfry::rt::evaluate(Session &session, const DataSet &data,
                                    int64_t batchSize,
                                    const std::atomic<bool> *stop) {
  batchSize = std::min(batchSize, data.rows);
  Expected<Executor *> made = session.prepare("evaluate", batchSize);
  if (!made.ok())
    return made.status();
  Executor *executor = *made;
  if (!executor)
    return missing(session, "evaluate");
  return measure(session, *executor, data, batchSize, stop, "");
}

Expected<std::vector<Prediction>>
belfry::rt::predict(Session &session, const DataSet &data, int64_t batchSize,
                    const std::vector<size_t> &wanted,
                    const std::atomic<bool> *stop) {
  batchSize = std::min(batchSize, std::max<int64_t>(1, data.rows));
  Expected<Executor *> made = session.prepare("predict", batchSize);
  if (!made.ok())
    return made.status();
  Executor *executor = *made;
  if (!executor)
    return Status::internal("the program has no function 'predict'");
  const std::vector<TensorInfo> &outputs = session.manifest().outputs;
  Pass pass(session, *executor, data, batchSize);

  std::vector<Prediction> predictions;
  for (size_t output : wanted) {
    Prediction &one = predictions.emplace_back();
    one.output = output;
    one.shape = outputs[output].shape;
    one.shape[0] = data.rows;
    one.data =
        Storage(size_t(numElements(one.shape)) * sizeOf(outputs[output].dtype));
  }
  int64_t done = 0;
  for (int64_t step = 0; step < pass.steps(); ++step) {
    int64_t rows = 0;
    BELFRY_RETURN_IF_ERROR(pass.run(step, nullptr, rows));
    for (Prediction &one : predictions) {
      size_t bytes =
          size_t(numElements(one.shape, 1)) * sizeOf(outputs[one.output].dtype);
      if (rows > 0 && bytes > 0)
        std::memcpy(one.data.data() + size_t(done) * bytes,
                    pass.batch().output(one.output), size_t(rows) * bytes);
    }
    done += rows;
    if (stopAsked(stop))
      return Status::user("interrupted");
  }
  // Rows that the slicing dropped are in no output.
  for (Prediction &one : predictions)
    one.shape[0] = done;
  return predictions;
}

std::string History::json(bool withSteps) const {
  // JSON has no NaN; the library writes null for it.
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto &[name, values] : epochs)
    object[name] = values;
  if (withSteps)
    object["step_loss"] = stepLoss;
  return object.dump() + "\n";
}
