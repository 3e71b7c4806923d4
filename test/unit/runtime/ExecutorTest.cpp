//===- ExecutorTest.cpp - rows that a phase is given ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostExecutor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

using namespace belfry::rt;

namespace {

/// The rows of the calls of `twice`.
std::mutex callsMutex;
std::vector<RowRange> calls;

/// Input, output, scratch: output = 2 · input, by way of the scratch.
void twice(const belfry_phase_args *args) {
  const auto *input = static_cast<const float *>(args->buffers[0]);
  auto *output = static_cast<float *>(args->buffers[1]);
  auto *scratch = static_cast<float *>(args->buffers[2]);
  for (int64_t row = 0; row < args->rows; ++row)
    scratch[row] = input[row];
  for (int64_t row = 0; row < args->rows; ++row)
    output[row] = 2 * scratch[row];
  std::lock_guard<std::mutex> lock(callsMutex);
  calls.push_back({args->row_offset, args->rows});
}

constexpr belfry_phase_fn Phases[] = {twice};
constexpr belfry_program_v2 Program = {
    BELFRY_ABI_VERSION, 1, "", 0, Phases, nullptr, 0, nullptr};

/// With `scratchBytes` a row; `kind` is that of what `twice` writes.
FunctionInfo functionOf(int64_t scratchBytes,
                        BufferKind kind = BufferKind::Output) {
  FunctionInfo function;
  function.buffers.resize(3);
  function.buffers[0].kind = BufferKind::Input;
  function.buffers[0].bytes = {4, 0};
  function.buffers[1].kind = kind;
  function.buffers[1].bytes = {4, 0};
  function.buffers[2].bytes = {scratchBytes, 0};
  function.buffers[2].live = {0, 1};
  function.schedule.resize(1);
  return function;
}

/// Runs `function` and expects its output to be right; returns the calls.
std::vector<RowRange> callsOf(const FunctionInfo &function, int64_t towers,
                              int devices, int threads, int64_t rows) {
  Manifest manifest;
  manifest.towers = towers;
  DeviceGroup group(devices, threads);
  HostExecutor executor(Program, manifest, function, group, towers, rows);
  std::vector<float> input(static_cast<size_t>(rows)), output(input.size());
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(i);
  StepArrays arrays;
  arrays.inputs = {input.data()};
  arrays.outputs = {output.data()};
  calls.clear();
  EXPECT_TRUE(executor.run(arrays, rows).ok());
  if (function.buffers[1].kind == BufferKind::Output) {
    for (size_t i = 0; i < output.size(); ++i)
      EXPECT_EQ(output[i], 2 * input[i]) << "row " << i;
  }
  std::sort(calls.begin(), calls.end(), [](RowRange a, RowRange b) {
    return std::pair(a.first, a.rows) < std::pair(b.first, b.rows);
  });
  return calls;
}

/// A row whose scratch is near by itself alone.
constexpr int64_t Large = int64_t(1) << 20;

TEST(Executor, WorksOnSomeRowsAtATime) {
  for (int64_t rows : {64, 127, 128, 130, 1000, 1024}) {
    std::vector<RowRange> made = callsOf(functionOf(Large), 1, 1, 1, rows);
    EXPECT_EQ(int64_t(made.size()), std::max<int64_t>(rows / 64, 1));
    int64_t next = 0;
    for (const RowRange &part : made) {
      EXPECT_EQ(part.first, next);
      EXPECT_LT(part.rows, 136);
      if (next + part.rows != rows) {
        EXPECT_EQ(part.rows % 8, 0);
      }
      next += part.rows;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(Executor, SmallRowsStayTogether) {
  EXPECT_EQ(callsOf(functionOf(4), 1, 1, 1, 1000).size(), 1u);
  EXPECT_EQ(callsOf(functionOf(8192), 1, 1, 1, 1000).size(), 1u);
  EXPECT_EQ(callsOf(functionOf(8192), 1, 1, 1, 1024).size(), 2u);
}

TEST(Executor, PartsSuitThreads) {
  EXPECT_EQ(callsOf(functionOf(Large), 1, 1, 2, 512).size(), 4u);
  EXPECT_EQ(callsOf(functionOf(Large), 2, 2, 1, 512).size(), 8u);
  EXPECT_EQ(callsOf(functionOf(Large), 2, 1, 2, 512).size(), 4u);
  // Towers have no row in common.
  std::vector<RowRange> made = callsOf(functionOf(Large), 3, 2, 1, 400);
  int64_t next = 0;
  for (const RowRange &part : made) {
    EXPECT_EQ(part.first, next);
    next += part.rows;
  }
  EXPECT_EQ(next, 400);
  // One without rows is not called.
  EXPECT_EQ(callsOf(functionOf(Large), 2, 2, 1, 1).size(), 1u);
}

TEST(Executor, SumsOverRowsStayWhole) {
  // A number of the tower, a value that crosses phases, a whole batch.
  FunctionInfo function = functionOf(Large, BufferKind::MetricTotal);
  EXPECT_EQ(callsOf(function, 1, 1, 1, 512).size(), 1u);
  function = functionOf(Large);
  function.buffers[0].shared = true;
  EXPECT_EQ(callsOf(function, 1, 1, 1, 512).size(), 1u);
  function = functionOf(Large);
  function.schedule[0].run = ScheduleItem::Once;
  EXPECT_EQ(callsOf(function, 1, 1, 1, 512).size(), 1u);
}

} // namespace
