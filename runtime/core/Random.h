//===- Random.h - counter-based random numbers ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_RANDOM_H
#define BELFRY_RUNTIME_CORE_RANDOM_H

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace belfry::rt {

/// Philox 4x32-10 keyed by the 64-bit seed: low word first. What generated code
/// draws has the counter (element block, global row, step, stream); what the
/// runtime draws itself has one of the marks below in the third word.
class Philox {
public:
  using Block = std::array<uint32_t, 4>;
  explicit Philox(uint64_t seed)
      : key{{uint32_t(seed), uint32_t(seed >> 32)}} {}

  Block operator()(uint32_t a, uint32_t b, uint32_t c, uint32_t d) const {
    r123::Philox4x32 generate;
    r123::Philox4x32::ctr_type counter = {{a, b, c, d}};
    r123::Philox4x32::ctr_type drawn = generate(counter, key);
    return {drawn[0], drawn[1], drawn[2], drawn[3]};
  }

private:
  r123::Philox4x32::key_type key;
};

/// Marks of the runtime's own draws: "SHUF" and "INIT".
inline constexpr uint32_t kShuffleMark = 0x53485546;
inline constexpr uint32_t kInitialMark = 0x494e4954;

/// In [0, 1), with 24 random bits.
inline double uniformOf(uint32_t word) { return double(word >> 8) * 0x1p-24; }

/// Two normal numbers of a pair of words, by Box and Muller.
inline std::array<double, 2> normalsOf(uint32_t w0, uint32_t w1) {
  double radius = std::sqrt(-2 * std::log((double(w0 >> 8) + 1) * 0x1p-24));
  double angle = 2 * std::numbers::pi * uniformOf(w1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// The order of `rows` rows in epoch `epoch` (from 0). Checkpoints rest on it,
/// so this does not change: a Fisher-Yates shuffle of 0 … rows - 1 from the
/// last place down; for place i, draw number k = rows - 1 - i is words
/// (2·(k mod 2), 2·(k mod 2) + 1) of the block with counter
/// (k div 2, epoch, "SHUF", 2³² - 1), low word first, r in [0, 2⁶⁴); the row
/// at i changes places with the one at ⌊r · (i + 1) / 2⁶⁴⌋.
std::vector<int64_t> shuffledRows(uint64_t seed, uint32_t epoch, int64_t rows);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_RANDOM_H
