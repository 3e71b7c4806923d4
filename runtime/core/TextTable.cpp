//===- TextTable.cpp - columns of text ------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/TextTable.h"

#include "runtime/core/Names.h"

#include <algorithm>

using namespace belfry;

std::string rt::TextTable::text() const {
  std::vector<size_t> widths(sides.size(), 0);
  for (const auto &cells : rows)
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], countCharacters(cells[i]));
  std::string text;
  for (const auto &cells : rows) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string space(widths[i] - countCharacters(cells[i]), ' ');
      line += "  " + (sides[i] == '>' ? space + cells[i] : cells[i] + space);
    }
    line.erase(line.find_last_not_of(" \t\n\v\f\r") + 1);
    text += line + "\n";
  }
  return text;
}

std::string rt::withCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}
