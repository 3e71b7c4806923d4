//===- Report.cpp - what a program did, and what it left behind -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Report.h"

#include "test/fake-cuda/Driver.h"

#include <fstream>

using namespace belfry::fake;

void Report::submitted(const Task &task) {
  switch (task.kind) {
  case Task::Kind::Kernel:
    ++launches;
    ++kernels[task.kernel];
    break;
  case Task::Kind::Copy:
    bytes[size_t(task.direction)] += task.bytes;
    break;
  case Task::Kind::Memset:
    bytesSet += task.bytes;
    break;
  case Task::Kind::Collective:
    ++collectives;
    break;
  case Task::Kind::HostFunction:
  case Task::Kind::Event:
    break;
  }
}

Report::GraphShape Report::shapeOf(const std::vector<Node> &nodes) {
  GraphShape shape;
  shape.nodes = nodes.size();
  for (const Node &node : nodes) {
    shape.edges += node.after.size();
    shape.kernels += node.task->kind == Task::Kind::Kernel;
    shape.copies += node.task->kind == Task::Kind::Copy;
  }
  return shape;
}

std::vector<std::string> belfry::fake::findLeaks(const Driver &driver) {
  std::vector<std::string> leaks;
  auto on = [](const Device &device) {
    return " of device " + std::to_string(device.ordinal);
  };
  for (const auto &[address, allocation] : driver.memory.all())
    leaks.push_back(std::to_string(allocation.bytes) + " bytes at " +
                    hex(address) +
                    (allocation.device ? on(*allocation.device)
                                       : std::string(" of pinned memory")));
  for (const auto &capture : driver.captures)
    leaks.push_back("a capture that stream " +
                    std::to_string(capture->origin->number) + " began");
  for (const auto &[handle, stream] : driver.streams.all())
    leaks.push_back("stream " + std::to_string(stream->number) +
                    on(*stream->device));
  for (const auto &[handle, event] : driver.events.all())
    leaks.push_back("event " + hex(handle) + on(*event->device));
  for (const auto &[handle, module] : driver.modules.all())
    leaks.push_back("module " + hex(handle) + on(*module->device));
  for (const auto &[handle, graph] : driver.graphs.all())
    leaks.push_back("graph " + hex(handle) + " of " +
                    std::to_string(graph->nodes.size()) + " nodes");
  for (const auto &[handle, exec] : driver.graphExecs.all())
    leaks.push_back("executable graph " + hex(handle) + " of " +
                    std::to_string(exec->nodes.size()) + " nodes");
  for (const auto &device : driver.devices)
    if (device->retained)
      leaks.push_back("the context" + on(*device) + ", retained " +
                      std::to_string(device->retained) +
                      " times more than "
                      "released");
  if (driver.moreLeaks)
    for (std::string &leak : driver.moreLeaks())
      leaks.push_back(std::move(leak));
  return leaks;
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

static std::string toJson(uint64_t number) { return std::to_string(number); }
static std::string toJson(const std::string &text) { return quoted(text); }
static std::string toJson(const Report::GraphShape &shape) {
  return "{\"nodes\": " + toJson(shape.nodes) +
         ", \"edges\": " + toJson(shape.edges) +
         ", \"kernels\": " + toJson(shape.kernels) +
         ", \"copies\": " + toJson(shape.copies) +
         ", \"launches\": " + toJson(shape.launches) + "}";
}
template <typename T> static std::string toJson(const std::vector<T> &list) {
  std::string text;
  for (const T &entry : list)
    text += (text.empty() ? "" : ", ") + toJson(entry);
  return "[" + text + "]";
}
static std::string toJson(const std::map<std::string, uint64_t> &counts) {
  std::string text;
  for (const auto &[name, count] : counts)
    text += (text.empty() ? "" : ", ") + quoted(name) + ": " + toJson(count);
  return "{" + text + "}";
}

void belfry::fake::writeSummary(const Driver &driver,
                                const std::vector<std::string> &leaks) {
  if (driver.settings.summary.empty())
    return;
  const Report &r = driver.report;
  auto bytes = [&](Task::Direction direction) {
    return toJson(r.bytes[size_t(direction)]);
  };
  std::vector<uint64_t> peaks;
  for (const auto &device : driver.devices)
    peaks.push_back(device->peak);

  std::ofstream out(driver.settings.summary);
  out << "{\"calls\": " << toJson(r.calls)
      << ",\n \"launches\": " << toJson(r.launches)
      << ",\n \"kernels\": " << toJson(r.kernels)
      << ",\n \"graph_launches\": " << toJson(r.graphLaunches)
      << ",\n \"graphs\": " << toJson(r.graphs)
      << ",\n \"collectives\": " << toJson(r.collectives)
      << ",\n \"bytes\": {\"host_to_device\": "
      << bytes(Task::Direction::HostToDevice)
      << ", \"device_to_host\": " << bytes(Task::Direction::DeviceToHost)
      << ", \"same_device\": " << bytes(Task::Direction::SameDevice)
      << ", \"peer\": " << bytes(Task::Direction::Peer)
      << ", \"memset\": " << toJson(r.bytesSet) << "}"
      << ",\n \"pageable_copies\": " << toJson(r.pageableCopies)
      << ",\n \"peak_bytes\": " << toJson(peaks) << ",\n \"not_waited_for\": "
      << toJson(uint64_t(driver.operations.active(nullptr).size()))
      << ",\n \"faults\": " << toJson(uint64_t(driver.faults.happened()))
      << ",\n \"faults_not_met\": " << toJson(driver.faults.waiting())
      << ",\n \"leaks\": " << toJson(leaks) << "}\n";
  out.close();
  if (!out)
    tell("'" + driver.settings.summary + "' can't be written");
}
