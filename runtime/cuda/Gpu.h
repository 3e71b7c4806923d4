//===- Gpu.h - a GPU with a program's kernels ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CUDA_GPU_H
#define BELFRY_RUNTIME_CUDA_GPU_H

#include "belfry/Runtime.h"
#include "runtime/cuda/DriverApi.h"

#include <memory>
#include <vector>

/// Calls MEMBER of the driver's table for a device, and returns the failure,
/// with the call's name, from the enclosing function.
#define BELFRY_CALL(GPU, MEMBER, ...)                                          \
  BELFRY_RETURN_IF_ERROR(                                                      \
      (GPU).check((GPU).driver().MEMBER(__VA_ARGS__), #MEMBER))

namespace belfry::rt::cuda {

class Gpu;

/// Places within a block of a device's memory are multiples of 256 bytes, as
/// those of cuMemAlloc are.
constexpr int64_t alignOnDevice(int64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// Memory of a device; freed with the object.
class DeviceBlock {
public:
  DeviceBlock() = default;
  DeviceBlock(DeviceBlock &&other) noexcept { *this = std::move(other); }
  DeviceBlock &operator=(DeviceBlock &&other) noexcept;
  ~DeviceBlock() { release(); }

  static Expected<DeviceBlock> allocate(Gpu &gpu, int64_t bytes);
  /// Null for a block of no bytes.
  DevicePtr at(int64_t offset) const { return base + uint64_t(offset); }
  int64_t size() const { return bytes; }
  void release();
  /// Leaves the memory to the end of the process.
  void abandon() { base = 0; }

private:
  Gpu *gpu = nullptr;
  DevicePtr base = 0;
  int64_t bytes = 0;
};

/// Memory of the host that devices can read and write on their own.
class PinnedBlock {
public:
  PinnedBlock() = default;
  PinnedBlock(PinnedBlock &&other) noexcept { *this = std::move(other); }
  PinnedBlock &operator=(PinnedBlock &&other) noexcept;
  ~PinnedBlock() { release(); }

  static Expected<PinnedBlock> allocate(Gpu &gpu, int64_t bytes);
  std::byte *data() const { return static_cast<std::byte *>(base); }
  int64_t size() const { return bytes; }
  void release();
  /// Leaves the memory to the end of the process.
  void abandon() { base = nullptr; }

private:
  Gpu *gpu = nullptr;
  void *base = nullptr;
  int64_t bytes = 0;
};

/// One context on a GPU: streams, the program's kernels, its constants. Its
/// calls are for one thread at a time.
class Gpu {
public:
  /// `name` is what errors call it, `ordinal` its number among the visible
  /// ones. A failure names the call that failed.
  static Expected<std::unique_ptr<Gpu>> open(const Driver &driver,
                                             const belfry_device_code &code,
                                             int ordinal,
                                             const std::string &name);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  const Driver &driver() const { return api; }
  const belfry_device_code &code() const { return deviceCode; }
  const std::string &name() const { return label; }
  int ordinal() const { return number; }
  Context context() const { return ctx; }
  /// 90 for compute capability 9.0.
  int capability() const { return sm; }

  /// Where phases enqueue, where arrays are exchanged with other devices, where
  /// they are copied from and to the host.
  Stream compute = nullptr, exchange = nullptr, copies = nullptr;

  /// The following calls are for this device's context.
  Status makeCurrent();
  /// Success, or what failed, where, and the driver's name for it. After a
  /// failure of the device itself nothing of it can be waited for.
  Status check(Result result, const std::string &call);

  /// Waits until nothing is at work on the device, or until it fails; false
  /// where that takes seconds.
  bool drain();

  /// Lets this device read memory of `other` without the host, where it can.
  Status openPeer(const Gpu &other);

  /// Copies on a stream of this device, which is current; the source may be
  /// another's.
  Status copyFrom(DevicePtr to, const Gpu &source, DevicePtr from,
                  int64_t bytes, Stream stream);

  /// The number of a kernel, or -1.
  int64_t kernel(const std::string &name) const;
  /// Enqueues a kernel; `words` are its arguments. No blocks are no launch.
  Status launch(int64_t kernel, int64_t blocks, const uint64_t *words,
                Stream stream, const char *layer);

  /// What phases are given as their context. Failures of launches are kept,
  /// and taken out once.
  belfry_context *launchContext();
  Status takeLaunchStatus();

  /// For belfry_launch and belfry_device_constants.
  void launchSite(int32_t site, int64_t blocks, const void *words);
  DevicePtr constants() const { return constantBlock.at(0); }

private:
  Gpu(const Driver &driver, const belfry_device_code &code, int ordinal,
      std::string name)
      : api(driver), deviceCode(code), number(ordinal), label(std::move(name)) {
  }
  Status open();
  Status loadModule();

  const Driver &api;
  const belfry_device_code &deviceCode;
  const int number;
  const std::string label;
  DeviceId id = 0;
  Context ctx = nullptr;
  int sm = 0;
  Module module = nullptr;
  std::vector<Function> functions; ///< one a kernel
  DeviceBlock constantBlock;
  Status launchStatus;
};

/// Makes `label` of a kernel and its layer for errors: "kernel 'scan_3' of
/// layer 'lstm_1'".
std::string describeLaunch(const char *kernel, const char *layer);

} // namespace belfry::rt::cuda

#endif // BELFRY_RUNTIME_CUDA_GPU_H
