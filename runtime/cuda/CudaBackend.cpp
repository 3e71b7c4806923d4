//===- CudaBackend.cpp - programs on NVIDIA GPUs --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaExecutor.h"
#include "runtime/training/Backend.h"
#include "runtime/training/Placement.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

using namespace belfry::rt;
using namespace belfry::rt::cuda;

namespace {

/// "3.10 GiB", "12.34 MiB".
std::string sizeText(int64_t bytes) {
  char text[40];
  bool large = bytes >= int64_t(1) << 30;
  std::snprintf(text, sizeof(text), "%.2f %s",
                double(bytes) / double(int64_t(1) << (large ? 30 : 20)),
                large ? "GiB" : "MiB");
  return text;
}

class CudaBackend : public Backend {
public:
  explicit CudaBackend(const belfry_program_v2 &program) : program(program) {}

  std::string needs() const override;
  Expected<std::vector<std::string>> choose(const std::string &request,
                                            int64_t towers) override;
  Status start(const Manifest &manifest,
               const std::vector<std::string> &devices,
               int64_t towers) override;
  Expected<std::string> checkMemory(const std::vector<std::string> &functions,
                                    int64_t maxBatch) override;
  Status upload(const ModelValues &values) override;
  Status download(ModelValues &values) override;
  Expected<std::unique_ptr<Executor>> prepare(const FunctionInfo &function,
                                              int64_t maxBatch) override;

private:
  Expected<int> countDevices();
  std::vector<int64_t> bytesOf(const std::vector<std::string> &functions,
                               int64_t maxBatch) const;
  Status placeValues();

  const belfry_program_v2 &program;
  const Driver *driver = nullptr;
  const Manifest *manifest = nullptr;
  int64_t towers = 1;
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<DeviceBlock> blocks; ///< of parameters and slots
  std::vector<DeviceValues> values;
};

} // namespace

std::string CudaBackend::needs() const {
  const belfry_device_code &code = *program.device_code;
  std::string cubins, ptx;
  for (uint32_t i = 0; i < code.num_images; ++i) {
    std::string name = "sm_" + std::to_string(code.images[i].sm);
    if (code.images[i].is_ptx)
      ptx = name;
    else
      cubins += (cubins.empty() ? "" : ", ") + name;
  }
  return "NVIDIA driver for CUDA " + versionText(kLeastDriver) +
         " or later; kernels for " + (cubins.empty() ? "" : cubins + ", and ") +
         "as PTX for " + ptx + " or later";
}

Expected<int> CudaBackend::countDevices() {
  Expected<const Driver *> opened = openDriver();
  if (!opened.ok())
    return opened.status();
  driver = *opened;
  int count = 0;
  if (Result result = driver->deviceGetCount(&count); result != kSuccess)
    return Status::user("cuDeviceGetCount: " + driver->describe(result));
  if (count == 0)
    return noGpu();
  return count;
}

/// `gpu:0,gpu:2`.
Expected<std::vector<std::string>>
CudaBackend::choose(const std::string &request, int64_t numTowers) {
  std::vector<std::string> names;
  std::string wanted = "'--devices " + request + "'";
  for (size_t at = 0; !request.empty() && at <= request.size();) {
    size_t end = std::min(request.find(',', at), request.size());
    std::string name = request.substr(at, end - at);
    at = end + 1;
    std::string number = name.starts_with("gpu:") ? name.substr(4) : "";
    if (number.empty() || number.size() > 6 ||
        number.find_first_not_of("0123456789") != std::string::npos)
      return Status::user(wanted + ": '" + name +
                          "' is no GPU; write gpu:0,gpu:1 (the program is "
                          "compiled for the target 'cuda')");
    names.push_back("gpu:" + std::to_string(std::stoi(number)));
  }
  BELFRY_RETURN_IF_ERROR(
      checkDeviceCount(request, int64_t(names.size()), numTowers));
  Expected<int> count = countDevices();
  if (!count.ok())
    return count.status();
  for (const std::string &name : names)
    if (std::stoi(name.substr(4)) >= *count)
      return Status::user(
          wanted + ": there is no " + name + "; this machine " + "has " +
          plural(*count, "GPU") + ", gpu:0" +
          (*count > 1 ? " to gpu:" + std::to_string(*count - 1) : ""));
  if (request.empty())
    for (int64_t i = 0; i < std::min<int64_t>(*count, numTowers); ++i)
      names.push_back("gpu:" + std::to_string(i));
  return names;
}

Status CudaBackend::start(const Manifest &info,
                          const std::vector<std::string> &devices,
                          int64_t numTowers) {
  manifest = &info;
  towers = numTowers;
  Expected<int> count = countDevices();
  if (!count.ok())
    return count.status();
  for (const std::string &name : devices) {
    Expected<std::unique_ptr<Gpu>> gpu = Gpu::open(
        *driver, *program.device_code, std::stoi(name.substr(4)), name);
    if (!gpu.ok())
      return gpu.status();
    gpus.push_back(std::move(*gpu));
  }
  for (const std::unique_ptr<Gpu> &one : gpus)
    for (const std::unique_ptr<Gpu> &other : gpus)
      BELFRY_RETURN_IF_ERROR(one->openPeer(*other));
  return placeValues();
}

