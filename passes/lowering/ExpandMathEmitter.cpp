//===- ExpandMathEmitter.cpp - formulas as arith ops ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathCoefficients.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace belfry::expandmath {

Emitter::Emitter(OpBuilder &opBuilder, Location loc, Type ofType)
    : builder(loc, opBuilder), type(ofType),
      element(getElementTypeOrSelf(ofType)) {
  bitsType = typeWith(builder.getIntegerType(element.getIntOrFloatBitWidth()));
}

Type Emitter::typeWith(Type otherElement) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(otherElement);
  return otherElement;
}

Value Emitter::constant(Type ofType, TypedAttr elementAttr) {
  if (auto vector = dyn_cast<VectorType>(ofType))
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(vector, Attribute(elementAttr)));
  return arith::ConstantOp::create(builder, elementAttr);
}

Num Emitter::number(double value) {
  Value &known = numbers[llvm::bit_cast<uint64_t>(value)];
  if (!known)
    known = constant(type, builder.getFloatAttr(element, value));
  return num(known);
}

Num Emitter::infinity() {
  return number(std::numeric_limits<double>::infinity());
}

Num Emitter::notANumber() {
  const auto &semantics = cast<FloatType>(element).getFloatSemantics();
  return num(constant(
      type, builder.getFloatAttr(element, APFloat::getQNaN(semantics))));
}

Bits Emitter::bits(uint64_t pattern) {
  Value &known = patterns[pattern];
  if (!known) {
    Type integer = getElementTypeOrSelf(bitsType);
    known =
        constant(bitsType,
                 builder.getIntegerAttr(
                     integer, APInt(integer.getIntOrFloatBitWidth(), pattern)));
  }
  return {this, known};
}

Num Emitter::powerOfTwo(int exponent) {
  return number(std::ldexp(1.0, exponent));
}

Num Emitter::polynomial(Num x, ArrayRef<double> coefficients) {
  Num sum = number(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, number(c));
  return sum;
}

Num Emitter::convert(Num x) {
  unsigned from =
      getElementTypeOrSelf(x.value.getType()).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (from < to)
    return num(arith::ExtFOp::create(builder, type, x.value));
  if (from > to)
    return num(arith::TruncFOp::create(builder, type, x.value));
  return num(x.value);
}

Bits Emitter::truncate(Bits x) {
  return {this, arith::TruncIOp::create(builder, bitsType, x.value)};
}

template <typename Op> static Value emit(Emitter *emitter, Value a, Value b) {
  return Op::create(emitter->builder, a, b);
}
template <typename Op> static Value emit(Emitter *emitter, Value a) {
  return Op::create(emitter->builder, a);
}

Num operator+(Num a, Num b) {
  return {a.emitter, emit<arith::AddFOp>(a.emitter, a.value, b.value)};
}
Num operator-(Num a, Num b) {
  return {a.emitter, emit<arith::SubFOp>(a.emitter, a.value, b.value)};
}
Num operator*(Num a, Num b) {
  return {a.emitter, emit<arith::MulFOp>(a.emitter, a.value, b.value)};
}
Num operator/(Num a, Num b) {
  return {a.emitter, emit<arith::DivFOp>(a.emitter, a.value, b.value)};
}
Num operator-(Num a) {
  return {a.emitter, emit<arith::NegFOp>(a.emitter, a.value)};
}
Num operator+(Num a, double b) { return a + a.emitter->number(b); }
Num operator-(Num a, double b) { return a - a.emitter->number(b); }
Num operator-(double a, Num b) { return b.emitter->number(a) - b; }
Num operator*(Num a, double b) { return a * a.emitter->number(b); }

Num fma(Num a, Num b, Num c) {
  return {a.emitter,
          math::FmaOp::create(a.emitter->builder, a.value, b.value, c.value)};
}
Num abs(Num a) { return {a.emitter, emit<math::AbsFOp>(a.emitter, a.value)}; }
Num sqrt(Num a) { return {a.emitter, emit<math::SqrtOp>(a.emitter, a.value)}; }
Num roundEven(Num a) {
  return {a.emitter, emit<math::RoundEvenOp>(a.emitter, a.value)};
}

