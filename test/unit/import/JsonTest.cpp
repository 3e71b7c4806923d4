//===- JsonTest.cpp - checked access to JSON ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Json.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace belfry;

namespace {
/// A parsed text with the errors about it.
struct Parsed {
  explicit Parsed(llvm::StringRef text)
      : value(parseJson(text, "f", diags)),
        view(succeeded(value) ? JsonView(*value, "f", diags) : JsonView()) {}
  std::string only() const {
    return diags.getErrors().size() == 1 ? diags.getErrors().front()
                                         : "not one error";
  }
  ImportDiagnostics diags;
  llvm::FailureOr<llvm::json::Value> value;
  JsonView view;
};
} // namespace

TEST(Json, Reads) {
  Parsed json(R"({"a": {"b": [1, 2.5, "s", true, null]}})");
  JsonView list = json.view["a"]["b"];
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(list[size_t(0)].getInt(), 1);
  EXPECT_EQ(list[1].getNumber(), 2.5);
  EXPECT_EQ(list[2].getString(), "s");
  EXPECT_TRUE(list[3].getBool());
  EXPECT_TRUE(list[4].isNull());
  EXPECT_TRUE(list[5].isNull());
  EXPECT_FALSE(json.diags.hasErrors());
}

TEST(Json, Defaults) {
  Parsed json(R"({"a": null})");
  EXPECT_EQ(json.view.getInt("a", 7), 7);
  EXPECT_EQ(json.view.getInt("b", 8), 8);
  EXPECT_EQ(json.view.getString("b", "x"), "x");
  EXPECT_EQ(json.view.getNumber("b", 0.5), 0.5);
  EXPECT_TRUE(json.view.getBool("b", true));
  EXPECT_FALSE(json.diags.hasErrors());
}

TEST(Json, WrongTypeNamesPathAndLayer) {
  Parsed json(R"({"config": {"layers": [{"units": "four"}]}})");
  JsonView units =
      json.view["config"]["layers"][size_t(0)].ofLayer("hidden")["units"];
  EXPECT_EQ(units.getInt(), 0);
  EXPECT_EQ(json.only(), "f: layer 'hidden': config.layers[0].units: expected "
                         "a whole number, got \"four\"");
}

TEST(Json, MissingIsAnErrorWhereItIsNeeded) {
  Parsed json("{}");
  EXPECT_EQ(json.view["units"].getInt(), 0);
  EXPECT_EQ(json.only(), "f: units: missing, expected a whole number");
}

TEST(Json, MemberOfNoObject) {
  Parsed json("[1]");
  EXPECT_TRUE(json.view["a"]["b"]["c"].isNull());
  EXPECT_EQ(json.only(), "f: expected an object, got [1]");
}

TEST(Json, AFractionIsNoWholeNumber) {
  Parsed json("[1.5, 1e300]");
  EXPECT_EQ(json.view[size_t(0)].getInt(), 0);
  EXPECT_EQ(json.view[1].getInt(), 0);
  EXPECT_EQ(json.diags.getErrors().size(), 2u);
}

TEST(Json, ListOfAnObject) {
  Parsed json(R"({"a": 1})");
  EXPECT_EQ(json.view.size(), 0u);
  EXPECT_EQ(json.only(), "f: expected a list, got {\"a\":1}");
}

TEST(Json, LongValuesAreCut) {
  Parsed json("\"" + std::string(500, 'a') + "\"");
  json.view.getInt();
  EXPECT_LT(json.only().size(), 150u);
}

TEST(Json, Invalid) {
  Parsed json("{\"a\": ");
  EXPECT_TRUE(llvm::StringRef(json.only()).starts_with("f: not valid JSON"));
}

// Python's json module writes them bare.
TEST(Json, NumbersThatAreNotFinite) {
  Parsed json(R"({"a": [Infinity, -Infinity,NaN], "b": "NaN, \"-Infinity"})");
  JsonView list = json.view["a"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[size_t(0)].getAnyNumber(), HUGE_VAL);
  EXPECT_EQ(list[1].getAnyNumber(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(list[2].getAnyNumber()));
  EXPECT_EQ(json.view["b"].getString(), "NaN, \"-Infinity");
  EXPECT_FALSE(json.diags.hasErrors());
  EXPECT_EQ(list[1].getNumber(), 0);
  EXPECT_EQ(json.only(), "f: a[1]: expected a finite number, got -Infinity");
  EXPECT_TRUE(llvm::StringRef(Parsed("[Infinit]").only())
                  .starts_with("f: not valid JSON"));
  EXPECT_TRUE(llvm::StringRef(Parsed("[NaN1]").only())
                  .starts_with("f: not valid JSON"));
}

TEST(Json, DepthIsLimited) {
  Parsed deep(std::string(100000, '['));
  EXPECT_EQ(deep.only(), "f: JSON nested deeper than 512 levels");
  Parsed brackets("\"" + std::string(100000, '[') + "\"");
  EXPECT_FALSE(brackets.diags.hasErrors());
}

TEST(Json, KeysAreSorted) {
  Parsed json(R"({"b": 1, "a": 2, "c": 3})");
  EXPECT_EQ(json.view.keys(), (std::vector<std::string>{"a", "b", "c"}));
}
