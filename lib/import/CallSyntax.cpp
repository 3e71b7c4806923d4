//===- CallSyntax.cpp - losses and optimizers as words of a command line --===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/CallSyntax.h"

#include "llvm/ADT/StringExtras.h"

using namespace belfry;
using llvm::StringRef;

/// Cuts at commas that stand in no parentheses and no quotes. Fails where those
/// do not close.
static std::optional<std::vector<StringRef>> splitOutside(StringRef text) {
  std::vector<StringRef> parts;
  size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      if (--depth < 0)
        return std::nullopt;
    } else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (depth || quote)
    return std::nullopt;
  parts.push_back(text.substr(begin).trim());
  return parts;
}

static llvm::json::Value valueOf(StringRef text) {
  std::string lower = text.lower();
  if (lower == "true" || lower == "false")
    return lower == "true";
  if (lower == "none" || lower == "null")
    return nullptr;
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return integer;
  double number;
  if (!text.getAsDouble(number))
    return number;
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    text = text.drop_front().drop_back();
  return text.str();
}

static bool isName(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  });
}

/// Parses `name` or `name(key=value, …)`. `twice` becomes the argument that is
/// given twice, if one is.
static std::optional<llvm::json::Value> parseCall(StringRef text,
                                                  std::string &twice) {
  size_t open = text.find('(');
  StringRef name = text.substr(0, open).trim();
  if (!isName(name))
    return std::nullopt;
  if (open == StringRef::npos)
    return llvm::json::Value(name.str());
  if (!text.ends_with(")"))
    return std::nullopt;
  StringRef inside = text.substr(open + 1).drop_back().trim();
  llvm::json::Object config;
  if (!inside.empty()) {
    std::optional<std::vector<StringRef>> args = splitOutside(inside);
    if (!args)
      return std::nullopt;
    for (StringRef arg : *args) {
      auto [key, value] = arg.split('=');
      key = key.trim();
      value = value.trim();
      if (!isName(key) || value.empty())
        return std::nullopt;
      if (!config.try_emplace(key, valueOf(value)).second)
        twice = key.str();
    }
  }
  return llvm::json::Object{{"class_name", name.str()},
                            {"config", std::move(config)}};
}

llvm::FailureOr<std::vector<CallItem>>
belfry::parseCallList(StringRef text, StringRef option,
                      ImportDiagnostics &diags) {
  std::vector<CallItem> items;
  if (text.trim().empty())
    return diags.error(option + ": is empty, expected NAME, NAME(key=value, …) "
                                "or OUTPUT=NAME");
  auto bad = [&](StringRef part) {
    return diags.error(option + ": cannot read '" + part +
                       "', expected NAME, NAME(key=value, …) or OUTPUT=NAME");
  };
  std::optional<std::vector<StringRef>> parts = splitOutside(text);
  if (!parts)
    return bad(text);
  for (StringRef part : *parts) {
    CallItem item;
    size_t equals = part.substr(0, part.find('(')).rfind('=');
    if (equals != StringRef::npos) {
      item.output = part.substr(0, equals).trim().str();
      part = part.substr(equals + 1).trim();
    }
    std::string twice;
    std::optional<llvm::json::Value> object = parseCall(part, twice);
    if (!object)
      return bad(part);
    if (!twice.empty())
      return diags.error(option + ": '" + twice + "' is given twice in '" +
                         part + "'");
    item.object = std::move(*object);
    items.push_back(std::move(item));
  }
  return items;
}
