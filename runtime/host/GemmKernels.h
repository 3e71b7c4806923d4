//===- GemmKernels.h - what an instruction set provides ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the loops around a product (Gemm.cpp) and the vector
// code that exists once for each instruction set.
//
// The columns of B and C are cut into vectors and these into panels of one to
// four vectors; the sweep of a panel runs down the rows of A. B may be read in
// place where its rows are contiguous, or from a packed panel: for each k the
// panel's columns one after another, filled up to whole vectors with anything.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_GEMMKERNELS_H
#define BELFRY_RUNTIME_HOST_GEMMKERNELS_H

#include <cstdint>

namespace belfry::rt::gemm {

constexpr int MaxPanelVectors = 4;

/// Memory that will be read or written soon, which sweeps ask for line by line
/// while they compute: `bytes` from `at` on, then what follows.
struct Ahead {
  const char *at = nullptr;
  int64_t bytes = 0;
  const Ahead *then = nullptr;
};

/// C[rows, columns] = (accumulate ? C : 0) + A[rows, k]·B[k, columns] for one
/// panel. B's rows hold whole vectors, `bRow` elements apart.
template <typename T> struct Sweep {
  int64_t rows, k;
  const T *a;
  int64_t aRow, aCol;
  const T *b;
  int64_t bRow;
  /// If not null and there are enough rows, the sweep packs B there as it goes.
  T *panel;
  T *c;
  int64_t cRow, cCol;
  int64_t columns; ///< valid ones, at most the panel's vectors
  bool accumulate;
  Ahead *ahead; ///< what has been asked for is taken off
};

template <typename T> struct Kernels {
  int64_t lanes;       ///< elements of a vector
  int64_t mainVectors; ///< the panel width that is fastest with many rows
  int64_t mostVectors; ///< the widest that is nearly as fast
  /// By number of vectors - 1.
  void (*sweep[MaxPanelVectors])(const Sweep<T> &);
  /// Packs B[k, columns], with any strides, into a panel of `vectors` vectors.
  void (*pack)(int64_t k, int64_t columns, int64_t vectors, const T *b,
               int64_t bRow, int64_t bCol, T *panel);
  /// sums[columns] += the rows of B[k, columns] one after the other. B's rows
  /// hold whole vectors, `bRow` elements apart.
  void (*addRows)(int64_t k, int64_t columns, const T *b, int64_t bRow,
                  T *sums);
};

struct KernelSet {
  const char *name;
  Kernels<float> f32;
  Kernels<double> f64;
  Kernels<uint32_t> i32;
};

extern const KernelSet baselineKernels;
#if defined(__x86_64__)
extern const KernelSet avx2Kernels, avx512Kernels;
#endif

/// The set in use.
const KernelSet &activeKernels();

} // namespace belfry::rt::gemm

#endif // BELFRY_RUNTIME_HOST_GEMMKERNELS_H
