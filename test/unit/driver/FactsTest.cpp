//===- FactsTest.cpp - flops, bytes and buckets of a program --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/report/Facts.h"

#include "belfry/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace belfry;

namespace {

constexpr const char *kModule = R"(
#p = #tower.placement<asked = cpu, given = cpu, kernel = "k", reason = "r">
func.func @train(%x: tensor<?x6x3xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                 %k: tensor<3x4xf32> {nn.role = #nn.role<parameter>, nn.name = "d/kernel"})
    -> (tensor<f32> {nn.role = #nn.role<loss>, nn.name = ""},
        tensor<3x4xf32> {nn.role = #nn.role<parameter>, nn.name = "d/kernel"},
        tensor<3x4xf32> {nn.role = #nn.role<gradient>, nn.name = "d/kernel"}) {
  %r:3 = tower.replicate towers = 2 slicing = balanced -> tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x6x3xf32>
    %f = nn.reshape %xi {tower.placement = #p} : tensor<?x6x3xf32> -> tensor<?x3xf32>
    %y = nn.dot %f, %k contract = [1] * [0] {tower.placement = #p} : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32> loc("d")
    %l = nn.reduce sum %y dims = [0, 1] {tower.placement = #p} : tensor<?x4xf32> -> tensor<f32>
    %la = tower.all_reduce sum %l {tower.placement = #p} : tensor<f32> loc("loss")
    %g = nn.dot %f, %y contract = [0] * [0] {tower.placement = #p} : tensor<?x3xf32>, tensor<?x4xf32> -> tensor<3x4xf32> loc("d")
    %ga = tower.all_reduce sum %g {tower.placement = #p} : tensor<3x4xf32>
    %n = nn.binary sub %k, %ga {tower.placement = #p} : tensor<3x4xf32>
    tower.yield %la, %n, %ga concat = [-1, -1, -1] : tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
}
)";

class FactsTest : public testing::Test {
protected:
  FactsTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  }
  static const OpFact *find(const Facts &facts, llvm::StringRef part,
                            llvm::StringRef op) {
    for (const OpFact &fact : facts.ops)
      if (fact.part == part && fact.op == op)
        return &fact;
    return nullptr;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(FactsTest, CountsByRows) {
  ASSERT_TRUE(module);
  Facts facts = collectFacts(*module);
  const OpFact *dot = find(facts, "forward", "dot");
  ASSERT_TRUE(dot);
  EXPECT_EQ(dot->layer, "d");
  EXPECT_TRUE(dot->perTower);
  // Six rows of the product for each of the batch: 2 · 6 · 3 · 4.
  EXPECT_EQ(dot->flops.perRow, 144);
  EXPECT_EQ(dot->flops.fixed, 0);
  EXPECT_EQ(dot->read.perRow, 6 * 3 * 4);
  EXPECT_EQ(dot->read.fixed, 3 * 4 * 4);
  EXPECT_EQ(dot->written.perRow, 6 * 4 * 4);

  const OpFact *gradient = find(facts, "backward", "dot");
  ASSERT_TRUE(gradient);
  EXPECT_EQ(gradient->flops.perRow, 144);
  const OpFact *update = find(facts, "update", "binary sub");
  ASSERT_TRUE(update);
  EXPECT_FALSE(update->perTower);
  EXPECT_EQ(update->flops.fixed, 12);
  const OpFact *view = find(facts, "forward", "reshape");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->read.perRow, 0);
}

TEST_F(FactsTest, BucketsNameTheirGradients) {
  ASSERT_TRUE(module);
  Facts facts = collectFacts(*module);
  ASSERT_EQ(facts.collectives.size(), 2u);
  EXPECT_EQ(facts.collectives[0].members, (std::vector<std::string>{"loss"}));
  EXPECT_EQ(facts.collectives[0].bytes.fixed, 4);
  EXPECT_EQ(facts.collectives[1].kind, "all_reduce sum");
  EXPECT_EQ(facts.collectives[1].members,
            (std::vector<std::string>{"d/kernel"}));
  EXPECT_EQ(facts.collectives[1].bytes.fixed, 48);
}

TEST_F(FactsTest, JsonAndBack) {
  ASSERT_TRUE(module);
  Facts facts = collectFacts(*module);
  llvm::json::Value json = toJson(facts);
  llvm::Expected<Facts> back = factsFromJson(json);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(toJson(*back), json);
  json.getAsObject()->erase("ops");
  llvm::Expected<Facts> broken = factsFromJson(json);
  ASSERT_FALSE(bool(broken));
  EXPECT_NE(llvm::toString(broken.takeError()).find("ops"), std::string::npos);
}

} // namespace
