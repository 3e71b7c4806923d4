//===- Stage.cpp - the stages of a compilation ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Stage.h"

#include "dialects/nn/Nn.h"
#include "dialects/tower/Tower.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;

StringRef belfry::stageName(Stage stage) {
  switch (stage) {
  case Stage::Import:
    return "import";
  case Stage::TrainStep:
    return "train-step";
  case Stage::Parallel:
    return "parallel";
  case Stage::Placed:
    return "placed";
  case Stage::Lowered:
    return "lowered";
  case Stage::Bufferized:
    return "bufferized";
  case Stage::Target:
    return "target";
  }
  llvm_unreachable("all stages have names");
}

std::optional<Stage> belfry::parseStage(StringRef name) {
  for (Stage stage : kStages)
    if (stageName(stage) == name)
      return stage;
  return std::nullopt;
}

std::string belfry::stageList() {
  SmallVector<StringRef> names;
  for (Stage stage : kStages)
    names.push_back(stageName(stage));
  return llvm::join(names, ", ");
}

std::optional<Stage> belfry::detectStage(ModuleOp module, std::string &why) {
  if (auto noted = module->getAttrOfType<StringAttr>(kStageAttr)) {
    std::optional<Stage> stage = parseStage(noted.getValue());
    if (!stage)
      why = ("names an unknown stage '" + noted.getValue() + "'; known are " +
             stageList())
                .str();
    return stage;
  }
  if (!module.getOps<nn::ModelOp>().empty())
    return Stage::Import;
  bool hasRoles = false, hasTowers = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      hasRoles |= bool(function.getArgAttr(i, nn::kRoleAttr));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      hasRoles |= bool(function.getResultAttr(i, nn::kRoleAttr));
    hasTowers |=
        function
            .walk([](tower::ReplicateOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
  }
  if (hasRoles)
    return hasTowers ? Stage::Parallel : Stage::TrainStep;
  why = "has neither an nn.model nor functions whose arguments have 'nn.role'";
  return std::nullopt;
}
