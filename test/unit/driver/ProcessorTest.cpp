//===- ProcessorTest.cpp - processors by name -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Processor.h"

#include <gtest/gtest.h>

using namespace belfry;

TEST(Processor, Native) {
  llvm::Expected<Processor> found = findProcessor("native");
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  EXPECT_FALSE(found->cpu.empty());
  EXPECT_NE(found->features.find("+sse2"), std::string::npos);
}

TEST(Processor, NamedHasNoFeaturesOfThisMachine) {
  llvm::Expected<Processor> found = findProcessor("x86-64-v3");
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  EXPECT_EQ(found->cpu, "x86-64-v3");
  EXPECT_EQ(found->features, "");
}

TEST(Processor, NothingIsContracted) {
  llvm::Expected<Processor> found = findProcessor("x86-64-v3");
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createMachine(*found);
  ASSERT_TRUE(bool(machine)) << llvm::toString(machine.takeError());
  EXPECT_EQ((*machine)->Options.AllowFPOpFusion, llvm::FPOpFusion::Strict);
}

TEST(Processor, UnknownNames) {
  auto problem = [](llvm::StringRef name) {
    llvm::Expected<Processor> found = findProcessor(name);
    return found ? std::string() : llvm::toString(found.takeError());
  };
  EXPECT_EQ(problem("haswel"),
            "unknown processor 'haswel' of '--mcpu'; did you mean 'haswell'?");
  EXPECT_NE(problem("quantum-annealer").find("known are native, x86-64-v2"),
            std::string::npos);
  EXPECT_NE(problem(""), "");
}

TEST(Processor, Only64Bit) {
  for (const char *name : {"i386", "i686", "pentium4", "lakemont"}) {
    llvm::Expected<Processor> found = findProcessor(name);
    ASSERT_FALSE(bool(found)) << name;
    std::string mcpu = std::string("'") + name + "'";
    EXPECT_EQ(llvm::toString(found.takeError()),
              std::string("'--mcpu ") + name + "': " + mcpu +
                  " is not a 64-bit processor, and only 64-bit code is "
                  "generated");
  }
  for (const char *name : {"generic", "x86-64", "nocona", "znver4"})
    EXPECT_TRUE(bool(findProcessor(name))) << name;
  // Not offered either.
  llvm::Expected<Processor> near = findProcessor("pentium4n");
  ASSERT_FALSE(bool(near));
  EXPECT_EQ(llvm::toString(near.takeError()).find("pentium4'?"),
            std::string::npos);
}
