//===- ExpandMathTest.cpp - accuracy of the math expansions ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of --expand-math, compiled for this machine, against the C
// library's in a wider format. f32 arguments are every 4099th bit pattern, or
// all 2^32 of them when BELFRY_EXHAUSTIVE is set (minutes for each function).
//
//===----------------------------------------------------------------------===//

#include "test/unit/math/ErrorMeter.h"
#include "test/unit/math/Functions.h"
#include "test/unit/math/Jit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace belfry::test {
namespace {

bool exhaustive() { return std::getenv("BELFRY_EXHAUSTIVE") != nullptr; }

/// Arguments of any size: every exponent, with random signs and fractions, and
/// the values at which functions change.
template <typename T> std::vector<T> samples(size_t count, unsigned seed) {
  using Bits = typename ErrorMeter<T>::Bits;
  std::mt19937_64 random(seed);
  std::vector<T> result;
  const T limits[] = {
      std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
      std::numeric_limits<T>::max(),        std::numeric_limits<T>::infinity(),
      std::numeric_limits<T>::quiet_NaN(),  std::numeric_limits<T>::epsilon()};
  for (T value : limits)
    for (T sign : {T(1), T(-1)})
      result.insert(result.end(),
                    {sign * value, std::nextafter(sign * value, T(0)), sign * 0,
                     sign * T(0.5), sign, sign * 2, sign * T(0.625),
                     std::nextafter(sign, T(0)),
                     std::nextafter(sign, sign * 2)});
  while (result.size() < count) {
    Bits bits = static_cast<Bits>(random());
    // Half of them where functions neither vanish nor overflow.
    if (result.size() % 2)
      result.push_back(
          std::ldexp(
              T(1) +
                  T(bits >> 9) /
                      std::ldexp(T(1), std::numeric_limits<Bits>::digits - 9),
              static_cast<int>(random() % 20) - 10) *
          ((bits & 1) ? T(1) : T(-1)));
    else
      result.push_back(std::bit_cast<T>(bits));
  }
  return result;
}

template <typename T>
void report(const char *name, const char *type, const ErrorMeter<T> &meter,
            double limit) {
  std::printf("%-8s %s  %.4f ulp at %.17g\n", name, type, meter.worst,
              static_cast<double>(meter.worstX));
  EXPECT_EQ(meter.wrong, 0u) << name << "(" << meter.wrongX << ", "
                             << meter.wrongY << ") is of another kind";
  EXPECT_LE(meter.worst, limit) << name << "(" << std::hexfloat << meter.worstX
                                << ", " << meter.worstY << ")";
}

class Unary : public testing::TestWithParam<UnaryFunction> {};

TEST_P(Unary, F32) {
  const UnaryFunction &function = GetParam();
  CompiledLoop loop(unaryBody(function.name, "f32"), "f32");
  constexpr uint64_t all = uint64_t(1) << 32;
  constexpr int64_t block = 1 << 14;
  const uint64_t stride = exhaustive() ? 1 : 4099;
  const uint64_t count = all / stride;
  const unsigned threads =
      exhaustive() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  ErrorMeter<float> total;
  std::mutex mutex;
  auto work = [&](unsigned thread) {
    std::vector<float> x(block), y(block);
    ErrorMeter<float> meter;
    for (uint64_t begin = thread * block; begin < count;
         begin += threads * block) {
      int64_t length =
          static_cast<int64_t>(std::min<uint64_t>(block, count - begin));
      for (int64_t i = 0; i < length; ++i)
        x[i] =
            std::bit_cast<float>(static_cast<uint32_t>((begin + i) * stride));
      loop.function(x.data(), x.data(), y.data(), length);
      for (int64_t i = 0; i < length; ++i)
        meter.add(x[i], 0, y[i], function.wide(x[i]));
    }
    std::lock_guard lock(mutex);
    total.merge(meter);
  };
  std::vector<std::thread> pool;
  for (unsigned thread = 1; thread < threads; ++thread)
    pool.emplace_back(work, thread);
  work(0);
  for (std::thread &thread : pool)
    thread.join();
  report(function.name, "f32", total, function.limitF32);
}

TEST_P(Unary, F64) {
  const UnaryFunction &function = GetParam();
  CompiledLoop loop(unaryBody(function.name, "f64"), "f64");
  std::vector<double> x = samples<double>(exhaustive() ? 50'000'000 : 100'000,
                                          1),
                      y(x.size());
  loop.function(x.data(), x.data(), y.data(), static_cast<int64_t>(x.size()));
  ErrorMeter<double> meter;
  for (size_t i = 0; i < x.size(); ++i)
    meter.add(x[i], 0, y[i], function.widest(x[i]));
  report(function.name, "f64", meter, function.limitF64);
}

INSTANTIATE_TEST_SUITE_P(Functions, Unary, testing::ValuesIn(unaryFunctions),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// Arguments next to multiples of pi/2, where all but the last bits of the
/// reduction cancel; last the one of f64 that comes closest (Muller et al.,
/// Handbook of Floating-Point Arithmetic, section 10.1).
TEST(Trigonometric, NextToMultiplesOfHalfPi) {
  std::mt19937_64 random(5);
  std::vector<double> x;
  for (int i = 0; i < 100'000; ++i)
    x.push_back(static_cast<double>(
        static_cast<long double>(random() >> (random() % 64)) *
        (std::acos(-1.0L) / 2)));
  x.push_back(std::ldexp(6381956970095103.0, 797));
  std::vector<double> result(x.size());
  for (const UnaryFunction &function : unaryFunctions) {
    if (std::string(function.name) != "sin" &&
        std::string(function.name) != "cos")
      continue;
    CompiledLoop loop(unaryBody(function.name, "f64"), "f64");
    loop.function(x.data(), x.data(), result.data(),
                  static_cast<int64_t>(x.size()));
    ErrorMeter<double> meter;
    for (size_t i = 0; i < x.size(); ++i)
      meter.add(x[i], 0, result[i], function.widest(x[i]));
    report(function.name, "f64", meter, function.limitF64);
  }
}

/// Pairs of which many have a power in range, and all combinations of the
/// special values.
template <typename T>
void powerArguments(unsigned seed, std::vector<T> &x, std::vector<T> &y) {
  std::vector<T> special = {0,
                            1,
                            2,
                            3,
                            T(0.5),
                            T(1.5),
                            T(1e30),
                            16777215,
                            std::ldexp(T(1), 60),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            std::nextafter(T(1), T(0)),
                            std::nextafter(T(1), T(2))};
  for (T a : special)
    for (T b : special)
      for (T signA : {T(1), T(-1)})
        for (T signB : {T(1), T(-1)})
          x.push_back(signA * a), y.push_back(signB * b);
  std::mt19937_64 random(seed);
  std::vector<T> base = samples<T>(exhaustive() ? 20'000'000 : 100'000, 2);
  for (T a : base) {
    x.push_back(a);
    if (random() % 4 == 0) {
      y.push_back(T(static_cast<int>(random() % 21) - 10));
      continue;
    }
    // An exponent that puts the power anywhere in the range of the format, or a
    // little beyond.
    double size = (static_cast<double>(random() >> 11) * 0x1p-52 - 1) *
                  std::numeric_limits<T>::max_exponent * 1.2;
    T exponent =
        static_cast<T>(size / std::log2(std::fabs(static_cast<double>(a))));
    x.back() = std::fabs(a);
    y.push_back(std::isfinite(exponent) ? exponent : T(2));
  }
}

template <typename T> void testPower(const char *type) {
  CompiledLoop loop(std::string("%r = math.powf %x, %y : ") + type, type);
  std::vector<T> x, y;
  powerArguments(7, x, y);
  std::vector<T> result(x.size());
  loop.function(x.data(), y.data(), result.data(),
                static_cast<int64_t>(x.size()));
  ErrorMeter<T> meter;
  for (size_t i = 0; i < x.size(); ++i)
    meter.add(x[i], y[i], result[i],
              std::pow(typename ErrorMeter<T>::Wide(x[i]),
                       typename ErrorMeter<T>::Wide(y[i])));
  report("powf", type, meter, 1.25);
}

TEST(Power, F32) { testPower<float>("f32"); }
TEST(Power, F64) { testPower<double>("f64"); }

/// Remainders are exact, so they are the C library's to the bit.
template <typename T> void testRemainder(const char *type) {
  CompiledLoop loop(std::string("%r = arith.remf %x, %y : ") + type, type);
  std::vector<T> x, y;
  powerArguments(9, x, y);
  std::vector<T> dividends = samples<T>(300'000, 5),
                 divisors = samples<T>(300'000, 6);
  std::mt19937_64 random(8);
  std::shuffle(divisors.begin(), divisors.end(), random);
  x.insert(x.end(), dividends.begin(), dividends.end());
  y.insert(y.end(), divisors.begin(), divisors.end());
  // Quotients that are integers, or next to one.
  for (T divisor : divisors) {
    T multiple = divisor * static_cast<T>(random() % 1000);
    for (T dividend : {multiple, std::nextafter(multiple, T(0))})
      x.push_back(dividend), y.push_back(divisor);
  }
  std::vector<T> result(x.size());
  loop.function(x.data(), y.data(), result.data(),
                static_cast<int64_t>(x.size()));
  using Bits = typename ErrorMeter<T>::Bits;
  size_t wrong = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    T exact = std::fmod(x[i], y[i]);
    Bits expected = std::isnan(exact) ? ErrorMeter<T>::canonicalNaN
                                      : std::bit_cast<Bits>(exact);
    if (std::bit_cast<Bits>(result[i]) != expected && wrong++ == 0)
      ADD_FAILURE() << std::hexfloat << "fmod(" << x[i] << ", " << y[i]
                    << ") is " << exact << ", not " << result[i];
  }
  EXPECT_EQ(wrong, 0u) << "of " << x.size();
}

TEST(Remainder, F32) { testRemainder<float>("f32"); }
TEST(Remainder, F64) { testRemainder<double>("f64"); }

/// The same bits from scalars, vectors, and other instruction sets (the first
/// of which has no fused multiply-add in hardware).
template <typename T> void testBits(const std::string &type) {
  std::vector<T> x = samples<T>(16 * 500, 3), y = samples<T>(16 * 500, 4);
  auto run = [&](const std::string &name, const std::string &ofType,
                 const std::string &cpu, int64_t count) {
    std::string body = name == "powf" ? "%r = math.powf %x, %y : " + ofType
                                      : unaryBody(name, ofType);
    CompiledLoop loop(body, ofType, cpu);
    std::vector<T> result(x.size());
    loop.function(x.data(), y.data(), result.data(), count);
    std::vector<typename ErrorMeter<T>::Bits> bits(x.size());
    std::transform(result.begin(), result.end(), bits.begin(), [](T value) {
      return std::bit_cast<typename ErrorMeter<T>::Bits>(value);
    });
    return bits;
  };
  std::vector<std::string> names = {"powf"};
  for (const UnaryFunction &function : unaryFunctions)
    names.push_back(function.name);
  for (const std::string &name : names) {
    auto expected = run(name, type, "", static_cast<int64_t>(x.size()));
    EXPECT_EQ(run(name, "vector<16x" + type + ">", "",
                  static_cast<int64_t>(x.size() / 16)),
              expected)
        << name;
#ifdef __x86_64__
    std::vector<std::string> levels = {"x86-64"};
    if (__builtin_cpu_supports("x86-64-v3"))
      levels.push_back("x86-64-v3");
    if (__builtin_cpu_supports("x86-64-v4"))
      levels.push_back("x86-64-v4");
    for (const std::string &level : levels)
      EXPECT_EQ(run(name, type, level, static_cast<int64_t>(x.size())),
                expected)
          << name << " on " << level;
#endif
  }
}

TEST(Bits, F32) { testBits<float>("f32"); }
TEST(Bits, F64) { testBits<double>("f64"); }

} // namespace
} // namespace belfry::test
