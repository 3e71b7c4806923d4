//===- Driver.cpp - the state of the emulated driver ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Driver.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

using namespace belfry::fake;

/// By this symbol test/gpu/run tells this library from NVIDIA's.
extern "C" __attribute__((visibility("default")))
const char belfry_fake_cuda[] = "emulated driver";

thread_local Device *belfry::fake::currentDevice = nullptr;
thread_local bool belfry::fake::insideHostFunction = false;
thread_local CUstreamCaptureMode belfry::fake::captureMode =
    CU_STREAM_CAPTURE_MODE_GLOBAL;

CUuuid belfry::fake::uuidOf(int physical) {
  CUuuid uuid = {{'B', 'e', 'l', 'f', 'r', 'y', ' ', 'd', 'e', 'v', 'i', 'c',
                  'e', ' ', '#', char(physical)}};
  return uuid;
}

std::string belfry::fake::uuidText(int physical) {
  CUuuid uuid = uuidOf(physical);
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  unsigned(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9)
      text += '-';
  }
  return text;
}

/// Whether an error of what ran makes the context useless: each later call
/// gives it again.
static bool losesContext(CUresult code) {
  switch (code) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
    return true;
  default:
    return code >= CUDA_ERROR_HARDWARE_STACK_ERROR &&
           code <= CUDA_ERROR_LAUNCH_FAILED;
  }
}

void Device::fail(CUresult code, bool sticky) {
  if (lost != CUDA_SUCCESS)
    return;
  (sticky || losesContext(code) ? lost : pending) = code;
}

Driver::Driver()
    : settings(readSettings()), operations(settings.seed),
      faults(settings.failures) {
  for (int physical : visibleDevices(settings, uuidText)) {
    auto device = std::make_shared<Device>();
    device->ordinal = int(devices.size());
    device->physical = physical;
    device->memory = settings.memory;
    device->context = contexts.add(device);
    device->legacy = std::make_shared<Stream>();
    device->legacy->device = device.get();
    device->legacy->blocking = true;
    device->legacy->number = 0;
    devices.push_back(std::move(device));
  }
  images.open(settings.kernels);
}

//===----------------------------------------------------------------------===//
// The beginning and the end
//===----------------------------------------------------------------------===//

static Driver *theDriver = nullptr;
static int exitStatus = 0;

static Driver *makeDriver() {
  const char *call = std::exchange(currentCall, "settings");
  theDriver = new Driver;
  // Not when the library is loaded: handlers of then run too late.
  on_exit([](int status, void *) { exitStatus = status; }, nullptr);
  currentCall = call;
  return theDriver;
}

Driver &Driver::get() {
  static Driver *driver = makeDriver();
  return *driver;
}

/// After all that the program has registered for its end. One that would have
/// succeeded fails where it has left something.
__attribute__((destructor)) static void end() {
  if (!theDriver)
    return;
  currentCall = "exit";
  Lock lock(theDriver->mutex);
  std::vector<std::string> leaks = findLeaks(*theDriver);
  for (const std::string &leak : leaks)
    tell("leak: " + leak);
  writeSummary(*theDriver, leaks);
  if (!leaks.empty() && exitStatus == 0) {
    std::fflush(nullptr);
    _exit(97);
  }
}
