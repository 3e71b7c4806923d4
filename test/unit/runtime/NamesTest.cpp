//===- NamesTest.cpp - names that users gave, for people to read ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Names.h"

#include "gtest/gtest.h"

using namespace belfry::rt;

TEST(Names, ControlCharactersAreEscaped) {
  EXPECT_EQ(shownName("a\nb\tc\rd\x1b"
                      "e\x7f"),
            "a\\nb\\tc\\rd\\x1be\\x7f");
  EXPECT_EQ(shownName(""), "");
  EXPECT_EQ(shownName("日本語 層"), "日本語 層");
}

TEST(Names, TheMiddleOfALongOneIsCut) {
  EXPECT_EQ(shownName("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shownName("abcdefghi", 8), "abcd…ghi");
  // Characters, not bytes.
  EXPECT_EQ(shownName("üüüüüüüü", 8), "üüüüüüüü");
  EXPECT_EQ(shownName("äöüäöüäöü", 8), "äöüä…äöü");
  EXPECT_EQ(countCharacters(shownName(std::string(300, 'x'))),
            kShownCharacters);
}

TEST(Names, NearestIsAtMostAThirdAway) {
  EXPECT_EQ(nearestName("learning_rte", {"beta_1", "learning_rate"}),
            "learning_rate");
  EXPECT_EQ(nearestName("x", {"learning_rate"}), "");
  EXPECT_EQ(nearestName("", {}), "");
}
