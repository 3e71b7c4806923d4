//===- Gemm.cpp - matrix products on the host -----------------------------===//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// 1. Few columns and many rows: the transposed product is computed, so that
//    vectors run along the rows.
// 2. Very many columns are taken in strips, each as a product of its own.
//
// Steps 3 to 5 are those of GemmLoops.h.
//
// Each element's chain is the same for every grid, so that grids may depend on
// whether there are threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Gemm.h"
#include "runtime/host/Context.h"
#include "runtime/host/FloatingPointMode.h"
#include "runtime/host/GemmLoops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace belfry::rt;
using namespace belfry::rt::gemm;

namespace {

// Columns taken together, in bytes: bounds the scratch memory.
constexpr int64_t StripBytes = 8 << 10;

template <typename T> T chainStep(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>)
    return a * b + c;
  else
    return std::fma(a, b, c);
}

/// Needs no memory; the same bits.
template <typename T> void multiplyPlainly(const Product<T> &s) {
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      T &c = s.c[i * s.cRow + j * s.cCol];
      T sum = s.accumulate ? c : T(0);
      for (int64_t p = 0; p < s.k; ++p)
        sum = chainStep(s.a[i * s.aRow + p * s.aCol],
                        s.b[p * s.bRow + j * s.bCol], sum);
      c = sum;
    }
}

/// What stands in front of a packed matrix: how it was packed. Padded to the
/// alignment of the widest vectors.
struct alignas(64) PackedHeader {
  const void *kernels; ///< which `Kernels` it was packed for
};
static_assert(sizeof(PackedHeader) == 64, "BELFRY_GEMM_PACKED_HEADER");

/// Null where the calling thread is alone.
ParallelFor *poolOf(belfry_context *context) {
  ParallelFor *pool = context ? context->pool() : nullptr;
  return pool && pool->threads() > 1 && !pool->isInside() ? pool : nullptr;
}

/// The kernels for elements of `T`.
template <typename T> const Kernels<T> &kernelsFor(const KernelSet &set) {
  if constexpr (std::is_same_v<T, float>)
    return set.f32;
  else if constexpr (std::is_same_v<T, double>)
    return set.f64;
  else
    return set.i32;
}

template <typename T>
void packMatrix(int64_t n, int64_t k, const T *b, int64_t bRow, int64_t bCol,
                T *packed) {
  const Kernels<T> &kernels = kernelsFor<T>(activeKernels());
  PackedHeader header = {&kernels};
  std::memcpy(packed, &header, sizeof(header));
  if (n <= 0 || k <= 0)
    return;
  Product<T> s = {1, n, k, nullptr, 0, 0, b, bRow, bCol, nullptr, 0, 1, false};
  Loops<T>(s, kernels, nullptr, packed + sizeof(header) / sizeof(T))
      .packWhole();
}

template <typename T>
void multiplyPacked(belfry_context *context, int64_t m, int64_t n, int64_t k,
                    const T *a, int64_t aRow, int64_t aCol, const T *packed,
                    T *c, int64_t cRow, bool accumulate) {
  if (m <= 0 || n <= 0)
    return;
  if (k <= 0) {
    for (int64_t i = 0; !accumulate && i < m; ++i)
      std::fill_n(c + i * cRow, n, T(0));
    return;
  }
  FloatingPointScope mode;
  PackedHeader header;
  std::memcpy(&header, packed, sizeof(header));
  Product<T> s = {m, n, k, a,    aRow, aCol,      nullptr,
                  0, 0, c, cRow, 1,    accumulate};
  // Kernels never write B.
  T *b = const_cast<T *>(packed) + sizeof(header) / sizeof(T);
  Loops<T>(s, *static_cast<const Kernels<T> *>(header.kernels), poolOf(context),
           b)
      .run();
  soon.count = 0;
}

/// Whether vectors along m are cheaper than along n. The unit is a cycle for
/// one k: two vector multiply-adds, or four elements transposed.
template <typename T>
bool prefersTranspose(const Product<T> &s, int64_t lanes) {
  double m = double(s.m), n = double(s.n);
  double plain =
      0.5 * m * double(ceilDiv(s.n, lanes)) + (s.bCol == 1 ? 0 : 0.25 * n);
  double transposed =
      0.5 * n * double(ceilDiv(s.m, lanes)) + (s.aRow == 1 ? 0 : 0.25 * m);
  return transposed * 1.25 < plain;
}

/// The sums by themselves. Kernels read whole vectors; columns that are left
/// over are added here.
template <typename T>
void addRows(const Kernels<T> &kernels, const Product<T> &s) {
  int64_t whole = s.n / kernels.lanes * kernels.lanes;
  if (whole > 0)
    kernels.addRows(s.k, whole, s.b, s.bRow, s.sums);
  for (int64_t p = 0; p < s.k; ++p)
    for (int64_t j = whole; j < s.n; ++j)
      s.sums[j] = s.sums[j] + s.b[p * s.bRow + j];
}

