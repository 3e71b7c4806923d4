//===- CollectiveTest.cpp - sums over towers ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/local/TreeReduce.h"
#include "runtime/core/Slicing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

using namespace belfry::rt;

namespace {

template <typename T> std::string bitsOf(T value) {
  return {reinterpret_cast<const char *>(&value), sizeof(T)};
}

template <typename T> T ofDouble(double value) {
  if constexpr (sizeof(T) == 2)
    return T(float(value));
  else
    return T(value);
}

/// The definition, element by element.
template <typename T>
T reference(ReduceKind kind, const std::vector<std::vector<T>> &towers,
            size_t element, int64_t lo, int64_t hi) {
  if constexpr (sizeof(T) == 2) {
    // f32, rounded once.
    std::vector<std::vector<float>> wide;
    for (const auto &tower : towers)
      wide.emplace_back(1, float(tower[element]));
    return T(reference(kind, wide, 0, lo, hi));
  }
  if (hi - lo == 1)
    return towers[size_t(lo)][element];
  int64_t mid = treeSplit(lo, hi);
  T a = reference(kind, towers, element, lo, mid);
  T b = reference(kind, towers, element, mid, hi);
  if constexpr (std::is_floating_point_v<T>)
    if (kind != ReduceKind::Sum && (std::isnan(a) || std::isnan(b)))
      return std::numeric_limits<T>::quiet_NaN();
  switch (kind) {
  case ReduceKind::Sum:
    return T(a + b);
  case ReduceKind::Max:
    return std::max(a, b);
  case ReduceKind::Min:
    return std::min(a, b);
  }
  return a;
}

/// Every kind on 1 to 9 towers, the elements split among 1 to 5 devices, and
/// the results the same bit for bit.
template <typename T> void checkAll(DType dtype, bool smallIntegers) {
  std::mt19937 random(3);
  const size_t count = 1500;
  for (int64_t towers = 1; towers <= 9; ++towers) {
    std::vector<std::vector<T>> data(static_cast<size_t>(towers),
                                     std::vector<T>(count));
    for (auto &tower : data)
      for (T &value : tower) {
        if (dtype == DType::I1)
          value = T(random() % 2);
        else if (smallIntegers || std::is_integral_v<T>)
          value = ofDouble<T>(int(random() % 200) - 100);
        else
          value = ofDouble<T>(
              std::ldexp(double(random()) - 2e9, int(random() % 40) - 50));
      }
    for (ReduceKind kind :
         {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min}) {
      if (dtype == DType::I1 && kind == ReduceKind::Sum)
        continue;
      for (int64_t devices = 1; devices <= 5; ++devices) {
        std::vector<T> result(count);
        std::vector<const void *> from;
        for (auto &tower : data)
          from.push_back(tower.data());
        int64_t next = 0;
        for (int64_t device = 0; device < devices; ++device) {
          auto [first, last] = elementShare(count, device, devices);
          EXPECT_EQ(first, next);
          next = last;
          treeReduce(kind, dtype, from, {result.data()}, first, last);
        }
        EXPECT_EQ(next, int64_t(count));
        for (size_t i = 0; i < count; ++i) {
          T wanted = reference(kind, data, i, 0, towers);
          ASSERT_EQ(bitsOf(result[i]), bitsOf(wanted))
              << nameOf(dtype) << " kind " << int(kind) << " towers " << towers
              << " element " << i;
        }
      }
    }
  }
}

TEST(TreeReduce, F32) {
  checkAll<float>(DType::F32, true);
  checkAll<float>(DType::F32, false);
}
TEST(TreeReduce, F64) {
  checkAll<double>(DType::F64, true);
  checkAll<double>(DType::F64, false);
}
TEST(TreeReduce, I32) { checkAll<int32_t>(DType::I32, true); }
TEST(TreeReduce, I64) { checkAll<int64_t>(DType::I64, true); }
TEST(TreeReduce, I8Wraps) { checkAll<int8_t>(DType::I8, true); }
TEST(TreeReduce, F16RoundsOnce) {
  checkAll<belfry::Half>(DType::F16, true);
  checkAll<belfry::Half>(DType::F16, false);
}
TEST(TreeReduce, BF16RoundsOnce) {
  checkAll<belfry::BFloat16>(DType::BF16, true);
  checkAll<belfry::BFloat16>(DType::BF16, false);
}
TEST(TreeReduce, I1IsAndAndOr) { checkAll<uint8_t>(DType::I1, true); }

TEST(TreeReduce, NanPassesThroughMaxAndMin) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> a = {nan, 1, 2}, b = {3, nan, 4}, out(3);
  for (ReduceKind kind : {ReduceKind::Max, ReduceKind::Min}) {
    treeReduce(kind, DType::F32, {a.data(), b.data()}, {out.data()}, 0, 3);
    EXPECT_TRUE(std::isnan(out[0]));
    EXPECT_TRUE(std::isnan(out[1]));
    EXPECT_EQ(out[2], kind == ReduceKind::Max ? 4 : 2);
  }
}

TEST(TreeReduce, MayWriteWhereItReads) {
  std::vector<float> a = {1, 2}, b = {10, 20}, c = {100, 200};
  treeReduce(ReduceKind::Sum, DType::F32, {a.data(), b.data(), c.data()},
             {a.data(), b.data(), c.data()}, 0, 2);
  for (const auto &tower : {a, b, c})
    EXPECT_EQ(tower, (std::vector<float>{111, 222}));
}

} // namespace
