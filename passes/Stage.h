//===- Stage.h - the stages of a compilation --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_STAGE_H
#define BELFRY_PASSES_STAGE_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace belfry {

/// In the order in which a compilation goes through them.
enum class Stage {
  Import,
  TrainStep,
  Parallel,
  Placed,
  Lowered,
  Bufferized,
  Target
};

constexpr Stage kStages[] = {Stage::Import, Stage::TrainStep, Stage::Parallel,
                             Stage::Placed, Stage::Lowered,   Stage::Bufferized,
                             Stage::Target};

/// The name as options and file names have it: `train-step`.
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// All names, for messages.
std::string stageList();

/// Of the module: the name of the stage that its verifier passed.
constexpr llvm::StringLiteral kStageAttr = "belfry.stage";
/// Of the module: the optimisations that the stages behind it left out, by
/// name.
constexpr llvm::StringLiteral kDisabledAttr = "belfry.disabled";
/// Of the module: inputs, outputs, parameters … in the form of the manifest
/// (docs/architecture.md); --describe-program writes it.
constexpr llvm::StringLiteral kProgramAttr = "belfry.program";

/// The stage that a module is at: what it says of itself, or what is in it.
/// None where it is of no stage; `why` says so then.
std::optional<Stage> detectStage(mlir::ModuleOp module, std::string &why);

} // namespace belfry

#endif // BELFRY_PASSES_STAGE_H