template <typename T>
void multiply(belfry_context *context, const Kernels<T> &kernels,
              Product<T> s) {
  FloatingPointScope mode;
  bool transpose = prefersTranspose(s, kernels.lanes);
  if (s.sums) {
    std::fill_n(s.sums, std::max<int64_t>(s.n, 0), T(0));
    // What follows adds the sums by the way, if it takes B as it is.
    if (s.k > 0 && s.n > 0 && (s.m <= 0 || transpose)) {
      addRows(kernels, s);
      s.sums = nullptr;
    }
  }
  if (s.m <= 0 || s.n <= 0)
    return;
  if (s.k <= 0) {
    if (!s.accumulate)
      for (int64_t i = 0; i < s.m; ++i)
        std::fill_n(s.c + i * s.cRow, s.n, T(0));
    return;
  }
  if (transpose)
    s.transposeAll();
  ParallelFor *pool = poolOf(context);
  constexpr int64_t Strip = StripBytes / int64_t(sizeof(T));
  for (int64_t column = 0; column < s.n; column += Strip) {
    Product<T> strip = s;
    strip.n = std::min(Strip, s.n - column);
    strip.b += column * s.bCol;
    strip.c += column * s.cCol;
    strip.sums += s.sums ? column : 0;
    Loops<T> loops(strip, kernels, pool);
    if (loops.outOfMemory()) {
      multiplyPlainly(strip);
      if (strip.sums)
        addRows(kernels, strip);
    } else {
      loops.run();
    }
  }
  soon.count = 0;
}

} // namespace

void belfry_look_ahead(const void *at, int64_t bytes) {
  if (soon.count == 0)
    soon.bytes = 0;
  if (bytes <= 0 || soon.count == SoonRanges || soon.bytes + bytes > SoonBytes)
    return;
  Ahead *range = soon.ranges + soon.count++;
  *range = {static_cast<const char *>(at), bytes, nullptr};
  if (range != soon.ranges)
    range[-1].then = range;
  soon.bytes += bytes;
}

void belfry_gemm_f32(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const float *a, int64_t a_row, int64_t a_col,
                     const float *b, int64_t b_row, int64_t b_col, float *c,
                     int64_t c_row, int32_t accumulate) {
  multiply<float>(context, activeKernels().f32,
                  {m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, 1,
                   accumulate != 0});
}

void belfry_gemm_sums_f32(belfry_context *context, int64_t m, int64_t n,
                          int64_t k, const float *a, int64_t a_row,
                          int64_t a_col, const float *b, int64_t b_row,
                          float *c, int64_t c_row, int32_t accumulate,
                          float *sums) {
  multiply<float>(context, activeKernels().f32,
                  {m, n, k, a, a_row, a_col, b, b_row, 1, c, c_row, 1,
                   accumulate != 0, sums});
}

void belfry_gemm_sums_f64(belfry_context *context, int64_t m, int64_t n,
                          int64_t k, const double *a, int64_t a_row,
                          int64_t a_col, const double *b, int64_t b_row,
                          double *c, int64_t c_row, int32_t accumulate,
                          double *sums) {
  multiply<double>(context, activeKernels().f64,
                   {m, n, k, a, a_row, a_col, b, b_row, 1, c, c_row, 1,
                    accumulate != 0, sums});
}

void belfry_gemm_pack_f32(int64_t n, int64_t k, const float *b, int64_t b_row,
                          int64_t b_col, float *packed) {
  packMatrix<float>(n, k, b, b_row, b_col, packed);
}

void belfry_gemm_packed_f32(belfry_context *context, int64_t m, int64_t n,
                            int64_t k, const float *a, int64_t a_row,
                            int64_t a_col, const float *packed, float *c,
                            int64_t c_row, int32_t accumulate) {
  multiplyPacked<float>(context, m, n, k, a, a_row, a_col, packed, c, c_row,
                        accumulate != 0);
}

void belfry_gemm_pack_f64(int64_t n, int64_t k, const double *b, int64_t b_row,
                          int64_t b_col, double *packed) {
  packMatrix<double>(n, k, b, b_row, b_col, packed);
}

void belfry_gemm_packed_f64(belfry_context *context, int64_t m, int64_t n,
                            int64_t k, const double *a, int64_t a_row,
                            int64_t a_col, const double *packed, double *c,
                            int64_t c_row, int32_t accumulate) {
  multiplyPacked<double>(context, m, n, k, a, a_row, a_col, packed, c, c_row,
                         accumulate != 0);
}

void belfry_gemm_f64(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const double *a, int64_t a_row, int64_t a_col,
                     const double *b, int64_t b_row, int64_t b_col, double *c,
                     int64_t c_row, int32_t accumulate) {
  multiply<double>(context, activeKernels().f64,
                   {m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, 1,
                    accumulate != 0});
}

void belfry_gemm_i32(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const int32_t *a, int64_t a_row, int64_t a_col,
                     const int32_t *b, int64_t b_row, int64_t b_col, int32_t *c,
                     int64_t c_row, int32_t accumulate) {
  // Unsigned arithmetic wraps; the two types may alias.
  multiply<uint32_t>(context, activeKernels().i32,
                     {m, n, k, reinterpret_cast<const uint32_t *>(a), a_row,
                      a_col, reinterpret_cast<const uint32_t *>(b), b_row,
                      b_col, reinterpret_cast<uint32_t *>(c), c_row, 1,
                      accumulate != 0});
}
