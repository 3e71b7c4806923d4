//===- EntryPoint.cpp - where a training binary starts --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Main.h"

int main(int argc, char **argv) { return belfry_main(argc, argv); }
