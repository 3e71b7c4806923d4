//===- Manifest.cpp - reads the manifest of a program ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Manifest.h"

#include "belfry/Runtime.h"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>

using namespace belfry::rt;

namespace {

// Hyperparameters are numbered in the order in which they are written.
using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char *, BufferKind>, 16> kKinds = {{
    {"input", BufferKind::Input},
    {"target", BufferKind::Target},
    {"sample_weight", BufferKind::SampleWeight},
    {"parameter", BufferKind::Parameter},
    {"slot", BufferKind::Slot},
    {"hyper", BufferKind::Hyper},
    {"seed", BufferKind::Seed},
    {"step", BufferKind::Step},
    {"output", BufferKind::Output},
    {"loss", BufferKind::Loss},
    {"metric_total", BufferKind::MetricTotal},
    {"metric_count", BufferKind::MetricCount},
    {"gradient", BufferKind::Gradient},
    {"gradient_scale", BufferKind::GradientScale},
    {"scratch", BufferKind::Scratch},
    {"cross", BufferKind::Cross},
}};

/// What is wrong with a manifest. Stays inside of this file: parseManifest
/// turns it into a Status.
struct Malformed {
  std::string message;
};

[[noreturn]] void malformed(std::string message) {
  throw Malformed{std::move(message)};
}

/// What the library found, in our words: its own name its classes.
std::string describe(const nlohmann::json::exception &failure) {
  if (const auto *parse =
          dynamic_cast<const nlohmann::json::parse_error *>(&failure))
    return "no valid JSON at byte " + std::to_string(parse->byte);
  if (dynamic_cast<const nlohmann::json::out_of_range *>(&failure)) {
    // "… key 'dtype' not found"
    std::string text = failure.what();
    size_t begin = text.find('\''), end = text.rfind('\'');
    return begin < end ? "there is no " + text.substr(begin, end - begin + 1)
                       : "an entry is missing";
  }
  return "a value of the wrong kind";
}

/// Reads a part, so that what is wrong in it is told with its name.
template <typename Read> auto within(const std::string &part, Read read) {
  try {
    return read();
  } catch (const Malformed &failure) {
    malformed("in '" + part + "': " + failure.message);
  } catch (const nlohmann::json::exception &failure) {
    malformed("in '" + part + "': " + describe(failure));
  }
}

DType dtypeOf(const Json &json) {
  std::string name = json.get<std::string>();
  if (std::optional<DType> type = parseDType(name))
    return *type;
  malformed("unknown dtype '" + name + "'");
}

Shape shapeOf(const Json &json) {
  Shape shape;
  for (const Json &dim : json)
    shape.push_back(dim.is_null() ? -1 : dim.get<int64_t>());
  return shape;
}

TensorInfo tensorOf(const Json &json) {
  TensorInfo info;
  info.name = json.at("name").get<std::string>();
  info.dtype = dtypeOf(json.at("dtype"));
  info.shape = shapeOf(json.at("shape"));
  if (info.shape.empty() || info.shape[0] != -1)
    malformed("tensor '" + info.name + "' has no batch dimension");
  for (size_t i = 1; i < info.shape.size(); ++i)
    if (info.shape[i] < 0)
      malformed("tensor '" + info.name + "' has two unknown dimensions");
  if (json.contains("limit") && !json["limit"].is_null())
    info.limit = json["limit"].get<int64_t>();
  if (json.contains("ignore") && !json["ignore"].is_null())
    info.ignore = json["ignore"].get<int64_t>();
  info.layer = json.value("layer", "");
  info.loss = json.value("loss", "");
  return info;
}

std::vector<TensorInfo> tensorsOf(const Json &manifest, const char *key) {
  std::vector<TensorInfo> tensors;
  if (manifest.contains(key))
    for (const Json &json : manifest[key])
      tensors.push_back(tensorOf(json));
  return tensors;
}

InitializerInfo initializerOf(const Json &json) {
  InitializerInfo info;
  if (json.is_string()) {
    info.name = json.get<std::string>();
    return info;
  }
  info.name = json.at("name").get<std::string>();
  for (const auto &[key, value] : json.items()) {
    if (value.is_number())
      info.numbers[key] = value.get<double>();
    else if (value.is_string() && key != "name")
      info.words[key] = value.get<std::string>();
  }
  return info;
}

std::vector<ParameterInfo> parametersOf(const Json &manifest) {
  std::vector<ParameterInfo> parameters;
  if (!manifest.contains("parameters"))
    return parameters;
  for (const Json &json : manifest["parameters"]) {
    ParameterInfo info;
    info.name = json.at("name").get<std::string>();
    info.path = json.at("path").get<std::string>();
    info.dtype = dtypeOf(json.at("dtype"));
    info.shape = shapeOf(json.at("shape"));
    info.trainable = json.value("trainable", true);
    info.layer = json.value("layer", "");
    if (json.contains("initializer") && !json["initializer"].is_null())
      info.initializer = initializerOf(json["initializer"]);
    info.stream = json.value("stream", uint32_t(parameters.size()));
    parameters.push_back(std::move(info));
  }
  return parameters;
}

belfry::NumberRange limitsOf(const Json &json) {
  belfry::NumberRange limits;
  for (auto [key, end] :
       {std::pair("least", &limits.least), std::pair("above", &limits.above),
        std::pair("most", &limits.most), std::pair("below", &limits.below)})
    if (json.contains(key))
      *end = json[key].get<double>();
  return limits;
}

OptimizerInfo optimizerOf(const Json &json,
                          const std::vector<ParameterInfo> &parameters) {
  OptimizerInfo info;
  info.name = json.value("name", "");
  if (json.contains("hypers"))
    for (const auto &[key, value] : json["hypers"].items())
      info.hypers.emplace_back(key, value.get<double>());
  if (json.contains("limits"))
    for (const auto &[key, ends] : json["limits"].items())
      info.limits[key] = limitsOf(ends);
  if (!json.contains("slots"))
    return info;
  for (const Json &entry : json["slots"]) {
    SlotInfo slot;
    slot.name = entry.at("name").get<std::string>();
    slot.init = entry.value("init", 0.0);
    std::string owner = entry.value("parameter", "");
    for (size_t i = 0; i < parameters.size(); ++i)
      if (!owner.empty() && parameters[i].name == owner) {
        slot.parameter = int64_t(i);
        slot.dtype = parameters[i].dtype;
        slot.shape = parameters[i].shape;
      }
    if (!owner.empty() && slot.parameter < 0)
      malformed("slot '" + slot.name + "' of unknown parameter '" + owner +
                "'");
    if (entry.contains("dtype"))
      slot.dtype = dtypeOf(entry["dtype"]);
    if (entry.contains("shape"))
      slot.shape = shapeOf(entry["shape"]);
    info.slots.push_back(std::move(slot));
  }
  return info;
}

std::vector<LayerInfo> layersOf(const Json &manifest) {
  std::vector<LayerInfo> layers;
  if (!manifest.contains("layers"))
    return layers;
  for (const Json &json : manifest["layers"]) {
    LayerInfo info;
    info.name = json.value("name", "");
    info.className = json.value("class", "");
    info.parameters = json.value("parameters", int64_t(0));
    if (json.contains("output_shape") && json["output_shape"].is_array()) {
      const Json &shape = json["output_shape"];
      if (!shape.empty() && shape[0].is_array())
        for (const Json &one : shape)
          info.outputs.push_back(shapeOf(one));
      else
        info.outputs.push_back(shapeOf(shape));
    }
    layers.push_back(std::move(info));
  }
  return layers;
}

/// Bytes per element, which tells apart f32 from f64 where the manifest gives
/// no dtype.
DType dtypeOfBuffer(const BufferInfo &buffer, const Manifest &manifest) {
  auto ofTensor = [&](const std::vector<TensorInfo> &list) {
    return size_t(buffer.index) < list.size() ? list[buffer.index].dtype
                                              : DType::F32;
  };
  switch (buffer.kind) {
  case BufferKind::Input:
    return ofTensor(manifest.inputs);
  case BufferKind::Target:
    return ofTensor(manifest.targets);
  case BufferKind::SampleWeight:
    return ofTensor(manifest.sampleWeights);
  case BufferKind::Output:
    return ofTensor(manifest.outputs);
  case BufferKind::Seed:
  case BufferKind::Step:
    return DType::I32;
  case BufferKind::Parameter:
  case BufferKind::Gradient:
    if (size_t(buffer.index) < manifest.parameters.size())
      return manifest.parameters[buffer.index].dtype;
    return DType::F32;
  default:
    return buffer.bytes.fixed == 8 ? DType::F64 : DType::F32;
  }
}

/// Size of the manifest's list that `kind` indexes; none for kinds without.
size_t listSize(BufferKind kind, const Manifest &manifest) {
  switch (kind) {
  case BufferKind::Input:
    return manifest.inputs.size();
  case BufferKind::Target:
    return manifest.targets.size();
  case BufferKind::SampleWeight:
    return manifest.sampleWeights.size();
  case BufferKind::Parameter:
  case BufferKind::Gradient:
    return manifest.parameters.size();
  case BufferKind::Slot:
    return manifest.optimizer.slots.size();
  case BufferKind::Hyper:
    return manifest.optimizer.hypers.size();
  case BufferKind::Output:
    return manifest.outputs.size();
  case BufferKind::Loss:
    return manifest.losses.size();
  case BufferKind::MetricTotal:
  case BufferKind::MetricCount:
    return manifest.metrics.size();
  default:
    return std::numeric_limits<size_t>::max();
  }
}

BufferInfo bufferOf(const Json &json, const Manifest &manifest) {
  BufferInfo info;
  std::string kind = json.at("kind").get<std::string>();
  bool known = false;
  for (const auto &[name, value] : kKinds)
    if (kind == name) {
      info.kind = value;
      known = true;
    }
  if (!known)
    malformed("unknown buffer kind '" + kind + "'");
  info.index = json.value("index", int64_t(0));
  if (info.index < 0 || size_t(info.index) >= listSize(info.kind, manifest))
    malformed("buffer of kind '" + kind + "' has index " +
              std::to_string(info.index) + ", which is out of range");
  info.bytes = {json.at("bytes").at(0).get<int64_t>(),
                json.at("bytes").at(1).get<int64_t>()};
  if (info.bytes.perRow < 0 || info.bytes.fixed < 0)
    malformed("buffer of negative size");
  info.shared = json.value("scope", "tower") == "shared";
  if (json.contains("live") && !json["live"].is_null())
    info.live = {json["live"].at(0).get<int64_t>(),
                 json["live"].at(1).get<int64_t>()};
  info.rowsOf = json.value("rows_of", int64_t(-1));
  info.dtype = json.contains("dtype") ? dtypeOf(json["dtype"])
                                      : dtypeOfBuffer(info, manifest);

  // What the runtime owns has a size of its own, which has to agree.
  int64_t own = -1;
  if (info.kind == BufferKind::Parameter)
    own = int64_t(manifest.parameters[info.index].bytes());
  if (info.kind == BufferKind::Slot)
    own = int64_t(manifest.optimizer.slots[info.index].bytes());
  if (info.kind == BufferKind::Seed)
    own = 8;
  if (info.kind == BufferKind::Step)
    own = 4;
  if (own >= 0 && (info.bytes.perRow != 0 || info.bytes.fixed != own))
    malformed("buffer of kind '" + kind + "', index " +
              std::to_string(info.index) + ", has " +
              std::to_string(info.bytes.fixed) + " bytes, expected " +
              std::to_string(own));
  if ((info.kind == BufferKind::Scratch || info.kind == BufferKind::Cross) &&
      !info.live)
    malformed("buffer of kind '" + kind + "' without 'live'");
  return info;
}

void readReduce(const Json &json, const FunctionInfo &function,
                ScheduleItem &item) {
  item.kind = ScheduleItem::AllReduce;
  std::string kind = json["all_reduce"].get<std::string>();
  if (kind != "sum" && kind != "max" && kind != "min")
    malformed("unknown all_reduce '" + kind + "'");
  item.reduce = kind == "sum"   ? ReduceKind::Sum
                : kind == "max" ? ReduceKind::Max
                                : ReduceKind::Min;
  const Json &count = json.at("count");
  if (count.is_array() && count.at(0).get<int64_t>() != 0)
    malformed("all_reduce of a value that depends on the rows of a tower");
  item.count =
      count.is_array() ? count.at(1).get<int64_t>() : count.get<int64_t>();
  const BufferInfo &from = function.buffers[item.from];
  const BufferInfo &to = function.buffers[item.to];
  int64_t bytes = item.count * int64_t(sizeOf(item.dtype));
  if (item.count < 0 || bytes > from.bytes.fixed || bytes > to.bytes.fixed)
    malformed("all_reduce of " + std::to_string(bytes) +
              " bytes between buffers of " + std::to_string(from.bytes.fixed) +
              " and " + std::to_string(to.bytes.fixed));
  item.inPlace = json.value("in_place", false);
  if (item.inPlace &&
      (from.kind != BufferKind::Cross || !to.shared ||
       to.bytes.fixed > from.bytes.fixed || to.bytes.perRow > 0))
    malformed("all_reduce in place between buffers that do not match");
}

void readGather(const Json &json, const FunctionInfo &function,
                ScheduleItem &item) {
  item.kind = ScheduleItem::AllGather;
  item.outer = json.value("outer", int64_t(1));
  item.inner = json.value("inner", int64_t(1));
  const BufferInfo &from = function.buffers[item.from];
  const BufferInfo &to = function.buffers[item.to];
  int64_t unit = item.outer * item.inner * int64_t(sizeOf(item.dtype));
  if (item.outer < 0 || item.inner < 0)
    malformed("all_gather of a negative size");
  item.perRow = unit > 0 ? from.bytes.perRow / unit : 0;
  if (item.perRow * unit != from.bytes.perRow || from.bytes.fixed != 0 ||
      to.bytes.perRow < from.bytes.perRow || !to.shared)
    malformed("all_gather between buffers that do not match");
}

ScheduleItem itemOf(const Json &json, const FunctionInfo &function,
                    uint32_t numPhases) {
  ScheduleItem item;
  if (json.contains("phase")) {
    item.phase = json["phase"].get<int64_t>();
    if (item.phase < 0 || item.phase >= int64_t(numPhases))
      malformed("phase " + std::to_string(item.phase) + " of " +
                std::to_string(numPhases));
    std::string run = json.value("run", "per_tower");
    if (run != "per_tower" && run != "once")
      malformed("unknown 'run' '" + run + "'");
    item.run = run == "once" ? ScheduleItem::Once : ScheduleItem::PerTower;
    return item;
  }
  if (!json.contains("all_reduce") && !json.contains("all_gather"))
    malformed("schedule item " + json.dump());
  item.dtype = dtypeOf(json.at("dtype"));
  item.from = json.at("from").get<int64_t>();
  item.to = json.at("to").get<int64_t>();
  auto buffers = int64_t(function.buffers.size());
  if (item.from < 0 || item.from >= buffers || item.to < 0 ||
      item.to >= buffers)
    malformed("collective of a buffer that is not there");
  if (function.buffers[item.from].shared)
    malformed("collective from a shared buffer");
  if (json.contains("all_reduce"))
    readReduce(json, function, item);
  else
    readGather(json, function, item);
  return item;
}

/// A buffer that has the rows of a tower in place of memory of its own.
void checkRowsOf(const BufferInfo &buffer, const FunctionInfo &function) {
  bool there =
      buffer.rowsOf >= 0 && size_t(buffer.rowsOf) < function.buffers.size();
  const BufferInfo *whole =
      there ? &function.buffers[size_t(buffer.rowsOf)] : nullptr;
  if (!whole || buffer.kind != BufferKind::Cross || buffer.shared ||
      whole->kind != BufferKind::Cross || !whole->shared ||
      buffer.bytes.fixed != 0 || whole->bytes.fixed != 0 ||
      buffer.bytes.perRow != whole->bytes.perRow)
    malformed("buffer with 'rows_of' " + std::to_string(buffer.rowsOf) +
              ", which does not match");
}

FunctionInfo functionOf(const Json &json, const Manifest &manifest,
                        uint32_t numPhases) {
  FunctionInfo function;
  for (const Json &buffer : json.at("buffers"))
    function.buffers.push_back(bufferOf(buffer, manifest));
  for (const BufferInfo &buffer : function.buffers)
    if (buffer.rowsOf != -1)
      checkRowsOf(buffer, function);
  for (const Json &item : json.at("schedule"))
    function.schedule.push_back(itemOf(item, function, numPhases));
  return function;
}

AffineSize affineOf(const Json &json) {
  return {json.at(0).get<int64_t>(), json.at(1).get<int64_t>()};
}

OpInfo opOf(const Json &json) {
  OpInfo op;
  op.function = json.at("function").get<std::string>();
  op.phase = json.value("phase", int64_t(-1));
  op.layer = json.value("layer", "");
  op.kind = json.at("kind").get<std::string>();
  if (json.contains("extents"))
    for (const Json &extent : json["extents"])
      op.extents.push_back(affineOf(extent));
  if (json.contains("flops"))
    op.flops = affineOf(json["flops"]);
  if (json.contains("bytes"))
    op.bytes = affineOf(json["bytes"]);
  return op;
}

Manifest manifestOf(const Json &json, uint32_t numPhases) {
  Manifest manifest;
  if (json.value("abi", 0) != int(BELFRY_ABI_VERSION))
    malformed("abi " + std::to_string(json.value("abi", 0)) + ", expected " +
              std::to_string(int(BELFRY_ABI_VERSION)));
  manifest.model = json.value("model", "model");
  manifest.kerasVersion = json.value("keras_version", "");
  manifest.target = json.value("target", "host");
  manifest.mcpu = json.value("mcpu", "");
  manifest.numerics = json.value("numerics", "");
  manifest.memory = json.value("memory", "balanced");
  manifest.disabled = json.value("disabled", std::vector<std::string>());
  manifest.towers = json.value("towers", int64_t(1));
  Expected<SlicingMode> slicing =
      parseSlicing(json.value("slicing", "balanced"));
  if (!slicing.ok())
    malformed(slicing.status().message());
  manifest.slicing = *slicing;
  for (auto [key, tensors] :
       {std::pair("inputs", &manifest.inputs),
        std::pair("outputs", &manifest.outputs),
        std::pair("targets", &manifest.targets),
        std::pair("sample_weights", &manifest.sampleWeights)})
    *tensors = within(key, [&] { return tensorsOf(json, key); });
  manifest.parameters =
      within("parameters", [&] { return parametersOf(json); });
  if (json.contains("optimizer") && json["optimizer"].is_object())
    manifest.optimizer = within("optimizer", [&] {
      return optimizerOf(json["optimizer"], manifest.parameters);
    });
  within("losses", [&] {
    if (json.contains("losses"))
      for (const Json &loss : json["losses"])
        manifest.losses.push_back(loss.get<std::string>());
  });
  within("metrics", [&] {
    if (json.contains("metrics"))
      for (const Json &metric : json["metrics"])
        manifest.metrics.push_back({metric.at("name").get<std::string>(),
                                    metric.value("weighted", false)});
  });
  manifest.layers = within("layers", [&] { return layersOf(json); });
  if (!json.contains("functions"))
    malformed("there is no 'functions'");
  for (const auto &[name, function] : json["functions"].items())
    manifest.functions[name] =
        within(name, [&] { return functionOf(function, manifest, numPhases); });
  within("ops", [&] {
    if (json.contains("ops"))
      for (const Json &op : json["ops"])
        manifest.ops.push_back(opOf(op));
  });
  return manifest;
}

} // namespace

const FunctionInfo *Manifest::function(const std::string &name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

std::string Manifest::lossKey(size_t index) const {
  return losses[index].empty() ? "loss" : losses[index];
}

Expected<Manifest> belfry::rt::parseManifest(std::string_view json,
                                             uint32_t numPhases) {
  try {
    return manifestOf(Json::parse(json.begin(), json.end()), numPhases);
  } catch (const Malformed &failure) {
    return Status::internal("manifest: " + failure.message);
  } catch (const nlohmann::json::exception &failure) {
    return Status::internal("manifest: " + describe(failure));
  }
}
