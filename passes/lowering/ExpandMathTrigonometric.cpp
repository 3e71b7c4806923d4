//===- ExpandMathTrigonometric.cpp - sin, cos -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduction after Payne and Hanek (Radian Reduction for Trigonometric
// Functions, SIGNUM Newsletter 18, 1983): of the product x * 2/pi only what is
// left modulo 4 matters, so the bits of 2/pi whose product with x is a multiple
// of 4 are dropped, and as many of the following ones are used as the result
// needs. The bits are chosen by selects on the size of x, multiplied exactly in
// f64, and each product is reduced modulo 4, which is exact too.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathCoefficients.h"

#include "llvm/ADT/SmallVector.h"

#include <cmath>

namespace belfry::expandmath {

/// x modulo 4, in [-2, 2].
static Num modulo4(Num x) {
  return fma(roundEven(x * 0.25), x.emitter->number(-4), x);
}

/// x = (4 k + n + r) pi/2 with |r| <= 1/2; the low bits of `quadrant` are n's.
struct Quadrant {
  Bits quadrant;
  Num r;
};

/// x >= 0 in f64, with no more than 24 significant bits and below 2^128: a
/// number of f32. r has 2^-52 of relative error, and an absolute one of 2^-54,
/// where the least |r| that such x have is 2^-30.
static Quadrant reduceSingle(Num x) {
  Emitter *e = x.emitter;
  Num first = e->number(twoOverPiSingle[0][0]),
      second = e->number(twoOverPiSingle[0][1]),
      third = e->number(twoOverPiSingle[0][2]);
  for (int segment = 1; segment < 4; ++segment) {
    Bool beyond = x >= std::ldexp(1.0, 32 * segment);
    first = select(beyond, e->number(twoOverPiSingle[segment][0]), first);
    second = select(beyond, e->number(twoOverPiSingle[segment][1]), second);
    third = select(beyond, e->number(twoOverPiSingle[segment][2]), third);
  }
  Num high = modulo4(x * first), middle = modulo4(x * second), low = x * third;
  Rounded n = roundToInteger(high + middle + low);
  return {n.bits, ((high - n.n) + middle) + low};
}

/// The same for any x >= 0 of f64, with r as a pair.
struct QuadrantPair {
  Bits quadrant;
  Pair r;
};

static QuadrantPair reduceDouble(Num x) {
  Emitter *e = x.emitter;
  // 1. Words of 48 bits of 2/pi: the first one that counts is word k = max(0,
  // floor((exponent of x - 54) / 48)). Binary
  //    selection of five words from k on, with x scaled by 2^(-48 k) to match.
  llvm::SmallVector<Num> words;
  for (double word : twoOverPiWords)
    words.push_back(e->number(word));
  int last = static_cast<int>(words.size()) - usedWords; // the largest k
  for (int step = 16; step >= 1; step /= 2) {
    Bool beyond = x >= std::ldexp(1.0, 54 + 48 * step);
    x = select(beyond, x * e->powerOfTwo(-48 * step), x);
    int left = std::min(last, step - 1); // k is at most this from here on
    llvm::SmallVector<Num> chosen;
    for (int i = 0; i < left + usedWords; ++i)
      chosen.push_back(i + step < static_cast<int>(words.size())
                           ? select(beyond, words[i + step], words[i])
                           : words[i]);
    words = std::move(chosen);
    last = left;
  }
  // 2. The products, each exact as a pair; what may exceed 4 is reduced.
  llvm::SmallVector<Pair> products;
  for (int i = 0; i < usedWords; ++i)
    products.push_back(twoProduct(x * e->powerOfTwo(-48 * (i + 1)), words[i]));
  Num large[] = {modulo4(products[0].high), modulo4(products[1].high),
                 modulo4(products[0].low), products[2].high, products[1].low};
  // 3. Their sum, with two levels of errors kept: the integer may cancel all
  // but the last 62 bits of the first.
  llvm::SmallVector<Num> errors;
  Num sum = large[0];
  for (Num term : llvm::drop_begin(large)) {
    Pair pair = twoSum(sum, term);
    sum = pair.high;
    errors.push_back(pair.low);
  }
  Rounded n = roundToInteger(sum);
  sum = sum - n.n;
  errors.push_back(products[3].high);
  errors.push_back(products[2].low);
  Num error = errors[0], tail = products[4].high + products[3].low;
  for (Num term : llvm::drop_begin(errors)) {
    Pair pair = twoSum(error, term);
    error = pair.high;
    tail = tail + pair.low;
  }
  Pair r = twoSum(sum, error);
  return {n.bits, fastTwoSum(r.high, r.low + tail)};
}

/// sin(r + low) and cos(r + low) for |r| <= pi/4; `low` is left out where null.
static Num sinOfReduced(Num r, const Num *low) {
  Emitter *e = r.emitter;
  Num square = r * r;
  Num cube = r * square *
             (e->isF64() ? e->polynomial(square, sinF64)
                         : e->polynomial(square, sinF32));
  if (low)
    cube = fma(*low, fma(square, e->number(-0.5), e->number(1)), cube);
  return r + cube;
}
static Num cosOfReduced(Num r, const Num *low) {
  Emitter *e = r.emitter;
  Num square = r * r;
  Num rest = square * square *
             (e->isF64() ? e->polynomial(square, cosF64)
                         : e->polynomial(square, cosF32));
  if (low)
    rest = fma(r, -*low, rest);
  // 1 - square/2 loses bits of the small term only where the sum has a larger
  // unit of the last place.
  Num half = square * 0.5;
  Num main = 1.0 - half;
  return main + (((1.0 - main) - half) + rest);
}

/// sin(x + quarters pi/2).
static Num emitSinCos(Num x, int quarters) {
  Emitter *e = x.emitter;
  Num a = abs(x);
  Bits quadrant{};
  Num r{}, low{};
  if (e->isF64()) {
    QuadrantPair reduced = reduceDouble(a);
    quadrant = reduced.quadrant;
    Pair product = twoProduct(reduced.r.high, e->number(halfPiHigh));
    r = product.high;
    low = product.low +
          fma(reduced.r.high, e->number(halfPiLow), reduced.r.low * halfPiHigh);
    // The products of a tiny x leave the range of the format; it is its own
    // remainder.
    Bool tiny = a < e->powerOfTwo(-400);
    r = select(tiny, a, r);
    low = select(tiny, e->number(0), low);
  } else {
    Emitter wide(e->builder, e->builder.getLoc(),
                 e->typeWith(e->builder.getF64Type()));
    Quadrant reduced = reduceSingle(wide.convert(a));
    quadrant = e->truncate(reduced.quadrant);
    r = e->convert(reduced.r * halfPiHigh);
  }
  const Num *correction = e->isF64() ? &low : nullptr;
  if (quarters)
    quadrant = quadrant + e->bits(quarters);
  Num even = sinOfReduced(r, correction), odd = cosOfReduced(r, correction);
  Num value = select(isZero(quadrant & e->bits(1)), even, odd);
  // sin(y + pi) = -sin(y); the sine, not the cosine, is odd in x.
  int toSign = e->fractionBits() + (e->isF64() ? 11 : 8) - 1;
  Bits sign = (quadrant & e->bits(2)) << toSign;
  if (!quarters)
    sign = sign ^ signOf(x);
  return select(a < e->infinity(), flipSign(value, sign), e->notANumber());
}

Num emitSin(Num x) { return emitSinCos(x, 0); }
Num emitCos(Num x) { return emitSinCos(x, 1); }

} // namespace belfry::expandmath
