//===- GemmKernelsImpl.h - the vector code of the products ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by one file for each instruction set, which defines
// BELFRY_VECTOR_BYTES and is compiled with that set's flags. Everything is in
// an anonymous namespace and nothing of the standard library is called: a
// shared inline function compiled here could be the copy that the linker keeps
// for processors without the instructions.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_GEMMKERNELSIMPL_H
#define BELFRY_RUNTIME_HOST_GEMMKERNELSIMPL_H

#include "runtime/host/GemmKernels.h"

#include <utility>

#if BELFRY_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

// Arrays of vectors become registers only where the loops over them are
// unrolled, at every level of optimisation that matters.
#if defined(__clang__)
#define BELFRY_UNROLL _Pragma("clang loop unroll(full)")
#define BELFRY_NO_UNROLL _Pragma("clang loop unroll(disable)")
#define BELFRY_SCALAR                                                          \
  _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)")
// Instrumented builds can't unroll everything, nor need they be fast.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define BELFRY_UNROLL _Pragma("GCC unroll 16")
#define BELFRY_NO_UNROLL _Pragma("GCC unroll 1")
#define BELFRY_SCALAR
#endif

namespace {

using belfry::rt::gemm::Ahead;
using belfry::rt::gemm::Kernels;
using belfry::rt::gemm::KernelSet;
using belfry::rt::gemm::Sweep;

constexpr int64_t PrefetchRows = 8; // of B, ahead of the one in use
// Of what is `Ahead`, asked for with each k: half a line, since a line takes
// longer to come than the multiply-adds of one k.
constexpr int64_t AheadBytes = 32;

template <typename T> struct Vector {
  static constexpr int Lanes = BELFRY_VECTOR_BYTES / sizeof(T);
  typedef T Type __attribute__((vector_size(BELFRY_VECTOR_BYTES)));
  // An access through this type needs the alignment of an element only.
  typedef T Unaligned
      __attribute__((vector_size(BELFRY_VECTOR_BYTES), aligned(sizeof(T))));

  static Type load(const T *p) {
    return *reinterpret_cast<const Unaligned *>(p);
  }
  static void store(T *p, Type v) { *reinterpret_cast<Unaligned *>(p) = v; }
  /// The first `count` elements, zero in the other lanes.
  static Type loadPart(const T *p, int64_t count) {
#if BELFRY_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4)
      return (Type)_mm512_maskz_loadu_epi32(mask(count), p);
    else
      return (Type)_mm512_maskz_loadu_epi64(mask(count), p);
#else
    Type v = {};
    BELFRY_SCALAR
    for (int64_t l = 0; l < count; ++l)
      v[l] = p[l];
    return v;
#endif
  }
  static void storePart(T *p, Type v, int64_t count) {
#if BELFRY_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(p, mask(count), (__m512i)v);
    else
      _mm512_mask_storeu_epi64(p, mask(count), (__m512i)v);
#else
    BELFRY_SCALAR
    for (int64_t l = 0; l < count; ++l)
      p[l] = v[l];
#endif
  }
  // x - 0 is x, -0 included, and folds into a broadcast.
  static Type splat(T x) { return x - Type{}; }

#if BELFRY_VECTOR_BYTES == 64
private:
  static auto mask(int64_t count) {
    if constexpr (sizeof(T) == 4)
      return __mmask16((1u << count) - 1);
    else
      return __mmask8((1u << count) - 1);
  }
#endif
};

inline float fusedMultiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fusedMultiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline uint32_t fusedMultiplyAdd(uint32_t a, uint32_t b, uint32_t c) {
  return a * b + c;
}

/// One chain step in each lane. The compiler makes one instruction of the loop.
template <typename T, typename V> inline V multiplyAdd(V a, V b, V c) {
  if constexpr (__is_same(T, uint32_t)) {
    return a * b + c;
  } else {
#if defined(__clang__)
    return __builtin_elementwise_fma(a, b, c);
#else
    for (int l = 0; l < Vector<T>::Lanes; ++l)
      c[l] = fusedMultiplyAdd(a[l], b[l], c[l]);
    return c;
#endif
  }
}

/// What a tile does with the rows of B beside multiplying.
enum class Reads {
  Only,  ///< multiplies
  Asks,  ///< and asks for what is `Ahead`
  First, ///< asks for the rows that come
  Packs  ///< and stores those that it has read one after another
};

/// `MR` rows by `NV` vectors of C, of whose last vector `lastLanes` elements
/// are there: the accumulators stay in registers. B's rows hold whole vectors.
template <typename T, int MR, int NV, bool Whole, Reads How>
inline __attribute__((always_inline)) void
microTile(int64_t k, const T *a, int64_t aRow, int64_t aCol, const T *b,
          int64_t bRow, T *panel, Ahead *ahead, T *c, int64_t cRow,
          int64_t lastLanes, bool accumulate) {
  using V = Vector<T>;
  typename V::Type sum[MR][NV];
  BELFRY_UNROLL
  for (int i = 0; i < MR; ++i)
    BELFRY_UNROLL
  for (int v = 0; v < NV; ++v) {
    const T *at = c + i * cRow + v * V::Lanes;
    if (!accumulate)
      sum[i][v] = typename V::Type{};
    else if (Whole || v + 1 < NV)
      sum[i][v] = V::load(at);
    else
      sum[i][v] = V::loadPart(at, lastLanes);
  }
  // One pointer for three rows, whose distances x86 can address. The compiler
  // must not see how the pointers relate: it would make a single one that steps
  // from row to row, a chain of additions longer than the multiply-adds take.
  const T *rows[(MR + 2) / 3];
  BELFRY_UNROLL
  for (int g = 0; g < (MR + 2) / 3; ++g) {
    rows[g] = a + 3 * g * aRow;
    asm("" : "+r"(rows[g]));
  }
  const char *soon = ahead->at;
  BELFRY_NO_UNROLL
  for (int64_t p = 0; p < k; ++p) {
    if constexpr (How == Reads::Asks) {
      __builtin_prefetch(soon, 0, 2);
      soon += AheadBytes;
    }
    typename V::Type row[NV];
    BELFRY_UNROLL
    for (int v = 0; v < NV; ++v) {
      const T *at = b + v * V::Lanes;
      if constexpr (How == Reads::First || How == Reads::Packs)
        __builtin_prefetch(at + PrefetchRows * bRow);
      row[v] = V::load(at);
      if constexpr (How == Reads::Packs)
        V::store(panel + v * V::Lanes, row[v]);
    }
    panel += How == Reads::Packs ? NV * V::Lanes : 0;
    BELFRY_UNROLL
    for (int i = 0; i < MR; ++i) {
      typename V::Type x = V::splat(rows[i / 3][i % 3 * aRow]);
      BELFRY_UNROLL
      for (int v = 0; v < NV; ++v)
        sum[i][v] = multiplyAdd<T>(x, row[v], sum[i][v]);
    }
    BELFRY_UNROLL
    for (int g = 0; g < (MR + 2) / 3; ++g)
      rows[g] += aCol;
    b += bRow;
  }
  if constexpr (How == Reads::Asks) {
    ahead->at = soon;
    ahead->bytes -= k * AheadBytes;
    if (ahead->bytes <= 0 && ahead->then)
      *ahead = *ahead->then;
  }
  BELFRY_UNROLL
  for (int i = 0; i < MR; ++i)
    BELFRY_UNROLL
  for (int v = 0; v < NV; ++v) {
    T *at = c + i * cRow + v * V::Lanes;
    if (Whole || v + 1 < NV)
      V::store(at, sum[i][v]);
    else
      V::storePart(at, sum[i][v], lastLanes);
  }
}

/// Between C, whose columns are not contiguous, and a buffer of whole vectors.
template <typename T>
__attribute__((noinline)) void readTile(const Sweep<T> &s, int64_t row,
                                        int64_t rows, int64_t width,
                                        T *buffer) {
  const T *c = s.c + row * s.cRow;
  for (int64_t i = 0; i < rows; ++i, c += s.cRow, buffer += width) {
    BELFRY_SCALAR
    for (int64_t j = 0; j < s.columns; ++j)
      buffer[j] = c[j * s.cCol];
    BELFRY_SCALAR
    for (int64_t j = s.columns; j < width; ++j)
      buffer[j] = 0;
  }
}

template <typename T>
__attribute__((noinline)) void writeTile(const Sweep<T> &s, int64_t row,
                                         int64_t rows, int64_t width,
                                         const T *buffer) {
  T *c = s.c + row * s.cRow;
  for (int64_t i = 0; i < rows; ++i, c += s.cRow, buffer += width) {
    BELFRY_SCALAR
    for (int64_t j = 0; j < s.columns; ++j)
      c[j * s.cCol] = buffer[j];
  }
}

template <typename T, int MR, int NV, Reads How>
inline __attribute__((always_inline)) void tile(const Sweep<T> &s, const T *b,
                                                int64_t bRow, int64_t row) {
  constexpr int Width = NV * Vector<T>::Lanes;
  const T *a = s.a + row * s.aRow;
  T *c = s.c + row * s.cRow;
  if (s.cCol != 1) {
    alignas(64) T buffer[MR * Width];
    if (s.accumulate)
      readTile(s, row, MR, Width, buffer);
    microTile<T, MR, NV, true, How>(s.k, a, s.aRow, s.aCol, b, bRow, s.panel,
                                    s.ahead, buffer, Width, 0, s.accumulate);
    writeTile(s, row, MR, Width, buffer);
  } else if (s.columns == Width) {
    microTile<T, MR, NV, true, How>(s.k, a, s.aRow, s.aCol, b, bRow, s.panel,
                                    s.ahead, c, s.cRow, 0, s.accumulate);
  } else {
    microTile<T, MR, NV, false, How>(
        s.k, a, s.aRow, s.aCol, b, bRow, s.panel, s.ahead, c, s.cRow,
        s.columns - (Width - Vector<T>::Lanes), s.accumulate);
  }
}

/// Down the rows by `MR`, the rest by four, two and one.
template <typename T, int MR, int NV> void sweep(const Sweep<T> &s) {
  const T *b = s.b;
  int64_t bRow = s.bRow, row = 0;
  if (s.rows >= MR) {
    row = MR;
    if (s.panel) {
      tile<T, MR, NV, Reads::Packs>(s, b, bRow, 0);
      b = s.panel;
      bRow = NV * Vector<T>::Lanes;
    } else {
      tile<T, MR, NV, Reads::First>(s, b, bRow, 0);
    }
  }
  for (; row + MR <= s.rows && s.ahead->bytes > 0; row += MR)
    tile<T, MR, NV, Reads::Asks>(s, b, bRow, row);
  for (; row + MR <= s.rows; row += MR)
    tile<T, MR, NV, Reads::Only>(s, b, bRow, row);
  // Too few rows for a tile: those of B come from wherever they are. One row
  // takes them as fast as they come without asking.
  if constexpr (MR > 4) {
    if (row == 0 && s.rows >= 4) {
      tile<T, 4, NV, Reads::First>(s, b, bRow, 0);
      row = 4;
    }
    for (; row + 4 <= s.rows; row += 4)
      tile<T, 4, NV, Reads::Only>(s, b, bRow, row);
  }
  if constexpr (MR > 2)
    if (row + 2 <= s.rows) {
      if (row == 0)
        tile<T, 2, NV, Reads::First>(s, b, bRow, row);
      else
        tile<T, 2, NV, Reads::Only>(s, b, bRow, row);
      row += 2;
    }
  if (row < s.rows)
    tile<T, 1, NV, Reads::Only>(s, b, bRow, row);
}

/// Where lane `lane` of a vector comes from in one step of a transpose: below
/// `Lanes` in the first of two vectors, from there on in the second.
template <int Step, bool Upper, int Lanes> constexpr int sourceLane(int lane) {
  bool second = (lane & Step) != 0;
  if (Upper)
    return second ? lane + Lanes : lane + Step;
  return second ? lane - Step + Lanes : lane;
}

template <typename T, int Step, int... L>
inline void exchange(typename Vector<T>::Type *rows,
                     std::integer_sequence<int, L...>) {
  constexpr int Lanes = Vector<T>::Lanes;
  BELFRY_UNROLL
  for (int i = 0; i < Lanes; ++i) {
    if (i & Step)
      continue;
    auto x = rows[i], y = rows[i + Step];
    rows[i] =
        __builtin_shufflevector(x, y, sourceLane<Step, false, Lanes>(L)...);
    rows[i + Step] =
        __builtin_shufflevector(x, y, sourceLane<Step, true, Lanes>(L)...);
  }
}

template <typename V, int... L>
inline auto joined(V a, V b, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(a, b, L...);
}

/// The vector of the pieces at `at(0)`, `at(1)`, …, each of 16 bytes.
template <typename T, int Pieces, typename At>
inline auto gatherPieces(int first, At at) {
  constexpr int Elements = 16 / sizeof(T) * Pieces;
  if constexpr (Pieces == 1)
    return at(first);
  else
    return joined(gatherPieces<T, Pieces / 2>(first, at),
                  gatherPieces<T, Pieces / 2>(first + Pieces / 2, at),
                  std::make_integer_sequence<int, Elements>());
}

/// Reads the square of `Lanes` columns and rows of B at `b`, whose columns are
/// contiguous, and stores it by rows. Loads of 16 bytes bring blocks of that
/// width into place; what remains is to transpose within blocks. For columns
/// from `columns` on the last one stands again.
template <typename T, bool Whole>
inline __attribute__((always_inline)) void
transposeSquare(const T *b, int64_t bCol, int64_t columns, T *to,
                int64_t toRow) {
  constexpr int Lanes = Vector<T>::Lanes;
  constexpr int Piece = 16 / sizeof(T);
  typedef T PieceType __attribute__((vector_size(16)));
  typedef T UnalignedPiece __attribute__((vector_size(16), aligned(sizeof(T))));
  typename Vector<T>::Type rows[Lanes];
  BELFRY_UNROLL
  for (int r = 0; r < Lanes; ++r)
    rows[r] = gatherPieces<T, Lanes / Piece>(0, [&](int piece) {
      int64_t column = piece * Piece + r % Piece;
      if (!Whole && column >= columns)
        column = columns - 1;
      return PieceType(*reinterpret_cast<const UnalignedPiece *>(
          b + column * bCol + r / Piece * Piece));
    });
  if constexpr (Piece == 4)
    exchange<T, 2>(rows, std::make_integer_sequence<int, Lanes>());
  exchange<T, 1>(rows, std::make_integer_sequence<int, Lanes>());
  BELFRY_UNROLL
  for (int r = 0; r < Lanes; ++r)
    Vector<T>::store(to + r * toRow, rows[r]);
}

/// B's rows are contiguous. The panel is as wide as the last vector that has
/// any of the columns.
template <typename T>
void packRows(int64_t k, int64_t columns, int64_t width, const T *b,
              int64_t bRow, T *panel) {
  using V = Vector<T>;
  int64_t whole = columns / V::Lanes * V::Lanes;
  for (int64_t p = 0; p < k; ++p, b += bRow, panel += width) {
    for (int64_t j = 0; j < whole; j += V::Lanes)
      V::store(panel + j, V::load(b + j));
    if (whole < width)
      V::store(panel + whole, V::loadPart(b + whole, columns - whole));
  }
}

/// B's columns are contiguous: squares are transposed in registers.
template <typename T>
void packColumns(int64_t k, int64_t columns, int64_t width, const T *b,
                 int64_t bCol, T *panel) {
  constexpr int Lanes = Vector<T>::Lanes;
  // Down a vector's columns first: few streams, which the processor prefetches.
  int64_t whole = k / Lanes * Lanes;
  for (int64_t j = 0; j < width; j += Lanes)
    for (int64_t p = 0; p < whole; p += Lanes) {
      const T *from = b + j * bCol + p;
      T *to = panel + p * width + j;
      if (j + Lanes <= columns)
        transposeSquare<T, true>(from, bCol, Lanes, to, width);
      else
        transposeSquare<T, false>(from, bCol, columns - j, to, width);
    }
  for (int64_t p = whole; p < k; ++p)
    for (int64_t j = 0; j < width; ++j)
      panel[p * width + j] = j < columns ? b[j * bCol + p] : T(0);
}

template <typename T>
void pack(int64_t k, int64_t columns, int64_t vectors, const T *b, int64_t bRow,
          int64_t bCol, T *panel) {
  int64_t width = vectors * Vector<T>::Lanes;
  if (bCol == 1)
    return packRows(k, columns, width, b, bRow, panel);
  if (bRow == 1)
    return packColumns(k, columns, width, b, bCol, panel);
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < width; ++j)
      panel[p * width + j] = j < columns ? b[p * bRow + j * bCol] : T(0);
}

