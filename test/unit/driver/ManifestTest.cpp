//===- ManifestTest.cpp - what the driver writes, the runtime reads -------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Manifest.h"

#include "runtime/core/Manifest.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace belfry;

namespace {

constexpr const char *kProgram = R"(
  model = "two", keras_version = "3.15.1", towers = 2 : i64, slicing = "last-takes-rest",
  inputs = [{name = "a", dtype = "f32", shape = array<i64: -1, 3>},
            {name = "ids", dtype = "i32", shape = array<i64: -1>, limit = 7 : i64, layer = "embedding"}],
  outputs = [{name = "p", dtype = "f32", shape = array<i64: -1, 1>}, {name = "q", dtype = "f32", shape = array<i64: -1, 2>}],
  targets = [{name = "p", dtype = "f32", shape = array<i64: -1, 1>, loss = "mean_squared_error"},
             {name = "q", dtype = "i32", shape = array<i64: -1, 1>, limit = 2 : i64, ignore = -1 : i64}],
  sample_weights = [{name = "p", dtype = "f32", shape = array<i64: -1>}],
  losses = ["", "p"],
  metrics = [{name = "mae", weighted = false}, {name = "acc", weighted = true}],
  parameters = [{name = "d/kernel", path = "layers/d/vars/0", dtype = "f32", shape = array<i64: 3, 1>, trainable = true,
                 layer = "d", initializer = {name = "glorot_uniform"}, stream = 3 : i32},
                {name = "d/bias", path = "layers/d/vars/1", dtype = "f32", shape = array<i64: 1>, trainable = false,
                 layer = "d", initializer = {name = "constant", value = 2.5 : f64}, stream = 4 : i32}],
  optimizer = {name = "sgd",
               hypers = [{name = "zeta", value = 0.001 : f64}, {name = "alpha", value = 0.9 : f64}],
               slots = [{name = "momentum", parameter = "d/kernel", dtype = "f32", shape = array<i64: 3, 1>}]},
  layers = [{name = "d", class = "Dense", output_shape = array<i64: -1, 1>, parameters = 4 : i64}])";

