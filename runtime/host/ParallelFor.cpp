//===- ParallelFor.cpp - a pool of threads for grids of tiles -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job is published by a new generation in the upper half of `ticket`; its
// lower half is the next tile. A thread takes a tile by a compare-exchange, so
// one that woke up late and holds fields of an older or newer job fails to take
// anything: the generation is part of what is compared. Threads without work
// spin for a while, since the next job of a training step usually follows
// within microseconds, and then sleep.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/ParallelFor.h"
#include "runtime/host/FloatingPointMode.h"
#include "runtime/host/Spin.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

using namespace belfry::rt;

namespace {

constexpr uint64_t TileMask = 0xffffffffu;
constexpr int64_t MaxTilesOfAJob = int64_t(1) << 31;

// The pool whose tile this thread is running.
thread_local const void *runningIn = nullptr;

} // namespace

// Padded on purpose: see `ticket`.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct ParallelFor::State {
  std::atomic<bool> busy{false};
  std::atomic<bool> callerSleeps{false};
  std::atomic<bool> stop{false};
  std::atomic<int> sleepers{0};
  std::atomic<int> guests{0};
  std::atomic<uint64_t> closed{0}; ///< sessions of guests that are over
  std::atomic<TileFn> fn{nullptr};
  std::atomic<void *> arg{nullptr};
  std::atomic<int64_t> tiles{0};
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wakeWorkers, wakeCaller;
  // What all threads write stands on lines of its own.
  alignas(64) std::atomic<uint64_t> ticket{0};
  int spins = 0;
  alignas(64) std::atomic<int64_t> finished{0};

  /// Runs tiles of the current job until none is left; returns its generation.
  uint64_t work() {
    for (;;) {
      uint64_t current = ticket.load(std::memory_order_acquire);
      TileFn jobFn = fn.load(std::memory_order_acquire);
      void *jobArg = arg.load(std::memory_order_acquire);
      int64_t jobTiles = tiles.load(std::memory_order_acquire);
      int64_t tile = int64_t(current & TileMask);
      if (tile >= jobTiles)
        return current & ~TileMask;
      if (!ticket.compare_exchange_weak(current, current + 1,
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
        continue;
      jobFn(jobArg, tile);
      if (finished.fetch_add(1, std::memory_order_seq_cst) + 1 == jobTiles &&
          callerSleeps.load(std::memory_order_seq_cst)) {
        std::lock_guard<std::mutex> lock(mutex);
        wakeCaller.notify_one();
      }
    }
  }

  /// Works on jobs until `over()`, which is looked at between jobs.
  template <typename Over> void serve(Over over) {
    FloatingPointScope mode;
    const void *outer = runningIn;
    runningIn = this;
    // A job may be on already.
    uint64_t seen = work();
    while (!over()) {
      for (int i = 0; i < spins && generation() == seen && !over(); ++i)
        pauseThread();
      if (generation() == seen) {
        std::unique_lock<std::mutex> lock(mutex);
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        wakeWorkers.wait(lock, [&] { return generation() != seen || over(); });
        sleepers.fetch_sub(1, std::memory_order_relaxed);
      }
      seen = work();
    }
    runningIn = outer;
  }

  void wakeSleepers() {
    if (sleepers.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard<std::mutex> lock(mutex);
      wakeWorkers.notify_all();
    }
  }

  uint64_t generation() const {
    return ticket.load(std::memory_order_seq_cst) & ~TileMask;
  }

  void runJob(int64_t count, TileFn jobFn, void *jobArg) {
    // While the fields change the tile half of the ticket is past any `tiles`,
    // so that nothing is taken; the generation rises last. Releasing stores
    // keep a thread from seeing a new field together with the old ticket.
    uint64_t next = generation() + (TileMask + 1);
    finished.store(0, std::memory_order_relaxed);
    ticket.store(next | TileMask, std::memory_order_seq_cst);
    fn.store(jobFn, std::memory_order_release);
    arg.store(jobArg, std::memory_order_release);
    tiles.store(count, std::memory_order_release);
    ticket.store(next + (TileMask + 1), std::memory_order_seq_cst);
    wakeSleepers();
    const void *outer = runningIn;
    runningIn = this;
    work();
    runningIn = outer;
    for (int i = 0; i < spins; ++i) {
      if (finished.load(std::memory_order_acquire) == count)
        return;
      pauseThread();
    }
    std::unique_lock<std::mutex> lock(mutex);
    callerSleeps.store(true, std::memory_order_seq_cst);
    wakeCaller.wait(lock, [&] {
      return finished.load(std::memory_order_seq_cst) == count;
    });
    callerSleeps.store(false, std::memory_order_relaxed);
  }
};

ParallelFor::ParallelFor(int threads, bool crowded)
    : state(std::make_unique<State>()) {
  state->spins = spinPauses(crowded);
  for (int i = 1; i < threads; ++i) {
    try {
      state->workers.emplace_back(
          [s = state.get()] { s->serve([s] { return s->stop.load(); }); });
    } catch (const std::system_error &) {
      break;
    }
  }
}

ParallelFor::~ParallelFor() {
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->stop = true;
  }
  state->wakeWorkers.notify_all();
  for (std::thread &worker : state->workers)
    worker.join();
}

int ParallelFor::threads() const {
  return int(state->workers.size()) + 1 +
         state->guests.load(std::memory_order_relaxed);
}

bool ParallelFor::crowded() const { return state->spins == 0; }

void ParallelFor::open(int guests) {
  state->guests.store(guests, std::memory_order_relaxed);
}

void ParallelFor::close() {
  state->guests.store(0, std::memory_order_relaxed);
  state->closed.fetch_add(1, std::memory_order_seq_cst);
  state->wakeSleepers();
}

void ParallelFor::assist(uint64_t session) {
  state->serve([s = state.get(), session] {
    return s->closed.load(std::memory_order_seq_cst) >= session;
  });
}

void ParallelFor::run(int64_t tiles, TileFn fn, void *arg) {
  FloatingPointScope mode;
  State &s = *state;
  bool alone = tiles <= 1 || threads() == 1 || runningIn == &s ||
               s.busy.exchange(true, std::memory_order_acquire);
  if (alone) {
    for (int64_t t = 0; t < tiles; ++t)
      fn(arg, t);
    return;
  }
  // A grid beyond the ticket's range goes in pieces.
  struct Piece {
    TileFn fn;
    void *arg;
    int64_t first;
  } piece{fn, arg, 0};
  if (tiles <= MaxTilesOfAJob) {
    s.runJob(tiles, fn, arg);
  } else {
    for (; piece.first < tiles; piece.first += MaxTilesOfAJob)
      s.runJob(
          std::min(tiles - piece.first, MaxTilesOfAJob),
          [](void *p, int64_t tile) {
            auto *q = static_cast<Piece *>(p);
            q->fn(q->arg, q->first + tile);
          },
          &piece);
  }
  s.busy.store(false, std::memory_order_release);
}
