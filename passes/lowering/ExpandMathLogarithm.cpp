//===- ExpandMathLogarithm.cpp - log, log1p, rsqrt ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions made of log1p(f) = f - f^2/2 + f^3 q(f) on
// sqrt(1/2) <= 1 + f < sqrt(2), and the reciprocal of the square root.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathCoefficients.h"

#include <cmath>

namespace belfry::expandmath {

/// log(argument) at the ends: 0, infinity, negative, NaN.
static Num logAtEnds(Num argument, Num result) {
  Emitter *e = argument.emitter;
  result = select(argument == e->infinity(), argument, result);
  result = select(argument == 0, -e->infinity(), result);
  return select(argument >= 0, result, e->notANumber());
}

Num emitLog(Num x) {
  auto [exponent, f] = reduceLog(x);
  return logAtEnds(x, logOfReduced(exponent, f));
}

Num emitLog1p(Num x) {
  Emitter *e = x.emitter;
  int fraction = e->fractionBits();
  uint64_t one = uint64_t(e->bias()) << fraction;
  // The exponent n of 1 + x, as in reduceLog(); 1 + x is not subnormal for x >
  // -1.
  Num sum = x + 1;
  Bits root = e->bits(e->isF64() ? sqrtHalfBitsF64 : sqrtHalfBitsF32);
  Bits biased = (bitsOf(sum) + (e->bits(one) - root)) >> fraction;
  // f = 2^-n (1 + x) - 1 = 2^-n x + (2^-n - 1) without the rounding of 1 + x:
  // for n = 0 it is x. As 2^-n may be subnormal, it is made from 2^(2-n).
  Num power =
      numOf((e->bits(2 * uint64_t(e->bias()) + 2) - biased) << fraction) * 0.25;
  Num f = fma(x, power, power - 1);
  double shift = std::ldexp(1.0, fraction);
  Num exponent = numOf(biased | bitsOf(e->number(shift))) - (shift + e->bias());
  Num result = logAtEnds(sum, logOfReduced(exponent, f));
  return select(x == 0, x, result); // keeps the sign of zero
}

Num emitRsqrt(Num x) {
  Num result = x.emitter->number(1) / sqrt(x);
  return select(isNaN(result), x.emitter->notANumber(), result);
}

} // namespace belfry::expandmath
