//===- PhaseAttrs.h - names of attributes of phase functions ----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --split-phases writes and the later passes read; docs/host-target.md
// describes the attributes of the module.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PHASEATTRS_H
#define BELFRY_PASSES_LOWERING_PHASEATTRS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace belfry {

constexpr llvm::StringLiteral kPhasesAttr = "belfry.phases";
constexpr llvm::StringLiteral kFunctionsAttr = "belfry.functions";
/// Of a phase function: the training function it is a part of.
constexpr llvm::StringLiteral kFunctionAttr = "belfry.function";
/// Of a function that does a part of phases (--outline-repeats,
/// --outline-row-blocks).
constexpr llvm::StringLiteral kPartAttr = "belfry.part";
/// Of an argument or result of a phase function: its row of the buffer table.
constexpr llvm::StringLiteral kBufferAttr = "belfry.buffer";

/// Checks the form of both attributes of the module. Fails with an error.
llvm::LogicalResult verifyPhaseTable(mlir::ModuleOp module);

/// The buffer table of the training function that `phase` is a part of; null
/// where the module has none.
mlir::ArrayAttr bufferTableOf(mlir::func::FuncOp phase);

/// The leading arguments of a phase function, all of type index.
enum PhaseScalar : unsigned {
  kRows,
  kRowOffset,
  kGlobalRows,
  kTower,
  kTowers,
  kNumPhaseScalars
};

/// Checks the signature of a phase function that a pass is given: the scalars,
/// then arguments of type `ArrayT` (ranked tensors or memrefs), each with its
/// row of the buffer table, as results have. Fails with an error.
template <typename ArrayT>
llvm::LogicalResult verifyPhase(mlir::func::FuncOp phase) {
  mlir::FunctionType type = phase.getFunctionType();
  bool scalars = type.getNumInputs() >= kNumPhaseScalars;
  for (unsigned i = 0; scalars && i < kNumPhaseScalars; ++i)
    scalars = llvm::isa<mlir::IndexType>(type.getInput(i));
  if (!scalars)
    return phase.emitError("is a phase, whose first ")
           << unsigned(kNumPhaseScalars)
           << " arguments have to be of type index";
  auto isRow = [](mlir::Attribute row) {
    auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(row);
    return number && number.getValue().isNonNegative();
  };
  auto fails = [&](llvm::StringRef what, unsigned i, mlir::Type t) {
    return phase.emitError() << what << ' ' << i << " of a phase, " << t
                             << ", has no row of the buffer table ('"
                             << kBufferAttr << "') or is of another level";
  };
  for (unsigned i = kNumPhaseScalars; i < type.getNumInputs(); ++i)
    if (!llvm::isa<ArrayT>(type.getInput(i)) ||
        !isRow(phase.getArgAttr(i, kBufferAttr)))
      return fails("argument", i, type.getInput(i));
  for (unsigned i = 0; i < type.getNumResults(); ++i)
    if (!llvm::isa<ArrayT>(type.getResult(i)) ||
        !isRow(phase.getResultAttr(i, kBufferAttr)))
      return fails("result", i, type.getResult(i));
  return llvm::success();
}

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PHASEATTRS_H
