//===- Array.h - an array of a file -----------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_ARRAY_H
#define BELFRY_RUNTIME_DATA_ARRAY_H

#include "runtime/core/DType.h"
#include "runtime/core/Status.h"
#include "runtime/core/Storage.h"

#include <memory>
#include <string>

namespace belfry::rt {

/// Element types that a file may hold.
enum class RawType : uint8_t {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64
};

size_t sizeOf(RawType type);
std::string_view nameOf(RawType type);
bool isFloat(RawType type);

/// A dense row-major array in the machine's byte order, with the element type
/// of its file: it is converted row by row when a batch is gathered, so that
/// bytes stay bytes.
struct Array {
  RawType type = RawType::F32;
  Shape shape;
  std::shared_ptr<Storage> storage; ///< keeps `data` alive where it is owned
  std::shared_ptr<void> mapping;    ///< keeps `data` alive where it is mapped
  const std::byte *data = nullptr;
  /// What the user called it: file, member and rows.
  std::string source;

  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  int64_t rowElements() const { return numElements(shape, 1); }
  size_t rowBytes() const { return size_t(rowElements()) * sizeOf(type); }
  /// Rows [first, last) as an array on the same memory.
  Array slice(int64_t first, int64_t last) const;
};

/// An array that owns `shape` elements, not filled.
Array makeArray(RawType type, Shape shape);

/// The largest number of bytes that a file may claim for one array. Headers
/// are checked against the file's own size before anything is allocated, so
/// this only stops overflow.
inline constexpr int64_t kMaxArrayBytes = int64_t(1) << 46;

/// Elements of `shape` times `elementSize`, or a failure where a dimension is
/// negative or the product is beyond kMaxArrayBytes.
Expected<int64_t> checkedBytes(const Shape &shape, size_t elementSize);

/// `scale`: every value is multiplied with `numerator / denominator`, with one
/// rounding for the division (as x / 255 does).
struct Scale {
  double numerator = 1, denominator = 1;
  bool isOne() const { return numerator == denominator; }
};

/// Whether elements of the two types have the same bytes.
bool isSame(RawType from, DType type);

/// Converts `count` elements of `source` to `type`. Conversions to integers
/// truncate; whether the values fit is what checkConvertible says.
void convertElements(RawType from, const std::byte *source, DType type,
                     std::byte *target, int64_t count, const Scale &scale);

/// Whether every value of `array` can become `type` without harm: floating
/// point to integer needs integral values (NaN is none), integers have to fit,
/// i1 takes 0 and 1. With `limit`, values have to be in [0, limit), or equal
/// to `ignore`. A failure names the first row, the value and both bounds.
Status checkConvertible(const Array &array, DType type,
                        std::optional<int64_t> limit,
                        std::optional<int64_t> ignore);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_ARRAY_H
