//===- Random.cpp - counter-based random numbers --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Random.h"

#include <numeric>
#include <utility>

using namespace belfry::rt;

std::vector<int64_t> belfry::rt::shuffledRows(uint64_t seed, uint32_t epoch,
                                              int64_t rows) {
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), int64_t(0));
  __extension__ using Wide = unsigned __int128;
  Philox philox(seed);
  Philox::Block block = {};
  for (int64_t i = rows - 1; i > 0; --i) {
    int64_t draw = rows - 1 - i;
    if (draw % 2 == 0)
      block = philox(uint32_t(draw / 2), epoch, kShuffleMark, 0xffffffff);
    size_t word = size_t(draw % 2) * 2;
    uint64_t r = block[word] | uint64_t(block[word + 1]) << 32;
    auto j = size_t(static_cast<Wide>(r) * uint64_t(i + 1) >> 64);
    std::swap(order[size_t(i)], order[j]);
  }
  return order;
}
