//===- Batch.h - the global batch of a step ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_BATCH_H
#define BELFRY_RUNTIME_TRAINING_BATCH_H

#include "runtime/core/Executor.h"
#include "runtime/core/Storage.h"
#include "runtime/data/Feed.h"
#include "runtime/host/Devices.h"

#include <vector>

namespace belfry::rt {

/// The data of a run: inputs, targets and sample weights with as many rows.
struct DataSet {
  Feed inputs, targets, sampleWeights;
  int64_t rows = 0;

  DataSet slice(int64_t first, int64_t last) const {
    return {inputs.slice(first, last), targets.slice(first, last),
            sampleWeights.slice(first, last), last - first};
  }
};

/// Contiguous arrays for one global batch, in the element types of the model.
/// Rows that lie in the data set that way, and in order, stay there.
class Batch {
public:
  /// For up to `maxRows` rows, with room for `outputs`.
  Batch(const std::vector<TensorInfo> &outputs, int64_t maxRows);

  /// Takes rows `order[first] …`, or `first …` without an order, on the
  /// threads of `devices`. `data` has to outlive the step.
  void gather(DeviceGroup &devices, const DataSet &data,
              const std::vector<int64_t> *order, int64_t first, int64_t rows);
  /// Points the arrays of a step at this batch.
  void bind(StepArrays &arrays) const;
  const std::byte *output(size_t index) const { return outputs[index].data(); }

private:
  /// The arrays of one role. Room for copies is made when it is needed.
  struct Role {
    std::vector<Storage> copies;
    std::vector<const std::byte *> rows;
  };
  void gather(DeviceGroup &devices, const Feed &feed,
              const std::vector<int64_t> *order, int64_t first, int64_t count,
              Role &role) const;

  int64_t maxRows;
  Role inputs, targets, sampleWeights;
  std::vector<Storage> outputs;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_BATCH_H
