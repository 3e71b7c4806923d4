//===- DType.cpp - element types of tensors -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/DType.h"

#include <array>

using namespace belfry::rt;

static constexpr std::array<std::string_view, 8> kNames = {
    "i1", "i8", "i32", "i64", "f16", "bf16", "f32", "f64"};

size_t belfry::rt::sizeOf(DType type) {
  return withType(type, [](auto value) { return sizeof(value); });
}

std::string_view belfry::rt::nameOf(DType type) { return kNames[size_t(type)]; }

std::optional<DType> belfry::rt::parseDType(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i])
      return DType(i);
  return std::nullopt;
}

bool belfry::rt::isFloat(DType type) { return type >= DType::F16; }

double belfry::rt::loadElement(DType type, const void *array, int64_t index) {
  return withType(type, [&](auto value) {
    return double(static_cast<const decltype(value) *>(array)[index]);
  });
}

void belfry::rt::storeElement(DType type, void *array, int64_t index,
                              double value) {
  if (type == DType::I1)
    value = value != 0;
  withType(type, [&](auto element) {
    using T = decltype(element);
    auto *place = static_cast<T *>(array) + index;
    if constexpr (sizeof(T) == 2)
      *place = T(float(value));
    else
      *place = T(value);
  });
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
