//===- belfry/NumberRange.h - which numbers are taken -----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the compiler, which has the rules (dialects/nn/Limits.h), and the
// runtime, which finds them in the manifest.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NUMBERRANGE_H
#define BELFRY_NUMBERRANGE_H

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace belfry {

/// The finite numbers between two ends, each of which may be missing. `least`
/// and `most` are in the range, `above` and `below` are not.
struct NumberRange {
  std::optional<double> least = std::nullopt, above = std::nullopt,
                        most = std::nullopt, below = std::nullopt;

  bool contains(double value) const {
    bool isOutside = !std::isfinite(value) || (least && value < *least) ||
                     (above && value <= *above) || (most && value > *most) ||
                     (below && value >= *below);
    return !isOutside;
  }

  /// What is wrong with a value: "expected a number from 0 to below 1, got
  /// 1.5". Empty where nothing is.
  std::string describe(double value) const {
    if (contains(value))
      return "";
    std::string low = above   ? "above " + shown(*above)
                      : least ? shown(*least)
                              : "";
    std::string high = below  ? "below " + shown(*below)
                       : most ? shown(*most)
                              : "";
    std::string text = "expected a ";
    if (low.empty() && high.empty())
      text += "finite number";
    else if (high.empty())
      text += "number " + (above ? low : "of at least " + low);
    else if (low.empty())
      text += "number " + (below ? high : "of at most " + high);
    else
      text += "number " + (above ? low : "from " + low) + " to " + high;
    return text + ", got " + shown(value);
  }

private:
  static std::string shown(double number) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.9g", number);
    return text;
  }
};

} // namespace belfry

#endif // BELFRY_NUMBERRANGE_H
