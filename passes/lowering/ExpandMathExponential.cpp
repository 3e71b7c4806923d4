//===- ExpandMathExponential.cpp - exp, tanh, sigmoid, erf ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions made of exp(r) - 1 = r + r^2 q(r) on |r| <= ln2 / 2.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathCoefficients.h"

namespace belfry::expandmath {

Num emitExp(Num x) { return keepNaN(x, expOf(x)); }

Num emitExp2(Num x) {
  Emitter *e = x.emitter;
  Num bounded = e->isF64() ? clamp(x, -1076, 1024) : clamp(x, -151, 128);
  Rounded n = roundToInteger(bounded);
  // 2^x = 2^n exp((x - n) ln2); the difference is exact.
  Num rest = bounded - n.n;
  Num r = fma(rest, e->number(e->isF64() ? ln2HighF64 : ln2HighF32),
              rest * e->number(e->isF64() ? ln2LowF64 : ln2LowF32));
  return keepNaN(x, scale(expM1OfReduced(r) + 1, n.bits));
}

Num emitExpM1(Num x) {
  Emitter *e = x.emitter;
  // Below the lower bound the result rounds to -1.
  auto [n, r] = reduceExp(e->isF64() ? clamp(x, -38, 710) : clamp(x, -18, 89));
  // exp(x) - 1 = 2 (2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)); 2^n may exceed the
  // format where the result does not.
  Num half = powerOfTwo(n.bits, -1);
  Num result = fma(half, expM1OfReduced(r), half - 0.5) * 2;
  // x + x^2/2 rounds to x, and the sign of zero stays.
  Num tiny = e->powerOfTwo(e->isF64() ? -54 : -25);
  return keepNaN(x, select(abs(x) < tiny, x, result));
}

Num emitTanh(Num x) {
  Emitter *e = x.emitter;
  Num a = abs(x);
  // Small: an odd polynomial. Else 1 - 2 / (exp(2a) + 1), where what is
  // subtracted is less than half of the result's size and its error counts for
  // little; from the upper bound on the result rounds to 1.
  Num square = a * a;
  Num q = e->isF64() ? e->polynomial(square, tanhF64)
                     : e->polynomial(square, tanhF32);
  Num small = fma(a, square * q, a);
  Num bounded = clamp(a, 0, e->isF64() ? 20 : 10);
  Num large =
      1.0 - e->number(2) / (expOf(bounded + bounded, /*bounded=*/true) + 1);
  return keepNaN(x, flipSign(select(a < tanhSplit, small, large), signOf(x)));
}

Num emitSigmoid(Num x) {
  Emitter *e = x.emitter;
  // 1 / (1 + z) or z / (1 + z) with z = exp(-|x|): z neither overflows nor
  // cancels.
  Num z = expOf(-abs(x));
  Num numerator = select(x < 0, z, e->number(1));
  Pair sum = fastTwoSum(e->number(1), z);
  Num quotient = numerator / sum.high;
  // One step against the rounding of sum and quotient. It is small, so that 4 %
  // of error in 1 / sum do not matter.
  Num remainder = fma(-quotient, sum.low, fma(-quotient, sum.high, numerator));
  Num reciprocal = fma(sum.high, e->number(-0.5), e->number(1.457));
  return keepNaN(x, fma(remainder, reciprocal, quotient));
}

Num emitErf(Num x) {
  Emitter *e = x.emitter;
  // Small: x + x q(x^2). Else 1 - exp(p(x)), where p approximates log(erfc(x));
  // from the upper bound on that rounds to 1.
  Num a = abs(x);
  Num q =
      e->isF64() ? e->polynomial(a * a, erfF64) : e->polynomial(a * a, erfF32);
  Num small = fma(a, q, a);
  Num bounded = clamp(a, 1, e->isF64() ? 6 : 4);
  Num p = e->isF64() ? e->polynomial(bounded, erfcF64)
                     : e->polynomial(bounded, erfcF32);
  Num large = 1.0 - expOf(p, /*bounded=*/true);
  return keepNaN(x, flipSign(select(a < 1, small, large), signOf(x)));
}

} // namespace belfry::expandmath
