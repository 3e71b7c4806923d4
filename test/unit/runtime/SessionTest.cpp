//===- SessionTest.cpp - one program on towers and devices ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Fit.h"
#include "test/unit/runtime/FakeProgram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace belfry::rt;

namespace {

Array arrayOf(Shape shape, const std::vector<float> &values,
              const char *source) {
  Array array = makeArray(RawType::F32, std::move(shape));
  std::memcpy(array.storage->data(), values.data(), values.size() * 4);
  array.source = source;
  return array;
}

/// `rows` rows of noise and a linear target, with weights that are not all 1.
DataSet makeData(const Manifest &manifest, int64_t rows) {
  int64_t features = manifest.inputs[0].shape[1];
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> x(size_t(rows * features)), y(static_cast<size_t>(rows)),
      w;
  for (float &value : x)
    value = normal(random);
  for (int64_t r = 0; r < rows; ++r) {
    y[size_t(r)] = 0.5f;
    for (int64_t i = 0; i < features; ++i)
      y[size_t(r)] += float(i + 1) * x[size_t(r * features + i)];
    w.push_back(r % 4 == 3 ? 0.f : 1.f + float(r % 3));
  }
  DataSet data;
  data.rows = rows;
  auto bind = [](const std::vector<TensorInfo> &tensors, Array array) {
    Expected<Feed> feed = Feed::bind(tensors, {{"", std::move(array)}}, "input",
                                     "--x", false, {});
    EXPECT_TRUE(feed.ok()) << feed.status().message();
    return *feed;
  };
  data.inputs = bind(manifest.inputs, arrayOf({rows, features}, x, "x"));
  data.targets = bind(manifest.targets, arrayOf({rows, 1}, y, "y"));
  data.sampleWeights = bind(manifest.sampleWeights, arrayOf({rows}, w, "w"));
  return data;
}

struct Outcome {
  std::vector<float> values; ///< parameters and slots
  std::vector<double> stepLoss;
  std::vector<std::pair<std::string, std::vector<double>>> history;
};

Outcome train(const test::FakeOptions &options, int64_t towers, int devices,
              int threads, int64_t rows, int64_t batchSize, int64_t epochs = 2,
              double noise = 0.5) {
  auto session = Session::open(test::fakeProgram(options));
  EXPECT_TRUE(session.ok()) << session.status().message();
  Session &s = **session;
  s.setSeed(0x123456789abcdefull);
  EXPECT_TRUE(s.initializeWeights().ok());
  EXPECT_TRUE(s.setHyper("noise", noise).ok());
  EXPECT_TRUE(s.setHyper("learning_rate", 0.01).ok());
  EXPECT_TRUE(s.start({towers, devices, threads, {}}).ok());
  DataSet data = makeData(s.manifest(), rows);
  FitOptions fitOptions;
  fitOptions.batchSize = batchSize;
  fitOptions.epochs = epochs;
  FitObserver observer;
  auto history = fit(s, data, data.slice(0, std::max<int64_t>(1, rows / 2)),
                     fitOptions, observer);
  EXPECT_TRUE(history.ok()) << history.status().message();
  Outcome outcome{{}, history->stepLoss, history->epochs};
  const Manifest &manifest = s.manifest();
  auto add = [&](const void *at, size_t bytes) {
    auto *values = static_cast<const float *>(at);
    outcome.values.insert(outcome.values.end(), values, values + bytes / 4);
  };
  for (size_t i = 0; i < manifest.parameters.size(); ++i)
    add(s.modelValues().parameters[i], manifest.parameters[i].bytes());
  for (size_t i = 0; i < manifest.optimizer.slots.size(); ++i)
    add(s.modelValues().slots[i], manifest.optimizer.slots[i].bytes());
  return outcome;
}

void expectSameBits(const Outcome &a, const Outcome &b) {
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(),
                        a.values.size() * sizeof(float)),
            0);
  EXPECT_EQ(a.stepLoss, b.stepLoss);
  EXPECT_EQ(a.history, b.history);
}

TEST(Session, DevicesAndThreadsNeverShowInTheBits) {
  for (int64_t towers : {1, 2, 3, 8}) {
    Outcome one = train({}, towers, 1, 1, 53, 10);
    for (int devices : {1, 2, 3, 5, 8}) {
      if (devices > towers)
        continue;
      expectSameBits(one, train({}, towers, devices, 1, 53, 10));
      expectSameBits(one, train({}, towers, devices, 2, 53, 10));
    }
  }
}

TEST(Session, ThreadsThatShareAnUpdateNeverShowInTheBits) {
  for (int64_t features : {1, 3, 9}) {
    test::FakeOptions alone, shared;
    alone.features = shared.features = features;
    shared.shared = true;
    Outcome one = train(alone, 4, 1, 1, 53, 10);
    for (int devices : {1, 2, 4})
      for (int threads : {1, 2, 3})
        expectSameBits(one, train(shared, 4, devices, threads, 53, 10));
  }
}

