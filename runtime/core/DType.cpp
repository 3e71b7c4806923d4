//===- DType.cpp - element types of tensors -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/DType.h"

using namespace belfry::rt;

size_t belfry::rt::sizeOf(DType type) {
  switch (type) {
  case DType::I1:
    return 1;
  case DType::I32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::F64:
    return 8;
  }
  return 0;
}

std::string_view belfry::rt::nameOf(DType type) {
  switch (type) {
  case DType::I1:
    return "i1";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  case DType::F32:
    return "f32";
  case DType::F64:
    return "f64";
  }
  return "";
}

std::optional<DType> belfry::rt::parseDType(std::string_view name) {
  for (DType type : {DType::I1, DType::I32, DType::I64, DType::F32, DType::F64})
    if (name == nameOf(type))
      return type;
  return std::nullopt;
}

int64_t belfry::rt::numElements(const Shape &shape, size_t from) {
  int64_t count = 1;
  for (size_t i = from; i < shape.size(); ++i)
    count *= shape[i];
  return count;
}

std::string belfry::rt::toString(const Shape &shape, size_t from) {
  std::string text = "(";
  for (size_t i = from; i < shape.size(); ++i) {
    if (i > from)
      text += ", ";
    text += shape[i] < 0 ? "?" : std::to_string(shape[i]);
  }
  return text + ")";
}