/// Room for parameters and slots on every device.
Status CudaBackend::placeValues() {
  for (const std::unique_ptr<Gpu> &gpu : gpus) {
    int64_t bytes = 0;
    std::vector<int64_t> offsets;
    auto place = [&](size_t size) {
      offsets.push_back(bytes);
      bytes += alignOnDevice(int64_t(size));
    };
    for (const ParameterInfo &parameter : manifest->parameters)
      place(parameter.bytes());
    for (const SlotInfo &slot : manifest->optimizer.slots)
      place(slot.bytes());
    Expected<DeviceBlock> block = DeviceBlock::allocate(*gpu, bytes);
    if (!block.ok())
      return block.status();
    blocks.push_back(std::move(*block));
    DeviceValues &mine = values.emplace_back();
    for (size_t i = 0; i < offsets.size(); ++i)
      (i < manifest->parameters.size() ? mine.parameters : mine.slots)
          .push_back(blocks.back().at(offsets[i]));
  }
  return Status::success();
}

/// Bytes of the arrays of the functions, by device; two contexts on one GPU
/// share its memory.
std::vector<int64_t>
CudaBackend::bytesOf(const std::vector<std::string> &functions,
                     int64_t maxBatch) const {
  std::map<Context, int64_t> bytes;
  for (const std::string &name : functions)
    if (const FunctionInfo *function = manifest->function(name)) {
      CudaPlan plan(*manifest, *function, towers, int64_t(gpus.size()),
                    maxBatch);
      for (size_t d = 0; d < gpus.size(); ++d)
        bytes[gpus[d]->context()] += plan.devices[d].total;
    }
  std::vector<int64_t> result;
  for (const std::unique_ptr<Gpu> &gpu : gpus)
    result.push_back(bytes[gpu->context()]);
  return result;
}

Expected<std::string>
CudaBackend::checkMemory(const std::vector<std::string> &functions,
                         int64_t maxBatch) {
  std::string line = "memory:";
  std::vector<int64_t> needed = bytesOf(functions, maxBatch);
  std::set<std::string> told;
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    if (!told.insert(gpu.name()).second)
      continue;
    size_t available = 0, total = 0;
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    BELFRY_CALL(gpu, memGetInfo, &available, &total);
    int64_t bytes = needed[d];
    if (bytes > int64_t(available)) {
      int64_t fits = 0, tooMany = maxBatch;
      while (tooMany - fits > 1) {
        int64_t middle = fits + (tooMany - fits) / 2;
        (bytesOf(functions, middle)[d] <= int64_t(available) ? fits : tooMany) =
            middle;
      }
      return Status::user(
          "batches of " + std::to_string(maxBatch) + " rows need " +
          sizeText(bytes) + ", " + gpu.name() + " has " +
          sizeText(int64_t(available)) + " free; " +
          (fits ? "largest batch that fits: " + std::to_string(fits)
                : std::string("no batch fits")));
    }
    line += (told.size() > 1 ? ", " : " ") + sizeText(bytes) + " of " +
            sizeText(int64_t(available)) + " free on " + gpu.name();
  }
  return line;
}

Status CudaBackend::upload(const ModelValues &host) {
  for (size_t d = 0; d < gpus.size(); ++d) {
    Gpu &gpu = *gpus[d];
    BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
    for (size_t i = 0; i < host.parameters.size(); ++i)
      if (size_t bytes = manifest->parameters[i].bytes())
        BELFRY_CALL(gpu, memcpyHtoD, values[d].parameters[i],
                    host.parameters[i], bytes);
    for (size_t i = 0; i < host.slots.size(); ++i)
      if (size_t bytes = manifest->optimizer.slots[i].bytes())
        BELFRY_CALL(gpu, memcpyHtoD, values[d].slots[i], host.slots[i], bytes);
  }
  return Status::success();
}

Status CudaBackend::download(ModelValues &host) {
  Gpu &gpu = *gpus[0];
  BELFRY_RETURN_IF_ERROR(gpu.makeCurrent());
  for (size_t i = 0; i < host.parameters.size(); ++i)
    if (size_t bytes = manifest->parameters[i].bytes())
      BELFRY_CALL(gpu, memcpyDtoH, host.parameters[i], values[0].parameters[i],
                  bytes);
  for (size_t i = 0; i < host.slots.size(); ++i)
    if (size_t bytes = manifest->optimizer.slots[i].bytes())
      BELFRY_CALL(gpu, memcpyDtoH, host.slots[i], values[0].slots[i], bytes);
  return Status::success();
}

Expected<std::unique_ptr<Executor>>
CudaBackend::prepare(const FunctionInfo &function, int64_t maxBatch) {
  Expected<std::unique_ptr<CudaExecutor>> executor = CudaExecutor::create(
      program, *manifest, function, gpus, values, towers, maxBatch);
  if (!executor.ok())
    return executor.status();
  return std::unique_ptr<Executor>(std::move(*executor));
}

extern "C" belfry_backend *
belfry_cuda_open(const struct belfry_program_v2 *program) {
  return new CudaBackend(*program);
}
