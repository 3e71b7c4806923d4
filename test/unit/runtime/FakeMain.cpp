//===- FakeMain.cpp - the hand-written program as a binary ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `belfry_program` of a training binary is constant data; here it is made when
// the program starts, and main is the runtime's own beside it.
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Main.h"
#include "test/unit/runtime/FakeProgram.h"

#include <cstdlib>

int main(int argc, char **argv) {
  belfry::rt::test::FakeOptions options;
  if (const char *towers = std::getenv("FAKE_TOWERS"))
    options.towers = std::strtol(towers, nullptr, 10);
  if (const char *slicing = std::getenv("FAKE_SLICING"))
    options.slicing = slicing;
  options.embedded = std::getenv("FAKE_EMBEDDED") != nullptr;
  options.withLoss = std::getenv("FAKE_NO_LOSS") == nullptr;
  return belfry::rt::runMain(belfry::rt::test::fakeProgram(options), argc,
                             argv);
}
