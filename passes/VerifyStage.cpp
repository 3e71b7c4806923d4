//===- VerifyStage.cpp - what may no longer exist after a stage -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Look at every op of the module once; note the first of each kind that
//      the stage excludes, and count the others.
//   2. Look at what the stage wants to be there: roles, towers, placements,
//      phase functions.
//   3. Where nothing is wrong, note the stage in the module.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/tower/Collectives.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace belfry {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// Whether an op belongs to the module level of models.
static bool isTrainingOp(Operation *op) {
  return isa<nn::ModelOp, nn::ReturnOp, nn::CompileOp, nn::LossOp, nn::MetricOp,
             nn::OptimizerOp, nn::GetParameterOp, nn::SeedOp, nn::StepOp>(op);
}

static bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Why an op may not be there at a stage; empty where it may.
static StringRef whyNot(Operation *op, Stage stage) {
  if (isa<ModuleOp, nn::ParameterOp>(op))
    return "";
  StringRef dialect =
      op->getDialect() ? op->getDialect()->getNamespace() : StringRef();
  bool isNn = dialect == nn::NnDialect::getDialectNamespace();
  bool isTower = dialect == tower::TowerDialect::getDialectNamespace();
  switch (stage) {
  case Stage::Import:
    if (isTower || isa<func::FuncOp>(op))
      return "comes with a later stage";
    return "";
  case Stage::TrainStep:
    if (isTower)
      return "comes with a later stage";
    [[fallthrough]];
  case Stage::Parallel:
  case Stage::Placed:
    if (isTrainingOp(op))
      return "should have become functions of core ops";
    if (isa<nn::LayerOpInterface>(op))
      return "is a layer, which should have been decomposed";
    if (tower::isCollective(op) && !op->getParentOfType<tower::ReplicateOp>())
      return "stands outside of tower.replicate";
    if (!isNn && !isTower &&
        dialect != func::FuncDialect::getDialectNamespace())
      return "is of a dialect that comes with a later stage";
    return "";
  case Stage::Lowered:
  case Stage::Bufferized:
    if (isNn || isTower)
      return "should have been lowered";
    if (hasTensors(op))
      return "works on tensors, which should have become buffers";
    if (stage == Stage::Bufferized &&
        isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
      return "allocates, but every buffer should be an argument";
    return "";
  case Stage::Target:
    // Kernels for GPUs have a module of their own.
    if (isa<gpu::GPUModuleOp>(op) ||
        (dialect == NVVM::NVVMDialect::getDialectNamespace() &&
         op->getParentOfType<gpu::GPUModuleOp>()))
      return "";
    if (dialect != LLVM::LLVMDialect::getDialectNamespace())
      return "should have become LLVM dialect";
    return "";
  }
  llvm_unreachable("all stages are handled");
}

namespace {

struct VerifyStage : belfry::impl::VerifyStageBase<VerifyStage> {
  using VerifyStageBase::VerifyStageBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOps(module)) || failed(checkWanted(module)))
      return signalPassFailure();
    module->setAttr(kStageAttr, StringAttr::get(module.getContext(),
                                                stageName(stage.getValue())));
    markAllAnalysesPreserved();
  }

  InFlightDiagnostic error(Operation *op) {
    return op->emitError("after stage '")
           << stageName(stage.getValue()) << "': ";
  }

  LogicalResult checkOps(ModuleOp module) {
    struct Kind {
      Operation *first;
      StringRef why;
      unsigned count;
    };
    llvm::MapVector<OperationName, Kind> wrong;
    module.walk([&](Operation *op) {
      StringRef why = whyNot(op, stage);
      if (!why.empty())
        ++wrong.insert({op->getName(), {op, why, 0}}).first->second.count;
    });
    for (auto &[name, kind] : wrong) {
      InFlightDiagnostic diag = error(kind.first);
      diag << "'" << name.getStringRef() << "' " << kind.why;
      if (kind.count > 1)
        diag << " (" << kind.count << " of them)";
    }
    return success(wrong.empty());
  }

  LogicalResult checkWanted(ModuleOp module) {
    Stage at = stage;
    if (at == Stage::Import)
      return checkModel(module);
    if (at <= Stage::Placed) {
      for (auto function : module.getOps<func::FuncOp>())
        if (failed(checkFunction(function)))
          return failure();
      return success();
    }
    return checkPhases(module);
  }

  LogicalResult checkModel(ModuleOp module) {
    auto models = llvm::to_vector(module.getOps<nn::ModelOp>());
    if (models.size() != 1)
      return error(module) << "expected one nn.model, got " << models.size();
    auto compiles = llvm::to_vector(module.getOps<nn::CompileOp>());
    if (compiles.size() > 1)
      return error(compiles[1])
             << "expected at most one nn.compile, got " << compiles.size();
    return success();
  }

  LogicalResult checkFunction(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (!function.getArgAttrOfType<nn::RoleAttr>(i, nn::kRoleAttr))
        return error(function) << "argument " << i << " of '"
                               << function.getName() << "' has no nn.role";
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (!function.getResultAttrOfType<nn::RoleAttr>(i, nn::kRoleAttr))
        return error(function) << "result " << i << " of '"
                               << function.getName() << "' has no nn.role";
    if (stage == Stage::TrainStep)
      return success();
    auto towers = llvm::to_vector(
        function.getBody().front().getOps<tower::ReplicateOp>());
    if (towers.size() != 1)
      return error(function)
             << "expected one tower.replicate in '" << function.getName()
             << "', got " << towers.size();
    if (stage == Stage::Parallel)
      return success();
    WalkResult result = function.walk([&](Operation *op) {
      bool wanted = op->hasTrait<nn::CoreOp>() || tower::isCollective(op);
      if (!wanted || op->hasAttrOfType<tower::PlacementAttr>(kPlacementAttr))
        return WalkResult::advance();
      error(op) << "'" << op->getName().getStringRef()
                << "' has no tower.placement";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkPhases(ModuleOp module) {
    auto phases = module->getAttrOfType<ArrayAttr>("belfry.phases");
    if (!phases || !module->getAttrOfType<DictionaryAttr>("belfry.functions"))
      return error(module) << "expected 'belfry.phases' and 'belfry.functions'";
    for (Attribute phase : phases) {
      auto name = dyn_cast<FlatSymbolRefAttr>(phase);
      if (!name || !isa_and_nonnull<FunctionOpInterface>(
                       module.lookupSymbol(name.getAttr())))
        return error(module) << "there is no phase function " << phase;
    }
    return success();
  }
};

} // namespace
