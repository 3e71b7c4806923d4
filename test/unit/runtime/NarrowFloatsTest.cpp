//===- NarrowFloatsTest.cpp - f16 and bf16 --------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All numbers of both formats, and rounding at and around each point between
// two of them, which leaves no other case.
//
//===----------------------------------------------------------------------===//

#include "belfry/NarrowFloats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace belfry;

namespace {

template <typename T> T ofBits(uint32_t bits) {
  T value;
  value.bits = static_cast<uint16_t>(bits);
  return value;
}

/// What the bits of a format mean, from its definition.
double meaningOf(uint32_t bits, int exponentBits) {
  int fractionBits = 15 - exponentBits;
  int bias = (1 << (exponentBits - 1)) - 1;
  auto exponent = int(bits >> fractionBits) & ((1 << exponentBits) - 1);
  auto fraction = int(bits) & ((1 << fractionBits) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits),
                           exponent - bias - fractionBits);
}

template <typename T> void checkMeaning(int exponentBits) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = ofBits<T>(bits);
    double expected = meaningOf(bits, exponentBits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      // A quiet one of the same sign.
      uint16_t again = T(value).bits;
      EXPECT_TRUE(std::isnan(static_cast<float>(ofBits<T>(again)))) << bits;
      EXPECT_EQ(again & 0x8000u, bits & 0x8000u);
      continue;
    }
    ASSERT_EQ(double(value), expected) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(T(value).bits, bits);
  }
}

/// Between each number and the next: the middle goes to the even one, what is
/// beside it to the nearer. `infinity` has the bits of infinity, and the
/// numbers beyond the largest round as if one followed it.
template <typename T> void checkRounding(uint32_t infinity) {
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t low = 0; low < infinity; ++low) {
      double a = ofBits<T>(low);
      double b = low + 1 < infinity ? double(ofBits<T>(low + 1))
                                    : 2 * a - double(ofBits<T>(low - 1));
      auto middle = float((a + b) / 2);
      ASSERT_EQ(double(middle), (a + b) / 2);
      uint32_t even = low % 2 ? low + 1 : low;
      auto rounded = [&](float x) { return T(sign ? -x : x).bits; };
      ASSERT_EQ(rounded(middle), even | sign) << low;
      ASSERT_EQ(rounded(std::nextafter(middle, INFINITY)), (low + 1) | sign);
      ASSERT_EQ(rounded(std::nextafter(middle, -INFINITY)), low | sign);
    }
}

TEST(NarrowFloats, HalfMeansWhatItsBitsSay) { checkMeaning<Half>(5); }
TEST(NarrowFloats, BFloat16MeansWhatItsBitsSay) { checkMeaning<BFloat16>(8); }
TEST(NarrowFloats, HalfRoundsToNearestEven) { checkRounding<Half>(0x7c00); }
TEST(NarrowFloats, BFloat16RoundsToNearestEven) {
  checkRounding<BFloat16>(0x7f80);
}

TEST(NarrowFloats, Ends) {
  float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(Half(largest).bits, 0x7c00);
  EXPECT_EQ(Half(-INFINITY).bits, 0xfc00);
  EXPECT_EQ(Half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(-0.0f).bits, 0x8000);
  EXPECT_EQ(Half(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(BFloat16(largest).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-0.0f).bits, 0x8000);
}

} // namespace
