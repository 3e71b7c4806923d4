//===- DiagnosticsTest.cpp - lines of errors, nearest names ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace belfry;

static std::string printed(const ImportDiagnostics &diags, bool all = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os, all);
  return text;
}

TEST(Diagnostics, ErrorsBeforeWarnings) {
  ImportDiagnostics diags;
  diags.warning("second");
  EXPECT_FALSE(diags.hasErrors());
  EXPECT_TRUE(failed(diags.error("first")));
  EXPECT_TRUE(diags.hasErrors());
  EXPECT_EQ(printed(diags), "error: first\nwarning: second\n");
}

TEST(Diagnostics, AMessageIsOneLine) {
  ImportDiagnostics diags;
  (void)diags.error("layer 'a\nb'");
  EXPECT_EQ(printed(diags), "error: layer 'a b'\n");
}

TEST(Diagnostics, TwentyLinesAreAllPrinted) {
  ImportDiagnostics diags;
  for (int i = 0; i < 20; ++i)
    (void)diags.error("e");
  EXPECT_EQ(llvm::StringRef(printed(diags)).count('\n'), 20u);
  EXPECT_FALSE(llvm::StringRef(printed(diags)).contains("more"));
}

TEST(Diagnostics, MoreThanTwentyAreCounted) {
  ImportDiagnostics diags;
  for (int i = 0; i < 25; ++i)
    (void)diags.error("e");
  diags.warning("w");
  std::string text = printed(diags);
  EXPECT_EQ(llvm::StringRef(text).count('\n'), 20u);
  EXPECT_TRUE(llvm::StringRef(text).ends_with(
      "error: 6 more errors and 1 more warnings; --all-errors prints them\n"));
  EXPECT_EQ(llvm::StringRef(printed(diags, /*all=*/true)).count('\n'), 26u);
}

TEST(Diagnostics, ManyWarningsAreNoError) {
  ImportDiagnostics diags;
  for (int i = 0; i < 21; ++i)
    diags.warning("w");
  EXPECT_TRUE(llvm::StringRef(printed(diags))
                  .ends_with("warning: 2 more warnings; --all-errors prints "
                             "them\n"));
}

TEST(Suggest, Nearest) {
  llvm::StringRef known[] = {"accuracy", "binary_accuracy", "precision"};
  EXPECT_EQ(suggest("accuracyy", known), "did you mean 'accuracy'?");
  EXPECT_EQ(suggest("ACCURACY", known), "did you mean 'accuracy'?");
}

TEST(Suggest, SeveralEquallyNear) {
  llvm::StringRef known[] = {"beta_1", "beta_2", "epsilon"};
  EXPECT_EQ(suggest("beta", known), "did you mean 'beta_1' or 'beta_2'?");
}

TEST(Suggest, NoneNearListsAll) {
  llvm::StringRef known[] = {"sgd", "adam"};
  EXPECT_EQ(suggest("shampoo_plus", known), "known: 'sgd', 'adam'");
}
