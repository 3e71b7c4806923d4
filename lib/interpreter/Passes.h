//===- Passes.h - passes that run a program ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_PASSES_H
#define BELFRY_INTERPRETER_PASSES_H

#include "lib/interpreter/Interpreter.h"

#include "mlir/Pass/Pass.h"

#include <atomic>
#include <memory>
#include <string>

namespace belfry {

#define GEN_PASS_DECL
#include "lib/interpreter/Passes.h.inc"

/// What the driver tells the passes, and has to know of those that ran.
struct InterpreterOutcome {
  /// The file that the module is read from: weights are beside it.
  std::string inputFile;
  /// A pass printed results, so the module is not what the user asked for.
  std::atomic<bool> printed = false;
  /// A comparison that was asked for failed: exit status 3.
  std::atomic<bool> checkFailed = false;
};

/// Registers the passes of this folder, which report to `outcome`.
void registerInterpreterPasses(std::shared_ptr<InterpreterOutcome> outcome);

std::unique_ptr<mlir::Pass>
createInterpretPass(std::shared_ptr<InterpreterOutcome> outcome);
std::unique_ptr<mlir::Pass>
createCheckAgainstSinglePass(std::shared_ptr<InterpreterOutcome> outcome);

} // namespace belfry

#endif // BELFRY_INTERPRETER_PASSES_H
