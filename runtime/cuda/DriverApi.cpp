//===- DriverApi.cpp - opens the CUDA driver ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/DriverApi.h"

#include <dlfcn.h>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

namespace {

constexpr const char *kAdvice =
    "; belfryc's '--target host' makes a program that needs no GPU";

struct Opened {
  Driver driver;
  Status status;
};

Status fill(Driver &driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::user("there is no NVIDIA driver on this machine: "
                        "'libcuda.so.1' can't be opened" +
                        std::string(kAdvice));
  auto find = [&](const char *symbol) { return dlsym(library, symbol); };
  // The version first: an old driver lacks some of the others.
  if (void *version = find("cuDriverGetVersion")) {
    driver.driverGetVersion =
        reinterpret_cast<decltype(driver.driverGetVersion)>(version);
    if (driver.driverGetVersion(&driver.version) != kSuccess)
      driver.version = 0;
  }
  if (driver.version < kLeastDriver)
    return Status::user("the NVIDIA driver is for CUDA " +
                        versionText(driver.version) +
                        "; this program needs one for CUDA " +
                        versionText(kLeastDriver) + " or later" + kAdvice);
  const char *missing = nullptr;
#define BELFRY_FILL(MEMBER, SYMBOL, PARAMETERS)                                \
  driver.MEMBER = reinterpret_cast<decltype(driver.MEMBER)>(find(#SYMBOL));    \
  if (!driver.MEMBER)                                                          \
    missing = #SYMBOL;
  BELFRY_CUDA_DRIVER(BELFRY_FILL)
#undef BELFRY_FILL
  if (missing)
    return Status::user("the NVIDIA driver for CUDA " +
                        versionText(driver.version) + " has no '" + missing +
                        "'" + kAdvice);
  Result result = driver.init(0);
  if (result == kNoDevice)
    return noGpu();
  if (result != kSuccess)
    return Status::user("cuInit: " + driver.describe(result) + kAdvice);
  return Status::success();
}

} // namespace

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kSuccess || !name)
    return "error " + std::to_string(result);
  std::string all = name;
  if (getErrorString(result, &text) == kSuccess && text)
    all += " (" + std::string(text) + ")";
  return all;
}

Status belfry::rt::cuda::noGpu() {
  return Status::user("the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES "
                      "may hide some)" +
                      std::string(kAdvice));
}

std::string belfry::rt::cuda::versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Expected<const Driver *> belfry::rt::cuda::openDriver() {
  static Opened *opened = [] {
    auto *one = new Opened;
    one->status = fill(one->driver);
    return one;
  }();
  if (!opened->status.ok())
    return opened->status;
  return &opened->driver;
}
