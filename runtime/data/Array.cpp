//===- Array.cpp - an array of a file -------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/Array.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace belfry;
using namespace belfry::rt;

namespace {

/// Calls `function` with a value of the C++ type of `type`.
template <typename Function>
auto withRawType(RawType type, Function &&function) {
  switch (type) {
  case RawType::Bool:
  case RawType::U8:
    return function(uint8_t());
  case RawType::I8:
    return function(int8_t());
  case RawType::I16:
    return function(int16_t());
  case RawType::U16:
    return function(uint16_t());
  case RawType::I32:
    return function(int32_t());
  case RawType::U32:
    return function(uint32_t());
  case RawType::I64:
    return function(int64_t());
  case RawType::U64:
    return function(uint64_t());
  case RawType::F16:
    return function(Half());
  case RawType::BF16:
    return function(BFloat16());
  case RawType::F32:
    return function(float());
  case RawType::F64:
    break;
  }
  return function(double());
}

template <typename T> constexpr bool kIsInteger = std::is_integral_v<T>;

/// A value as a float of another type; those of 16 bits are made of an f32.
template <typename To, typename From> To toFloating(From value) {
  if constexpr (sizeof(To) == 2)
    return To(float(value));
  else
    return To(value);
}

template <typename From, typename To>
void convertLoop(const std::byte *source, std::byte *target, int64_t count) {
  auto *out = reinterpret_cast<To *>(target);
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, source + i * sizeof(From), sizeof(From));
    if constexpr (!kIsInteger<To>)
      out[i] = toFloating<To>(value);
    else if constexpr (kIsInteger<From>)
      out[i] = static_cast<To>(value); // NOLINT(bugprone-signed-char-misuse)
    else
      // Values were checked, but for those that a scale makes, which only go
      // to floating point; so this is for NaN and for data that changed.
      out[i] = std::abs(double(value)) < 9e18 ? To(int64_t(value)) : To(0);
  }
}

template <typename From, typename To>
void scaleLoop(const std::byte *source, std::byte *target, int64_t count,
               const Scale &scale) {
  auto *out = reinterpret_cast<To *>(target);
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, source + i * sizeof(From), sizeof(From));
    out[i] =
        toFloating<To>(double(value) * scale.numerator / scale.denominator);
  }
}

/// A byte has 256 values, so each is scaled once and then looked up.
template <typename To>
void scaleBytes(bool isSigned, const std::byte *source, std::byte *target,
                int64_t count, const Scale &scale) {
  std::array<To, 256> table;
  for (int i = 0; i < 256; ++i)
    table[size_t(i)] =
        toFloating<To>(double(isSigned && i > 127 ? i - 256 : i) *
                       scale.numerator / scale.denominator);
  auto *out = reinterpret_cast<To *>(target);
  for (int64_t i = 0; i < count; ++i)
    out[i] = table[size_t(source[i])];
}

template <typename From> std::string valueText(From value) {
  char text[40];
  if constexpr (kIsInteger<From>)
    std::snprintf(text, sizeof(text), "%s", std::to_string(value).c_str());
  else
    std::snprintf(text, sizeof(text), "%.9g", double(value));
  return text;
}

/// The bounds that values of `type` keep, both included.
std::pair<double, double> boundsOf(DType type) {
  switch (type) {
  case DType::I1:
    return {0, 1};
  case DType::I8:
    return {std::numeric_limits<int8_t>::min(),
            std::numeric_limits<int8_t>::max()};
  case DType::I32:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  default:
    // The largest double below 2^63.
    return {-9223372036854775808.0, 9223372036854774784.0};
  }
}

