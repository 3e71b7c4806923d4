//===- Reductions.h - arithmetic of collectives --------------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_REDUCTIONS_H
#define BELFRY_TEST_FAKE_CUDA_REDUCTIONS_H

#include "test/fake-cuda/NcclTypes.h"

#include <vector>

namespace belfry::fake {

/// Bytes of an element; 0 for a type that is not emulated.
size_t sizeOf(ncclDataType_t type);

/// to[i] is the reduction of from[r][first + i] over all r, for i < count. NCCL
/// promises no order: each piece of the array has another one, drawn by `seed`.
/// What is between two ranks has the array's type. `to` must not overlap what
/// has not been read yet: elements are taken in rising order.
void reduce(ncclDataType_t type, ncclRedOp_t reduction, void *to,
            const std::vector<const void *> &from, size_t first, size_t count,
            uint64_t seed);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_REDUCTIONS_H
