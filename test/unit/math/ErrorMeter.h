//===- ErrorMeter.h - errors in units of the last place ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_MATH_ERRORMETER_H
#define BELFRY_TEST_UNIT_MATH_ERRORMETER_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace belfry::test {

/// Collects the greatest error of results of T against references in the next
/// wider format.
template <typename T> struct ErrorMeter {
  using Wide =
      std::conditional_t<std::is_same_v<T, float>, double, long double>;
  using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  static constexpr Bits canonicalNaN =
      std::is_same_v<T, float> ? 0x7fc00000 : Bits(0x7ff80000) << 31 << 1;

  /// The greatest error so far, in units of the last place of the exact result;
  /// overflow counts as 2^(greatest exponent + 1).
  double worst = 0;
  T worstX = 0, worstY = 0;
  /// Results that are wrong in kind: NaN or the sign of zero differ, or a NaN
  /// has other bits than the canonical one.
  uint64_t wrong = 0;
  T wrongX = 0, wrongY = 0;

  void add(T x, T y, T result, Wide reference) {
    if (std::isnan(reference) || std::isnan(result) ||
        std::signbit(result) != std::signbit(reference)) {
      if (std::isnan(reference) && std::bit_cast<Bits>(result) == canonicalNaN)
        return;
      if (wrong++ == 0)
        wrongX = x, wrongY = y;
      return;
    }
    constexpr int digits = std::numeric_limits<T>::digits;
    const Wide overflow =
        std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent);
    Wide exact = std::fmin(std::fabs(reference), overflow),
         given = std::fmin(Wide(std::fabs(result)), overflow);
    int exponent =
        exact == 0 ? std::numeric_limits<T>::min_exponent : exponentOf(exact);
    exponent = exponent < std::numeric_limits<T>::min_exponent - 1
                   ? std::numeric_limits<T>::min_exponent - 1
                   : exponent;
    exponent = exponent > std::numeric_limits<T>::max_exponent - 1
                   ? std::numeric_limits<T>::max_exponent - 1
                   : exponent;
    double error = static_cast<double>(std::fabs(given - exact) *
                                       unitInverse(exponent - (digits - 1)));
    if (error > worst)
      worst = error, worstX = x, worstY = y;
  }

  void merge(const ErrorMeter &other) {
    if (other.worst > worst)
      worst = other.worst, worstX = other.worstX, worstY = other.worstY;
    if (wrong == 0)
      wrongX = other.wrongX, wrongY = other.wrongY;
    wrong += other.wrong;
  }

private:
  static int exponentOf(Wide value) {
    if constexpr (std::is_same_v<Wide, double>)
      return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
    else
      return std::ilogb(value);
  }
  /// 2^-unit
  static Wide unitInverse(int unit) {
    if constexpr (std::is_same_v<Wide, double>)
      return std::bit_cast<double>(static_cast<uint64_t>(1023 - unit) << 52);
    else
      return std::ldexp(Wide(1), -unit);
  }
};

} // namespace belfry::test

#endif // BELFRY_TEST_UNIT_MATH_ERRORMETER_H