static Bool compare(arith::CmpFPredicate predicate, Num a, Num b) {
  return {a.emitter, arith::CmpFOp::create(a.emitter->builder, predicate,
                                           a.value, b.value)};
}
Bool operator<(Num a, Num b) {
  return compare(arith::CmpFPredicate::OLT, a, b);
}
Bool operator<(Num a, double b) { return a < a.emitter->number(b); }
Bool operator>(Num a, double b) {
  return compare(arith::CmpFPredicate::OGT, a, a.emitter->number(b));
}
Bool operator>=(Num a, double b) {
  return compare(arith::CmpFPredicate::OGE, a, a.emitter->number(b));
}
Bool operator==(Num a, Num b) {
  return compare(arith::CmpFPredicate::OEQ, a, b);
}
Bool operator==(Num a, double b) { return a == a.emitter->number(b); }
Bool isNaN(Num a) { return compare(arith::CmpFPredicate::UNO, a, a); }
Bool operator&(Bool a, Bool b) {
  return {a.emitter, emit<arith::AndIOp>(a.emitter, a.value, b.value)};
}
Bool operator|(Bool a, Bool b) {
  return {a.emitter, emit<arith::OrIOp>(a.emitter, a.value, b.value)};
}

Bool operator!(Bool a) {
  auto &builder = a.emitter->builder;
  TypedAttr one = builder.getBoolAttr(true);
  if (auto vector = dyn_cast<VectorType>(a.value.getType()))
    one = DenseElementsAttr::get(vector, true);
  return {a.emitter,
          arith::XOrIOp::create(builder, a.value,
                                arith::ConstantOp::create(builder, one))};
}

Num select(Bool condition, Num a, Num b) {
  return {a.emitter,
          arith::SelectOp::create(a.emitter->builder, condition.value, a.value,
                                  b.value)};
}
Bits select(Bool condition, Bits a, Bits b) {
  return {a.emitter,
          arith::SelectOp::create(a.emitter->builder, condition.value, a.value,
                                  b.value)};
}

Num clamp(Num x, double low, double high) {
  x = select(x < low, x.emitter->number(low), x);
  return select(x > high, x.emitter->number(high), x);
}

Bits bitsOf(Num a) {
  return {a.emitter, arith::BitcastOp::create(a.emitter->builder,
                                              a.emitter->bitsType, a.value)};
}
Num numOf(Bits a) {
  return {a.emitter, arith::BitcastOp::create(a.emitter->builder,
                                              a.emitter->type, a.value)};
}
Bits operator+(Bits a, Bits b) {
  return {a.emitter, emit<arith::AddIOp>(a.emitter, a.value, b.value)};
}
Bits operator-(Bits a, Bits b) {
  return {a.emitter, emit<arith::SubIOp>(a.emitter, a.value, b.value)};
}
Bits operator&(Bits a, Bits b) {
  return {a.emitter, emit<arith::AndIOp>(a.emitter, a.value, b.value)};
}
Bits operator|(Bits a, Bits b) {
  return {a.emitter, emit<arith::OrIOp>(a.emitter, a.value, b.value)};
}
Bits operator^(Bits a, Bits b) {
  return {a.emitter, emit<arith::XOrIOp>(a.emitter, a.value, b.value)};
}
Bits operator<<(Bits a, int count) {
  return {a.emitter, emit<arith::ShLIOp>(a.emitter, a.value,
                                         a.emitter->bits(count).value)};
}
Bits operator>>(Bits a, int count) {
  return {a.emitter, emit<arith::ShRUIOp>(a.emitter, a.value,
                                          a.emitter->bits(count).value)};
}
Bool isZero(Bits a) {
  return {a.emitter,
          arith::CmpIOp::create(a.emitter->builder, arith::CmpIPredicate::eq,
                                a.value, a.emitter->bits(0).value)};
}

Bits signOf(Num a) {
  return bitsOf(a) & a.emitter->bits(a.emitter->isF64() ? uint64_t(1) << 63
                                                        : uint64_t(1) << 31);
}
Num flipSign(Num a, Bits sign) { return numOf(bitsOf(a) ^ sign); }

Pair twoSum(Num a, Num b) {
  Num sum = a + b;
  Num fromB = sum - a;
  return {sum, (a - (sum - fromB)) + (b - fromB)};
}
Pair fastTwoSum(Num a, Num b) {
  Num sum = a + b;
  return {sum, b - (sum - a)};
}
Pair twoProduct(Num a, Num b) {
  Num product = a * b;
  return {product, fma(a, b, -product)};
}

//===----------------------------------------------------------------------===//
// Steps shared by functions
//===----------------------------------------------------------------------===//

/// Adding this leaves no fraction bits, and the integer, plus the offset, in
/// the low bits of the sum.
static Num roundingShift(Emitter *e, int offset) {
  return e->number(std::ldexp(1.5, e->fractionBits()) + offset);
}

