//===- GemmLoops.h - the loops of a matrix product --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by Gemm.cpp alone, whose steps these go on from.
//
// 3. The columns are cut into vectors and these into panels of one to four; k
//    is cut into blocks that keep a panel's block in the first-level cache, and
//    blocks are gathered into stages that keep their part of B in the
//    second-level one.
// 4. Many rows: a stage begins by packing its part of B, a grid of chunks of
//    rows. With fewer the first tile that reads a panel's block packs it on the
//    way; with very few it is read in place.
// 5. The stage then computes: a grid of row ranges by groups of panels. The sum
//    over k goes on from stage to stage and from block to block through C, in
//    rising order. Threads that share a weight's gradient take rows of C and go
//    from stage to stage by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_GEMMLOOPS_H
#define BELFRY_RUNTIME_HOST_GEMMLOOPS_H

#include "runtime/host/GemmKernels.h"
#include "runtime/host/ParallelFor.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace {

using belfry::rt::ParallelFor;
using belfry::rt::gemm::Ahead;
using belfry::rt::gemm::Kernels;
using belfry::rt::gemm::MaxPanelVectors;
using belfry::rt::gemm::Sweep;

constexpr int64_t BlockBytes = 40 << 10;         // a panel's block of B
constexpr int64_t StageBytes = 1 << 20;          // packed B of a stage
constexpr int64_t PrivateStageBytes = 256 << 10; // B of a stage of tiles
constexpr int64_t TileProducts = 256 << 10;      // multiply-adds worth a tile
constexpr int64_t ThreadProducts = 128 << 10;    // and worth a thread
constexpr int64_t LeastRows = 4; // fewer take as long: reading B is the work
constexpr int64_t MaxTiles = 64;
constexpr int64_t FewTiles = 6; // enough for the usual threads of a device
constexpr int64_t MinTileRows = 48;
constexpr int64_t MinApartRows = 32;
constexpr int64_t MinApartDepth = 4; // rows of k for one of C
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
    // Handing a tile to a thread that is awake takes 0.2 µs, or 0.9 between
    // cores that have no cache in common; such a tile takes 2.
    if (pool && !pool->crowded())
      wantedTiles = std::max(
          wantedTiles, std::min<int64_t>(int64_t(products / ThreadProducts),
                                         pool->threads()));
    source = packedB ? Source::Packed : chooseSource();
    if (!pool && soon.count > 0)
      wanted = soon.ranges;
    apart = wantsApart();
    planStages();
    planTiles();
    if (source == Source::Shared)
      packed = static_cast<T *>(
          scratch.get(size_t(stageRows * vectors * vectorBytes())));
  }

  /// Packs all of B for `packedB` of later products, which differ in m only.
  void packWhole() {
    for (int64_t panel = 0; panel < panels; ++panel)
      packPanel(panel, 0, s.k,
                packed + firstVector(panel) * s.k * kernels.lanes);
  }

  bool outOfMemory() const { return source == Source::Shared && !packed; }

  void run() {
    if (apart)
      return forEach(rowTiles, [](void *self, int64_t tile) {
        auto *loops = static_cast<Loops *>(self);
        for (int64_t p = 0; p < loops->s.k; p += loops->stageRows)
          loops->computeTile(loops->stageFrom(p), tile);
      });
    for (int64_t p = 0; p < s.k; p += stageRows) {
      current = stageFrom(p);
      if (source == Source::Shared)
        forEach(ceilDiv(current.rows(), PackChunk),
                [](void *self, int64_t tile) {
                  auto *loops = static_cast<Loops *>(self);
                  loops->packTile(loops->current, tile);
                });
      forEach(rowTiles * panelTiles, [](void *self, int64_t tile) {
        auto *loops = static_cast<Loops *>(self);
        loops->computeTile(loops->current, tile);
      });
    }
  }

