//===- Profile.cpp - where the time of a run goes -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Profile.h"

#include "runtime/host/Context.h"
#include "runtime/host/OpProfile.h"
#include "runtime/training/Session.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace belfry::rt;

namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + ptrdiff_t(middle),
                   values.end());
  return values[middle];
}

Json pairOf(const AffineSize &size) {
  return Json::array({size.perRow, size.fixed});
}

/// One op, over all devices.
Json opOf(const OpInfo &op, const OpProfile::Count &count) {
  Json json = Json::object();
  json["layer"] = op.layer;
  json["kind"] = op.kind;
  json["phase"] = op.phase;
  Json extents = Json::array();
  for (const AffineSize &extent : op.extents)
    extents.push_back(pairOf(extent));
  json["extents"] = std::move(extents);
  json["devices"] = count.nanoseconds ? double(count.deviceNanoseconds) /
                                            double(count.nanoseconds)
                                      : 1.0;
  json["calls"] = count.calls;
  json["rows"] = count.rows;
  json["seconds"] = double(count.nanoseconds) * 1e-9;
  auto total = [&](const AffineSize &size) {
    return double(size.perRow) * double(count.rows) +
           double(size.fixed) * double(count.calls);
  };
  if (op.flops)
    json["flops"] = total(*op.flops);
  if (op.bytes)
    json["bytes"] = total(*op.bytes);
  return json;
}

} // namespace

std::string belfry::rt::profileJson(const Session &session) {
  const Manifest &manifest = session.manifest();
  const Placement &placement = session.placement();
  Json json = Json::object();
  json["model"] = manifest.model;
  json["towers"] = placement.towers;
  json["devices"] = placement.devices;
  json["threads_per_device"] = placement.threadsPerDevice;
  Json functions = Json::object();
  for (const auto &[name, times] : session.stepTimes()) {
    Json function = Json::object();
    function["steps"] = times.each.size();
    function["rows"] = times.rows;
    function["seconds"] = times.seconds();
    function["median_step"] = median(times.each);
    function["feed"] = times.feed;
    function["collectives"] = times.collectives;
    function["waits"] = times.waits;
    Json ops = Json::array();
    for (size_t i = 0; i < manifest.ops.size(); ++i) {
      if (manifest.ops[i].function != name)
        continue;
      OpProfile::Count count = session.opCount(i);
      if (count.calls > 0)
        ops.push_back(opOf(manifest.ops[i], count));
    }
    function["ops"] = std::move(ops);
    functions[name] = std::move(function);
  }
  json["functions"] = std::move(functions);
  return json.dump(1) + "\n";
}
