//===- PackPatterns.h - packing moves through maps --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PACKPATTERNS_H
#define BELFRY_PASSES_LOWERING_PACKPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace belfry {

/// The rows of `steps` that `mask` selects, packed.
mlir::Value packSteps(mlir::OpBuilder &b, mlir::Location loc, mlir::Value steps,
                      mlir::Value mask);

/// Patterns that move nn.pack_steps through elementwise ops, the transposes
/// between batch first and time first, and the loops that hold a value while it
/// is masked.
void populatePackPatterns(mlir::RewritePatternSet &patterns);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PACKPATTERNS_H
