//===- Names.h - names that users gave, for people to read ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_NAMES_H
#define BELFRY_RUNTIME_CORE_NAMES_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::rt {

/// Characters of a name that a table shows: of a layer, of anything longer by
/// its nature (a parameter's name has its layer's in it).
constexpr size_t kShownCharacters = 40, kShownPathCharacters = 72;

/// Characters of UTF-8 text; a byte that begins none counts with what precedes.
size_t countCharacters(std::string_view text);

/// A name (UTF-8) on one line: control characters escaped as \n, \t, \r or
/// \xNN, and of more than `most` characters the middle cut, with an ellipsis.
std::string shownName(std::string_view name, size_t most = kShownCharacters);

/// The one of `known` that takes the fewest letters to change, at most a third
/// of the name's; empty where none is near.
std::string nearestName(const std::string &name,
                        const std::vector<std::string> &known);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_NAMES_H
