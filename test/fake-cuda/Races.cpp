//===- Races.cpp - accesses without an order between them -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Races.h"

#include "test/fake-cuda/Operations.h"
#include "test/fake-cuda/Settings.h"

#include <unordered_set>

using namespace belfry::fake;

/// Whether `later` comes after `earlier`: through what both were enqueued
/// after, or because the host has waited.
static bool comesAfter(const Operation &later, const Operation &earlier) {
  if (earlier.retired)
    return true;
  std::vector<const Operation *> stack = {&later};
  std::unordered_set<const Operation *> seen;
  while (!stack.empty()) {
    const Operation *op = stack.back();
    stack.pop_back();
    for (const OperationPtr &from : op->after) {
      if (from.get() == &earlier)
        return true;
      // What an operation comes after is older than it, but for those that
      // ranks arrive at one by one.
      if ((from->id > earlier.id || from->joint) &&
          seen.insert(from.get()).second)
        stack.push_back(from.get());
    }
  }
  return false;
}

/// A span that holds `address` in its middle becomes two.
void Races::splitAt(uint64_t address) {
  auto after = spans.upper_bound(address);
  if (after == spans.begin())
    return;
  auto holder = std::prev(after);
  if (holder->first == address || holder->second.end <= address)
    return;
  Span second = holder->second;
  holder->second.end = address;
  spans.emplace(address, std::move(second));
}

void Races::touch(const OperationPtr &op, uint64_t begin, Span &span,
                  bool writes) {
  auto requireAfter = [&](const Operation &other) {
    if (&other != op.get() && !comesAfter(*op, other))
      fatal(op->task->name + " races with " + other.task->name + " over [" +
            hex(begin) + ", " + hex(span.end) +
            "): one writes, and neither waits for the other");
  };
  if (span.writer)
    requireAfter(*span.writer);
  if (writes) {
    for (const OperationPtr &reader : span.readers)
      requireAfter(*reader);
    span.writer = op;
    span.readers.clear();
    return;
  }
  // It stands for the readers that it comes after.
  std::erase_if(span.readers, [&](const OperationPtr &reader) {
    return reader == op || comesAfter(*op, *reader);
  });
  span.readers.push_back(op);
}

void Races::check(const OperationPtr &op) {
  for (const Access &access : op->task->accesses) {
    if (access.kind == Access::Kind::Unknown)
      continue;
    bool writes = access.kind == Access::Kind::Write;
    splitAt(access.begin);
    splitAt(access.end);
    uint64_t at = access.begin;
    for (auto span = spans.lower_bound(at); at < access.end; ++span) {
      if (span == spans.end() || span->first > at) {
        // Nobody was here before.
        uint64_t end = span == spans.end() ? access.end
                                           : std::min(access.end, span->first);
        span = spans.emplace(at, Span{end, nullptr, {}}).first;
      }
      touch(op, at, span->second, writes);
      at = span->second.end;
    }
  }
}
