//===- lowering/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_TD
#define BELFRY_PASSES_LOWERING_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"expand-math"> {
  let summary = "Write transcendental functions out in arith ops, to the same bits on every target";
  let description = [{
    Replaces `math.exp`, `exp2`, `expm1`, `log`, `log1p`, `tanh`, `erf`, `sin`, `cos`, `rsqrt` and `powf`, and the logistic
    function written as `1 / (1 + exp(-x))`, on f16, bf16, f32 and f64 and on vectors of them by straight-line arith ops:
    no branches, no calls, no tables in memory, no fast-math flags, fused only at a `math.fma`. The error is at most 2 units
    of the last place in f32 over all arguments and 4 in f64; infinities, NaN, signed zeros and subnormals are as IEEE 754 has them.
    Ops on tensors stay: expand after tiling.

    A transcendental op that is left on scalars or vectors is an error, since it would become a call of the target's library.

    ```mlir
    %0 = math.log1p %x : f32
    // becomes an exponent, a polynomial in fused multiply-adds and selects for the ends of the range
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // BELFRY_PASSES_LOWERING_TD
