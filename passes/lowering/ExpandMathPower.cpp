//===- ExpandMathPower.cpp - x to the power y -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x^y = exp(y log|x|), with a sign. An error of the logarithm grows by the size
// of the exponent, up to the width of the format's range, so that the logarithm
// takes more than the format: powers of f32 are computed in f64, and those of
// f64 with the logarithm as a pair.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathCoefficients.h"

namespace belfry::expandmath {

/// log(x) for x > 0 to a relative 2^-66: with s = f / (2 + f), log1p(f) = 2
/// atanh(s) = 2s + s^3 (2/3 + s^2 p(s^2)).
static Pair logPair(Num x) {
  Emitter *e = x.emitter;
  auto [n, f] = reduceLog(x);
  // s as a pair, from one division and the remainder that it leaves.
  Num m = f + 1;
  Pair divisor = fastTwoSum(e->number(1), m);
  // fastTwoSum wants |a| >= |b|; m exceeds 1 by less than a factor of 2, where
  // the difference is exact all the same.
  Num reciprocal = e->number(1) / divisor.high;
  Num s = f * reciprocal;
  Num remainder = fma(-s, divisor.low, fma(-s, divisor.high, f));
  Num sLow = remainder * reciprocal;
  Pair square = twoProduct(s, s);
  square.low = fma(s + s, sLow, square.low);
  // 2/3 + s^2 p
  Pair inner = fastTwoSum(e->number(twoThirdsHigh),
                          square.high * e->polynomial(square.high, logPair64));
  inner.low = inner.low + twoThirdsLow;
  Pair factor = twoProduct(square.high, inner.high);
  factor.low =
      fma(square.low, inner.high, fma(square.high, inner.low, factor.low));
  Pair cubic = twoProduct(s, factor.high);
  cubic.low = fma(sLow, factor.high, fma(s, factor.low, cubic.low));
  Pair logM = fastTwoSum(s + s, cubic.high);
  logM.low = logM.low + (cubic.low + (sLow + sLow));
  // n ln2 + log(m): the first product is exact, and larger than log(m) unless
  // it is 0.
  Pair sum = fastTwoSum(n * ln2Head, logM.high);
  return fastTwoSum(sum.high, sum.low + fma(n, e->number(ln2Tail), logM.low));
}

/// |x|^|…| before signs and NaN: a^y for a >= 0; infinite and zero where the
/// real power is, or out of range.
static Num powerOfF64(Num a, Num y) {
  Emitter *e = a.emitter;
  Pair logA = logPair(a);
  Num high =
      select(a == 0, -e->infinity(), select(a == e->infinity(), a, logA.high));
  Num product = y * high;
  // Within the bounds nothing overflowed, and the rest of the product is right.
  Bool inRange = abs(product) < 800;
  Num rest =
      select(inRange, fma(y, logA.low, fma(y, high, -product)), e->number(0));
  Rounded n = roundToInteger(clamp(product, -800, 800), e->number(log2OfE),
                             2 * e->bias());
  Num r = fma(n.n, e->number(-ln2HighF64), clamp(product, -800, 800)) +
          fma(n.n, e->number(-ln2LowF64), rest);
  return scaleOnePlus(expM1OfReduced(r), n.bits);
}

/// The same for numbers of f32, in f64, with a relative error of 2^-31 or less,
/// to be rounded to f32.
static Num powerOfF32(Num a, Num y) {
  Emitter *e = a.emitter;
  auto [n, f] = reduceLog(a);
  Num logA =
      fma(n, e->number(ln2HighF64),
          fma(f * f, fma(f, e->polynomial(f, logPow), e->number(-0.5)), f));
  Num high =
      select(a == 0, -e->infinity(), select(a == e->infinity(), a, logA));
  Num product = clamp(y * high, -110, 90);
  Rounded shift = roundToInteger(product, e->number(log2OfE), e->bias());
  Num r = fma(shift.n, e->number(-ln2HighF64), product);
  Num factor = powerOfField(shift.bits);
  return fma(factor, fma(r * r, e->polynomial(r, expPow), r), factor);
}

Num emitPow(Num x, Num y) {
  Emitter *e = x.emitter;
  Num a = abs(x);
  Num magnitude{};
  if (e->isF64()) {
    magnitude = powerOfF64(a, y);
  } else {
    Emitter wide(e->builder, e->builder.getLoc(),
                 e->typeWith(e->builder.getF64Type()));
    magnitude = e->convert(powerOfF32(wide.convert(a), wide.convert(y)));
  }
  magnitude = select(a == 1, e->number(1),
                     magnitude); // for infinite y, which met log(1) = 0
  // Powers of negative numbers: integers only; the odd ones keep the sign, that
  // of zero and infinity too.
  Bool integer = roundEven(y) == y;
  Num half = y * 0.5;
  Bool odd = integer & !(roundEven(half) == half);
  Bits sign = select(odd, signOf(x), e->bits(0));
  Num result = flipSign(magnitude, sign);
  Bool invalid = !integer & ((x < 0) & (a < e->infinity()));
  Bool unordered = isNaN(x) | isNaN(y);
  result = select(invalid | unordered, e->notANumber(), result);
  return select((x == 1) | (y == 0), e->number(1), result);
}

} // namespace belfry::expandmath
