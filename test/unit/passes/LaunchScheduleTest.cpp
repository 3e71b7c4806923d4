//===- LaunchScheduleTest.cpp - which launches of a phase are one ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phases of launches that read and write any arrays: whatever becomes of them
// leaves the same in the arrays as one launch after the other does.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/LaunchSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace mlir;
using namespace belfry;

namespace {

struct Launch {
  std::vector<unsigned> reads, writes; ///< arrays
  std::string blocks, family;
};

/// The kernel of so many arrays that are read and written, in this order.
std::string kernelText(unsigned reads, unsigned writes) {
  std::string arguments, body;
  for (unsigned i = 0; i < reads + writes; ++i) {
    std::string name = "%x" + std::to_string(i);
    arguments += (i ? ", " : "") + name + ": memref<f32>";
    if (i < reads)
      body += "%v" + std::to_string(i) + " = memref.load " + name +
              "[] : memref<f32>\n";
    else
      body += "memref.store %z, " + name + "[] : memref<f32>\n";
  }
  return "gpu.func @k" + std::to_string(reads) + std::to_string(writes) + "(" +
         arguments +
         ") kernel attributes {known_block_size = array<i32: 1, 1, 1>} {\n"
         "%z = arith.constant 0.0 : f32\n" +
         body + "gpu.return\n}\n";
}

std::string moduleText(const std::vector<Launch> &launches, unsigned arrays) {
  std::string text = "module attributes {gpu.container_module} {\n"
                     "func.func private @p(%rows: index";
  for (unsigned i = 0; i < arrays; ++i)
    text += ", %a" + std::to_string(i) +
            ": memref<f32> {belfry.buffer = " + std::to_string(i) + " : i64}";
  text += ") {\n%one = arith.constant 1 : index\n"
          "%few = arith.constant 64 : index\n"
          "%many = arith.constant 65 : index\n";
  std::set<std::pair<size_t, size_t>> kinds;
  for (const Launch &launch : launches) {
    kinds.emplace(launch.reads.size(), launch.writes.size());
    text += "gpu.launch_func @kernels::@k" +
            std::to_string(launch.reads.size()) +
            std::to_string(launch.writes.size()) + " blocks in (%" +
            launch.blocks + ", %one, %one) threads in (%one, %one, %one) args(";
    const char *comma = "";
    for (const auto *list : {&launch.reads, &launch.writes})
      for (unsigned array : *list) {
        text += comma + ("%a" + std::to_string(array)) + " : memref<f32>";
        comma = ", ";
      }
    text += ") {belfry.launch = {family = \"" + launch.family + "\"}}\n";
  }
  text += "return\n}\ngpu.module @kernels {\n";
  for (auto [reads, writes] : kinds)
    text += kernelText(reads, writes);
  return text + "}\n}\n";
}

class LaunchScheduleTest : public testing::Test {
protected:
  LaunchScheduleTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect>();
  }

