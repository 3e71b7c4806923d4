//===- DType.h - element types of tensors -----------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_DTYPE_H
#define BELFRY_RUNTIME_CORE_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::rt {

/// The element types that generated code computes with. i1 is a byte, 0 or 1.
enum class DType : uint8_t { I1, I32, I64, F32, F64 };

/// Bytes of one element.
size_t sizeOf(DType type);
/// The name in the manifest: `f32`.
std::string_view nameOf(DType type);
std::optional<DType> parseDType(std::string_view name);

/// A shape; -1 stands for the rows of the batch.
using Shape = std::vector<int64_t>;
/// The product of the dimensions from `from` on; the empty product is 1.
int64_t numElements(const Shape &shape, size_t from = 0);
/// `(?, 29, 12)`, or `(29, 12)` from the second dimension on.
std::string toString(const Shape &shape, size_t from = 0);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_DTYPE_H
