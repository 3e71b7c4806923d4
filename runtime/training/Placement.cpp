//===- Placement.cpp - towers and devices of a run ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Placement.h"

#include "runtime/core/Slicing.h"

#include <algorithm>

using namespace belfry::rt;

namespace {

/// The M of `cpu:M`, or of `cpu:0,cpu:1`, which names contexts one by one.
Expected<int64_t> parseDevices(const std::string &text,
                               const std::string &target) {
  if (text.starts_with("gpu"))
    return Status::user("'--devices " + text +
                        "': this program is compiled "
                        "for the target '" +
                        target +
                        "', which has no GPUs; write cpu:M for M "
                        "contexts of the host");
  if (!text.starts_with("cpu:"))
    return Status::user("'--devices " + text +
                        "': unknown device; write cpu:M for M contexts of the "
                        "host");
  std::string number = text.substr(4);
  if (number.empty() || number.size() > 9 ||
      number.find_first_not_of("0123456789") != std::string::npos ||
      std::stoll(number) < 1)
    return Status::user("'--devices " + text +
                        "': expected a number of contexts, at least 1, as in "
                        "cpu:4");
  return std::stoll(number);
}

} // namespace

std::string belfry::rt::plural(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Status belfry::rt::checkDeviceCount(const std::string &request, int64_t devices,
                                    int64_t towers) {
  if (devices <= towers)
    return Status::success();
  return Status::user("'--devices " + request +
                      "': " + plural(devices, "device") + " for " +
                      plural(towers, "tower") +
                      "; there can't be more devices than towers, raise "
                      "'--towers' or name fewer devices");
}

Expected<Placement> belfry::rt::settlePlacement(const PlacementRequest &request,
                                                const Manifest &manifest,
                                                int cores, Backend *backend) {
  Placement placement;
  placement.towers = request.towers.value_or(manifest.towers);
  if (placement.towers < 1 || placement.towers > kMaxTowers)
    return Status::user("'--towers " + std::to_string(placement.towers) +
                        "': expected 1 to " + std::to_string(kMaxTowers) +
                        " towers");
  int64_t devices = std::min<int64_t>(placement.towers, cores);
  if (backend) {
    Expected<std::vector<std::string>> names =
        backend->choose(request.devices, placement.towers);
    if (!names.ok())
      return names.status();
    placement.names = std::move(*names);
    placement.devices = int(placement.names.size());
    int64_t threads = request.threadsPerDevice.value_or(cores);
    if (threads < 1 || threads > kMaxThreads)
      return Status::user("'--threads-per-device " + std::to_string(threads) +
                          "': expected 1 to " + std::to_string(kMaxThreads) +
                          " threads");
    placement.threadsPerDevice = int(threads);
    return placement;
  }
  if (!request.devices.empty()) {
    Expected<int64_t> asked = parseDevices(request.devices, manifest.target);
    if (!asked.ok())
      return asked.status();
    devices = *asked;
    BELFRY_RETURN_IF_ERROR(
        checkDeviceCount(request.devices, devices, placement.towers));
    if (devices > kMaxThreads)
      return Status::user("'--devices " + request.devices +
                          "': expected at most " + std::to_string(kMaxThreads) +
                          " devices, each has a thread of its own");
  }
  int64_t threads =
      request.threadsPerDevice.value_or(std::max<int64_t>(1, cores / devices));
  if (threads < 1 || threads > kMaxThreads / devices)
    return Status::user("'--threads-per-device " + std::to_string(threads) +
                        "': expected 1 to " +
                        std::to_string(kMaxThreads / devices) +
                        " threads for " + plural(devices, "device"));
  placement.devices = int(devices);
  placement.threadsPerDevice = int(threads);
  return placement;
}

int Placement::lanesPerDevice() const {
  for (int lanes = threadsPerDevice; lanes > 1; --lanes)
    if (threadsPerDevice % lanes == 0 &&
        towers % (int64_t(devices) * lanes) == 0)
      return lanes;
  return 1;
}

std::string Placement::describe() const {
  std::string text =
      plural(towers, "tower") + " on " + plural(devices, "device") + ":";
  std::vector<RowRange> blocks = assignTowers(towers, devices);
  constexpr size_t most = 16;
  for (size_t i = 0; i < blocks.size() && i < most; ++i) {
    int64_t first = blocks[i].first, last = first + blocks[i].rows - 1;
    text += " " + (names.empty() ? "cpu:" + std::to_string(i) : names[i]) +
            " [" + std::to_string(first) +
            (last > first ? "-" + std::to_string(last) : "") + "]";
  }
  if (blocks.size() > most)
    text += " …";
  if (threadsPerDevice > 1 && names.empty())
    text += ", " + plural(threadsPerDevice, "thread") + " each";
  if (towers % devices != 0)
    text += " (uneven: " + plural(towers % devices, "device") +
            " with one tower more)";
  return text;
}
