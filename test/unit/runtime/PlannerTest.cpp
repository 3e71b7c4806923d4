//===- PlannerTest.cpp - placing buffers in an arena ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Planner.h"
#include "runtime/core/MemoryPlan.h"
#include "runtime/core/Slicing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace belfry::rt;

namespace {

int64_t aligned(int64_t size) { return (size + 63) / 64 * 64; }

BufferInfo bufferOf(BufferKind kind, bool shared, AffineSize bytes,
                    int64_t first, int64_t last) {
  BufferInfo buffer;
  buffer.kind = kind;
  buffer.shared = shared;
  buffer.bytes = bytes;
  buffer.live = {first, last};
  return buffer;
}

ScheduleItem collective(ScheduleItem::Kind kind, int64_t from, int64_t to) {
  ScheduleItem item;
  item.kind = kind;
  item.from = from;
  item.to = to;
  return item;
}

ScheduleItem phaseOf(ScheduleItem::Run run) {
  ScheduleItem item;
  item.run = run;
  return item;
}

/// No two buffers that are live together share a byte.
void expectDisjoint(const std::vector<PlanRequest> &requests,
                    const Plan &plan) {
  for (size_t a = 0; a < requests.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % kArenaAlignment, 0);
    EXPECT_LE(plan.offsets[a] + requests[a].size, plan.total);
    for (size_t b = 0; b < a; ++b) {
      bool together = requests[a].first <= requests[b].last &&
                      requests[b].first <= requests[a].last;
      if (!together || requests[a].size == 0 || requests[b].size == 0)
        continue;
      bool apart = plan.offsets[a] + requests[a].size <= plan.offsets[b] ||
                   plan.offsets[b] + requests[b].size <= plan.offsets[a];
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
}

TEST(Planner, SharesPlacesInTime) {
  std::vector<PlanRequest> requests = {{100, 0, 1}, {100, 2, 3}, {50, 1, 2}};
  Plan plan = planBuffers(requests);
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.total, 128 + 64);
  EXPECT_EQ(plan.liveBound, 128 + 64);
  expectDisjoint(requests, plan);
}

TEST(Planner, TakesTheSmallestGap) {
  // Live together: a large one, then two gaps of different size below.
  std::vector<PlanRequest> requests = {
      {640, 0, 9}, {512, 0, 4}, {448, 5, 9}, {64, 5, 9}};
  Plan plan = planBuffers(requests);
  expectDisjoint(requests, plan);
  EXPECT_EQ(plan.total, plan.liveBound);
}

TEST(Planner, TriesOtherOrdersThanBySize) {
  // By falling size alone, 768 bytes.
  std::vector<PlanRequest> requests = {
      {192, 2, 5}, {128, 4, 7}, {320, 1, 2}, {128, 4, 7}, {320, 7, 7}};
  Plan plan = planBuffers(requests);
  expectDisjoint(requests, plan);
  EXPECT_EQ(plan.total, plan.liveBound);
}

TEST(Planner, EmptyAndZero) {
  EXPECT_EQ(planBuffers({}).total, 0);
  Plan plan = planBuffers({{0, 0, 1}, {0, 0, 1}});
  EXPECT_EQ(plan.total, 0);
  EXPECT_EQ(plan.liveBound, 0);
}

TEST(Planner, RandomProgramsStayDisjointAndNearTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<PlanRequest> requests;
    for (int i = 0; i < 80; ++i) {
      auto first = int64_t(random() % 100);
      requests.push_back(
          {int64_t(random() % 5000), first, first + int64_t(random() % 20)});
    }
    Plan plan = planBuffers(requests);
    expectDisjoint(requests, plan);
    EXPECT_GE(plan.total, plan.liveBound);
    int64_t sum = 0;
    for (const PlanRequest &request : requests)
      sum += aligned(request.size);
    EXPECT_LE(plan.total, sum);
    EXPECT_LE(double(plan.total), double(plan.liveBound) * 1.1);
    // The same requests, the same offsets.
    EXPECT_EQ(planBuffers(requests).offsets, plan.offsets);
  }
}

