//===- Commands.h - fit, evaluate, predict and info -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CLI_COMMANDS_H
#define BELFRY_RUNTIME_CLI_COMMANDS_H

#include "runtime/cli/Options.h"
#include "runtime/training/Session.h"

#include <atomic>

namespace belfry::rt::cli {

/// Runs one command; an exit status in place of success where the command was
/// interrupted. `stop` is set when the user asks for an end.
Expected<int> runCommand(Session &session, const belfry_program_v2 &program,
                         const Options &options, const std::atomic<bool> &stop);

} // namespace belfry::rt::cli

#endif // BELFRY_RUNTIME_CLI_COMMANDS_H