private:
  /// Rows of B that are worked on together.
  struct Stage {
    int64_t start, end;
    int64_t rows() const { return end - start; }
  };

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

  /// Whether threads share the rows of C and go through all stages without
  /// waiting for one another: with few rows of A, by columns, and many of k (a
  /// weight's gradient). Cut by columns, each thread would ask for rows of B of
  /// which the other one needs the half.
  bool wantsApart() const {
    return pool && source == Source::Private && s.aRow == 1 && s.aCol != 1 &&
           s.m >= MinApartRows * pool->threads() && s.k >= MinApartDepth * s.m;
  }

  // Blocks of nearly one size, and stages of whole blocks.
  void planStages() {
    int64_t widest = (narrow + (wide ? 1 : 0)) * vectorBytes();
    int64_t most = std::max<int64_t>(BlockBytes / widest, 1);
    block = ceilDiv(s.k, ceilDiv(s.k, most));
    stageRows = s.k;
    int64_t bytes = 0;
    if (source == Source::Shared)
      bytes = StageBytes;
    else if (source == Source::Private && s.bCol == 1)
      bytes = PrivateStageBytes * (pool && !apart ? pool->threads() : 1);
    if (bytes > 0) {
      int64_t rows = bytes / (vectors * vectorBytes());
      stageRows =
          std::min(stageRows, std::max<int64_t>(rows / block, 1) * block);
    }
  }

  Stage stageFrom(int64_t p) const { return {p, std::min(p + stageRows, s.k)}; }

  void planTiles() {
    if (apart) {
      tileRows = ceilDiv(s.m, pool->threads());
      rowTiles = ceilDiv(s.m, tileRows);
      panelTiles = 1;
      return;
    }
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
  /// The stage's shared packed B from row `p` on, of one panel.
  T *sharedPanel(const Stage &stage, int64_t panel, int64_t p) const {
    return packed + (firstVector(panel) * stage.rows() +
                     (p - stage.start) * width(panel)) *
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
  void packTile(const Stage &stage, int64_t tile) {
    int64_t p = stage.start + tile * PackChunk;
    for (int64_t panel = 0; panel < panels; ++panel)
      packPanel(panel, p, std::min(PackChunk, stage.end - p),
                sharedPanel(stage, panel, p));
  }

  void computeTile(const Stage &stage, int64_t tile) {
    alignas(64) T buffer[BlockBytes / sizeof(T)];
    int64_t rowTile = tile / panelTiles, group = tile % panelTiles;
    int64_t row = rowTile * tileRows;
    int64_t first = panels * group / panelTiles;
    int64_t last = panels * (group + 1) / panelTiles;
    Ahead aheadA, aheadB;
    Ahead own;
    if (!wanted)
      own = lookAhead(stage, row, group, aheadA, aheadB);
    Sweep<T> sweep;
    sweep.ahead = wanted ? wanted : &own;
    sweep.rows = std::min(tileRows, s.m - row);
    sweep.cRow = s.cRow;
    sweep.cCol = s.cCol;
    for (int64_t p = stage.start; p < stage.end; p += block) {
      sweep.k = std::min(block, stage.end - p);
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
          sweep.b = sharedPanel(stage, panel, p);
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
  Ahead lookAhead(const Stage &stage, int64_t row, int64_t group, Ahead &aheadA,
                  Ahead &aheadB) const {
    int64_t nextRow = row + tileRows;
    if (source == Source::Private && stage.end < s.k) {
      Stage next = stageFrom(stage.end);
      if (s.bRow == s.n)
        aheadB = rowsAhead(
            s.b, s.bRow, next.start + next.rows() * group / panelTiles,
            next.start + next.rows() * (group + 1) / panelTiles, nullptr);
      if (s.aCol == s.m)
        aheadA = rowsAhead(s.a, s.aCol, next.start, next.end, &aheadB);
    } else if (!pool && stage.end == s.k && nextRow < s.m) {
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
  int64_t block, stageRows; // rows of B
  Stage current = {0, 0};   ///< that all tiles are in, unless they are apart
  bool apart;
  int64_t wantedTiles, tileRows, rowTiles, panelTiles;
  Ahead *wanted = nullptr; ///< what the caller is going to touch
  T *packed; ///< the caller's or, where it is shared, in this thread's scratch
};

} // namespace

#endif // BELFRY_RUNTIME_HOST_GEMMLOOPS_H
