//===- Main.h - the program around a compiled model -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_MAIN_H
#define BELFRY_RUNTIME_CLI_MAIN_H

#include "belfry/Runtime.h"

namespace belfry::rt {

/// Runs a training binary's command line on `program`. Prints results to
/// stdout, notes and errors to stderr. Returns the exit status: 0, 1 user
/// error, 2 internal error, 3 a check failed, 130 interrupted.
int runMain(const belfry_program_v2 &program, int argc, char **argv);

} // namespace belfry::rt

/// `runMain` on the `belfry_program` that is linked in.
extern "C" int belfry_main(int argc, char **argv);

#endif // BELFRY_RUNTIME_CLI_MAIN_H
