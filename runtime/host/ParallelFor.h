//===- ParallelFor.h - a pool of threads for grids of tiles -----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of one device context. A library routine cuts its work into a
// grid of tiles by the shapes alone and hands the grid over; which thread runs
// which tile is left open, so tiles must not depend on each other and no sum
// may run across tiles. That is what makes results independent of the number
// of threads.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_PARALLELFOR_H
#define BELFRY_RUNTIME_HOST_PARALLELFOR_H

#include <cstdint>
#include <memory>

namespace belfry::rt {

class ParallelFor {
public:
  /// A tile must not throw.
  using TileFn = void (*)(void *arg, int64_t tile);

  /// A pool in which `threads` threads work: the caller of `run` and
  /// `threads` - 1 of its own. Where the system refuses to create one, the pool
  /// has fewer; `threads()` says how many. In a `crowded` process, with more
  /// threads than cores, threads without work sleep at once. `mostGuests` is
  /// the most that `open` is called with.
  explicit ParallelFor(int threads, bool crowded = false, int mostGuests = 0);
  ~ParallelFor();
  ParallelFor(const ParallelFor &) = delete;
  ParallelFor &operator=(const ParallelFor &) = delete;

  /// The threads that take part in a run, lent ones included.
  int threads() const;
  /// How many of them are lent.
  int guests() const;
  bool crowded() const;
  /// Whether the calling thread is running a tile of this pool.
  bool isInside() const;
  /// Inside of a tile: how many threads the tiles of its grid are for.
  int sharing() const;

  /// Calls fn(arg, t) once for each t in [0, tiles) and returns when all calls
  /// have returned; what they wrote is then visible to the caller. Runs inline
  /// in a pool of one, for a single tile, from within a tile, and where another
  /// thread is using the pool. Tiles run in the default floating-point mode,
  /// whatever the caller's.
  void run(int64_t tiles, TileFn fn, void *arg);

  /// Lending threads of other pools. The pool's owner calls `open`, runs what
  /// it has to run, and calls `close`. Meanwhile the `guests` threads are in
  /// `assist`, where they run tiles like the pool's own; the k-th session's
  /// guests call it with k, counted from 1, at any time after the end of
  /// session k - 1, and it returns when `close` has been called k times. What
  /// the owner wrote before `close` is visible to them then. `id` says which
  /// tiles a guest prefers: the pool's own threads are 0 to T - 1, guests go on
  /// from T.
  void open(int guests);
  void close();
  void assist(uint64_t session, int id);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_PARALLELFOR_H
