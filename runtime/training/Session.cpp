//===- Session.cpp - a program with its weights ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Session.h"

#include "runtime/host/HostExecutor.h"

#include "runtime/core/Names.h"
#include "runtime/host/Context.h"
#include "runtime/training/Initializers.h"

#include <cstring>

using namespace belfry::rt;

namespace {

void fillSlot(const SlotInfo &slot, void *target) {
  int64_t count = numElements(slot.shape);
  for (int64_t i = 0; i < count; ++i)
    storeElement(slot.dtype, target, i, slot.init);
}

} // namespace

/// An optimizer's number as a run has it. The learning rate is an f32, as in
/// Keras and in weight files, so that a run that is resumed has the same one.
static double asKept(const std::string &name, double value) {
  return name == "learning_rate" ? double(float(value)) : value;
}

Expected<std::unique_ptr<Session>>
Session::open(const belfry_program_v2 &program) {
  if (program.abi_version != BELFRY_ABI_VERSION)
    return Status::internal("the program has version " +
                            std::to_string(program.abi_version) +
                            " of the binary interface, expected " +
                            std::to_string(int(BELFRY_ABI_VERSION)));
  Expected<Manifest> manifest = parseManifest(
      {program.manifest, size_t(program.manifest_size)}, program.num_phases);
  if (!manifest.ok())
    return manifest.status();
  std::unique_ptr<Session> session(new Session(program));
  session->manifest_ = std::move(*manifest);
  if (program.device_code)
    session->backend_.reset(program.device_code->open(&program));
  const Manifest &info = session->manifest_;
  // One block: an update walks all of it, and small arrays by themselves would
  // not get large pages.
  size_t bytes = 0;
  auto place = [&](size_t size) {
    size_t at = (bytes + 63) / 64 * 64;
    bytes = at + size;
    return at;
  };
  std::vector<size_t> offsets;
  for (const ParameterInfo &parameter : info.parameters)
    offsets.push_back(place(parameter.bytes()));
  for (const SlotInfo &slot : info.optimizer.slots)
    offsets.push_back(place(slot.bytes()));
  session->storage = Storage(bytes);
  session->storage.zero();
  auto offset = offsets.begin();
  for (size_t i = 0; i < info.parameters.size(); ++i)
    session->values.parameters.push_back(session->storage.data() + *offset++);
  for (const SlotInfo &slot : info.optimizer.slots) {
    session->values.slots.push_back(session->storage.data() + *offset++);
    fillSlot(slot, session->values.slots.back());
  }
  for (const auto &[name, value] : info.optimizer.hypers)
    session->values.hypers.push_back(asKept(name, value));
  return session;
}

Status Session::start(const Placement &placement) {
  placement_ = placement;
  executors.clear();
  deviceGroup.reset();
  deviceGroup = std::make_unique<DeviceGroup>(placement.contexts(),
                                              placement.threadsPerContext());
  return backend_
             ? backend_->start(manifest_, placement.names, placement.towers)
             : Status::success();
}

Status Session::fetchValues() {
  return backend_ && !hostIsNewer ? backend_->download(values)
                                  : Status::success();
}

void Session::startProfile() {
  profiled = true;
  for (int device = 0; device < deviceGroup->size(); ++device)
    deviceGroup->context(device)->profile =
        std::make_unique<OpProfile>(manifest_.ops.size());
}

OpProfile::Count Session::opCount(size_t op) const {
  OpProfile::Count sum;
  for (int device = 0; device < deviceGroup->size(); ++device) {
    OpProfile::Count one = deviceGroup->context(device)->profile->count(op);
    sum.calls += one.calls;
    sum.nanoseconds += one.nanoseconds;
    sum.deviceNanoseconds += one.deviceNanoseconds;
    sum.rows += one.rows;
  }
  return sum;
}

Status Session::setHyper(const std::string &name, double value) {
  const OptimizerInfo &optimizer = manifest_.optimizer;
  std::string list;
  std::vector<std::string> known;
  for (size_t i = 0; i < values.hypers.size(); ++i) {
    const std::string &hyper = optimizer.hypers[i].first;
    if (hyper == name) {
      auto limits = optimizer.limits.find(name);
      NumberRange own =
          limits == optimizer.limits.end() ? NumberRange() : limits->second;
      std::string problem = own.describe(value);
      if (problem.empty())
        problem = own.describe(asKept(name, value));
      if (!problem.empty())
        return Status::user("'--set': '" + name + "': " + problem);
      values.hypers[i] = asKept(name, value);
      return Status::success();
    }
    list += (known.empty() ? "" : ", ") + hyper;
    known.push_back(hyper);
  }
  std::string near = nearestName(name, known);
  return Status::user(
      "'--set " + name + "=…': the optimizer '" + optimizer.name + "' has " +
      (known.empty() ? "no arguments to set"
                     : "no argument '" + name + "'" +
                           (near.empty() ? ", there are: " + list
                                         : "; did you mean '" + near +
                                               "'? there are: " + list)));
}

Status Session::loadEmbeddedWeights() {
  hostIsNewer = true;
  uint64_t offset = 0;
  for (size_t i = 0; i < manifest_.parameters.size(); ++i) {
    uint64_t bytes = manifest_.parameters[i].bytes();
    offset = (offset + 63) / 64 * 64;
    if (offset + bytes > program.weights_size)
      return Status::internal("the program's weights have " +
                              std::to_string(program.weights_size) +
                              " bytes, too few for its parameters");
    if (bytes)
      std::memcpy(values.parameters[i], program.weights + offset, bytes);
    offset += bytes;
  }
  return Status::success();
}

Status Session::loadWeights(const std::string &file) {
  hostIsNewer = true;
  return readWeights(file, manifest_, values.parameters);
}

Expected<bool> Session::loadOptimizer(const std::string &file) {
  hostIsNewer = true;
  return readOptimizer(file, manifest_, values);
}

Status Session::initializeWeights() {
  hostIsNewer = true;
  for (size_t i = 0; i < manifest_.parameters.size(); ++i)
    BELFRY_RETURN_IF_ERROR(
        initialize(manifest_.parameters[i], seed_,
                   static_cast<std::byte *>(values.parameters[i])));
  return Status::success();
}

Expected<Executor *> Session::prepare(const std::string &function,
                                      int64_t maxBatch) {
  const FunctionInfo *info = manifest_.function(function);
  if (!info)
    return static_cast<Executor *>(nullptr);
  std::unique_ptr<Executor> &executor = executors[function];
  executor.reset();
  if (backend_) {
    if (hostIsNewer)
      BELFRY_RETURN_IF_ERROR(backend_->upload(values));
    hostIsNewer = false;
    Expected<std::unique_ptr<Executor>> made =
        backend_->prepare(*info, maxBatch);
    if (!made.ok())
      return made.status();
    executor = std::move(*made);
  } else {
    executor = std::make_unique<HostExecutor>(
        program, manifest_, *info, *deviceGroup, placement_.towers, maxBatch);
  }
  if (profiled)
    executor->measure(&times[function]);
  return executor.get();
}

StepArrays Session::stepArrays() {
  StepArrays arrays;
  arrays.parameters = values.parameters;
  arrays.slots = values.slots;
  arrays.hypers = values.hypers;
  arrays.seed[0] = int32_t(uint32_t(seed_));
  arrays.seed[1] = int32_t(uint32_t(seed_ >> 32));
  arrays.step = int32_t(values.iterations);
  return arrays;
}
