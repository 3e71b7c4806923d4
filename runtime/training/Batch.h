//===- Batch.h - the global batch of a step ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_BATCH_H
#define BELFRY_RUNTIME_TRAINING_BATCH_H

#include "runtime/core/Executor.h"
#include "runtime/data/Feed.h"

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
class Batch {
public:
  /// For up to `maxRows` rows of `data`, with room for `outputs`.
  Batch(const DataSet &data, const std::vector<TensorInfo> &outputs,
        int64_t maxRows);

  /// Fills in rows `order[first] …`, or `first …` without an order, on the
  /// threads of `devices`.
  void gather(DeviceGroup &devices, const DataSet &data,
              const std::vector<int64_t> *order, int64_t first, int64_t rows);
  /// Points the arrays of a step at this batch.
  void bind(StepArrays &arrays) const;
  const std::byte *output(size_t index) const { return outputs[index].data(); }

private:
  std::vector<Storage> inputs, targets, sampleWeights, outputs;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_BATCH_H
