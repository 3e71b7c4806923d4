//===- Settings.cpp - what the environment says ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Settings.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace belfry::fake;

thread_local const char *belfry::fake::currentCall = "";

void belfry::fake::tell(const std::string &message) {
  std::string line = "fake-cuda: " + message + "\n";
  ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  (void)written;
}

void belfry::fake::fatal(const std::string &message) {
  tell(std::string(currentCall) + ": " + message);
  // The program's own handler would tell of a crash and not of a mistake.
  signal(SIGABRT, SIG_DFL);
  std::abort();
}

std::string belfry::fake::hex(uint64_t value) {
  char digits[17];
  auto end = std::to_chars(digits, digits + sizeof(digits), value, 16);
  return "0x" + std::string(digits, end.ptr);
}

static const char *read(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

template <typename T>
static void readNumber(const char *name, T &number, T least, T most) {
  const char *text = read(name);
  if (!text)
    return;
  const char *end = text + std::strlen(text);
  auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end || number < least || number > most)
    fatal(std::string(name) + " is '" + text + "', expected a number from " +
          std::to_string(least) + " to " + std::to_string(most));
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Settings belfry::fake::readSettings() {
  Settings s;
  readNumber("BELFRY_FAKE_CUDA_DEVICES", s.devices, 0, 64);
  readNumber<uint64_t>("BELFRY_FAKE_CUDA_MEMORY", s.memory, 4096,
                       uint64_t(1) << 36);
  readNumber("BELFRY_FAKE_CUDA_ARCH", s.architecture, 50, 129);
  readNumber("BELFRY_FAKE_CUDA_DRIVER", s.driver, 10000, 99990);
  int peer = 1;
  readNumber("BELFRY_FAKE_CUDA_PEER", peer, 0, 1);
  s.peer = peer != 0;
  readNumber<uint64_t>("BELFRY_FAKE_CUDA_SEED", s.seed, 0, UINT64_MAX);
  readNumber("BELFRY_FAKE_CUDA_PATIENCE", s.patience, 1, 86400);
  readNumber("BELFRY_FAKE_CUDA_NCCL", s.nccl, 20000, 99999);
  const char *name = read("BELFRY_FAKE_CUDA_NAME");
  s.name = name ? name : "Emulated sm_" + std::to_string(s.architecture);
  // Here an empty list is one that names no device.
  if (const char *visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    s.visible = visible;
  if (const char *kernels = read("BELFRY_FAKE_CUDA_KERNELS"))
    s.kernels = split(kernels, ':');
  if (const char *failures = read("BELFRY_FAKE_CUDA_FAIL"))
    s.failures = failures;
  if (const char *summary = read("BELFRY_FAKE_CUDA_SUMMARY"))
    s.summary = summary;
  return s;
}

std::vector<int>
belfry::fake::visibleDevices(const Settings &settings,
                             std::string (*uuidText)(int device)) {
  std::vector<int> all(size_t(settings.devices));
  for (int i = 0; i < settings.devices; ++i)
    all[size_t(i)] = i;
  if (!settings.visible)
    return all;
  std::vector<int> seen;
  for (const std::string &entry : split(*settings.visible, ',')) {
    int found = -1;
    if (entry.starts_with("GPU-")) {
      // A prefix that is one device's only.
      for (int device : all)
        if (uuidText(device).starts_with(entry))
          found = found == -1 ? device : -2;
    } else {
      const char *end = entry.data() + entry.size();
      auto [stop, error] = std::from_chars(entry.data(), end, found);
      if (error != std::errc() || stop != end)
        found = -1;
    }
    if (found < 0 || found >= settings.devices)
      break;
    if (std::find(seen.begin(), seen.end(), found) != seen.end())
      return {};
    seen.push_back(found);
  }
  return seen;
}
