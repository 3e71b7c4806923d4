//===- Gpu.cpp - a GPU with a program's kernels ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <utility>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceBlock &DeviceBlock::operator=(DeviceBlock &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  gpu = std::exchange(other.gpu, nullptr);
  base = std::exchange(other.base, 0);
  bytes = std::exchange(other.bytes, 0);
  return *this;
}

Expected<DeviceBlock> DeviceBlock::allocate(Gpu &gpu, int64_t bytes) {
  DeviceBlock block;
  block.gpu = &gpu;
  if (bytes == 0)
    return block;
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  BELFRY_RETURN_IF_ERROR(
      gpu.check(gpu.driver().memAlloc(&block.base, size_t(bytes)),
                "cuMemAlloc of " + std::to_string(bytes) + " bytes"));
  block.bytes = bytes;
  return block;
}

void DeviceBlock::release() {
  if (base && gpu->makeCurrent().ok())
    gpu->driver().memFree(base);
  base = 0;
  bytes = 0;
}

PinnedBlock &PinnedBlock::operator=(PinnedBlock &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  gpu = std::exchange(other.gpu, nullptr);
  base = std::exchange(other.base, nullptr);
  bytes = std::exchange(other.bytes, 0);
  return *this;
}

Expected<PinnedBlock> PinnedBlock::allocate(Gpu &gpu, int64_t bytes) {
  PinnedBlock block;
  block.gpu = &gpu;
  if (bytes == 0)
    return block;
  // For all contexts.
  constexpr unsigned portable = 1;
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  BELFRY_RETURN_IF_ERROR(
      gpu.check(gpu.driver().memHostAlloc(&block.base, size_t(bytes), portable),
                "cuMemHostAlloc of " + std::to_string(bytes) + " bytes"));
  block.bytes = bytes;
  return block;
}

