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

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace belfry::expandmath {

Num emitExp(Num x) { return keepNaN(x, expOf(x)); }

Num emitExp2(Num x) {
  Emitter *e = x.emitter;
  Num bounded = e->isF64() ? clamp(x, -1076, 1024) : clamp(x, -151, 128);
  Rounded n = roundToInteger(bounded, 2 * e->bias());
  // 2^x = 2^n exp((x - n) ln2); the difference is exact.
  Num rest = bounded - n.n;
  Num r = fma(rest, e->number(e->isF64() ? ln2HighF64 : ln2HighF32),
              rest * e->number(e->isF64() ? ln2LowF64 : ln2LowF32));
  return keepNaN(x, scaleOnePlus(expM1OfReduced(r), n.bits));
}

Num emitExpM1(Num x) {
  Emitter *e = x.emitter;
  // Below the lower bound the result rounds to -1.
  auto [n, r] = reduceExp(e->isF64() ? clamp(x, -38, 710) : clamp(x, -18, 89),
                          e->bias() - 1);
  // exp(x) - 1 = 2 (2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)); 2^n may exceed the
  // format where the result does not.
  Num half = powerOfField(n.bits);
  Num result = fma(half, expM1OfReduced(r), half - 0.5) * 2;
  // x + x^2/2 rounds to x, and the sign of zero stays.
  Num tiny = e->powerOfTwo(e->isF64() ? -54 : -25);
  return keepNaN(x, select(abs(x) < tiny, x, result));
}

static Num tanhF64Of(Num x) {
  Emitter *e = x.emitter;
  Num a = abs(x);
  // Small: an odd polynomial. Else 1 - 2 / (exp(2a) + 1), where what is
  // subtracted is less than half of the result's size and its error counts for
  // little; from the upper bound on the result rounds to 1.
  Num square = a * a;
  Num small = fma(a, square * e->polynomial(square, tanhF64), a);
  Num bounded = clamp(a, 0, 20);
  Num large =
      1.0 - e->number(2) / (expOf(bounded + bounded, /*bounded=*/true) + 1);
  return flipSign(select(a < tanhSplit, small, large), signOf(x));
}

static Num tanhF32Of(Num x) {
  Emitter *e = x.emitter;
  // tanh(a) = m / (m + 1) with m = expm1(2a) / 2, which keeps its precision
  // down to zero; from the upper bound on that rounds to 1.
  Num a = abs(x);
  a = select(a > 10, e->number(10), a);
  // 2a = n ln2 + 2r, and expm1(2r) / 2 = r + r^2 p(r): all by powers of two
  // from what exp uses.
  Rounded n = roundToInteger(a, e->number(2 * log2OfE), e->bias());
  Num r = fma(n.n, e->number(-ln2HighF32 / 2), a);
  r = fma(n.n, e->number(-ln2LowF32 / 2), r);
  double coefficients[std::size(expF32)];
  for (auto [i, c] : llvm::enumerate(expF32))
    coefficients[i] = std::ldexp(c, static_cast<int>(i) + 1);
  Num rest = fma(r * r, e->polynomial(r, coefficients), r);
  Num power = powerOfField(n.bits);
  Num m = fma(power, rest, fma(power, e->number(0.5), e->number(-0.5)));
  Num reciprocal = roughReciprocal(m + 1);
  Num quotient = m * reciprocal;
  // The remainder m - quotient (m + 1) without the rounding of m + 1.
  Num remainder = fma(-quotient, m, m - quotient);
  quotient = fma(remainder, reciprocal, quotient);
  return numOf(bitsOf(quotient) | signOf(x));
}

Num emitTanh(Num x) {
  return keepNaN(x, x.emitter->isF64() ? tanhF64Of(x) : tanhF32Of(x));
}

static Num sigmoidF64Of(Num x) {
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
  return fma(remainder, reciprocal, quotient);
}

static Num sigmoidF32Of(Num x) {
  Emitter *e = x.emitter;
  // a / (a + b (1 + q)) with a = 2^-64 and exp(-x) / 2^64 = b (1 + q): the sum
  // is a normal number wherever the result is neither 0 nor 1, and what it was
  // rounded by is in the last step of the reciprocal.
  constexpr int exponent = -64;
  x = clamp(x, -104, 30);
  Rounded n = roundToInteger(x, e->number(-log2OfE), e->bias() + exponent);
  Num r = fma(n.n, e->number(-ln2HighF32), -x);
  Num q = expM1OfReduced(fma(n.n, e->number(-ln2LowF32), r));
  Num a = e->powerOfTwo(exponent), b = powerOfField(n.bits);
  Num y = roughReciprocal(fma(b, q, b + a));
  Num rest = fma(-(y * b), q, fma(-y, b, fma(-y, a, e->number(1))));
  return fma(y, rest, y) * a;
}

Num emitSigmoid(Num x) {
  return keepNaN(x, x.emitter->isF64() ? sigmoidF64Of(x) : sigmoidF32Of(x));
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
