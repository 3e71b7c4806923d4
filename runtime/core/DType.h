//===- DType.h - element types of tensors -----------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_DTYPE_H
#define BELFRY_RUNTIME_CORE_DTYPE_H

#include "belfry/NarrowFloats.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::rt {

/// The element types that generated code computes with. i1 is a byte, 0 or 1.
enum class DType : uint8_t { I1, I8, I32, I64, F16, BF16, F32, F64 };

/// Calls `function` with a value of the C++ type of `type`; of i1's it is
/// uint8_t.
template <typename Function>
decltype(auto) withType(DType type, Function &&function) {
  switch (type) {
  case DType::I1:
    return function(uint8_t());
  case DType::I8:
    return function(int8_t());
  case DType::I32:
    return function(int32_t());
  case DType::I64:
    return function(int64_t());
  case DType::F16:
    return function(Half());
  case DType::BF16:
    return function(BFloat16());
  case DType::F32:
    return function(float());
  case DType::F64:
    break;
  }
  return function(double());
}

/// Bytes of one element.
size_t sizeOf(DType type);
/// The name in the manifest: `f32`.
std::string_view nameOf(DType type);
std::optional<DType> parseDType(std::string_view name);
bool isFloat(DType type);

/// Element `index` of an array of `type`, as a double.
double loadElement(DType type, const void *array, int64_t index);
/// Puts `value` there: rounded to a float, f16 and bf16 by way of f32, cut to
/// an integer, whose range it has to be in; i1 is whether it is not zero.
void storeElement(DType type, void *array, int64_t index, double value);

/// A shape; -1 stands for the rows of the batch.
using Shape = std::vector<int64_t>;
/// The product of the dimensions from `from` on; the empty product is 1.
int64_t numElements(const Shape &shape, size_t from = 0);
/// `(?, 29, 12)`, or `(29, 12)` from the second dimension on.
std::string toString(const Shape &shape, size_t from = 0);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_DTYPE_H
