//===- Slicing.cpp - rows to towers, towers to devices --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Slicing.h"

#include <algorithm>
#include <bit>
#include <string>

using namespace belfry::rt;

Expected<SlicingMode> belfry::rt::parseSlicing(std::string_view name) {
  if (name == "balanced")
    return SlicingMode::Balanced;
  if (name == "drop-remainder")
    return SlicingMode::DropRemainder;
  if (name == "last-takes-rest")
    return SlicingMode::LastTakesRest;
  if (name == "strict")
    return SlicingMode::Strict;
  return Status::user("unknown slicing '" + std::string(name) +
                      "'; there are balanced, drop-remainder, "
                      "last-takes-rest, strict");
}

Expected<std::vector<RowRange>>
belfry::rt::sliceBatch(int64_t batch, int64_t towers, SlicingMode mode) {
  int64_t each = batch / towers, rest = batch % towers;
  if (mode == SlicingMode::Strict && rest != 0) {
    std::string near = std::to_string((each + 1) * towers);
    if (each > 0)
      near = std::to_string(each * towers) + " and " + near;
    return Status::user("a batch of " + std::to_string(batch) +
                        " rows is no multiple of " + std::to_string(towers) +
                        " towers, as slicing=strict wants; the nearest '"
                        "--batch-size' are " +
                        near);
  }
  std::vector<RowRange> ranges;
  ranges.reserve(towers);
  int64_t first = 0;
  for (int64_t tower = 0; tower < towers; ++tower) {
    int64_t rows = each;
    if (mode == SlicingMode::Balanced && tower < rest)
      ++rows;
    if (mode == SlicingMode::LastTakesRest && tower == towers - 1)
      rows += rest;
    ranges.push_back({first, rows});
    first += rows;
  }
  return ranges;
}

int64_t belfry::rt::maxTowerRows(int64_t batch, int64_t towers,
                                 SlicingMode mode) {
  int64_t each = batch / towers, rest = batch % towers;
  switch (mode) {
  case SlicingMode::Balanced:
    return each + (rest != 0);
  case SlicingMode::LastTakesRest:
    // A smaller last batch can leave more to the last tower than this one.
    if (batch + 1 >= towers)
      return std::max(each + rest, (batch + 1) / towers - 1 + towers - 1);
    return rest;
  case SlicingMode::DropRemainder:
  case SlicingMode::Strict:
    return each;
  }
  return each;
}

int64_t belfry::rt::usedRows(int64_t batch, int64_t towers, SlicingMode mode) {
  return mode == SlicingMode::DropRemainder ? batch - batch % towers : batch;
}

std::vector<RowRange> belfry::rt::assignTowers(int64_t towers,
                                               int64_t devices) {
  std::vector<RowRange> blocks;
  int64_t first = 0;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t count = towers / devices + (device < towers % devices);
    blocks.push_back({first, count});
    first += count;
  }
  return blocks;
}

int64_t belfry::rt::treeSplit(int64_t lo, int64_t hi) {
  return lo + int64_t(std::bit_ceil(uint64_t(hi - lo)) / 2);
}