void PinnedBlock::release() {
  if (base && gpu->makeCurrent().ok())
    gpu->driver().memFreeHost(base);
  base = nullptr;
  bytes = 0;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Gpu>> Gpu::open(const Driver &driver,
                                         const belfry_device_code &code,
                                         int ordinal, const std::string &name) {
  std::unique_ptr<Gpu> gpu(new Gpu(driver, code, ordinal, name));
  BELFRY_RETURN_IF_ERROR(gpu->open());
  return gpu;
}

Status Gpu::open() {
  BELFRY_CALL(*this, deviceGet, &id, number);
  int major = 0, minor = 0;
  BELFRY_CALL(*this, deviceGetAttribute, &major, kComputeCapabilityMajor, id);
  BELFRY_CALL(*this, deviceGetAttribute, &minor, kComputeCapabilityMinor, id);
  sm = major * 10 + minor;
  BELFRY_CALL(*this, devicePrimaryCtxRetain, &ctx, id);
  BELFRY_RETURN_IF_ERROR(makeCurrent());
  for (Stream *stream : {&compute, &exchange, &copies})
    BELFRY_CALL(*this, streamCreate, stream, kStreamNonBlocking);
  BELFRY_RETURN_IF_ERROR(loadModule());
  Expected<DeviceBlock> block =
      DeviceBlock::allocate(*this, int64_t(deviceCode.constants_size));
  if (!block.ok())
    return block.status();
  constantBlock = std::move(*block);
  if (constantBlock.size())
    BELFRY_CALL(*this, memcpyHtoD, constants(), deviceCode.constants,
                deviceCode.constants_size);
  return Status::success();
}

Gpu::~Gpu() {
  if (!ctx)
    return;
  constantBlock.release();
  api.ctxSetCurrent(ctx);
  if (module)
    api.moduleUnload(module);
  for (Stream stream : {compute, exchange, copies})
    if (stream)
      api.streamDestroy(stream);
  api.ctxSetCurrent(nullptr);
  api.devicePrimaryCtxRelease(id);
}

Status Gpu::makeCurrent() {
  return check(api.ctxSetCurrent(ctx), "cuCtxSetCurrent");
}

Status Gpu::check(Result result, const std::string &call) {
  if (result == kSuccess)
    return Status::success();
  // Members of the table are the driver's names without their first letters.
  std::string shown = call;
  if (!call.starts_with("cu"))
    shown = "cu" + std::string(1, char(std::toupper(call[0]))) + call.substr(1);
  return Status::user(label + ": " + shown + ": " + api.describe(result));
}

/// Machine code for the device: the latest cubin of its generation that it can
/// run, else PTX, which the driver compiles.
Status Gpu::loadModule() {
  const belfry_image *cubin = nullptr, *ptx = nullptr;
  for (uint32_t i = 0; i < deviceCode.num_images; ++i) {
    const belfry_image &image = deviceCode.images[i];
    auto made = int(image.sm);
    if (image.is_ptx) {
      if (made <= sm)
        ptx = &image;
    } else if (made / 10 == sm / 10 && made <= sm &&
               (!cubin || image.sm > cubin->sm)) {
      cubin = &image;
    }
  }
  Result result = kSuccess;
  for (const belfry_image *image : {cubin, ptx}) {
    if (!image)
      continue;
    result = api.moduleLoadDataEx(&module, image->data, 0, nullptr, nullptr);
    if (result != kInvalidImage && result != kNoBinaryForGpu)
      break;
  }
  if (!module && result == kSuccess)
    return Status::user(
        label + ": the GPU's compute capability " + std::to_string(sm / 10) +
        "." + std::to_string(sm % 10) +
        " is older than any that the program is compiled for ('info' lists "
        "them); compile with '--cuda-arch'");
  BELFRY_RETURN_IF_ERROR(check(result, "cuModuleLoadDataEx"));
  functions.resize(deviceCode.num_kernels);
  for (size_t i = 0; i < functions.size(); ++i)
    BELFRY_RETURN_IF_ERROR(
        check(api.moduleGetFunction(&functions[i], module,
                                    deviceCode.kernels[i].name),
              "cuModuleGetFunction of kernel '" +
                  std::string(deviceCode.kernels[i].name) + "'"));
  return Status::success();
}

/// A graph that another device launched is in none of the streams, so the
/// context is asked. One that hangs would never answer, and so would not the
/// thread that waits for it, which ends with the process.
bool Gpu::drain() {
  auto ended = std::make_shared<std::promise<void>>();
  std::future<void> answer = ended->get_future();
  std::thread([ended, driver = &api, context = ctx] {
    if (driver->ctxSetCurrent(context) == kSuccess)
      driver->ctxSynchronize();
    ended->set_value();
  }).detach();
  return answer.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
}

Status Gpu::openPeer(const Gpu &other) {
  if (other.ctx == ctx)
    return Status::success();
  int can = 0;
  BELFRY_CALL(*this, deviceCanAccessPeer, &can, id, other.id);
  if (!can)
    return Status::success();
  BELFRY_RETURN_IF_ERROR(makeCurrent());
  Result result = api.ctxEnablePeerAccess(other.ctx, 0);
  return result == kPeerAccessAlreadyEnabled
             ? Status::success()
             : check(result, "cuCtxEnablePeerAccess");
}

Status Gpu::copyFrom(DevicePtr to, const Gpu &source, DevicePtr from,
                     int64_t bytes, Stream stream) {
  if (bytes == 0 || to == from)
    return Status::success();
  if (source.ctx == ctx)
    return check(api.memcpyDtoDAsync(to, from, size_t(bytes), stream),
                 "cuMemcpyDtoDAsync");
  return check(
      api.memcpyPeerAsync(to, ctx, from, source.ctx, size_t(bytes), stream),
      "cuMemcpyPeerAsync from " + source.label);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::string belfry::rt::cuda::describeLaunch(const char *kernel,
                                             const char *layer) {
  std::string text = "kernel '" + std::string(kernel) + "'";
  if (*layer)
    text += " of layer '" + std::string(layer) + "'";
  return text;
}

int64_t Gpu::kernel(const std::string &name) const {
  for (uint32_t i = 0; i < deviceCode.num_kernels; ++i)
    if (name == deviceCode.kernels[i].name)
      return i;
  return -1;
}

Status Gpu::launch(int64_t kernel, int64_t blocks, const uint64_t *words,
                   Stream stream, const char *layer) {
  if (blocks <= 0)
    return Status::success();
  const belfry_kernel &which = deviceCode.kernels[kernel];
  if (blocks > std::numeric_limits<int32_t>::max())
    return Status::user(label + ": " + describeLaunch(which.name, layer) +
                        " would need " + std::to_string(blocks) +
                        " blocks, more than a GPU takes; a smaller batch has "
                        "fewer");
  std::vector<void *> arguments(which.num_words);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments[i] = const_cast<uint64_t *>(words + i);
  Result result = api.launchKernel(functions[size_t(kernel)], unsigned(blocks),
                                   1, 1, which.threads, 1, 1, 0, stream,
                                   arguments.data(), nullptr);
  if (result == kSuccess)
    return Status::success();
  return check(result,
               "cuLaunchKernel of " + describeLaunch(which.name, layer));
}

belfry_context *Gpu::launchContext() {
  return reinterpret_cast<belfry_context *>(this);
}

Status Gpu::takeLaunchStatus() {
  return std::exchange(launchStatus, Status::success());
}

void Gpu::launchSite(int32_t site, int64_t blocks, const void *words) {
  if (!launchStatus.ok())
    return;
  const belfry_launch_site &place = deviceCode.launches[site];
  launchStatus =
      launch(place.kernel, blocks, static_cast<const uint64_t *>(words),
             compute, place.layer);
}

extern "C" void belfry_launch(belfry_context *context, int32_t site,
                              int64_t blocks, const void *words) {
  reinterpret_cast<Gpu *>(context)->launchSite(site, blocks, words);
}

extern "C" void *belfry_device_constants(belfry_context *context) {
  return reinterpret_cast<void *>(
      reinterpret_cast<Gpu *>(context)->constants());
}
