//===- TextTable.h - columns of text ----------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a training binary's `info` and the compiler's report share.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_TEXTTABLE_H
#define BELFRY_RUNTIME_CORE_TEXTTABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace belfry::rt {

/// Columns that are as wide as they have to be, two spaces apart and two from
/// the edge. Of `sides` there is one character a column: at '>' text stands
/// right, otherwise left.
class TextTable {
public:
  explicit TextTable(std::string sides) : sides(std::move(sides)) {}
  /// A row of at most as many cells as there are columns.
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  /// A line a row, without spaces at its end.
  std::string text() const;

private:
  std::string sides;
  std::vector<std::vector<std::string>> rows;
};

/// 1234567 as "1,234,567"; the number is not negative.
std::string withCommas(int64_t number);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_TEXTTABLE_H