Rounded roundToInteger(Num value, int offset) {
  Num shift = roundingShift(value.emitter, offset);
  Num shifted = value + shift;
  return {shifted - shift, bitsOf(shifted)};
}
Rounded roundToInteger(Num a, Num b, int offset) {
  Num shift = roundingShift(a.emitter, offset);
  Num shifted = fma(a, b, shift);
  return {shifted - shift, bitsOf(shifted)};
}

Num powerOfField(Bits k) { return numOf(k << k.emitter->fractionBits()); }

Num scaleOnePlus(Num q, Bits bits) {
  // Two factors, since 2^n by itself may not be a normal number.
  Bits half = bits >> 1;
  Num factor = powerOfField(half);
  return fma(factor, q, factor) * powerOfField(bits - half);
}

ExpReduction reduceExp(Num x, int offset) {
  Emitter *e = x.emitter;
  // The product of n and the high part needs the bits of x's last place only,
  // so the first step is exact.
  Rounded n = roundToInteger(x, e->number(log2OfE), offset);
  Num r = fma(n.n, e->number(e->isF64() ? -ln2HighF64 : -ln2HighF32), x);
  return {n, fma(n.n, e->number(e->isF64() ? -ln2LowF64 : -ln2LowF32), r)};
}

Num expM1OfReduced(Num r) {
  Emitter *e = r.emitter;
  Num q = e->isF64() ? e->polynomial(r, expF64) : e->polynomial(r, expF32);
  return fma(r * r, q, r);
}

Num expOf(Num x, bool bounded) {
  int bias = x.emitter->bias();
  if (bounded) {
    auto [n, r] = reduceExp(x, bias);
    Num factor = powerOfField(n.bits);
    return fma(factor, expM1OfReduced(r), factor);
  }
  // Beyond these bounds the result is 0 or infinity, by the rounding in
  // scaleOnePlus().
  x = x.emitter->isF64() ? clamp(x, -746, 710) : clamp(x, -104, 89);
  auto [n, r] = reduceExp(x, 2 * bias);
  return scaleOnePlus(expM1OfReduced(r), n.bits);
}

Num roughReciprocal(Num d) {
  Emitter *e = d.emitter;
  // Subtracting the bits negates the exponent and puts a line in place of the
  // reciprocal of the fraction. The constant, found by search, leaves an error
  // of 0.0506, which the step to the third order makes 1.3e-4.
  Num y = numOf(e->bits(0x7EF31200) - bitsOf(d));
  Num error = fma(-d, y, e->number(1));
  return fma(y, fma(error, error, error), y);
}

LogReduction reduceLog(Num x) {
  Emitter *e = x.emitter;
  int fraction = e->fractionBits();
  // Subnormals first become normal.
  int lift = fraction + 1;
  Bool subnormal = x < e->powerOfTwo(1 - e->bias());
  Bits pattern = bitsOf(select(subnormal, x * e->powerOfTwo(lift), x));
  // Moving sqrt(1/2) to 1 before taking the exponent field makes [sqrt(1/2),
  // sqrt(2)) the interval of exponent 0.
  uint64_t one = uint64_t(e->bias()) << fraction;
  Bits root = e->bits(e->isF64() ? sqrtHalfBitsF64 : sqrtHalfBitsF32);
  Bits biased = (pattern + (e->bits(one) - root)) >> fraction;
  Num f = numOf((pattern - (biased << fraction)) + e->bits(one)) - 1;
  // An integer below 2^fraction becomes a number when it is put below the bits
  // of 2^fraction.
  double shift = std::ldexp(1.0, fraction);
  Num asNumber = numOf(biased | bitsOf(e->number(shift)));
  double zero = shift + e->bias();
  return {asNumber - select(subnormal, e->number(zero + lift), e->number(zero)),
          f};
}

Num logOfReduced(Num exponent, Num f) {
  Emitter *e = f.emitter;
  Num q = e->isF64() ? e->polynomial(f, logF64) : e->polynomial(f, logF32);
  Num rest = f * f * fma(f, q, e->number(-0.5));
  Num low = fma(exponent, e->number(e->isF64() ? ln2LowF64 : ln2LowF32), rest);
  return fma(exponent, e->number(e->isF64() ? ln2HighF64 : ln2HighF32),
             f + low);
}

Num keepNaN(Num x, Num result) {
  return select(isNaN(x), x.emitter->notANumber(), result);
}

} // namespace belfry::expandmath
