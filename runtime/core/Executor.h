//===- Executor.h - runs the schedule of a function -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_EXECUTOR_H
#define BELFRY_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Slicing.h"
#include "runtime/core/Status.h"

#include <cstddef>
#include <numeric>
#include <vector>

namespace belfry::rt {

/// The arrays of one step that live outside of the function's arenas. Arrays
/// of rows hold the global batch; a null entry stands for an array that the
/// function doesn't use.
struct StepArrays {
  std::vector<void *> inputs, targets, sampleWeights, outputs;
  std::vector<void *> parameters, slots;
  std::vector<double> hypers;
  int32_t seed[2] = {0, 0}; ///< low and high word
  int32_t step = 0;         ///< updates made before
};

/// What the steps of a function took, in seconds.
struct StepTimes {
  std::vector<double> each; ///< of each step, its batch's gathering included
  int64_t rows = 0;         ///< of all steps
  double feed = 0;          ///< gathering batches
  /// Of each device: in collectives, and waiting for other devices.
  std::vector<double> collectives, waits;

  double seconds() const {
    return std::accumulate(each.begin(), each.end(), 0.0);
  }
};

/// Bytes of the block of a step's scalars.
int64_t scalarBytesOf(const Manifest &manifest);

/// One function (train, evaluate or predict) of a program, ready to run on the
/// devices of a run. One thread uses it at a time.
class Executor {
public:
  /// For batches of up to `maxBatch` rows. The arguments have to outlive the
  /// executor.
  Executor(const Manifest &manifest, const FunctionInfo &function,
           int64_t towers, int64_t maxBatch)
      : manifest(manifest), function(function), towers(towers),
        maxBatch(maxBatch) {}
  virtual ~Executor() = default;
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Runs the schedule on `rows` rows, at most those it was prepared for. Fails
  /// where the slicing forbids this number of rows, and where a device fails.
  Status run(const StepArrays &arrays, int64_t rows) {
    BELFRY_RETURN_IF_ERROR(begin(arrays, rows));
    return finish();
  }
  /// The two halves of a run: results are there after the second. The arrays
  /// have to stay until then.
  virtual Status begin(const StepArrays &arrays, int64_t rows) = 0;
  virtual Status finish() { return Status::success(); }

  /// Whether it gains by `stage`.
  virtual bool looksAhead() const { return false; }
  /// Between `begin` and `finish`: takes inputs, targets and sample weights of
  /// the next step to its devices. The next `begin` is given the same rows.
  virtual Status stage(const StepArrays & /*arrays*/, int64_t /*rows*/) {
    return Status::success();
  }

  /// From now on steps are measured into `into`, which has to outlive the
  /// executor; null for none.
  virtual void measure(StepTimes *into) { times = into; }
  StepTimes *measured() const { return times; }

  /// A scalar result of the last run; `index` counts the manifest's list of
  /// that kind. 0 where the function has no such result.
  double scalar(BufferKind kind, int64_t index) const;
  /// An array result of the last run (a gradient) in the memory of the host, or
  /// null where the function has none.
  virtual const void *array(BufferKind kind, int64_t index) const = 0;

protected:
  /// The row of the buffer table, or -1.
  int64_t find(BufferKind kind, int64_t index) const;

  /// The rows of each tower, and those that take part, of a batch.
  Status cut(int64_t rows, std::vector<RowRange> &ranges, int64_t &used) const;

  /// The array of rows that a buffer is a part of, or null.
  static void *rowsOf(const BufferInfo &buffer, const StepArrays &arrays);

  /// The scalars of a step lie in one block, a cache line each: its bytes, and
  /// where in it the seed, the step or a hyperparameter is.
  int64_t scalarBytes() const { return scalarBytesOf(manifest); }
  static int64_t scalarOffset(const BufferInfo &buffer);
  void writeScalars(const StepArrays &arrays, std::byte *block) const;

  const Manifest &manifest;
  const FunctionInfo &function;
  const int64_t towers;
  const int64_t maxBatch;
  StepTimes *times = nullptr;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_EXECUTOR_H
