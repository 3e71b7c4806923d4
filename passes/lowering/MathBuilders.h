//===- MathBuilders.h - transcendental functions as arith ops ---*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transcendental functions written out in arith ops, the same for every
// target. An expansion has no branch, no table in memory, no call and no
// fast-math flag; it rounds after each op and fuses only where it holds a
// math.fma. So it gives the same bits wherever arith is IEEE 754 with round to
// nearest even and gradual underflow, NaN included: a NaN result is always the
// positive quiet NaN without payload.
//
// Greatest error, in units of the last place of the exact result: 2 in f32
// over all arguments (the test measures each function), 4 in f64.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_MATHBUILDERS_H
#define BELFRY_PASSES_LOWERING_MATHBUILDERS_H

#include "mlir/IR/Builders.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace belfry {

/// Each builds f(x) at the insertion point of `builder`. The type of x, which
/// is that of the result, is f16, bf16, f32, f64 or a vector of one (f16 and
/// bf16 are computed in f32 and rounded once more). On tensors the result is
/// null: expand after tiling.
mlir::Value buildExp(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value buildExp2(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value buildExpM1(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x);
mlir::Value buildLog(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value buildLog1p(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x);
mlir::Value buildTanh(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
/// 1 / (1 + exp(-x)), without cancellation and down to subnormal results.
mlir::Value buildSigmoid(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value x);
mlir::Value buildErf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// Sine and cosine of radians, of any size: the argument is reduced with all
/// the bits of 2/pi that it needs.
mlir::Value buildSin(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value buildCos(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// 1 / sqrt(x), as a division by the correctly rounded root.
mlir::Value buildRsqrt(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x);
/// x to the power y with the special cases of IEEE 754-2019, section 9.2.1:
/// pow(x, 0) = pow(1, y) = 1 even for NaN.
mlir::Value buildPow(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x, mlir::Value y);

/// Patterns that replace math.exp, exp2, expm1, log, log1p, tanh, erf, sin,
/// cos, rsqrt and powf by the above.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// Writes conversions of f16 and bf16 as arithmetic on bits, after which they
/// are i16 everywhere in `root`: in memory, in arguments, in constants. Leaves
/// the types where ops on tensors have them. Fails, after an error, where
/// something else computes with them.
llvm::LogicalResult expandNarrowFloats(mlir::Operation *root);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_MATHBUILDERS_H
