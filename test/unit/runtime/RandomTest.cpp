//===- RandomTest.cpp - Philox, shuffling, initial weights ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Random.h"
#include "runtime/training/Initializers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace belfry::rt;

namespace {

// Known answers of Random123 for philox4x32 with 10 rounds (kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox(0)(0, 0, 0, 0),
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox(0xffffffffffffffffull)(0xffffffff, 0xffffffff, 0xffffffff,
                                          0xffffffff),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox(0x299f31d0a4093822ull)(0x243f6a88, 0x85a308d3, 0x13198a2e,
                                          0x03707344),
            (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Shuffle, IsAPermutationOfItsOwnForSeedAndEpoch) {
  auto order = shuffledRows(5, 0, 1000);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> wanted(1000);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(sorted, wanted);
  EXPECT_NE(order, wanted);
  EXPECT_EQ(order, shuffledRows(5, 0, 1000));
  EXPECT_NE(order, shuffledRows(5, 1, 1000));
  EXPECT_NE(order, shuffledRows(6, 0, 1000));
  EXPECT_EQ(shuffledRows(5, 0, 0).size(), 0u);
  EXPECT_EQ(shuffledRows(5, 0, 1), std::vector<int64_t>{0});
}

// The definition in Random.h, followed by hand with the known answers of
// Philox: checkpoints rest on this order.
TEST(Shuffle, FollowsItsDefinition) {
  const int64_t rows = 7;
  std::vector<int64_t> wanted(rows);
  std::iota(wanted.begin(), wanted.end(), 0);
  for (int64_t i = rows - 1; i > 0; --i) {
    int64_t k = rows - 1 - i;
    Philox::Block block =
        Philox(42)(uint32_t(k / 2), 3, 0x53485546, 0xffffffff);
    long double r =
        static_cast<long double>(block[2 * (k % 2)]) +
        std::ldexp(static_cast<long double>(block[2 * (k % 2) + 1]), 32);
    auto j = int64_t(
        std::floor(std::ldexp(r * static_cast<long double>(i + 1), -64)));
    std::swap(wanted[size_t(i)], wanted[size_t(j)]);
  }
  EXPECT_EQ(shuffledRows(42, 3, rows), wanted);
}

TEST(Shuffle, EachPlaceIsEquallyLikely) {
  const int64_t rows = 5, draws = 20000;
  std::vector<std::vector<int>> counts(rows, std::vector<int>(rows, 0));
  for (int64_t seed = 0; seed < draws; ++seed) {
    auto order = shuffledRows(uint64_t(seed), 0, rows);
    for (size_t i = 0; i < size_t(rows); ++i)
      ++counts[i][size_t(order[i])];
  }
  for (const auto &place : counts)
    for (int count : place)
      EXPECT_NEAR(count, double(draws) / double(rows),
                  5 * std::sqrt(draws / double(rows)));
}

ParameterInfo parameter(const std::string &initializer, Shape shape,
                        std::map<std::string, double> numbers = {},
                        std::map<std::string, std::string> words = {}) {
  ParameterInfo info;
  info.name = "p";
  info.shape = std::move(shape);
  info.stream = 9;
  info.initializer = {initializer, std::move(numbers), std::move(words)};
  return info;
}

std::vector<float> draw(const ParameterInfo &info, uint64_t seed = 1) {
  std::vector<float> values(size_t(numElements(info.shape)));
  EXPECT_TRUE(
      initialize(info, seed, reinterpret_cast<std::byte *>(values.data()))
          .ok());
  return values;
}

struct Moments {
  double mean = 0, variance = 0, lowest = 1e9, highest = -1e9;
};

Moments momentsOf(const std::vector<float> &values) {
  Moments m;
  for (float value : values) {
    m.mean += value;
    m.lowest = std::min<double>(m.lowest, value);
    m.highest = std::max<double>(m.highest, value);
  }
  m.mean /= double(values.size());
  for (float value : values)
    m.variance += (value - m.mean) * (value - m.mean);
  m.variance /= double(values.size());
  return m;
}

/// Variance and bounds of the laws, from keras-team's documentation.
TEST(Initializers, LawsOfVarianceScaling) {
  const Shape shape = {200, 300};
  const struct {
    const char *name;
    double variance, bound;
  } laws[] = {
      {"glorot_uniform", 2.0 / 500, std::sqrt(6.0 / 500)},
      {"glorot_normal", 2.0 / 500, 2 * std::sqrt(2.0 / 500) / .87962566},
      {"he_uniform", 2.0 / 200, std::sqrt(6.0 / 200)},
      {"HeNormal", 2.0 / 200, 2 * std::sqrt(2.0 / 200) / .87962566},
      {"lecun_uniform", 1.0 / 200, std::sqrt(3.0 / 200)},
      {"LecunNormal", 1.0 / 200, 2 * std::sqrt(1.0 / 200) / .87962566},
  };
  for (const auto &law : laws) {
    Moments m = momentsOf(draw(parameter(law.name, shape)));
    EXPECT_NEAR(m.mean, 0, 4 * std::sqrt(law.variance / 60000)) << law.name;
    EXPECT_NEAR(m.variance / law.variance, 1, 0.03) << law.name;
    EXPECT_LE(m.highest, law.bound * 1.000001) << law.name;
    EXPECT_GE(m.lowest, -law.bound * 1.000001) << law.name;
    EXPECT_GE(m.highest, law.bound * 0.98) << law.name;
  }
  Moments m = momentsOf(draw(parameter(
      "VarianceScaling", {3, 3, 20, 40}, {{"scale", 3}},
      {{"mode", "fan_out"}, {"distribution", "untruncated_normal"}})));
  EXPECT_NEAR(m.variance / (3.0 / 360), 1, 0.06);
}

TEST(Initializers, PlainLaws) {
  Moments m = momentsOf(draw(parameter("random_normal", {60000})));
  EXPECT_NEAR(m.variance / (.05 * .05), 1, 0.03);
  EXPECT_GT(m.highest, 0.15);
  m = momentsOf(draw(
      parameter("truncated_normal", {60000}, {{"mean", 1}, {"stddev", 2}})));
  EXPECT_NEAR(m.mean, 1, 0.03);
  EXPECT_LE(m.highest, 5.00001);
  EXPECT_GE(m.lowest, -3.00001);
  m = momentsOf(draw(
      parameter("RandomUniform", {60000}, {{"minval", 2}, {"maxval", 3}})));
  EXPECT_NEAR(m.mean, 2.5, 0.01);
  EXPECT_GE(m.lowest, 2);
  EXPECT_LT(m.highest, 3);
  EXPECT_EQ(draw(parameter("zeros", {2})), (std::vector<float>{0, 0}));
  EXPECT_EQ(draw(parameter("Ones", {2})), (std::vector<float>{1, 1}));
  EXPECT_EQ(draw(parameter("constant", {2}, {{"value", 0.5}})),
            (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(draw(parameter("identity", {2, 3}, {{"gain", 2}})),
            (std::vector<float>{2, 0, 0, 0, 2, 0}));
  EXPECT_EQ(draw(parameter("lstm_bias", {8}, {{"units", 2}})),
            (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0}));
}

TEST(Initializers, OrthogonalIsOrthogonal) {
  for (Shape shape : {Shape{6, 24}, Shape{24, 6}, Shape{2, 3, 4}}) {
    auto values = draw(parameter("orthogonal", shape, {{"gain", 2}}));
    int64_t columns = shape.back(), rows = numElements(shape) / columns;
    bool byRows = rows < columns;
    int64_t vectors = std::min(rows, columns), length = std::max(rows, columns);
    auto element = [&](int64_t vector, int64_t i) {
      return byRows ? values[size_t(vector * columns + i)]
                    : values[size_t(i * columns + vector)];
    };
    for (int64_t a = 0; a < vectors; ++a)
      for (int64_t b = 0; b < vectors; ++b) {
        double dot = 0;
        for (int64_t i = 0; i < length; ++i)
          dot += double(element(a, i)) * element(b, i);
        EXPECT_NEAR(dot, a == b ? 4 : 0, 1e-5);
      }
  }
}

TEST(Initializers, SeedAndStreamDecide) {
  ParameterInfo info = parameter("glorot_uniform", {10, 10});
  EXPECT_EQ(draw(info, 3), draw(info, 3));
  EXPECT_NE(draw(info, 3), draw(info, 4));
  ParameterInfo other = info;
  other.stream = 10;
  EXPECT_NE(draw(info, 3), draw(other, 3));
}

TEST(Initializers, UnknownNameIsAnError) {
  std::byte place[4];
  Status status = initialize(parameter("he_he", {1}), 0, place);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "parameter 'p' has the unknown initializer 'he_he'");
  EXPECT_TRUE(isKnownInitializer("GlorotUniform"));
  EXPECT_FALSE(isKnownInitializer("glorot"));
}

} // namespace