// Batches large enough to be gathered by several threads.
TEST(Session, GatherOnManyThreads) {
  Outcome one = train({9}, 2, 1, 1, 9000, 4000, 1);
  expectSameBits(one, train({9}, 2, 2, 1, 9000, 4000, 1));
  expectSameBits(one, train({9}, 2, 2, 3, 9000, 4000, 1));
}

TEST(Session, TowersComputeWhatOneComputes) {
  for (int64_t batch : {1, 5, 7, 64}) {
    Outcome one = train({}, 1, 1, 1, 30, batch);
    for (int64_t towers : {2, 3, 4, 8}) {
      Outcome many = train({}, towers, 2, 1, 30, batch);
      ASSERT_EQ(one.stepLoss.size(), many.stepLoss.size());
      for (size_t i = 0; i < one.stepLoss.size(); ++i)
        EXPECT_NEAR(one.stepLoss[i], many.stepLoss[i],
                    1e-5 * std::max(1.0, one.stepLoss[i]));
      for (size_t i = 0; i < one.values.size(); ++i)
        EXPECT_NEAR(one.values[i], many.values[i], 1e-5);
      for (size_t k = 0; k < one.history.size(); ++k) {
        EXPECT_EQ(one.history[k].first, many.history[k].first);
        for (size_t i = 0; i < one.history[k].second.size(); ++i)
          EXPECT_NEAR(one.history[k].second[i], many.history[k].second[i],
                      1e-5 * std::max(1.0, one.history[k].second[i]));
      }
    }
  }
}

// Rows 1 to 9 on towers 1 to 8: towers without a row included.
TEST(Session, EveryDimensionOnEveryNumberOfTowers) {
  for (int64_t features = 1; features <= 9; features += 4)
    for (int64_t rows = 1; rows <= 9; ++rows) {
      Outcome one = train({features}, 1, 1, 1, rows, rows, 1);
      for (int64_t towers = 2; towers <= 8; ++towers) {
        Outcome many = train({features}, towers, 2, 1, rows, rows, 1);
        for (size_t i = 0; i < one.values.size(); ++i)
          ASSERT_NEAR(one.values[i], many.values[i],
                      1e-5 * std::max(1.f, std::abs(one.values[i])))
              << rows << " rows, " << towers << " towers";
      }
    }
}

TEST(Session, FitsTheLine) {
  Outcome outcome = train({}, 3, 2, 1, 200, 32, 60, 0);
  EXPECT_NEAR(outcome.values[0], 1, 1e-3);
  EXPECT_NEAR(outcome.values[1], 2, 1e-3);
  EXPECT_NEAR(outcome.values[2], 3, 1e-3);
  EXPECT_NEAR(outcome.values[3], 0.5, 1e-3);
  EXPECT_LT(outcome.history[0].second.back(), 1e-5);
}

// Field report: x = 1 … 5, y = 2x, w = 0, squared error: gradient -44.
TEST(Session, RemainderCountsInTheGradient) {
  for (int64_t towers : {1, 2, 5, 8}) {
    auto session = Session::open(test::fakeProgram({1}));
    ASSERT_TRUE(session.ok());
    Session &s = **session;
    ASSERT_TRUE(s.start({towers, 1, 1, {}}).ok());
    DataSet data = makeData(s.manifest(), 5);
    auto bind = [&](const std::vector<TensorInfo> &tensors, Array array) {
      return *Feed::bind(tensors, {{"", std::move(array)}}, "input", "--x",
                         false, {});
    };
    data.inputs =
        bind(s.manifest().inputs, arrayOf({5, 1}, {1, 2, 3, 4, 5}, "x"));
    data.targets =
        bind(s.manifest().targets, arrayOf({5, 1}, {2, 4, 6, 8, 10}, "y"));
    data.sampleWeights =
        bind(s.manifest().sampleWeights, arrayOf({5}, {1, 1, 1, 1, 1}, "w"));
    float gradient = 0;
    FitOptions options;
    options.afterFirstStep = [&](const Executor &executor) {
      gradient =
          *static_cast<const float *>(executor.array(BufferKind::Gradient, 0)) *
          float(executor.scalar(BufferKind::GradientScale, 0));
      return Status::success();
    };
    FitObserver observer;
    ASSERT_TRUE(fit(s, data, std::nullopt, options, observer).ok());
    EXPECT_FLOAT_EQ(gradient, -44) << towers << " towers";
  }
}

TEST(Session, PredictKeepsRowsInOrderOnceEach) {
  for (int64_t towers : {1, 2, 3, 8})
    for (int64_t batch : {1, 3, 4, 32}) {
      auto session = Session::open(test::fakeProgram({3, 1, "balanced", true}));
      ASSERT_TRUE(session.ok());
      Session &s = **session;
      ASSERT_TRUE(s.loadEmbeddedWeights().ok());
      ASSERT_TRUE(
          s.start({towers, int(std::min<int64_t>(towers, 2)), 1, {}}).ok());
      DataSet data = makeData(s.manifest(), 7);
      std::vector<float> x(21);
      for (size_t i = 0; i < 7; ++i)
        x[3 * i] = float(i);
      data.inputs =
          *Feed::bind(s.manifest().inputs, {{"", arrayOf({7, 3}, x, "x")}},
                      "input", "--x", false, {});
      data.targets = data.sampleWeights = Feed();
      auto predictions = predict(s, data, batch, {0});
      ASSERT_TRUE(predictions.ok());
      ASSERT_EQ((*predictions)[0].shape, (Shape{7, 1}));
      for (size_t i = 0; i < 7; ++i)
        EXPECT_EQ((*predictions)[0].data.as<float>()[i],
                  0.5f * float(i) + 0.25f);
    }
}

