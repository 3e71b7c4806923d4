//===- belfry/NarrowFloats.h - f16 and bf16 ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage of the two formats of 16 bits, and their conversions: to f32 without
// error, from f32 rounded to nearest even. Nothing computes in them. The
// interpreter and the runtime share this file; --expand-math emits the same
// steps for programs.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NARROWFLOATS_H
#define BELFRY_NARROWFLOATS_H

#include <bit>
#include <cstdint>

namespace belfry {

/// IEEE 754's binary16.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(round(value)) {}

  operator float() const {
    // The exponent's bias is 112 less than f32's. Denormal numbers are a
    // difference of normal ones.
    constexpr uint32_t rebias = 112u << 23, least = 113u << 23;
    uint32_t exponent = bits & 0x7c00, sign = uint32_t(bits & 0x8000) << 16;
    uint32_t word = (uint32_t(bits & 0x7fff) << 13) + rebias;
    if (exponent == 0x7c00)
      word += rebias; // infinity or NaN
    else if (exponent == 0)
      word = std::bit_cast<uint32_t>(
          std::bit_cast<float>(word + (least - rebias)) -
          std::bit_cast<float>(least));
    return std::bit_cast<float>(word | sign);
  }

private:
  static uint16_t round(float value) {
    auto word = std::bit_cast<uint32_t>(value);
    uint32_t sign = word >> 16 & 0x8000;
    word &= 0x7fffffff;
    if (word > 0x7f800000)
      return uint16_t(sign | 0x7e00); // NaN
    if (word >= 0x477ff000)
      return uint16_t(sign | 0x7c00); // 65520 and beyond
    if (word < 113u << 23) {
      // Below the least normal number: 1/2 has a unit in the last place of
      // 2^-24, which is that of f16's denormal numbers.
      float shifted = std::bit_cast<float>(word) + 0.5f;
      return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - (126u << 23)));
    }
    word += 0xfff + (word >> 13 & 1);
    return uint16_t(sign | (word - (112u << 23)) >> 13);
  }
};

/// The upper half of an f32.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) : bits(round(value)) {}

  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }

private:
  static uint16_t round(float value) {
    auto word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffff) > 0x7f800000)
      return uint16_t((word >> 16 & 0x8000) | 0x7fc0); // NaN
    return uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
};

} // namespace belfry

#endif // BELFRY_NARROWFLOATS_H