TEST(Planner, PlanForMoreRowsServesFewer) {
  FunctionInfo function;
  for (int64_t i = 0; i < 12; ++i) {
    function.buffers.push_back(bufferOf(BufferKind::Scratch, false,
                                        {64 * (i % 5), 32 * (i % 3)}, i,
                                        i + i % 4));
  }
  MemoryPlan plan = planMemory(function, 17, 34);
  for (int64_t rows = 0; rows <= 17; ++rows) {
    std::vector<PlanRequest> requests;
    Plan placed;
    placed.total = plan.device.total;
    for (size_t i = 0; i < function.buffers.size(); ++i) {
      const BufferInfo &buffer = function.buffers[i];
      requests.push_back(
          {buffer.bytes.at(rows), int64_t(i), int64_t(i + i % 4)});
      placed.offsets.push_back(plan.slots[i].offset);
    }
    expectDisjoint(requests, placed);
  }
}

TEST(Barriers, CollectivesWaitOnlyForWhatTheyShare) {
  FunctionInfo function;
  auto cross = [&](bool shared, int64_t first, int64_t last) {
    function.buffers.push_back(
        bufferOf(BufferKind::Cross, shared, {0, 64}, first, last));
  };
  cross(false, 0, 2); // 0 and 1: partial sums
  cross(false, 0, 3);
  cross(true, 2, 9); // 2 and 3: their sums
  cross(true, 3, 9);
  cross(false, 4, 9); // 4: has the place of 0
  auto reduce = [](int64_t from, int64_t to) {
    return collective(ScheduleItem::AllReduce, from, to);
  };
  auto barriers = [&] {
    MemoryPlan plan = planMemory(function, 8, 16);
    return placeBarriers(function, plan, 8, 16);
  };
  ScheduleItem phase;
  function.schedule = {phase, reduce(0, 2), reduce(1, 3), phase};
  EXPECT_EQ(barriers(), (std::vector<bool>{true, false, true, false}));
  // A result that is summed again; one that is written over what is read.
  function.schedule = {phase, reduce(0, 2), reduce(2, 3), phase};
  EXPECT_EQ(barriers(), (std::vector<bool>{true, true, true, false}));
  function.schedule = {phase, reduce(0, 2), reduce(1, 4), phase};
  EXPECT_EQ(barriers(), (std::vector<bool>{true, true, true, false}));
  function.schedule = {phase};
  EXPECT_EQ(barriers(), (std::vector<bool>{false}));
  // A phase that runs once ends on all devices together.
  ScheduleItem once = phaseOf(ScheduleItem::Once);
  function.schedule = {phase, once, phase, reduce(0, 2), once, reduce(1, 3)};
  EXPECT_EQ(barriers(),
            (std::vector<bool>{true, false, true, true, false, false}));
}

TEST(Planner, SumsInPlaceHaveNoMemoryOfTheirOwn) {
  FunctionInfo function;
  auto add = [&](BufferKind kind, bool shared, int64_t first, int64_t last) {
    function.buffers.push_back(bufferOf(kind, shared, {0, 64}, first, last));
  };
  add(BufferKind::Cross, false, 0, 3);   // 0 and 1: partial sums
  add(BufferKind::Cross, false, 1, 4);   //
  add(BufferKind::Gradient, true, 3, 9); // 2 and 3: their sums
  add(BufferKind::Cross, true, 4, 9);    //
  add(BufferKind::Cross, false, 0, 1);   // 4: over before the sums
  add(BufferKind::Scratch, true, 5, 6);  // 5: of the last phase
  function.schedule = {phaseOf(ScheduleItem::PerTower),
                       collective(ScheduleItem::AllReduce, 0, 2),
                       collective(ScheduleItem::AllReduce, 1, 3),
                       phaseOf(ScheduleItem::Once)};
  function.schedule[1].inPlace = function.schedule[2].inPlace = true;
  MemoryPlan plan = planMemory(function, 8, 16);
  for (size_t i : {0, 1}) {
    EXPECT_EQ(plan.slots[i].place, MemoryPlan::Place::TowerArena);
    EXPECT_EQ(plan.slots[i + 2].place, MemoryPlan::Place::FirstTower);
    EXPECT_EQ(plan.slots[i + 2].offset, plan.slots[i].offset);
  }
  EXPECT_NE(plan.slots[0].offset, plan.slots[1].offset);
  EXPECT_EQ(plan.shared.total, 64);
  // Two sums share nothing; one that is read where it was just written does.
  EXPECT_EQ(placeBarriers(function, plan, 8, 16),
            (std::vector<bool>{true, false, true, false}));
  function.schedule[1].from = 1;
  EXPECT_EQ(placeBarriers(function, plan, 8, 16),
            (std::vector<bool>{true, true, true, false}));
}

