//===- Progress.h - what is seen while a model trains -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_PROGRESS_H
#define BELFRY_RUNTIME_CLI_PROGRESS_H

#include "runtime/training/Fit.h"

#include <chrono>
#include <cstdio>

namespace belfry::rt::cli {

/// Prints to `stream`: on a terminal a bar with loss, metrics and time left,
/// else one line an epoch.
class Progress : public FitObserver {
public:
  Progress(std::FILE *stream, bool terminal)
      : stream(stream), terminal(terminal) {}

  void epochBegins(int64_t epoch, int64_t epochs, int64_t steps) override;
  void stepDone(int64_t step, const Logs &logs) override;
  void epochDone(int64_t epoch, const Logs &logs) override;

private:
  using Clock = std::chrono::steady_clock;
  double elapsed() const;

  std::FILE *stream;
  bool terminal;
  int64_t epochs = 1, steps = 0, done = 0;
  Clock::time_point begin, drawn;
};

/// `loss: 0.6931 - accuracy: 0.5000`, numbers as Keras prints them.
std::string formatLogs(const Logs &logs);
/// `42s`, `3:05`, `1:02:30`.
std::string formatTime(double seconds);

} // namespace belfry::rt::cli

#endif // BELFRY_RUNTIME_CLI_PROGRESS_H
