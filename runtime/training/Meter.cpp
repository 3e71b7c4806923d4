//===- Meter.cpp - loss and metrics over an epoch -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Meter.h"

using namespace belfry::rt;

void Meter::update(const Executor &executor, int64_t batchRows) {
  for (size_t i = 0; i < losses.size(); ++i) {
    double loss = executor.scalar(BufferKind::Loss, int64_t(i));
    losses[i] += loss * double(batchRows);
    if (manifest->losses[i].empty())
      last = loss;
  }
  for (size_t i = 0; i < totals.size(); ++i) {
    totals[i] += executor.scalar(BufferKind::MetricTotal, int64_t(i));
    counts[i] += executor.scalar(BufferKind::MetricCount, int64_t(i));
  }
  rows += double(batchRows);
}

Logs Meter::logs(const std::string &prefix) const {
  Logs logs;
  for (size_t i = 0; i < losses.size(); ++i)
    logs.emplace_back(prefix + manifest->lossKey(i),
                      rows > 0 ? losses[i] / rows : 0);
  for (size_t i = 0; i < totals.size(); ++i)
    logs.emplace_back(prefix + manifest->metrics[i].name,
                      counts[i] != 0 ? totals[i] / counts[i] : 0);
  return logs;
}
