//===- Gemm.cpp - matrix products on the host -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Few columns and many rows: the transposed product is computed, so that
//    vectors run along the rows.
// 2. Very many columns are taken in strips, each as a product of its own.
// 3. The columns are cut into vectors and these into panels of one to four; k
//    is cut into blocks that keep a panel's block in the first-level cache, and
//    blocks are gathered into stages that keep their part of B in the
//    second-level one.
// 4. Many rows: a stage begins by packing its part of B, a grid of chunks of
//    rows. With fewer the first tile that reads a panel's block packs it on the
//    way; with very few it is read in place.
// 5. The stage then computes: a grid of row ranges by groups of panels. The sum
//    over k goes on from stage to stage and from block to block through C, in
//    rising order.
//
// Each element's chain is the same for every grid, so that grids may depend on
// whether there are threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Gemm.h"
#include "runtime/host/Context.h"
#include "runtime/host/FloatingPointMode.h"
#include "runtime/host/GemmKernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

using namespace belfry::rt;
using namespace belfry::rt::gemm;

namespace {

constexpr int64_t BlockBytes = 40 << 10;         // a panel's block of B
constexpr int64_t StageBytes = 1 << 20;          // packed B of a stage
constexpr int64_t PrivateStageBytes = 256 << 10; // B of a stage of tiles
// Columns taken together, in bytes: bounds the scratch memory.
constexpr int64_t StripBytes = 8 << 10;
constexpr int64_t TileProducts = 256 << 10; // multiply-adds worth a tile
constexpr int64_t LeastRows = 4; // fewer take as long: reading B is the work
constexpr int64_t MaxTiles = 64;
constexpr int64_t FewTiles = 6; // enough for the usual threads of a device
constexpr int64_t MinTileRows = 48;
constexpr int64_t RowMultiple = 8;   // the rows of the widest kernels
constexpr int64_t PackRows = 48;     // fewer never repay packing contiguous B
constexpr int64_t PrivateRows = 192; // more rows share what is packed
constexpr int64_t PrivateBytes = 2 << 20;    // of a B by columns
constexpr int64_t PackChunk = 64;            // rows of B packed together
constexpr int64_t PackAPanels = 3;           // fewer never repay packing A
constexpr int64_t LargeElements = 512 << 10; // fewer stay in the caches
constexpr int64_t SoonBytes = 512 << 10; // more would not stay in the caches
constexpr int64_t SoonRanges = 16;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <typename T> struct Product {
  int64_t m, n, k;
  const T *a;
  int64_t aRow, aCol;
  const T *b;
  int64_t bRow, bCol;
  T *c;
  int64_t cRow, cCol;
  bool accumulate;
  T *sums = nullptr; ///< of B's columns, or null

  void transposeAll() {
    std::swap(m, n);
    std::swap(a, b);
    std::swap(aRow, bCol);
    std::swap(aCol, bRow);
    std::swap(cRow, cCol);
  }
};

/// Scratch memory of a thread, kept from call to call.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { std::free(memory); }

  /// Null where the system refuses.
  void *get(size_t bytes) {
    if (bytes > size) {
      std::free(memory);
      size = (bytes + 4095) & ~size_t(4095);
      memory = std::aligned_alloc(4096, size);
      if (!memory)
        size = 0;
    }
    return memory;
  }

private:
  void *memory = nullptr;
  size_t size = 0;
};

thread_local Scratch scratch; // B's, of the thread that calls
thread_local Scratch scratchA;

/// What belfry_look_ahead was told since the last product of the thread.
struct Soon {
  Ahead ranges[SoonRanges]; ///< each goes on with the one behind it
  int64_t count = 0, bytes = 0;
};
thread_local Soon soon;

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

/// Where the kernels read B.
enum class Source {
  Packed,  ///< as the caller has packed it
  InPlace, ///< where it is, but for a panel that ends within a vector
  Private, ///< each tile packs the panels that it uses, while it reads them
  Shared   ///< a stage packs all panels for all tiles
};

