//===- CallSyntaxTest.cpp - losses and optimizers as words ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/CallSyntax.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace belfry;

/// Items as "output=json" joined by semicolons, or the error.
static std::string parsed(llvm::StringRef text) {
  ImportDiagnostics diags;
  llvm::FailureOr<std::vector<CallItem>> items =
      parseCallList(text, "--loss", diags);
  if (failed(items))
    return diags.getErrors().front();
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const CallItem &item : *items)
    os << item.output << '=' << item.object << ';';
  return result;
}

TEST(CallSyntax, Names) {
  EXPECT_EQ(parsed("mse"), "=\"mse\";");
  EXPECT_EQ(parsed(" a , b "), "=\"a\";=\"b\";");
  EXPECT_EQ(parsed(" "), "--loss: is empty, expected NAME, NAME(key=value, …) "
                         "or OUTPUT=NAME");
}

TEST(CallSyntax, Arguments) {
  EXPECT_EQ(parsed("adam(learning_rate=0.25, beta_1=5e-1, amsgrad=True)"),
            "={\"class_name\":\"adam\",\"config\":{\"amsgrad\":true,"
            "\"beta_1\":0.5,\"learning_rate\":0.25}};");
  EXPECT_EQ(parsed("x(a=3, b=none, c='q,r', d=word)"),
            "={\"class_name\":\"x\",\"config\":{\"a\":3,\"b\":null,"
            "\"c\":\"q,r\",\"d\":\"word\"}};");
  EXPECT_EQ(parsed("x()"), "={\"class_name\":\"x\",\"config\":{}};");
}

TEST(CallSyntax, Outputs) {
  EXPECT_EQ(parsed("a=mse,b=huber(delta=2)"),
            "a=\"mse\";b={\"class_name\":\"huber\",\"config\":{\"delta\":2}};");
  EXPECT_EQ(parsed("out-put \"q=r\"=mse"), "out-put \"q=r\"=\"mse\";");
}

TEST(CallSyntax, Twice) {
  EXPECT_EQ(parsed("mse,huber(delta=1, delta=2)"),
            "--loss: 'delta' is given twice in 'huber(delta=1, delta=2)'");
}

TEST(CallSyntax, Malformed) {
  for (const char *text : {"mse(", "mse)", "mse(a)", "mse(a=)", "(a=1)", "a,,b",
                           "mse(a=1)x", "m se", "x('a=1)"})
    EXPECT_TRUE(
        llvm::StringRef(parsed(text)).starts_with("--loss: cannot read '"))
        << text << " -> " << parsed(text);
}
