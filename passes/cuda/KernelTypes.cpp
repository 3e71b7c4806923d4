//===- KernelTypes.cpp - types of what a kernel works on ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/KernelTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace belfry;

SmallVector<int64_t> belfry::stridesOf(MemRefType type) {
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    strides.assign(type.getRank(), ShapedType::kDynamic);
  return strides;
}

int64_t belfry::wordsOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return 1;
  return 1 + llvm::count_if(memref.getShape(), ShapedType::isDynamic) +
         llvm::count_if(stridesOf(memref), ShapedType::isDynamic);
}

std::string belfry::shapeText(MemRefType type) {
  std::string text;
  for (int64_t extent : type.getShape()) {
    text += text.empty() ? "" : "x";
    text += ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text;
}

int64_t belfry::sharedBytesOf(MemRefType type) {
  Type element = type.getElementType();
  int64_t bytes = 8; // of an index
  if (auto vector = dyn_cast<VectorType>(element))
    bytes = llvm::divideCeil(
        vector.getNumElements() * vector.getElementTypeBitWidth(), 8);
  else if (element.isIntOrFloat())
    bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return llvm::alignTo(type.getNumElements() * bytes, kSharedAlignment);
}
