//===- Json.h - JSON from a file that is not trusted --------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A view of a JSON value that knows where it stands in its file. Every access
// checks; what is wrong is reported with the path of the value and the name of
// the layer that it belongs to, and the access gives a harmless value. So code
// that reads a configuration is straight, and looks for errors at the end.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_JSON_H
#define BELFRY_LIB_IMPORT_JSON_H

#include "lib/import/Diagnostics.h"

#include "llvm/Support/JSON.h"

#include <optional>

namespace belfry {

class JsonView {
public:
  JsonView() = default;
  /// `where` is the file as errors name it. The value outlives the view.
  JsonView(const llvm::json::Value &value, std::string where,
           ImportDiagnostics &diags)
      : value(&value), diags(&diags), where(std::move(where)) {}

  /// Of a value that is not there nothing is wrong yet, as of null.
  bool isMissing() const { return !value; }
  bool isNull() const { return !value || value->kind() == Kind::Null; }
  bool isString() const { return value && value->kind() == Kind::String; }
  bool isNumber() const { return value && value->kind() == Kind::Number; }
  bool isBoolean() const { return value && value->kind() == Kind::Boolean; }
  bool isObject() const { return value && value->kind() == Kind::Object; }
  bool isArray() const { return value && value->kind() == Kind::Array; }

  /// A member of an object; an error where this is neither object nor null.
  JsonView operator[](llvm::StringRef key) const;
  /// An element of an array, within its size.
  JsonView operator[](size_t index) const;
  /// Elements of an array; 0, and an error, where it is none.
  size_t size() const;
  /// Keys of an object in alphabetical order; none where it is null.
  std::vector<std::string> keys() const;

  /// The value, or an error and a value that does no harm.
  std::string getString() const;
  int64_t getInt() const;
  double getNumber() const;
  /// A number that may also be infinite or no number.
  double getAnyNumber() const;
  bool getBool() const;
  /// The value as the argument `name` of `kind`: an error, and a value that
  /// does no harm, where dialects/nn/Limits.h does not take it.
  double getNumberFor(llvm::StringRef kind, llvm::StringRef name) const;

  /// A member with a default for where it is not there or null.
  std::string getString(llvm::StringRef key, llvm::StringRef otherwise) const;
  int64_t getInt(llvm::StringRef key, int64_t otherwise) const;
  double getNumber(llvm::StringRef key, double otherwise) const;
  bool getBool(llvm::StringRef key, bool otherwise) const;

  /// An error about this value: "FILE: layer 'x': PATH: MESSAGE".
  llvm::LogicalResult error(const llvm::Twine &message) const;
  void warning(const llvm::Twine &message) const;
  /// The value as a short text, for messages.
  std::string shown() const;
  /// From here on errors name this layer too.
  JsonView ofLayer(llvm::StringRef name) const;
  /// The value with paths that begin at it.
  JsonView asRoot() const;
  llvm::StringRef getPath() const { return path; }
  ImportDiagnostics &getDiagnostics() const { return *diags; }

private:
  using Kind = llvm::json::Value::Kind;
  JsonView child(const llvm::json::Value *value, std::string path) const;
  std::string located() const;
  llvm::LogicalResult expected(llvm::StringRef what) const;

  const llvm::json::Value *value = nullptr;
  ImportDiagnostics *diags = nullptr;
  std::string where, layer, path;
};

/// Parses a text, which may have Python's Infinity, -Infinity and NaN as
/// numbers. Deep nesting, which a recursive parser does not survive, is
/// refused before.
llvm::FailureOr<llvm::json::Value> parseJson(llvm::StringRef text,
                                             llvm::StringRef where,
                                             ImportDiagnostics &diags);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_JSON_H
