//===- KernelTypes.h - types of what a kernel works on ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_KERNELTYPES_H
#define BELFRY_PASSES_CUDA_KERNELTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace belfry {

/// Strides of a type, as its layout says; ShapedType::kDynamic where they are
/// not known.
llvm::SmallVector<int64_t> stridesOf(mlir::MemRefType type);

/// The words of 8 bytes that --flatten-kernel-arguments makes of an argument.
int64_t wordsOf(mlir::Type type);

/// The extents of an array, for people: `?x400`; empty for a scalar.
std::string shapeText(mlir::MemRefType type);

/// Where arrays in memory of a block begin, in bytes: whole vectors.
constexpr int64_t kSharedAlignment = 16;

/// Bytes of an array in memory of a block, up to where the next one begins. The
/// shape is static, the elements are numbers.
int64_t sharedBytesOf(mlir::MemRefType type);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELTYPES_H