TEST(Planner, ArraysOfABucketStandSideBySide) {
  FunctionInfo function;
  auto add = [&](BufferKind kind, bool shared, int64_t bytes, int64_t first,
                 int64_t last) {
    function.buffers.push_back(bufferOf(kind, shared, {0, bytes}, first, last));
  };
  add(BufferKind::Cross, false, 100, 0, 3); // 0 to 3: partial sums
  add(BufferKind::Cross, false, 4, 1, 4);
  add(BufferKind::Cross, false, 64, 2, 4);
  add(BufferKind::Cross, false, 8, 2, 5);
  for (int64_t i = 4; i < 8; ++i) // their sums
    add(BufferKind::Gradient, true, function.buffers[size_t(i - 4)].bytes.fixed,
        3, 9);
  for (int64_t i = 0; i < 4; ++i) {
    ScheduleItem &item = function.schedule.emplace_back(
        collective(ScheduleItem::AllReduce, i, i + 4));
    item.inPlace = true;
  }
  // Another type, and another kind.
  function.schedule[1].dtype = DType::F64;
  function.schedule[3].reduce = ReduceKind::Max;
  std::vector<Bucket> buckets = bucketsOf(function);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[0].items, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(buckets[1].items, (std::vector<size_t>{1}));
  EXPECT_EQ(buckets[2].items, (std::vector<size_t>{3}));
  MemoryPlan plan = planMemory(function, 8, 16, buckets);
  EXPECT_EQ(plan.buckets[0].first, plan.slots[0].offset);
  EXPECT_EQ(plan.buckets[0].second, 128 + 64);
  EXPECT_EQ(plan.slots[2].offset, plan.slots[0].offset + 128);
  EXPECT_EQ(plan.slots[6].offset, plan.slots[2].offset);
  EXPECT_EQ(plan.tower.total, 128 + 64 + 64 + 64);
  // A phase between them parts two buckets; a sum that has a place of its own
  // is in none.
  function.schedule.insert(function.schedule.begin() + 1,
                           phaseOf(ScheduleItem::Once));
  function.schedule[3].inPlace = false;
  buckets = bucketsOf(function);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[0].items, (std::vector<size_t>{0}));
  EXPECT_EQ(buckets[1].items, (std::vector<size_t>{2}));
}

