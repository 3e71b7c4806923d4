//===- Settings.h - what the options ask for -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_SETTINGS_H
#define BELFRY_LIB_DRIVER_SETTINGS_H

#include "belfry/Compiler.h"
#include "lib/driver/Processor.h"
#include "passes/StagePipeline.h"

namespace belfry {

/// The options of a compilation, checked.
struct Settings {
  PipelineOptions pipeline;
  Processor processor;
  std::unique_ptr<llvm::TargetMachine> machine;
  Stage last = Stage::Target;
  Emit emit = Emit::Executable;
  bool toText = false; ///< the output is text and may be standard output
  /// GPU architectures, as `sm_` numbers, rising; empty for other targets.
  std::vector<unsigned> architectures;
  /// The stage at which coverage is proven; none for the host.
  std::optional<Stage> proof;
};

/// Fails with an error that names the option.
llvm::Expected<Settings> settle(const CompileOptions &options);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_SETTINGS_H