template <typename T, int NV>
void addRowsOf(int64_t k, int64_t lastLanes, const T *b, int64_t bRow,
               T *sums) {
  using V = Vector<T>;
  typename V::Type total[NV];
  BELFRY_UNROLL
  for (int v = 0; v < NV; ++v)
    total[v] = v + 1 < NV ? V::load(sums + v * V::Lanes)
                          : V::loadPart(sums + v * V::Lanes, lastLanes);
  BELFRY_NO_UNROLL
  for (int64_t p = 0; p < k; ++p, b += bRow)
    BELFRY_UNROLL
  for (int v = 0; v < NV; ++v)
    total[v] = total[v] + V::load(b + v * V::Lanes);
  BELFRY_UNROLL
  for (int v = 0; v < NV; ++v)
    if (v + 1 < NV)
      V::store(sums + v * V::Lanes, total[v]);
    else
      V::storePart(sums + v * V::Lanes, total[v], lastLanes);
}

/// Of a panel of any width: as many vectors at a time as additions take cycles.
template <typename T>
void addRows(int64_t k, int64_t columns, const T *b, int64_t bRow, T *sums) {
  constexpr int64_t Lanes = Vector<T>::Lanes;
  constexpr int Most = 4;
  while (columns > Most * Lanes) {
    addRowsOf<T, Most>(k, Lanes, b, bRow, sums);
    columns -= Most * Lanes;
    b += Most * Lanes;
    sums += Most * Lanes;
  }
  int64_t vectors = (columns + Lanes - 1) / Lanes;
  int64_t lastLanes = columns - (vectors - 1) * Lanes;
  switch (vectors) {
  case 1:
    return addRowsOf<T, 1>(k, lastLanes, b, bRow, sums);
  case 2:
    return addRowsOf<T, 2>(k, lastLanes, b, bRow, sums);
  case 3:
    return addRowsOf<T, 3>(k, lastLanes, b, bRow, sums);
  default:
    return addRowsOf<T, 4>(k, lastLanes, b, bRow, sums);
  }
}

// Rows of a tile for panels of 1 to 4 vectors: as many accumulators as the
// registers hold beside a row of B and a broadcast element of A.
#if BELFRY_VECTOR_BYTES == 64 || defined(__aarch64__)
constexpr int TileRows[] = {12, 8, 8, 6}; // of 32 registers
constexpr int MainVectors = 3, MostVectors = 4;
#elif BELFRY_VECTOR_BYTES == 16
// Each step is a call of the library's fma, whatever the tile.
constexpr int TileRows[] = {1, 1, 1, 1};
constexpr int MainVectors = 4, MostVectors = 4;
#else
constexpr int TileRows[] = {8, 6, 4, 2}; // of 16 registers
constexpr int MainVectors = 2, MostVectors = 2;
#endif

template <typename T> constexpr Kernels<T> makeKernels() noexcept {
  return {Vector<T>::Lanes,
          MainVectors,
          MostVectors,
          {sweep<T, TileRows[0], 1>, sweep<T, TileRows[1], 2>,
           sweep<T, TileRows[2], 3>, sweep<T, TileRows[3], 4>},
          pack<T>,
          addRows<T>};
}

} // namespace

#endif // BELFRY_RUNTIME_HOST_GEMMKERNELSIMPL_H
