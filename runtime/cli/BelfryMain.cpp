//===- BelfryMain.cpp - main of the linked-in program ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alone in its file: only what calls this needs a `belfry_program`.
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Main.h"

int belfry_main(int argc, char **argv) {
  return belfry::rt::runMain(belfry_program, argc, argv);
}
