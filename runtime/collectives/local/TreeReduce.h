//===- TreeReduce.h - sums over towers in shared memory ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_COLLECTIVES_LOCAL_TREEREDUCE_H
#define BELFRY_RUNTIME_COLLECTIVES_LOCAL_TREEREDUCE_H

#include "runtime/core/DType.h"
#include "runtime/core/Manifest.h"

#include <cstdint>
#include <vector>

namespace belfry::rt {

/// Elements [first, last) of the reduction over the towers of arrays
/// `from[tower]`, written to each of `to`. The order is the fixed binary tree
/// over the tower index (docs/architecture.md, "Distribution"), element by
/// element, so that the split of the elements among devices never shows in the
/// bits. `to` may hold arrays of `from`. For i1, max is or and min is and.
/// f16 and bf16 are combined as f32 and rounded once.
void treeReduce(ReduceKind kind, DType dtype,
                const std::vector<const void *> &from,
                const std::vector<void *> &to, int64_t first, int64_t last);

/// The share of `count` elements that device `device` of `devices` reduces;
/// cut at multiples of a cache line of the smallest elements.
std::pair<int64_t, int64_t> elementShare(int64_t count, int64_t device,
                                         int64_t devices);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_COLLECTIVES_LOCAL_TREEREDUCE_H
