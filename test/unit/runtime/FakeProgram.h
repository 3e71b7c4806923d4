//===- FakeProgram.h - a program written by hand ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What belfryc would emit for a linear model with two inputs' worth of
// machinery: y = x·kernel + bias under a weighted mean squared error, SGD with
// momentum, mean absolute error as a metric, and noise by global row that a
// hyperparameter scales. One collective a step.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_RUNTIME_FAKEPROGRAM_H
#define BELFRY_TEST_UNIT_RUNTIME_FAKEPROGRAM_H

#include "belfry/Runtime.h"

#include <cstdint>

namespace belfry::rt::test {

/// With `features` input features; `towers` is the default of the binary.
/// `weights` of the program are a kernel of 0.5 and a bias of 0.25, if wanted.
struct FakeOptions {
  int64_t features = 3;
  int64_t towers = 1;
  const char *slicing = "balanced";
  bool embedded = false;
  bool withLoss = true;
  bool shared = false; ///< threads share the update
};

/// The program lives as long as the process.
const belfry_program_v2 &fakeProgram(const FakeOptions &options = {});

} // namespace belfry::rt::test

#endif // BELFRY_TEST_UNIT_RUNTIME_FAKEPROGRAM_H
