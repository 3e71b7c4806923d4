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

#include <array>

namespace belfry {

/// What identifies a block of four numbers, each an i32 value.
struct RandomCounter {
  mlir::Value seedLow, seedHigh, step, stream, row, block;
};

/// The four elements of a block of a draw: docs/architecture.md, "Random
/// numbers". `element` is f32 or f64, or i32 for bits.
std::array<mlir::Value, 4>
buildRandomBlock(mlir::OpBuilder &b, mlir::Location loc, nn::RandomKind kind,
                 const RandomCounter &counter, mlir::Type element);

/// One element, `lane` (an i32 value below 4) of the block.
mlir::Value buildRandom(mlir::OpBuilder &b, mlir::Location loc,
                        nn::RandomKind kind, const RandomCounter &counter,
                        mlir::Value lane, mlir::Type element);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_PHILOX_H