template <typename From>
Status checkLoop(const Array &array, DType type, std::optional<int64_t> limit,
                 std::optional<int64_t> ignore) {
  auto [lowest, highest] = boundsOf(type);
  bool toFloat = isFloat(type);
  int64_t perRow = array.rowElements();
  int64_t count = array.rows() * perRow;
  for (int64_t i = 0; i < count; ++i) {
    From raw;
    std::memcpy(&raw, array.data + i * sizeof(From), sizeof(From));
    auto value = double(raw);
    auto at = [&] {
      return "row " + std::to_string(perRow ? i / perRow : 0) + " of '" +
             array.source + "' holds " + valueText(raw);
    };
    if (limit) {
      if (ignore && value == double(*ignore))
        continue;
      // NaN is in no range.
      bool inRange = value > -1 && value < double(*limit);
      if (!inRange)
        return Status::user(at() + ", expected a value from 0 to " +
                            std::to_string(*limit - 1));
    }
    if (toFloat)
      continue;
    if (value != std::trunc(value))
      return Status::user(at() + ", expected an integer");
    bool fits = value >= lowest && value <= highest;
    if (!fits)
      return Status::user(at() + (type == DType::I1
                                      ? ", expected 0 or 1"
                                      : ", which does not fit into " +
                                            std::string(nameOf(type))));
  }
  return Status::success();
}

} // namespace

size_t belfry::rt::sizeOf(RawType type) {
  return withRawType(type, [](auto value) { return sizeof(value); });
}

std::string_view belfry::rt::nameOf(RawType type) {
  static constexpr std::array<std::string_view, 13> names = {
      "bool",  "int8",   "uint8",   "int16",    "uint16",  "int32",  "uint32",
      "int64", "uint64", "float16", "bfloat16", "float32", "float64"};
  return names[size_t(type)];
}

bool belfry::rt::isFloat(RawType type) { return type >= RawType::F16; }

Array Array::slice(int64_t first, int64_t last) const {
  Array part = *this;
  part.shape[0] = last - first;
  part.data = data + size_t(first) * rowBytes();
  return part;
}

Array belfry::rt::makeArray(RawType type, Shape shape) {
  Array array;
  array.type = type;
  array.shape = std::move(shape);
  array.storage = std::make_shared<Storage>(size_t(numElements(array.shape)) *
                                            sizeOf(type));
  array.data = array.storage->data();
  return array;
}

Expected<int64_t> belfry::rt::checkedBytes(const Shape &shape,
                                           size_t elementSize) {
  auto bytes = int64_t(elementSize);
  for (int64_t dim : shape)
    if (dim < 0)
      return Status::user("negative dimension in shape " + toString(shape));
  for (int64_t dim : shape)
    if (dim == 0)
      return int64_t(0);
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMaxArrayBytes)
      return Status::user("shape " + toString(shape) + " is too large");
  return bytes;
}

bool belfry::rt::isSame(RawType from, DType type) {
  return (from == RawType::F16 && type == DType::F16) ||
         (from == RawType::BF16 && type == DType::BF16) ||
         (from == RawType::F32 && type == DType::F32) ||
         (from == RawType::F64 && type == DType::F64) ||
         (from == RawType::I8 && type == DType::I8) ||
         (from == RawType::I32 && type == DType::I32) ||
         (from == RawType::I64 && type == DType::I64);
}

void belfry::rt::convertElements(RawType from, const std::byte *source,
                                 DType type, std::byte *target, int64_t count,
                                 const Scale &scale) {
  if (isSame(from, type) && scale.isOne()) {
    std::memcpy(target, source, size_t(count) * sizeOf(type));
    return;
  }
  if (sizeOf(from) == 1 && count >= 512 && type == DType::F32)
    return scaleBytes<float>(from == RawType::I8, source, target, count, scale);
  if (sizeOf(from) == 1 && count >= 512 && type == DType::F64)
    return scaleBytes<double>(from == RawType::I8, source, target, count,
                              scale);
  withRawType(from, [&](auto value) {
    using From = decltype(value);
    bool scaled = !scale.isOne();
    withType(type, [&](auto element) {
      using To = decltype(element);
      if constexpr (kIsInteger<To>)
        convertLoop<From, To>(source, target, count);
      else if (scaled)
        scaleLoop<From, To>(source, target, count, scale);
      else
        convertLoop<From, To>(source, target, count);
    });
    if (type == DType::I1)
      for (int64_t i = 0; i < count; ++i)
        target[i] = std::byte(target[i] != std::byte(0));
  });
}

Status belfry::rt::checkConvertible(const Array &array, DType type,
                                    std::optional<int64_t> limit,
                                    std::optional<int64_t> ignore) {
  if (!limit && isFloat(type))
    return Status::success();
  return withRawType(array.type, [&](auto value) {
    return checkLoop<decltype(value)>(array, type, limit, ignore);
  });
}
