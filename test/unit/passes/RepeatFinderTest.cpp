//===- RepeatFinderTest.cpp - what stands in a sequence again -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/host/RepeatFinder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace belfry;

namespace {

/// Of letters that weigh 10 each, lower case ones 1.
std::optional<Repeat> find(std::string_view text, int64_t callCost = 2,
                           int64_t leastSaving = 1) {
  std::vector<unsigned> tokens(text.begin(), text.end());
  std::vector<int64_t> weights;
  for (char letter : text)
    weights.push_back(std::islower(letter) ? 1 : 10);
  return findRepeat(tokens, weights, callCost, leastSaving);
}

void expectRepeat(std::string_view text, unsigned length,
                  std::vector<unsigned> starts) {
  std::optional<Repeat> repeat = find(text);
  ASSERT_TRUE(repeat) << text;
  EXPECT_EQ(repeat->length, length) << text;
  EXPECT_EQ(std::vector<unsigned>(repeat->starts.begin(), repeat->starts.end()),
            starts)
      << text;
}

TEST(RepeatFinder, NothingStandsTwice) {
  EXPECT_FALSE(find(""));
  EXPECT_FALSE(find("A"));
  EXPECT_FALSE(find("ABCD"));
}

TEST(RepeatFinder, TheLongestOfEqualPlaces) {
  expectRepeat("xABCyABCzABC", 3, {1, 5, 9});
}

TEST(RepeatFinder, WeightCountsNotLength) {
  expectRepeat("abcdXYZ1abcd2XYZ", 3, {4, 13});
}

TEST(RepeatFinder, PlacesDoNotOverlap) {
  expectRepeat("AAAA", 1, {0, 1, 2, 3});
  expectRepeat("ABABAB", 2, {0, 2, 4});
  expectRepeat("xABCABCABCABCy", 3, {1, 4, 7, 10});
}

TEST(RepeatFinder, ACallCostsSomething) {
  EXPECT_FALSE(find("aa", /*callCost=*/1));
  EXPECT_FALSE(find("ABxAB", /*callCost=*/2, /*leastSaving=*/17));
  EXPECT_TRUE(find("ABxAB", /*callCost=*/2, /*leastSaving=*/16));
}

/// Whatever the sequence: places are equal, apart, and worth it.
TEST(RepeatFinder, AnySequence) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned length = random() % 60; length; --length)
      text += static_cast<char>('A' + random() % (2 + round % 3));
    std::optional<Repeat> repeat = find(text);
    int64_t best = 0; // of all repeats of one length at two places or more
    for (unsigned i = 0; i < text.size(); ++i)
      for (unsigned k = i + 1; k < text.size(); ++k) {
        unsigned common = 0;
        while (k + common < text.size() && common < k - i &&
               text[i + common] == text[k + common])
          ++common;
        best = std::max(best, int64_t(common) * 10 - 4);
      }
    ASSERT_EQ(bool(repeat), best > 0) << text;
    if (!repeat)
      continue;
    auto places = static_cast<int64_t>(repeat->starts.size());
    ASSERT_GE(places, 2) << text;
    EXPECT_GE((places - 1) * repeat->length * 10 - places * 2, best) << text;
    for (unsigned i = 0; i < places; ++i) {
      EXPECT_EQ(text.substr(repeat->starts[i], repeat->length),
                text.substr(repeat->starts[0], repeat->length))
          << text;
      if (i)
        EXPECT_GE(repeat->starts[i], repeat->starts[i - 1] + repeat->length)
            << text;
    }
  }
}

} // namespace