TEST(Session, SlicingModesLoseTheRowsTheyPromiseToLose) {
  // Ten rows on four towers: the metric counts the rows that took part.
  for (auto [slicing, rows] : {std::pair<const char *, double>{"balanced", 10},
                               {"drop-remainder", 8},
                               {"last-takes-rest", 10}}) {
    auto session = Session::open(test::fakeProgram({3, 4, slicing}));
    ASSERT_TRUE(session.ok());
    Session &s = **session;
    ASSERT_TRUE(s.start({4, 2, 1, {}}).ok());
    DataSet data = makeData(s.manifest(), 10);
    ASSERT_TRUE(checkBatches(s, 10, 10).ok());
    double counted = 0;
    FitOptions options;
    options.afterFirstStep = [&](const Executor &executor) {
      counted = executor.scalar(BufferKind::MetricCount, 0);
      return Status::success();
    };
    FitObserver observer;
    ASSERT_TRUE(fit(s, data, std::nullopt, options, observer).ok());
    EXPECT_EQ(counted, rows) << slicing;
  }
  auto session = Session::open(test::fakeProgram({3, 4, "strict"}));
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->start({4, 1, 1, {}}).ok());
  EXPECT_FALSE(checkBatches(**session, 10, 10).ok());
  EXPECT_FALSE(checkBatches(**session, 10, 8).ok());
  EXPECT_TRUE(checkBatches(**session, 16, 8).ok());
}

TEST(Session, ManifestFaultsAreInternalErrors) {
  auto expectFault = [](const std::string &text, const std::string &mention) {
    auto manifest = parseManifest(text, 1);
    ASSERT_FALSE(manifest.ok()) << text;
    EXPECT_EQ(manifest.status().kind(), ErrorKind::Internal);
    EXPECT_NE(manifest.status().message().find(mention), std::string::npos)
        << manifest.status().message();
  };
  expectFault("{", "manifest: no valid JSON at byte 2");
  expectFault(R"({"abi": 2, "layers": [0], "functions": {}})",
              "manifest: in 'layers': a value of the wrong kind");
  expectFault(R"({"abi": 2, "inputs": [{"dtype": "f32"}], "functions": {}})",
              "manifest: in 'inputs': there is no 'name'");
  expectFault(R"({"abi": 1, "functions": {}})", "abi 1, expected 2");
  expectFault(R"({"abi": 2})", "functions");
  expectFault(R"({"abi": 2, "slicing": "odd", "functions": {}})",
              "unknown slicing 'odd'");
  expectFault(R"({"abi": 2, "functions": {"train": {"buffers": [
      {"kind": "input", "index": 0, "bytes": [4, 0]}], "schedule": []}}})",
              "out of range");
  expectFault(R"({"abi": 2, "functions": {"train": {"buffers": [
      {"kind": "scratch", "bytes": [4, 0]}], "schedule": []}}})",
              "without 'live'");
  expectFault(R"({"abi": 2, "functions": {"train": {"buffers": [],
      "schedule": [{"phase": 1}]}}})",
              "phase 1 of 1");
  expectFault(R"({"abi": 2, "functions": {"train": {"buffers": [
      {"kind": "cross", "bytes": [0, 4], "live": [0, 1]},
      {"kind": "cross", "bytes": [0, 2], "live": [0, 1]}], "schedule": [
      {"all_reduce": "sum", "dtype": "f32", "from": 0, "to": 1, "count": 1}]}}})",
              "all_reduce of 4 bytes between buffers of 4 and 2");
  // Rows of an array that is not there, not shared, of itself, of another size.
  for (const char *rest :
       {R"("rows_of": 2}, {"scope": "shared", "bytes": [4, 0])",
        R"("rows_of": -2}, {"scope": "shared", "bytes": [4, 0])",
        R"("rows_of": 1}, {"bytes": [4, 0])",
        R"("rows_of": 0}, {"scope": "shared", "bytes": [4, 0])",
        R"("rows_of": 1}, {"scope": "shared", "bytes": [8, 0])",
        R"("rows_of": 1}, {"scope": "shared", "bytes": [4, 4])"})
    expectFault(
        R"({"abi": 2, "functions": {"train": {"buffers": [
      {"bytes": [4, 0], "kind": "cross", "live": [0, 1], )" +
            std::string(rest) +
            R"(, "kind": "cross", "live": [0, 1]}], "schedule": []}}})",
        "which does not match");
}

} // namespace
