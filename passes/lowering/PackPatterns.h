//===- PackPatterns.h - packing moves through maps --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PACKPATTERNS_H
#define BELFRY_PASSES_LOWERING_PACKPATTERNS_H

#include "dialects/nn/Nn.h"

#include "mlir/IR/PatternMatch.h"

namespace belfry {

/// The rows of `steps` that `mask` selects, packed.
mlir::Value packSteps(mlir::OpBuilder &b, mlir::Location loc, mlir::Value steps,
                      mlir::Value mask);

/// Whether random numbers are among the operands of an elementwise op: to pack
/// what it makes of them takes less than to pack them.
bool readsRandom(mlir::Operation *map);

/// The operand of a transpose that swaps rows and steps, or null.
mlir::Value swappedSteps(mlir::Value value);
/// The value with rows and steps swapped.
mlir::Value swapSteps(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value value);

/// Where `op` packs the gradient of a loop that holds a value while the mask
/// does not select: the sequence whose packed rows it gives, if that is zero
/// elsewhere. Null where it packs anything else.
mlir::Value heldGradient(nn::PackStepsOp op,
                         llvm::function_ref<bool(mlir::Value)> isZero);

/// Patterns that move nn.pack_steps through elementwise ops, the transposes
/// between batch first and time first, and the loops that hold a value while it
/// is masked.
void populatePackPatterns(mlir::RewritePatternSet &patterns);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PACKPATTERNS_H
