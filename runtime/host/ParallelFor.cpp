//===- ParallelFor.cpp - a pool of threads for grids of tiles -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread that takes part has a range of the tiles for its own, the same
// part of every grid, so that what it wrote in one job is in its cache in the
// next. It takes from its range first, half of what is left at a time, and then
// from the others': a thread that was held up, or is still asleep, holds up
// nobody.
//
// A job is published by a new even generation; while its fields change the
// generation is odd. A range's word holds a generation and the next tile; that
// of an earlier job says that nothing has been taken yet. Tiles are taken by a
// compare-exchange on the word. A thread that woke up late and holds fields of
// an older job takes nothing: all ranges of a job that is over are exhausted or
// of a later generation.
//
// Threads without work spin for a while (Spin.h), and then sleep.
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

// A range's word: the next tile below, the job above.
constexpr int TileBits = 24;
constexpr uint64_t TileMask = (uint64_t(1) << TileBits) - 1;
constexpr int64_t MaxTilesOfAJob = int64_t(1) << (TileBits - 1);

// The pool whose tile this thread is running.
thread_local const void *runningIn = nullptr;

} // namespace

/// Tiles that belong to one thread first.
struct alignas(64) Range {
  std::atomic<uint64_t> next{0};
};

// Padded on purpose: what different threads write stands on different lines.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct ParallelFor::State {
  // What the owner writes to publish a job, and spinning threads read.
  alignas(64) std::atomic<uint64_t> generation{0};
  std::atomic<TileFn> fn{nullptr};
  std::atomic<void *> arg{nullptr};
  std::atomic<int64_t> tiles{0};
  std::atomic<int> sharers{1}; ///< threads that have a range
  // What all threads write.
  alignas(64) std::atomic<int64_t> finished{0};
  std::atomic<bool> callerSleeps{false};
  // What rarely changes.
  alignas(64) std::atomic<bool> stop{false};
  std::atomic<uint64_t> closed{0}; ///< sessions of guests that are over
  std::atomic<int> sleepers{0};
  int spins = 0;
  std::vector<Range> ranges;
  // The owner's.
  alignas(64) std::atomic<bool> busy{false};
  std::atomic<int> guests{0};
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wakeWorkers, wakeCaller;

  explicit State(size_t most) : ranges(most) {}

  /// Takes tiles of a range of the job; none where it is exhausted or the job
  /// is over.
  static bool take(Range &range, uint64_t job, int64_t begin, int64_t end,
                   int64_t &first, int64_t &last) {
    uint64_t word = range.next.load(std::memory_order_acquire);
    for (;;) {
      uint64_t owner = word >> TileBits;
      // The distance of two jobs, whose numbers wrap.
      if (int64_t((owner - job) << TileBits) > 0)
        return false;
      int64_t next = owner == job ? int64_t(word & TileMask) : begin;
      if (next >= end)
        return false;
      int64_t count = std::max<int64_t>((end - next) / 2, 1);
      if (range.next.compare_exchange_weak(
              word, job << TileBits | uint64_t(next + count),
              std::memory_order_acq_rel, std::memory_order_acquire)) {
        first = next;
        last = next + count;
        return true;
      }
    }
  }

  /// Runs tiles of the current job until none is left; returns its generation.
  uint64_t work(int id) {
    for (;;) {
      uint64_t current = generation.load(std::memory_order_acquire);
      if (current & 1)
        return current;
      TileFn jobFn = fn.load(std::memory_order_acquire);
      void *jobArg = arg.load(std::memory_order_acquire);
      int64_t count = tiles.load(std::memory_order_acquire);
      int sharing = sharers.load(std::memory_order_acquire);
      if (generation.load(std::memory_order_acquire) != current)
        continue;
      constexpr uint64_t JobMask = ~uint64_t(0) >> TileBits;
      uint64_t job = (current >> 1) & JobMask;
      for (int i = 0; i < sharing; ++i) {
        int owner = (id + i) % sharing;
        int64_t begin = count * owner / sharing;
        int64_t end = count * (owner + 1) / sharing;
        int64_t first = 0, last = 0;
        while (take(ranges[size_t(owner)], job, begin, end, first, last)) {
          for (int64_t tile = first; tile < last; ++tile)
            jobFn(jobArg, tile);
          int64_t done = last - first;
          if (finished.fetch_add(done, std::memory_order_seq_cst) + done ==
                  count &&
              callerSleeps.load(std::memory_order_seq_cst)) {
            std::lock_guard<std::mutex> lock(mutex);
            wakeCaller.notify_one();
          }
        }
      }
      return current;
    }
  }

  /// Works on jobs until `over()`, which is looked at between jobs.
  template <typename Over> void serve(int id, Over over) {
    FloatingPointScope mode;
    const void *outer = runningIn;
    runningIn = this;
    // A job may be on already.
    uint64_t seen = work(id);
    while (!over()) {
      for (int i = 0;
           i < spins && generation.load(std::memory_order_seq_cst) == seen &&
           !over();
           ++i)
        pauseThread();
      if (generation.load(std::memory_order_seq_cst) == seen) {
        std::unique_lock<std::mutex> lock(mutex);
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        wakeWorkers.wait(lock, [&] {
          return generation.load(std::memory_order_seq_cst) != seen || over();
        });
        sleepers.fetch_sub(1, std::memory_order_relaxed);
      }
      seen = work(id);
    }
    runningIn = outer;
  }

  void wakeSleepers() {
    if (sleepers.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard<std::mutex> lock(mutex);
      wakeWorkers.notify_all();
    }
  }

  void runJob(int64_t count, int sharing, TileFn jobFn, void *jobArg) {
    // Releasing stores keep a thread from seeing a new field together with the
    // old generation.
    uint64_t now = generation.load(std::memory_order_relaxed);
    finished.store(0, std::memory_order_relaxed);
    generation.store(now + 1, std::memory_order_relaxed);
    fn.store(jobFn, std::memory_order_release);
    arg.store(jobArg, std::memory_order_release);
    tiles.store(count, std::memory_order_release);
    sharers.store(sharing, std::memory_order_release);
    generation.store(now + 2, std::memory_order_seq_cst);
    wakeSleepers();
    const void *outer = runningIn;
    runningIn = this;
    work(0);
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

ParallelFor::ParallelFor(int threads, bool crowded, int mostGuests)
    : state(std::make_unique<State>(
          size_t(std::max(threads, 1) + std::max(mostGuests, 0)))) {
  state->spins = spinPauses(crowded);
  for (int i = 1; i < threads; ++i) {
    try {
      state->workers.emplace_back([s = state.get(), i] {
        s->serve(i, [s] { return s->stop.load(); });
      });
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
  return int(state->workers.size()) + 1 + guests();
}

int ParallelFor::guests() const {
  return state->guests.load(std::memory_order_relaxed);
}

bool ParallelFor::isInside() const { return runningIn == state.get(); }

int ParallelFor::sharing() const {
  return int(std::min<int64_t>(state->sharers.load(std::memory_order_relaxed),
                               state->tiles.load(std::memory_order_relaxed)));
}

bool ParallelFor::crowded() const { return state->spins == 0; }

void ParallelFor::open(int guests) {
  int most = int(state->ranges.size() - state->workers.size()) - 1;
  state->guests.store(std::min(guests, most), std::memory_order_relaxed);
}

void ParallelFor::close() {
  state->guests.store(0, std::memory_order_relaxed);
  state->closed.fetch_add(1, std::memory_order_seq_cst);
  state->wakeSleepers();
}

void ParallelFor::assist(uint64_t session, int id) {
  state->serve(id, [s = state.get(), session] {
    return s->closed.load(std::memory_order_seq_cst) >= session;
  });
}

void ParallelFor::run(int64_t tiles, TileFn fn, void *arg) {
  FloatingPointScope mode;
  State &s = *state;
  int sharing = threads();
  bool alone = tiles <= 1 || sharing == 1 || runningIn == &s ||
               s.busy.exchange(true, std::memory_order_acquire);
  if (alone) {
    for (int64_t t = 0; t < tiles; ++t)
      fn(arg, t);
    return;
  }
  // A grid beyond a word's tiles goes in pieces.
  struct Piece {
    TileFn fn;
    void *arg;
    int64_t first;
  } piece{fn, arg, 0};
  if (tiles <= MaxTilesOfAJob) {
    s.runJob(tiles, sharing, fn, arg);
  } else {
    for (; piece.first < tiles; piece.first += MaxTilesOfAJob)
      s.runJob(
          std::min(tiles - piece.first, MaxTilesOfAJob), sharing,
          [](void *p, int64_t tile) {
            auto *q = static_cast<Piece *>(p);
            q->fn(q->arg, q->first + tile);
          },
          &piece);
  }
  s.busy.store(false, std::memory_order_release);
}