/// The loops around the kernels, for one product.
template <typename T> class Loops {
public:
  /// With `packedB` B was packed before, and `product.b` is not read. Without
  /// a pool the calling thread computes everything.
  Loops(const Product<T> &product, const Kernels<T> &kernels, ParallelFor *pool,
        T *packedB = nullptr)
      : s(product), kernels(kernels), pool(pool), packed(packedB) {
    planPanels();
    double products =
        double(std::max(s.m, LeastRows)) * double(s.n) * double(s.k);
    wantedTiles = std::max<int64_t>(
        int64_t(std::min(products / double(TileProducts), double(MaxTiles))),
        1);
    source = packedB ? Source::Packed : chooseSource();
    if (!pool && soon.count > 0)
      wanted = soon.ranges;
    planStages();
    planTiles();
    if (source == Source::Shared)
      packed = static_cast<T *>(
          scratch.get(size_t(stage * vectors * vectorBytes())));
  }

  /// Packs all of B for `packedB` of later products, which differ in m only.
  void packWhole() {
    for (int64_t panel = 0; panel < panels; ++panel)
      packPanel(panel, 0, s.k,
                packed + firstVector(panel) * s.k * kernels.lanes);
  }

  bool outOfMemory() const { return source == Source::Shared && !packed; }

  void run() {
    for (stageStart = 0; stageStart < s.k; stageStart += stage) {
      stageEnd = std::min(stageStart + stage, s.k);
      if (source == Source::Shared)
        forEach(ceilDiv(stageEnd - stageStart, PackChunk),
                [](void *self, int64_t tile) {
                  static_cast<Loops *>(self)->packTile(tile);
                });
      forEach(rowTiles * panelTiles, [](void *self, int64_t tile) {
        static_cast<Loops *>(self)->computeTile(tile);
      });
    }
  }

private:
  int64_t vectorBytes() const { return kernels.lanes * int64_t(sizeof(T)); }

  // The `wide` last panels have one vector more than the others, so that all
  // have nearly the kernels' favourite width.
  void planPanels() {
    vectors = ceilDiv(s.n, kernels.lanes);
    // Rows too few to fill a tile: wide panels keep more chains going. What is
    // packed once serves any number of rows.
    bool few = !packed && s.m <= 2;
    int64_t favourite = few ? MaxPanelVectors : kernels.mainVectors;
    int64_t most = few ? MaxPanelVectors : kernels.mostVectors;
    panels = std::max(vectors / favourite, ceilDiv(vectors, most));
    narrow = vectors / panels;
    wide = vectors % panels;
  }

  Source chooseSource() const {
    if (s.bCol == 1 && s.m < PackRows)
      return Source::InPlace;
    double bytes = double(s.n) * double(s.k) * double(sizeof(T));
    bool enough = !pool || panels >= std::min(wantedTiles, FewTiles);
    return s.m <= PrivateRows && enough &&
                   (s.bCol == 1 || bytes <= PrivateBytes)
               ? Source::Private
               : Source::Shared;
  }

  // Blocks of nearly one size, and stages of whole blocks.
  void planStages() {
    int64_t widest = (narrow + (wide ? 1 : 0)) * vectorBytes();
    int64_t most = std::max<int64_t>(BlockBytes / widest, 1);
    block = ceilDiv(s.k, ceilDiv(s.k, most));
    stage = s.k;
    int64_t bytes = 0;
    if (source == Source::Shared)
      bytes = StageBytes;
    else if (source == Source::Private && s.bCol == 1)
      bytes = PrivateStageBytes * (pool ? pool->threads() : 1);
    if (bytes > 0) {
      int64_t rows = bytes / (vectors * vectorBytes());
      stage = std::min(stage, std::max<int64_t>(rows / block, 1) * block);
    }
  }

  void planTiles() {
    // Tiles that pack for themselves share no rows.
    int64_t parts = source == Source::Private
                        ? 1
                        : std::min(wantedTiles, ceilDiv(s.m, MinTileRows));
    tileRows = ceilDiv(ceilDiv(s.m, parts), RowMultiple) * RowMultiple;
    rowTiles = ceilDiv(s.m, tileRows);
    panelTiles = pool ? std::min(panels, ceilDiv(wantedTiles, rowTiles)) : 1;
  }

  int64_t width(int64_t panel) const {
    return narrow + (panel >= panels - wide ? 1 : 0);
  }
  int64_t firstVector(int64_t panel) const {
    return panel * narrow + std::max<int64_t>(panel - (panels - wide), 0);
  }
  int64_t columns(int64_t panel) const {
    return std::min(width(panel) * kernels.lanes,
                    s.n - firstVector(panel) * kernels.lanes);
  }
  const T *unpacked(int64_t panel, int64_t p) const {
    return s.b + p * s.bRow + firstVector(panel) * kernels.lanes * s.bCol;
  }
  /// The caller's packed B likewise: panels stand one after the other.
  const T *packedPanel(int64_t panel, int64_t p) const {
    return packed +
           (firstVector(panel) * s.k + p * width(panel)) * kernels.lanes;
  }
  /// Shared packed B from row `p` on, of one panel.
  T *sharedPanel(int64_t panel, int64_t p) const {
    int64_t rows = stageEnd - stageStart;
    return packed +
           (firstVector(panel) * rows + (p - stageStart) * width(panel)) *
               kernels.lanes;
  }
  void packPanel(int64_t panel, int64_t p, int64_t size, T *to) const {
    kernels.pack(size, columns(panel), width(panel), unpacked(panel, p), s.bRow,
                 s.bCol, to);
  }

  void forEach(int64_t tiles, ParallelFor::TileFn fn) {
    if (pool)
      return pool->run(tiles, fn, this);
    for (int64_t t = 0; t < tiles; ++t)
      fn(this, t);
  }

  /// A chunk of B's rows, of all panels: what lies together is read together.
  void packTile(int64_t tile) {
    int64_t p = stageStart + tile * PackChunk;
    for (int64_t panel = 0; panel < panels; ++panel)
      packPanel(panel, p, std::min(PackChunk, stageEnd - p),
                sharedPanel(panel, p));
  }

  void computeTile(int64_t tile) {
    alignas(64) T buffer[BlockBytes / sizeof(T)];
    int64_t rowTile = tile / panelTiles, group = tile % panelTiles;
    int64_t row = rowTile * tileRows;
    int64_t first = panels * group / panelTiles;
    int64_t last = panels * (group + 1) / panelTiles;
    Ahead aheadA, aheadB;
    Ahead own;
    if (!wanted)
      own = lookAhead(row, group, aheadA, aheadB);
    Sweep<T> sweep;
    sweep.ahead = wanted ? wanted : &own;
    sweep.rows = std::min(tileRows, s.m - row);
    sweep.cRow = s.cRow;
    sweep.cCol = s.cCol;
    for (int64_t p = stageStart; p < stageEnd; p += block) {
      sweep.k = std::min(block, stageEnd - p);
      setA(sweep, row, p, last - first);
      sweep.accumulate = s.accumulate || p > 0;
      for (int64_t panel = first; panel < last; ++panel) {
        int64_t packedRow = width(panel) * kernels.lanes;
        sweep.columns = columns(panel);
        sweep.panel = nullptr;
        sweep.c =
            s.c + row * s.cRow + firstVector(panel) * kernels.lanes * s.cCol;
        if (source == Source::Packed) {
          sweep.b = packedPanel(panel, p);
          sweep.bRow = packedRow;
        } else if (source == Source::Shared) {
          sweep.b = sharedPanel(panel, p);
          sweep.bRow = packedRow;
        } else if (sweep.columns < packedRow ||
                   (source == Source::Private && s.bCol != 1)) {
          // In place, the last vector would be read past its end.
          packPanel(panel, p, sweep.k, buffer);
          sweep.b = buffer;
          sweep.bRow = packedRow;
        } else {
          sweep.b = unpacked(panel, p);
          sweep.bRow = s.bRow;
          sweep.panel = source == Source::Private ? buffer : nullptr;
        }
        kernels.sweep[width(panel) - 1](sweep);
        // The panel's block is in a cache now.
        if (s.sums && row == 0)
          kernels.addRows(sweep.k, sweep.columns, sweep.b, sweep.bRow,
                          s.sums + firstVector(panel) * kernels.lanes);
      }
    }
  }

  /// Rows of a matrix that lie one after another, `row` elements each.
  static Ahead rowsAhead(const T *matrix, int64_t row, int64_t first,
                         int64_t last, const Ahead *then) {
    int64_t bytes = (last - first) * row * int64_t(sizeof(T));
    return {reinterpret_cast<const char *>(matrix + first * row), bytes, then};
  }

  /// What this thread reads and writes after the tile, of matrices that have it
  /// in one piece: the rows of k of the next stage, or the next rows. Left to
  /// the processor it would come too late from beyond the second-level cache,
  /// since panels are read in short rows.
  Ahead lookAhead(int64_t row, int64_t group, Ahead &aheadA,
                  Ahead &aheadB) const {
    int64_t nextRow = row + tileRows;
    if (source == Source::Private && stageEnd < s.k) {
      int64_t end = std::min(stageEnd + stage, s.k), rows = end - stageEnd;
      if (s.bRow == s.n)
        aheadB = rowsAhead(s.b, s.bRow, stageEnd + rows * group / panelTiles,
                           stageEnd + rows * (group + 1) / panelTiles, nullptr);
      if (s.aCol == s.m)
        aheadA = rowsAhead(s.a, s.aCol, stageEnd, end, &aheadB);
    } else if (!pool && stageEnd == s.k && nextRow < s.m) {
      int64_t end = std::min(nextRow + tileRows, s.m);
      if (s.cRow == s.n && s.m * s.n >= LargeElements)
        aheadB = rowsAhead(s.c, s.cRow, nextRow, end, nullptr);
      if (s.aRow == s.k && s.m * s.k >= LargeElements)
        aheadA = rowsAhead(s.a, s.aRow, nextRow, end, &aheadB);
    }
    return aheadA.bytes > 0 ? aheadA : aheadB;
  }

  /// The rows from `row` on and the block from `p` on. An A by columns is
  /// copied to rows where enough panels read it: the kernels read a few rows at
  /// a time, which would be a small part of each cache line.
  void setA(Sweep<T> &sweep, int64_t row, int64_t p, int64_t readers) const {
    sweep.a = s.a + row * s.aRow + p * s.aCol;
    sweep.aRow = s.aRow;
    sweep.aCol = s.aCol;
    if (s.aRow != 1 || s.aCol == 1 || readers < PackAPanels)
      return;
    int64_t width = ceilDiv(sweep.k, kernels.lanes);
    int64_t toRow = width * kernels.lanes;
    T *to =
        static_cast<T *>(scratchA.get(size_t(sweep.rows * toRow) * sizeof(T)));
    if (!to)
      return;
    kernels.pack(sweep.rows, sweep.k, width, sweep.a, 1, s.aCol, to);
    sweep.a = to;
    sweep.aRow = toRow;
    sweep.aCol = 1;
  }

  Product<T> s;
  const Kernels<T> &kernels;
  ParallelFor *pool;
  Source source;
  int64_t vectors, panels, narrow, wide;
  int64_t block, stage; // rows of B
  int64_t stageStart = 0, stageEnd = 0;
  int64_t wantedTiles, tileRows, rowTiles, panelTiles;
  Ahead *wanted = nullptr; ///< what the caller is going to touch
  T *packed; ///< the caller's or, where it is shared, in this thread's scratch
};

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
  std::fill_n(s.sums, s.sums ? std::max<int64_t>(s.n, 0) : 0, T(0));
  // What follows adds the sums by the way, if it takes B as it is.
  if (s.sums && s.k > 0 && s.n > 0 &&
      (s.m <= 0 || prefersTranspose(s, kernels.lanes))) {
    addRows(kernels, s);
    s.sums = nullptr;
  }
  if (s.m <= 0 || s.n <= 0)
    return;
  if (s.k <= 0) {
    if (!s.accumulate)
      for (int64_t i = 0; i < s.m; ++i)
        std::fill_n(s.c + i * s.cRow, s.n, T(0));
    return;
  }
  if (prefersTranspose(s, kernels.lanes))
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
