//===- Npy.h - arrays in NumPy's file format --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_NPY_H
#define BELFRY_INTERPRETER_NPY_H

#include "dialects/nn/Interpret.h"

#include "llvm/Support/Error.h"

namespace belfry {

/// Reads a .npy file (NumPy's format 1 to 3, little endian, row-major) of
/// bool, integers of up to 64 bits or floats of 16, 32 or 64, bf16 (two opaque
/// bytes, as ml_dtypes writes it) included. Integers become the narrowest of
/// i8, i32 and i64 that holds all of their type; one of 64 bits without a sign
/// that is out of range is an error.
llvm::Expected<nn::HostTensor> readNpy(llvm::StringRef path);

/// Writes a .npy file of the tensor's own type.
llvm::Error writeNpy(llvm::StringRef path, const nn::HostTensor &tensor);

} // namespace belfry

#endif // BELFRY_INTERPRETER_NPY_H
