//===- Report.h - what a program did, and what it left behind - -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_REPORT_H
#define BELFRY_TEST_FAKE_CUDA_REPORT_H

#include "test/fake-cuda/Operations.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace belfry::fake {

struct Driver;
struct Node;

/// Counts since the start. What a graph does counts at each launch of it.
struct Report {
  struct GraphShape {
    uint64_t nodes = 0, edges = 0, kernels = 0, copies = 0, launches = 0;
  };

  std::map<std::string, uint64_t> calls;   ///< by function
  std::map<std::string, uint64_t> kernels; ///< launches, by kernel
  uint64_t launches = 0, graphLaunches = 0, collectives = 0;
  uint64_t pageableCopies = 0;
  std::array<uint64_t, 5> bytes{}; ///< by Task::Direction
  uint64_t bytesSet = 0;           ///< of memsets
  std::vector<GraphShape> graphs;  ///< as they were instantiated

  void submitted(const Task &task);
  static GraphShape shapeOf(const std::vector<Node> &nodes);
};

/// A line for each thing that is left: `leak: …` without the prefix.
std::vector<std::string> findLeaks(const Driver &driver);

/// Writes BELFRY_FAKE_CUDA_SUMMARY.
void writeSummary(const Driver &driver, const std::vector<std::string> &leaks);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_REPORT_H