TEST(Planner, GatheredRowsStandInTheWholeArray) {
  FunctionInfo function;
  auto add = [&](BufferKind kind, bool shared, int64_t first, int64_t last) {
    function.buffers.push_back(bufferOf(kind, shared, {64, 0}, first, last));
  };
  add(BufferKind::Cross, false, 0, 1); // 0: a tower's rows of 1
  add(BufferKind::Cross, true, 0, 5);
  add(BufferKind::Cross, true, 0, 5); // 2: stands beside them
  add(BufferKind::Cross, false, 0, 1);
  function.buffers[0].rowsOf = 1;
  MemoryPlan plan = planMemory(function, 8, 16);
  EXPECT_EQ(plan.slots[0].place, MemoryPlan::Place::SharedRows);
  EXPECT_EQ(plan.slots[0].offset, plan.slots[1].offset);
  EXPECT_NE(plan.slots[2].offset, plan.slots[1].offset);
  EXPECT_EQ(plan.shared.total, 2 * 16 * 64);
  EXPECT_EQ(plan.tower.total, 8 * 64);
  // A collective that writes the array waits for one that reads its rows.
  auto gather = [](int64_t from, int64_t to) {
    return collective(ScheduleItem::AllGather, from, to);
  };
  ScheduleItem once = phaseOf(ScheduleItem::Once);
  function.schedule = {gather(0, 2), gather(3, 1), once};
  EXPECT_EQ(placeBarriers(function, plan, 8, 16),
            (std::vector<bool>{true, true, false}));
  function.schedule = {gather(3, 2), gather(0, 2), once};
  EXPECT_EQ(placeBarriers(function, plan, 8, 16),
            (std::vector<bool>{true, true, false}));
}

TEST(Slicing, BalancedGivesTheFirstOneMore) {
  auto ranges = sliceBatch(256, 6, SlicingMode::Balanced);
  ASSERT_TRUE(ranges.ok());
  std::vector<int64_t> rows;
  for (const RowRange &range : *ranges)
    rows.push_back(range.rows);
  EXPECT_EQ(rows, (std::vector<int64_t>{43, 43, 43, 43, 42, 42}));
}

TEST(Slicing, EveryModeCoversWhatItPromises) {
  for (int64_t towers = 1; towers <= 8; ++towers)
    for (int64_t batch = 0; batch <= 40; ++batch)
      for (SlicingMode mode :
           {SlicingMode::Balanced, SlicingMode::DropRemainder,
            SlicingMode::LastTakesRest, SlicingMode::Strict}) {
        auto ranges = sliceBatch(batch, towers, mode);
        if (mode == SlicingMode::Strict && batch % towers != 0) {
          EXPECT_FALSE(ranges.ok());
          continue;
        }
        ASSERT_TRUE(ranges.ok());
        int64_t next = 0, most = 0;
        for (const RowRange &range : *ranges) {
          EXPECT_EQ(range.first, next);
          next += range.rows;
          most = std::max(most, range.rows);
        }
        EXPECT_EQ(next, usedRows(batch, towers, mode));
        EXPECT_LE(most, maxTowerRows(40, towers, mode));
      }
}

TEST(Slicing, TenRowsOnFour) {
  auto rows = [](SlicingMode mode) {
    std::vector<int64_t> list;
    auto ranges = sliceBatch(10, 4, mode);
    for (const RowRange &range : *ranges)
      list.push_back(range.rows);
    return list;
  };
  EXPECT_EQ(rows(SlicingMode::DropRemainder),
            (std::vector<int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(rows(SlicingMode::LastTakesRest),
            (std::vector<int64_t>{2, 2, 2, 4}));
  auto strict = sliceBatch(10, 4, SlicingMode::Strict);
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(strict.status().message(),
            "a batch of 10 rows is no multiple of 4 towers, as slicing=strict "
            "wants; the nearest '--batch-size' are 8 and 12");
}

TEST(Slicing, BlocksOfTowers) {
  auto counts = [](int64_t towers, int64_t devices) {
    std::vector<int64_t> list;
    for (const RowRange &block : assignTowers(towers, devices))
      list.push_back(block.rows);
    return list;
  };
  EXPECT_EQ(counts(8, 4), (std::vector<int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(counts(8, 3), (std::vector<int64_t>{3, 3, 2}));
  EXPECT_EQ(counts(6, 4), (std::vector<int64_t>{2, 2, 1, 1}));
}

TEST(Slicing, TreeSplit) {
  EXPECT_EQ(treeSplit(0, 2), 1);
  EXPECT_EQ(treeSplit(0, 3), 2);
  EXPECT_EQ(treeSplit(0, 8), 4);
  EXPECT_EQ(treeSplit(4, 7), 6);
  EXPECT_EQ(treeSplit(0, 9), 8);
}

} // namespace
