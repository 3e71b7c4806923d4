//===- ExpandMathEmitter.h - formulas as arith ops --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the expansions of transcendental functions are written with: an emitter
// for one shape and one floating-point format, numbers and bit patterns with
// operators that emit arith ops, and the steps that several functions share.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_EXPANDMATHEMITTER_H
#define BELFRY_PASSES_LOWERING_EXPANDMATHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace belfry::expandmath {

class Emitter;

/// A condition: i1 or a vector of it.
struct Bool {
  Emitter *emitter;
  mlir::Value value;
};

/// A floating-point value of the emitter's type; + - * / round each by itself.
struct Num {
  Emitter *emitter;
  mlir::Value value;
};

/// The bits of a Num as an integer of its width.
struct Bits {
  Emitter *emitter;
  mlir::Value value;
};

/// A sum of two numbers, |low| at most half a unit of the last place of high.
struct Pair {
  Num high, low;
};

/// Emits ops at the insertion point of a builder; constants are made once.
/// Lives no longer than one expansion.
class Emitter {
public:
  /// `type` is f32 or f64, or a vector of one.
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  bool isF64() const { return element.isF64(); }
  int fractionBits() const { return isF64() ? 52 : 23; }
  int bias() const { return isF64() ? 1023 : 127; }

  Num number(double value);
  Num infinity();
  Num notANumber();
  Bits bits(uint64_t pattern);
  /// 2^exponent, for exponents of normal numbers.
  Num powerOfTwo(int exponent);
  /// c_0 + c_1 x + … by Horner's rule in fused steps.
  Num polynomial(Num x, llvm::ArrayRef<double> coefficients);

  Num num(mlir::Value value) { return {this, value}; }
  /// The emitter's type with another element.
  mlir::Type typeWith(mlir::Type otherElement) const;
  /// x of another format in this one: exact when widening, rounded when
  /// narrowing.
  Num convert(Num x);
  /// The low bits of an integer of another width.
  Bits truncate(Bits x);

  mlir::ImplicitLocOpBuilder builder;
  mlir::Type type, bitsType;

private:
  mlir::Value constant(mlir::Type ofType, mlir::TypedAttr element);

  mlir::Type element;
  llvm::DenseMap<uint64_t, mlir::Value> numbers, patterns;
};

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
Num operator+(Num a, double b);
Num operator-(Num a, double b);
Num operator-(double a, Num b);
Num operator*(Num a, double b);
/// a * b + c with one rounding.
Num fma(Num a, Num b, Num c);
Num abs(Num a);
Num sqrt(Num a);
Num roundEven(Num a);

/// Ordered comparisons: false when either side is NaN.
Bool operator<(Num a, Num b);
Bool operator<(Num a, double b);
Bool operator>(Num a, double b);
Bool operator>=(Num a, double b);
Bool operator==(Num a, Num b);
Bool operator==(Num a, double b);
Bool isNaN(Num a);
Bool operator&(Bool a, Bool b);
Bool operator|(Bool a, Bool b);
Bool operator!(Bool a);
Num select(Bool condition, Num a, Num b);
Bits select(Bool condition, Bits a, Bits b);
/// x where low <= x <= high, else the bound; NaN stays.
Num clamp(Num x, double low, double high);

Bits bitsOf(Num a);
Num numOf(Bits a);
Bits operator+(Bits a, Bits b);
Bits operator-(Bits a, Bits b);
Bits operator&(Bits a, Bits b);
Bits operator|(Bits a, Bits b);
Bits operator^(Bits a, Bits b);
Bits operator<<(Bits a, int count);
Bits operator>>(Bits a, int count);
Bool isZero(Bits a);
/// The sign bit of a, alone.
Bits signOf(Num a);
/// a with the sign bit flipped where `sign` has it.
Num flipSign(Num a, Bits sign);

/// a + b without error (Knuth, TAOCP 2, section 4.2.2, theorem B).
Pair twoSum(Num a, Num b);
/// The same for |a| >= |b| or a = 0 (Dekker 1971).
Pair fastTwoSum(Num a, Num b);
/// a * b without error, by a fused multiply-add.
Pair twoProduct(Num a, Num b);

//===----------------------------------------------------------------------===//
// Steps shared by functions
//===----------------------------------------------------------------------===//

/// n = round(value) for |value| < 2^21 (f32) or 2^50 (f64).
struct Rounded {
  Num n;
  /// The low bits are n + offset in two's complement.
  Bits bits;
};
Rounded roundToInteger(Num value, int offset = 0);
/// round(a * b), with one rounding.
Rounded roundToInteger(Num a, Num b, int offset = 0);

/// 2^(k - bias) for the k in the low bits: a normal number's exponent field.
Num powerOfField(Bits k);
/// (1 + q) 2^n with at most one rounding where the result is subnormal, for n
/// up to twice the range of normal exponents; `bits` as of n with an offset of
/// twice the bias.
Num scaleOnePlus(Num q, Bits bits);

/// x = n ln2 + r with |r| <= ln2 / 2 (slightly more where rounding says so).
struct ExpReduction {
  Rounded n;
  Num r;
};
ExpReduction reduceExp(Num x, int offset);
/// exp(r) - 1 for |r| <= ln2 / 2.
Num expM1OfReduced(Num r);
/// exp(x), rounded to the format's range at both ends; NaN stays. `bounded`
/// promises -80 <= x <= 80: four ops cheaper.
Num expOf(Num x, bool bounded = false);

/// 1 / d to 2^-12.9 for normal d > 0 of f32 with a normal reciprocal, without a
/// division: one of a vector takes as long as some thirty other ops.
Num roughReciprocal(Num d);

/// x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0 and finite;
/// subnormals included.
struct LogReduction {
  Num e, f;
};
LogReduction reduceLog(Num x);
/// log1p(f) + e ln2 for reduced f.
Num logOfReduced(Num e, Num f);

/// `result`, or NaN where x is.
Num keepNaN(Num x, Num result);

//===----------------------------------------------------------------------===//
// Functions, by family
//===----------------------------------------------------------------------===//

// ExpandMathExponential.cpp
Num emitExp(Num x);
Num emitExp2(Num x);
Num emitExpM1(Num x);
Num emitTanh(Num x);
Num emitSigmoid(Num x);
Num emitErf(Num x);
// ExpandMathLogarithm.cpp
Num emitLog(Num x);
Num emitLog1p(Num x);
Num emitRsqrt(Num x);
// ExpandMathPower.cpp
Num emitPow(Num x, Num y);
// ExpandMathTrigonometric.cpp
Num emitSin(Num x);
Num emitCos(Num x);

} // namespace belfry::expandmath

#endif // BELFRY_PASSES_LOWERING_EXPANDMATHEMITTER_H
