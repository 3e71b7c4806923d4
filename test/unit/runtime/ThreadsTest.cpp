//===- ThreadsTest.cpp - threads of devices and what they share -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Context.h"
#include "runtime/host/Devices.h"
#include "runtime/training/Placement.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace belfry::rt;

namespace {

using Runs = std::vector<int>;

void countRuns(const void *arg, int64_t begin, int64_t end) {
  Runs &runs = *static_cast<Runs *>(const_cast<void *>(arg));
  for (int64_t i = begin; i < end; ++i)
    ++runs[size_t(i)];
}

constexpr int64_t Costly = 100 * BELFRY_LOOP_COST_OF_MICROSECOND;

TEST(ParallelLoops, EveryIterationOnceAndVisible) {
  for (int threads : {1, 2, 3, 8}) {
    belfry_context context(threads);
    for (int64_t cost : {int64_t(0), int64_t(1), int64_t(1000), Costly})
      for (const std::vector<int64_t> &counts : {std::vector<int64_t>{1},
                                                 {0},
                                                 {7},
                                                 {1000000},
                                                 {3, 0, 5000, 1, 77},
                                                 {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                 {400, 1},
                                                 {2049, 2047}}) {
        std::vector<Runs> runs;
        for (int64_t count : counts)
          runs.emplace_back(size_t(count));
        std::vector<belfry_loop> loops;
        for (const Runs &one : runs)
          loops.push_back({countRuns, &one, int64_t(one.size()),
                           loops.size() % 3 == 1 ? cost / 2 : cost,
                           loops.size() % 2 ? 64 : 1});
        belfry_parallel_for(&context, int64_t(loops.size()), loops.data());
        for (const Runs &one : runs)
          ASSERT_EQ(one, Runs(one.size(), 1));
      }
  }
}

TEST(ParallelLoops, NoContextIsOneThread) {
  Runs runs(100);
  belfry_loop loop = {countRuns, &runs, 100, Costly, 1};
  belfry_parallel_for(nullptr, 1, &loop);
  EXPECT_EQ(runs, Runs(100, 1));
}

TEST(ParallelLoops, LittleWorkStaysWithTheCaller) {
  belfry_context context(4);
  struct Arg {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> calls{0}, strangers{0};
  } arg;
  belfry_loop loop = {[](const void *p, int64_t, int64_t) {
                        auto *arg = static_cast<Arg *>(const_cast<void *>(p));
                        ++arg->calls;
                        if (std::this_thread::get_id() != arg->caller)
                          ++arg->strangers;
                      },
                      &arg, 1000, 1, 1};
  for (int repeat = 0; repeat < 100; ++repeat)
    belfry_parallel_for(&context, 1, &loop);
  EXPECT_EQ(arg.calls, 100);
  EXPECT_EQ(arg.strangers, 0);
}

TEST(ParallelRows, EveryRowOnceInPartsThatBeginAtMultiplesOfEight) {
  for (int threads : {1, 2, 3, 8}) {
    belfry_context context(threads);
    for (int64_t cost : {int64_t(0), int64_t(1), int64_t(1000), Costly})
      for (int64_t rows :
           {0, 1, 7, 8, 9, 15, 16, 17, 23, 64, 100, 127, 128, 129, 513, 1024}) {
        struct Arg {
          Runs runs;
          int64_t rows;
          std::atomic<int> calls{0}, wrong{0};
        } arg{Runs(size_t(rows)), rows};
        belfry_parallel_rows(
            &context,
            [](const void *p, int64_t begin, int64_t end) {
              auto *arg = static_cast<Arg *>(const_cast<void *>(p));
              ++arg->calls;
              arg->wrong += begin % 8 != 0;
              arg->wrong += end - begin < std::min<int64_t>(arg->rows, 8);
              for (int64_t row = begin; row < end; ++row)
                ++arg->runs[size_t(row)];
            },
            &arg, rows, cost);
        ASSERT_EQ(arg.runs, Runs(size_t(rows), 1));
        EXPECT_EQ(arg.wrong, 0) << rows << " rows, " << threads << " threads";
        if (threads == 1)
          EXPECT_EQ(arg.calls, rows > 0);
        if (cost == Costly)
          EXPECT_GE(arg.calls, std::min<int64_t>(threads, rows / 8));
      }
  }
}

TEST(ParallelRows, NoContextIsOneThread) {
  Runs runs(100);
  belfry_parallel_rows(nullptr, countRuns, &runs, 100, Costly);
  EXPECT_EQ(runs, Runs(100, 1));
}

// What a step hands to the next is read by the thread that wrote it; loops and
// rows within a part run on its thread.
TEST(ParallelRows, StepsOfRowsAreTheSameBitsOnAnyThreads) {
  struct Arg {
    belfry_context *context;
    std::vector<float> state;
    std::atomic<int> strangers{0};
  };
  auto run = [](int threads) {
    belfry_context context(threads);
    Arg arg{&context, std::vector<float>(203, 0.3f)};
    auto part = [](const void *p, int64_t begin, int64_t end) {
      auto *arg = static_cast<Arg *>(const_cast<void *>(p));
      struct Step {
        Arg *arg;
        int64_t first;
        std::thread::id thread;
      } step{arg, begin, std::this_thread::get_id()};
      bool whole = end - begin == int64_t(arg->state.size());
      auto body = [](const void *q, int64_t from, int64_t to) {
        auto *step = static_cast<const Step *>(q);
        if (std::this_thread::get_id() != step->thread)
          ++step->arg->strangers;
        for (int64_t i = from; i < to; ++i) {
          float &x = step->arg->state[size_t(step->first + i)];
          x = 3.7f * x * (1.0f - x) + float(step->first + i) * 1e-7f;
        }
      };
      for (int t = 0; t < 50 && !whole; ++t) {
        belfry_loop loop = {body, &step, end - begin, Costly, 1};
        if (t % 2)
          belfry_parallel_for(arg->context, 1, &loop);
        else
          belfry_parallel_rows(arg->context, body, &step, end - begin, Costly);
      }
      for (int t = 0; t < 50 && whole; ++t)
        body(&step, 0, end - begin);
    };
    belfry_parallel_rows(&context, part, &arg, 203, Costly);
    EXPECT_EQ(arg.strangers, 0);
    return arg.state;
  };
  std::vector<float> alone = run(1);
  for (int threads : {2, 3, 5})
    EXPECT_EQ(run(threads), alone) << threads << " threads";
}

/// Whether `tiles` tiles of `pool` run at the same time, each on a thread of
/// its own.
bool runTogether(ParallelFor &pool, int tiles) {
  struct Arg {
    int tiles;
    std::atomic<int> started{0};
    std::atomic<bool> late{false};
  } arg{tiles};
  pool.run(
      tiles,
      [](void *p, int64_t) {
        auto *arg = static_cast<Arg *>(p);
        ++arg->started;
        auto limit =
            std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (arg->started < arg->tiles && !arg->late) {
          if (std::chrono::steady_clock::now() > limit)
            arg->late = true;
          std::this_thread::yield();
        }
      },
      &arg);
  return !arg.late;
}

TEST(DeviceGroup, TogetherTheThreadsOfAllDevicesServeTheFirst) {
  for (int devices : {1, 2, 3})
    for (int threads : {1, 2, 3}) {
      DeviceGroup group(devices, threads);
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::atomic<int> wrong{0};
        group.run([&](int device) {
          group.together(device, [&] {
            ParallelFor &pool = *group.context(0)->pool();
            wrong += pool.threads() != devices * threads;
            wrong += !runTogether(pool, devices * threads);
          });
          // Afterwards each has its own again.
          ParallelFor &pool = *group.context(device)->pool();
          wrong += pool.threads() != threads;
          wrong += !runTogether(pool, threads);
        });
        EXPECT_EQ(wrong, 0);
      }
    }
}

// What happens in a training step, many times and with nothing in between:
// phases of each device, one of all, sums that they share.
TEST(DeviceGroup, PhasesOfAllAndOfEachFollowOneAnother) {
  for (int devices : {1, 2, 3, 5})
    for (int threads : {1, 2}) {
      DeviceGroup group(devices, threads);
      constexpr int64_t Count = 3000;
      std::vector<int> total(Count);
      std::vector<std::vector<int>> own;
      for (int device = 0; device < devices; ++device)
        own.emplace_back(size_t(Count));
      std::atomic<int> wrong{0};
      const int steps = 50;
      group.run([&](int device) {
        for (int step = 0; step < steps; ++step) {
          std::vector<int> &mine = own[size_t(device)];
          belfry_loop loop = {countRuns, &mine, Count, Costly, 1};
          belfry_parallel_for(group.context(device), 1, &loop);
          group.barrier();
          group.together(device, [&] {
            struct Arg {
              const std::vector<std::vector<int>> &own;
              std::vector<int> &total;
            } arg{own, total};
            belfry_loop sum = {[](const void *p, int64_t begin, int64_t end) {
                                 const auto &arg = *static_cast<const Arg *>(p);
                                 for (int64_t i = begin; i < end; ++i)
                                   for (const std::vector<int> &one : arg.own)
                                     arg.total[size_t(i)] += one[size_t(i)];
                               },
                               &arg, Count, Costly, 1};
            belfry_parallel_for(group.context(0), 1, &sum);
          });
          // Seen by all, without another barrier; and the next session may
          // begin at once.
          int expected = devices * (step + 1) * (step + 2) / 2;
          wrong +=
              total[size_t(device)] != expected || total[Count - 1] != expected;
          group.barrier();
        }
      });
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(total,
                std::vector<int>(Count, devices * steps * (steps + 1) / 2));
    }
}

TEST(DeviceGroup, SessionsWithoutWork) {
  DeviceGroup group(3, 2);
  int calls = 0;
  group.run([&](int device) {
    for (int i = 0; i < 1000; ++i)
      group.together(device, [&] { ++calls; });
  });
  EXPECT_EQ(calls, 1000);
}

TEST(Placement, TowersSideBySideWhereThatComesOutEven) {
  auto lanes = [](int64_t towers, int devices, int threads) {
    Placement placement;
    placement.towers = towers;
    placement.devices = devices;
    placement.threadsPerDevice = threads;
    EXPECT_EQ(placement.contexts() * placement.threadsPerContext(),
              devices * threads);
    return placement.lanesPerDevice();
  };
  EXPECT_EQ(lanes(2, 1, 2), 2);
  EXPECT_EQ(lanes(8, 2, 4), 4);
  EXPECT_EQ(lanes(4, 1, 8), 4);
  EXPECT_EQ(lanes(2, 1, 8), 2);
  // One tower, an odd one out, threads that can't be dealt out, one thread.
  EXPECT_EQ(lanes(1, 1, 8), 1);
  EXPECT_EQ(lanes(3, 1, 2), 1);
  EXPECT_EQ(lanes(4, 3, 2), 1);
  EXPECT_EQ(lanes(2, 1, 3), 1);
  EXPECT_EQ(lanes(2, 2, 1), 1);
}

} // namespace