class ManifestTest : public testing::Test {
protected:
  /// The manifest of a module with this dictionary of functions.
  llvm::Expected<std::string> build(const std::string &functions,
                                    const ManifestOptions &options = {},
                                    const std::string &program = kProgram) {
    std::string text = "module attributes {belfry.program = {" + program +
                       "}, belfry.functions = {" + functions + "}} {}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("cannot parse the test's module");
    return buildManifest(*module, options);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::string buffers(const std::string &rows) {
  return "predict = {buffers = [" + rows +
         "], schedule = [{phase = 0 : i64, run = \"per_tower\"}]}";
}

TEST_F(ManifestTest, RoundTripsThroughTheRuntime) {
  ManifestOptions options;
  options.mcpu = "x86-64-v3";
  options.numerics = "host/x86-64-v3/1";
  llvm::Expected<std::string> text = build(
      buffers(
          R"({kind = "input", index = 0 : i64, name = "ids", scope = "tower", dtype = "i32", bytes = [4, 0]},
                 {kind = "parameter", index = 0 : i64, name = "d/bias", scope = "shared", dtype = "f32", bytes = [0, 4]},
                 {kind = "scratch", scope = "tower", dtype = "f32", bytes = [8, 16], live = [1, 2]})"),
      options);
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  rt::Expected<rt::Manifest> read = rt::parseManifest(*text, 1);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->model, "two");
  EXPECT_EQ(read->kerasVersion, "3.15.1");
  EXPECT_EQ(read->target, "host");
  EXPECT_EQ(read->mcpu, "x86-64-v3");
  EXPECT_EQ(read->numerics, "host/x86-64-v3/1");
  EXPECT_EQ(read->towers, 2);
  EXPECT_EQ(read->slicing, rt::SlicingMode::LastTakesRest);
  ASSERT_EQ(read->inputs.size(), 2u);
  EXPECT_EQ(read->inputs[0].shape, (rt::Shape{-1, 3}));
  EXPECT_EQ(read->inputs[1].limit, 7);
  EXPECT_EQ(read->inputs[1].layer, "embedding");
  EXPECT_EQ(read->targets[1].ignore, -1);
  EXPECT_EQ(read->targets[0].loss, "mean_squared_error");
  ASSERT_EQ(read->parameters.size(), 2u);
  EXPECT_TRUE(read->parameters[0].trainable);
  EXPECT_FALSE(read->parameters[1].trainable);
  EXPECT_EQ(read->parameters[1].initializer.numbers.at("value"), 2.5);
  EXPECT_EQ(read->parameters[1].stream, 4u);
  EXPECT_EQ(read->losses, (std::vector<std::string>{"", "p"}));
  EXPECT_TRUE(read->metrics[1].weighted);
  ASSERT_EQ(read->layers.size(), 1u);
  EXPECT_EQ(read->layers[0].outputs, (std::vector<rt::Shape>{{-1, 1}}));

  // Numbers of a function become numbers of the program, by name.
  const rt::FunctionInfo &predict = read->functions.at("predict");
  ASSERT_EQ(predict.buffers.size(), 3u);
  EXPECT_EQ(predict.buffers[0].index, 1);
  EXPECT_EQ(predict.buffers[1].index, 1);
  EXPECT_EQ(predict.buffers[2].bytes.at(3), 40);
  EXPECT_EQ(predict.buffers[2].live, (std::pair<int64_t, int64_t>(1, 2)));
}

TEST_F(ManifestTest, HyperparametersKeepTheirOrder) {
  llvm::Expected<std::string> text = build(buffers(""));
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  rt::Expected<rt::Manifest> read = rt::parseManifest(*text, 1);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->optimizer.hypers.size(), 2u);
  EXPECT_EQ(read->optimizer.hypers[0].first, "zeta");
  EXPECT_EQ(read->optimizer.hypers[0].second, 0.001);
  EXPECT_EQ(read->optimizer.hypers[1].first, "alpha");
  ASSERT_EQ(read->optimizer.slots.size(), 1u);
  EXPECT_EQ(read->optimizer.slots[0].parameter, 0);
}

TEST_F(ManifestTest, OptionsReplaceTowersAndSlicing) {
  ManifestOptions options;
  options.towers = 8;
  options.slicing = "strict";
  llvm::Expected<std::string> text = build(buffers(""), options);
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  rt::Expected<rt::Manifest> read = rt::parseManifest(*text, 1);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->towers, 8);
  EXPECT_EQ(read->slicing, rt::SlicingMode::Strict);
}

TEST_F(ManifestTest, NamesThatNeedEscapes) {
  llvm::Expected<std::string> text =
      build(buffers(""), {}, R"(model = "a\22b\5C\0A", towers = 1 : i64)");
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  rt::Expected<rt::Manifest> read = rt::parseManifest(*text, 1);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->model, "a\"b\\\n");
}

TEST_F(ManifestTest, SaysWhatDoesNotFit) {
  auto problem = [&](const std::string &functions,
                     const std::string &program = kProgram) {
    llvm::Expected<std::string> text = build(functions, {}, program);
    return text ? std::string() : llvm::toString(text.takeError());
  };
  EXPECT_EQ(
      problem(buffers(
          R"({kind = "input", index = 0 : i64, name = "gone", bytes = [4, 0]})")),
      "manifest: the program has no input 'gone'");
  EXPECT_EQ(problem(buffers("{bytes = [4, 0]}")),
            "manifest: a buffer without a kind");
  EXPECT_EQ(problem("predict = {buffers = []}"),
            "manifest: a function without buffers or schedule");
  EXPECT_EQ(problem(buffers(""), "optimizer = {hypers = [{name = \"x\"}]}"),
            "manifest: a hyperparameter without name or value");
  EXPECT_EQ(problem(buffers(""), "optimizer = {hypers = [{name = \"x\", value "
                                 "= 0x7FF0000000000000 : f64}]}"),
            "manifest: a number that is not finite");
  module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  llvm::Expected<std::string> none = buildManifest(*module, {});
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "manifest: the module has no 'belfry.program'; start from stage "
            "'parallel' or before");
}

} // namespace
