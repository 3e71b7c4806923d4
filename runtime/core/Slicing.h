//===- Slicing.h - rows to towers, towers to devices ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_SLICING_H
#define BELFRY_RUNTIME_CORE_SLICING_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace belfry::rt {

/// Which rows of a global batch a tower gets. Balanced is the default; the
/// others are what older tools did.
///   balanced         the first B mod N towers get one row more
///   drop-remainder   every tower gets B div N rows, the rest is left out
///   last-takes-rest  B div N rows each, the last tower gets the rest too
///   strict           B has to be a multiple of N
enum class SlicingMode { Balanced, DropRemainder, LastTakesRest, Strict };

Expected<SlicingMode> parseSlicing(std::string_view name);

/// The rows `first … first + rows - 1` of a batch.
struct RowRange {
  int64_t first = 0;
  int64_t rows = 0;
};

/// Cuts `batch` rows for `towers` towers. Towers may get no row. Fails for
/// `strict` where the batch is no multiple, naming the nearest that are.
Expected<std::vector<RowRange>> sliceBatch(int64_t batch, int64_t towers,
                                           SlicingMode mode);

/// The largest number of rows that a tower gets from `batch` rows.
int64_t maxTowerRows(int64_t batch, int64_t towers, SlicingMode mode);

/// The rows of a batch of `batch` rows that take part at all.
int64_t usedRows(int64_t batch, int64_t towers, SlicingMode mode);

/// The contiguous block of towers of each device: the first N mod M devices
/// own one tower more. Where M divides N and N div M is a power of two, blocks
/// are subtrees of the sum's tree. The sum itself is over towers, so blocks
/// never show in its bits.
std::vector<RowRange> assignTowers(int64_t towers, int64_t devices);

/// The tower at which the fixed binary tree splits [lo, hi):
/// `lo + bit_ceil(hi - lo) / 2`, for hi - lo ≥ 2.
int64_t treeSplit(int64_t lo, int64_t hi);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_SLICING_H
