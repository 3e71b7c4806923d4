//===- NpyWriter.h - writes NumPy's array files -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_NPYWRITER_H
#define BELFRY_RUNTIME_DATA_NPYWRITER_H

#include "runtime/core/DType.h"
#include "runtime/core/Status.h"

#include <string>

namespace belfry::rt {

/// Writes a row-major array as a .npy file of version 1, whole or not at all.
Status writeNpy(const std::string &path, DType dtype, const Shape &shape,
                const void *data);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_NPYWRITER_H