  /// The groups of these launches; `facts` are kept.
  SmallVector<LaunchGroup> schedule(const std::vector<Launch> &launches,
                                    unsigned arrays) {
    module = parseSourceString<ModuleOp>(moduleText(launches, arrays),
                                         ParserConfig(&context));
    EXPECT_TRUE(module);
    DenseMap<StringAttr, gpu::GPUFuncOp> kernels;
    module->walk(
        [&](gpu::GPUFuncOp kernel) { kernels[kernel.getNameAttr()] = kernel; });
    LaunchGraph graph(*module->getOps<func::FuncOp>().begin(), kernels);
    EXPECT_EQ(graph.size(), launches.size());
    facts.clear();
    for (unsigned i = 0; i < graph.size(); ++i)
      facts.push_back(belfry::factsOf(
          graph.launch(i), kernels.lookup(graph.launch(i).getKernelName())));
    return scheduleLaunches(graph, facts);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<LaunchFacts> facts;
};

using Arrays = std::vector<size_t>;

/// What a launch leaves behind, where all arrays are told apart.
void run(const Launch &launch, unsigned number, Arrays &arrays) {
  size_t value = number + 1;
  for (unsigned array : launch.reads)
    value = value * 1000003 + arrays[array];
  for (unsigned array : launch.writes)
    arrays[array] = value = value * 31 + 7;
}

bool overlap(const std::vector<unsigned> &x, const std::vector<unsigned> &y) {
  return std::any_of(x.begin(), x.end(), [&](unsigned array) {
    return std::find(y.begin(), y.end(), array) != y.end();
  });
}

bool meet(const Launch &x, const Launch &y) {
  return overlap(x.writes, y.writes) || overlap(x.writes, y.reads) ||
         overlap(x.reads, y.writes);
}

TEST_F(LaunchScheduleTest, GroupsLeaveWhatLaunchesInOrderDo) {
  std::mt19937 random(5);
  auto below = [&](unsigned end) { return unsigned(random() % end); };
  size_t launchesOfAll = 0, groupsOfAll = 0, strandsOfSeveral = 0;
  for (unsigned round = 0; round < 300; ++round) {
    unsigned arrays = 2 + below(10), count = 1 + below(30);
    std::vector<Launch> launches(count);
    for (Launch &launch : launches) {
      for (unsigned i = below(4); i > 0; --i)
        launch.reads.push_back(below(arrays));
      for (unsigned i = 1 + below(2); i > 0; --i)
        launch.writes.push_back(below(arrays));
      launch.blocks = std::vector<std::string>{"one", "one", "few", "many",
                                               "rows"}[below(5)];
      launch.family = std::vector<std::string>{"elementwise", "reduce", "dot",
                                               "scan"}[below(4)];
    }
    SmallVector<LaunchGroup> groups = schedule(launches, arrays);
    Arrays wanted(arrays), got(arrays);
    for (unsigned i = 0; i < arrays; ++i)
      wanted[i] = got[i] = 17 * i;
    for (unsigned i = 0; i < count; ++i)
      run(launches[i], i, wanted);
    std::set<unsigned> seen;
    for (const LaunchGroup &group : groups) {
      bool thin = false, heavy = false;
      for (const Strand &strand : group) {
        strandsOfSeveral += strand.size() > 1;
        for (unsigned i : strand) {
          EXPECT_TRUE(seen.insert(i).second);
          EXPECT_TRUE(strand.size() == 1 || launches[i].blocks == "one");
          thin |= facts[i].thin;
          heavy |= facts[i].heavy;
          run(launches[i], i, got);
          for (const Strand &other : group)
            for (unsigned j : other)
              EXPECT_TRUE(&strand == &other || !meet(launches[i], launches[j]))
                  << "round " << round << ": " << i << " beside " << j;
        }
      }
      EXPECT_TRUE(group.size() == 1 || !(thin && heavy));
    }
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(got, wanted) << "round " << round;
    launchesOfAll += count;
    groupsOfAll += groups.size();
  }
  EXPECT_LT(groupsOfAll * 10, launchesOfAll * 9);
  EXPECT_GT(strandsOfSeveral, 100u);
}

TEST_F(LaunchScheduleTest, UpdatesAreOneUntilArgumentsAreTooMany) {
  auto updates = [](unsigned count) {
    std::vector<Launch> launches(count);
    for (unsigned i = 0; i < count; ++i)
      launches[i] = {{2 * i}, {2 * i + 1}, "many", "elementwise"};
    return launches;
  };
  // Two words and where its blocks end.
  constexpr unsigned kMost = kMostWords / 3;
  EXPECT_EQ(schedule(updates(kMost), 2 * kMost).size(), 1u);
  EXPECT_EQ(schedule(updates(kMost + 1), 2 * kMost + 2).size(), 2u);
}

TEST_F(LaunchScheduleTest, ThinAndHeavyByFamilyAndBlocks) {
  auto of = [&](const char *blocks, const char *family) {
    schedule({{{}, {0}, blocks, family}}, 1);
    return std::pair(facts[0].thin, facts[0].heavy);
  };
  EXPECT_EQ(of("few", "elementwise"), std::pair(false, false));
  EXPECT_EQ(of("many", "elementwise"), std::pair(true, false));
  EXPECT_EQ(of("rows", "reduce"), std::pair(true, false));
  EXPECT_EQ(of("rows", "scan"), std::pair(false, false));
  EXPECT_EQ(of("one", "dot"), std::pair(false, true));
  EXPECT_TRUE(facts[0].oneBlock && facts[0].joins);
  EXPECT_EQ(facts[0].words, 1);
}

/// Layers one behind the other, each with a side that nobody waits for.
TEST_F(LaunchScheduleTest, DeepModelsTakeNoTimeToSchedule) {
  constexpr unsigned kLayers = 1000;
  std::vector<Launch> launches;
  for (unsigned i = 0; i < kLayers; ++i) {
    unsigned x = 3 * i;
    launches.push_back({{x}, {x + 1}, "rows", "dot"});
    launches.push_back({{x + 1}, {x + 3}, "rows", "elementwise"});
    launches.push_back({{x + 1}, {x + 2}, "rows", "elementwise"});
  }
  auto begin = std::chrono::steady_clock::now();
  SmallVector<LaunchGroup> groups = schedule(launches, 3 * kLayers + 2);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(groups.size(), 2 * kLayers);
  EXPECT_LT(took.count(), 5) << "seconds";
}

} // namespace
