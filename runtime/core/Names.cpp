//===- Names.cpp - names that users gave, for people to read --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Names.h"

#include <algorithm>
#include <numeric>

using namespace belfry;

namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) >> 6) == 2;
}

std::string escaped(std::string_view name) {
  static const char *const digits = "0123456789abcdef";
  std::string text;
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      text += "\\n";
    else if (c == '\t')
      text += "\\t";
    else if (c == '\r')
      text += "\\r";
    else if (byte < 0x20 || byte == 0x7f)
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    else
      text += c;
  }
  return text;
}

/// Letters to insert, to delete or to replace.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

} // namespace

size_t rt::countCharacters(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(),
                              [](char byte) { return !continues(byte); }));
}

std::string rt::shownName(std::string_view name, size_t most) {
  std::string text = escaped(name);
  if (countCharacters(text) <= most)
    return text;
  // Where the characters begin, so that none is cut.
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i)
    if (!continues(text[i]))
      starts.push_back(i);
  size_t tail = (most - 1) / 2, head = most - 1 - tail;
  return text.substr(0, starts[head]) + "…" +
         text.substr(starts[starts.size() - tail]);
}

std::string rt::nearestName(const std::string &name,
                            const std::vector<std::string> &known) {
  std::string best;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &one : known) {
    // Names of unlike length are far, and long ones not worth the time.
    if (one.size() > name.size() + least || name.size() > one.size() + least ||
        one.size() > 200)
      continue;
    size_t steps = distance(name, one);
    if (steps < least) {
      least = steps;
      best = one;
    }
  }
  return best;
}
