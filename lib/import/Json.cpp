//===- Json.cpp - JSON from a file that is not trusted --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Json.h"

#include "dialects/nn/Limits.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;

/// A nested model takes five levels; Keras's own reader stops near 200 models.
static constexpr unsigned kMaxDepth = 512;

namespace {
/// A number that Python's json module writes and JSON does not have. LLVM's
/// parser gets a string in its place, of characters that no text uses.
struct Unbounded {
  StringRef token, marker;
  double value;
};
} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static const Unbounded kUnbounded[] = {
    {"Infinity", "\uFDD0+", kInfinity},
    {"-Infinity", "\uFDD0-", -kInfinity},
    {"NaN", "\uFDD0?", std::numeric_limits<double>::quiet_NaN()},
};

static const Unbounded *tokenAt(StringRef text) {
  for (const Unbounded &one : kUnbounded)
    if (text.starts_with(one.token))
      return &one;
  return nullptr;
}

/// Recursive, which kMaxDepth bounds.
static void replaceMarkers(llvm::json::Value &value) {
  if (llvm::json::Object *object = value.getAsObject()) {
    for (auto &entry : *object)
      replaceMarkers(entry.second);
  } else if (llvm::json::Array *array = value.getAsArray()) {
    for (llvm::json::Value &element : *array)
      replaceMarkers(element);
  } else if (std::optional<StringRef> text = value.getAsString()) {
    for (const Unbounded &one : kUnbounded)
      if (*text == one.marker) {
        value = llvm::json::Value(one.value);
        return;
      }
  }
}

llvm::FailureOr<llvm::json::Value>
belfry::parseJson(StringRef text, StringRef where, ImportDiagnostics &diags) {
  unsigned depth = 0;
  bool inString = false;
  std::string marked; // the text with markers, up to `copied`
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if (const Unbounded *token = tokenAt(text.substr(i))) {
      marked += text.slice(copied, i);
      marked += ("\"" + token->marker + "\"").str();
      i += token->token.size() - 1;
      copied = i + 1;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth)
        return diags.error(where + ": JSON nested deeper than " +
                           Twine(kMaxDepth) + " levels");
    } else if ((c == ']' || c == '}') && depth)
      --depth;
  }
  if (copied)
    marked += text.substr(copied);
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(copied ? StringRef(marked) : text);
  if (!parsed)
    return diags.error(
        where + ": not valid JSON: " + llvm::toString(parsed.takeError()));
  if (copied)
    replaceMarkers(*parsed);
  return std::move(*parsed);
}

JsonView JsonView::child(const llvm::json::Value *value,
                         std::string path) const {
  JsonView view = *this;
  view.value = value;
  view.path = std::move(path);
  return view;
}

JsonView JsonView::operator[](StringRef key) const {
  std::string below = path.empty() ? key.str() : (path + "." + key).str();
  if (isNull())
    return child(nullptr, std::move(below));
  const llvm::json::Object *object = value->getAsObject();
  if (!object) {
    (void)expected("an object");
    return child(nullptr, std::move(below));
  }
  return child(object->get(key), std::move(below));
}

JsonView JsonView::operator[](size_t index) const {
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  std::string below = path + "[" + std::to_string(index) + "]";
  return child(array && index < array->size() ? &(*array)[index] : nullptr,
               std::move(below));
}

size_t JsonView::size() const {
  if (const llvm::json::Array *array = value ? value->getAsArray() : nullptr)
    return array->size();
  (void)expected("a list");
  return 0;
}

std::vector<std::string> JsonView::keys() const {
  std::vector<std::string> keys;
  if (isNull())
    return keys;
  const llvm::json::Object *object = value->getAsObject();
  if (!object) {
    (void)expected("an object");
    return keys;
  }
  for (const auto &entry : *object)
    keys.push_back(StringRef(entry.first).str());
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string JsonView::getString() const {
  if (std::optional<StringRef> text =
          value ? value->getAsString() : std::nullopt)
    return text->str();
  (void)expected("a string");
  return "";
}

int64_t JsonView::getInt() const {
  if (isNumber())
    if (std::optional<int64_t> number = value->getAsInteger())
      return *number;
  (void)expected("a whole number");
  return 0;
}

double JsonView::getNumber() const {
  if (isNumber())
    if (std::optional<double> number = value->getAsNumber();
        number && std::isfinite(*number))
      return *number;
  (void)expected(isNumber() ? "a finite number" : "a number");
  return 0;
}

double JsonView::getAnyNumber() const {
  return isNumber() ? *value->getAsNumber() : getNumber();
}

double JsonView::getNumberFor(StringRef kind, StringRef name) const {
  size_t before = diags ? diags->getErrors().size() : 0;
  double number = getNumber();
  if (!diags || diags->getErrors().size() != before)
    return number;
  std::string wrong = nn::describeOutOfRange(kind, name, number);
  if (!wrong.empty())
    (void)error(wrong);
  return number;
}

bool JsonView::getBool() const {
  if (isBoolean())
    return *value->getAsBoolean();
  (void)expected("true or false");
  return false;
}

std::string JsonView::getString(StringRef key, StringRef otherwise) const {
  JsonView member = (*this)[key];
  return member.isNull() ? otherwise.str() : member.getString();
}
int64_t JsonView::getInt(StringRef key, int64_t otherwise) const {
  JsonView member = (*this)[key];
  return member.isNull() ? otherwise : member.getInt();
}
double JsonView::getNumber(StringRef key, double otherwise) const {
  JsonView member = (*this)[key];
  return member.isNull() ? otherwise : member.getNumber();
}
bool JsonView::getBool(StringRef key, bool otherwise) const {
  JsonView member = (*this)[key];
  return member.isNull() ? otherwise : member.getBool();
}

llvm::LogicalResult JsonView::expected(StringRef what) const {
  if (!value)
    return error("missing, expected " + what);
  return error("expected " + what + ", got " + shown());
}

std::string JsonView::located() const {
  std::string text = where;
  if (!layer.empty())
    text += ": layer '" + layer + "'";
  if (!path.empty())
    text += ": " + path;
  return text;
}

llvm::LogicalResult JsonView::error(const Twine &message) const {
  return diags ? diags->error(located() + ": " + message) : llvm::failure();
}

void JsonView::warning(const Twine &message) const {
  if (diags)
    diags->warning(located() + ": " + message);
}

std::string JsonView::shown() const {
  if (!value)
    return "nothing";
  if (isNumber())
    if (double number = *value->getAsNumber(); !std::isfinite(number))
      return std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << *value;
  constexpr size_t limit = 60;
  if (text.size() <= limit)
    return text;
  // Cut between characters, not within one.
  size_t cut = limit;
  while (cut && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
    --cut;
  return text.substr(0, cut) + "…";
}

JsonView JsonView::asRoot() const { return child(value, ""); }

JsonView JsonView::ofLayer(StringRef name) const {
  JsonView view = *this;
  view.layer = name.str();
  return view;
}
