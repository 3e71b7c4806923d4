//===- PhaseAttrs.h - names of attributes of phase functions -----*- C++
//-*-===//
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

#include "llvm/ADT/StringRef.h"

namespace belfry {

constexpr llvm::StringLiteral kPhasesAttr = "belfry.phases";
constexpr llvm::StringLiteral kFunctionsAttr = "belfry.functions";
/// Of a phase function: the training function it is a part of.
constexpr llvm::StringLiteral kFunctionAttr = "belfry.function";
/// Of an argument or result of a phase function: its row of the buffer table.
constexpr llvm::StringLiteral kBufferAttr = "belfry.buffer";

/// The leading arguments of a phase function, all of type index.
enum PhaseScalar : unsigned {
  kRows,
  kRowOffset,
  kGlobalRows,
  kTower,
  kTowers,
  kNumPhaseScalars
};

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PHASEATTRS_H
