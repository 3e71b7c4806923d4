//===- Executor.cpp - what all executors do -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Executor.h"

using namespace belfry::rt;

int64_t Executor::find(BufferKind kind, int64_t index) const {
  for (size_t row = 0; row < function.buffers.size(); ++row)
    if (function.buffers[row].kind == kind &&
        function.buffers[row].index == index)
      return int64_t(row);
  return -1;
}

double Executor::scalar(BufferKind kind, int64_t index) const {
  int64_t row = find(kind, index);
  const void *place = row < 0 ? nullptr : array(kind, index);
  if (!place)
    return 0;
  return loadElement(function.buffers[size_t(row)].dtype, place, 0);
}
