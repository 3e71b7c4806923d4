//===- Progress.cpp - what is seen while a model trains -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Progress.h"

#include <algorithm>
#include <cmath>
#include <sys/ioctl.h>

using namespace belfry::rt;
using namespace belfry::rt::cli;

std::string belfry::rt::cli::formatLogs(const Logs &logs) {
  std::string text;
  for (const auto &[name, value] : logs) {
    char number[40];
    std::snprintf(number, sizeof(number),
                  std::abs(value) > 1e-3 || value == 0 ? "%.4f" : "%.4e",
                  value);
    text += (text.empty() ? "" : " - ") + name + ": " + number;
  }
  return text;
}

namespace {

/// The width of a terminal, less the place of the cursor.
size_t columnsOf(std::FILE *stream) {
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
    return 1000;
  return size.ws_col - 1u;
}

/// A line that wraps can't be drawn over. Counts code points of UTF-8, of
/// which each here is one column wide.
std::string firstColumns(const std::string &text, size_t columns) {
  size_t at = 0;
  while (at < text.size()) {
    bool begins = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (begins && columns-- == 0)
      break;
    ++at;
  }
  return text.substr(0, at);
}

} // namespace

std::string belfry::rt::cli::formatTime(double seconds) {
  auto whole = int64_t(std::llround(std::max(0.0, seconds)));
  auto two = [](int64_t number) {
    return (number < 10 ? ":0" : ":") + std::to_string(number);
  };
  if (whole >= 3600)
    return std::to_string(whole / 3600) + two(whole / 60 % 60) +
           two(whole % 60);
  if (whole >= 60)
    return std::to_string(whole / 60) + two(whole % 60);
  return std::to_string(whole) + "s";
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void Progress::epochBegins(int64_t epoch, int64_t epochCount,
                           int64_t stepCount) {
  epochs = epochCount;
  steps = stepCount;
  done = 0;
  begin = drawn = Clock::now();
  if (terminal && epochs > 1)
    std::fprintf(stream, "epoch %s/%s\n", std::to_string(epoch + 1).c_str(),
                 std::to_string(epochs).c_str());
}

void Progress::stepDone(int64_t step, const Logs &logs) {
  done = step + 1;
  if (!terminal)
    return;
  // Ten times a second is what an eye can follow.
  Clock::time_point now = Clock::now();
  if (now - drawn < std::chrono::milliseconds(100))
    return;
  drawn = now;
  constexpr int width = 20;
  int filled =
      int(double(width) * double(done) / double(std::max<int64_t>(1, steps)));
  std::string bar;
  for (int i = 0; i < width; ++i)
    bar += i < filled ? "━" : "·";
  double left = elapsed() / double(done) * double(steps - done);
  std::string line = std::to_string(done) + "/" + std::to_string(steps) + " " +
                     bar + " " + formatTime(left) + " left - " +
                     formatLogs(logs);
  std::fprintf(stream, "\r\x1b[K%s",
               firstColumns(line, columnsOf(stream)).c_str());
  std::fflush(stream);
}

void Progress::epochDone(int64_t epoch, const Logs &logs) {
  double seconds = elapsed();
  double perStep = 1e3 * seconds / double(std::max<int64_t>(1, done));
  std::string head =
      terminal
          ? "\r\x1b[K" + std::to_string(done) + "/" + std::to_string(steps)
          : "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(epochs);
  char pace[40];
  if (perStep < 1)
    std::snprintf(pace, sizeof(pace), "%.0fus/step", perStep * 1e3);
  else
    std::snprintf(pace, sizeof(pace),
                  perStep < 10 ? "%.1fms/step" : "%.0fms/step", perStep);
  std::fprintf(stream, "%s - %s - %s - %s\n", head.c_str(),
               formatTime(seconds).c_str(), pace, formatLogs(logs).c_str());
  std::fflush(stream);
}
