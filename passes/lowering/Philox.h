//===- Philox.h - the random numbers of nn.random, as arith -----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_PHILOX_H
#define BELFRY_PASSES_LOWERING_PHILOX_H

#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"

namespace belfry {

/// Element `e` of row `row` of a draw: docs/architecture.md, "Random numbers".
/// All integers are i32; `element` is f32 or f64, or i32 for bits.
mlir::Value buildRandom(mlir::OpBuilder &b, mlir::Location loc,
                        nn::RandomKind kind, mlir::Value seedLow,
                        mlir::Value seedHigh, mlir::Value step,
                        mlir::Value stream, mlir::Value row, mlir::Value e,
                        mlir::Type element);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PHILOX_H
