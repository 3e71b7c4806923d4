//===- ExpandRemainder.cpp - remainders of floats as integer arithmetic ---===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --expand-remainder
//
// A float is m·2^e with an integer m. For |x| >= |y| the remainder of x by y is
// that of mx·2^(ex - ey) by my, times 2^ey: an integer below my, and so a float
// of the format. It is exact, as the C library's fmod is.
//
//   1. Take m and e from the bits; e of a subnormal is that of the smallest
//      normal number.
//   2. r = mx mod my. While ex - ey bits are left, take as many of them as keep
//      r in 64 bits: r = (r · 2^bits) mod my.
//   3. Shift r up until its leading bit stands where that of a normal number
//      does, or the exponent is the smallest; put the sign of x there.
//   4. x where |x| < |y|; NaN where x is no number, or y is 0 or NaN.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace belfry {
#define GEN_PASS_DEF_EXPANDREMAINDER
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using arith::CmpIPredicate;

namespace {

/// The bits of floats of one format, f32 or f64.
class FloatBits {
public:
  FloatBits(OpBuilder &builder, Location loc, FloatType type)
      : b(loc, builder), type(type), width(type.getWidth()),
        fraction(type.getFPMantissaWidth() - 1),
        bits(builder.getIntegerType(width)) {}

  Value remainder(Value x, Value y);

private:
  Value constant(uint64_t value, Type of) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(of, APInt(of.getIntOrFloatBitWidth(), value)));
  }
  Value constant(uint64_t value) { return constant(value, bits); }
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value magnitude(Value x);
  Value exponent(Value magnitude);
  Value mantissa(Value magnitude);
  Value shiftedRemainder(Value dividend, Value divisor, Value count);
  Value assemble(Value r, Value exponent);

  ImplicitLocOpBuilder b;
  FloatType type;
  unsigned width, fraction; ///< bits of a number, and of its fraction
  Type bits;
};

} // namespace

Value FloatBits::magnitude(Value x) {
  return arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, x),
                               constant((uint64_t(1) << (width - 1)) - 1));
}

Value FloatBits::exponent(Value magnitude) {
  Value field = arith::ShRUIOp::create(b, magnitude, constant(fraction));
  return arith::MaxUIOp::create(b, field, constant(1));
}

Value FloatBits::mantissa(Value magnitude) {
  uint64_t leading = uint64_t(1) << fraction;
  Value low = arith::AndIOp::create(b, magnitude, constant(leading - 1));
  Value normal = compare(CmpIPredicate::uge, magnitude, constant(leading));
  Value top = arith::SelectOp::create(b, normal, constant(leading),
                                      constant(uint64_t(0)));
  return arith::OrIOp::create(b, low, top);
}

/// dividend · 2^count mod divisor; both have `fraction + 1` bits.
Value FloatBits::shiftedRemainder(Value dividend, Value divisor, Value count) {
  Type word = b.getI64Type();
  auto widen = [&](Value x) {
    return x.getType() == word ? x
                               : arith::ExtUIOp::create(b, word, x).getResult();
  };
  Value by = widen(divisor);
  Value first = arith::RemUIOp::create(b, widen(dividend), by);
  auto index = [&](int64_t n) { return arith::ConstantIndexOp::create(b, n); };
  int64_t most = 64 - (fraction + 1);
  Value left = arith::IndexCastOp::create(b, b.getIndexType(), count);
  auto loop = scf::ForOp::create(b, index(0), left, index(most), first);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value now = arith::MinSIOp::create(
        b, arith::SubIOp::create(b, left, loop.getInductionVar()), index(most));
    Value shifted = arith::ShLIOp::create(
        b, loop.getRegionIterArg(0), arith::IndexCastOp::create(b, word, now));
    Value next = arith::RemUIOp::create(b, shifted, by);
    scf::YieldOp::create(b, next);
  }
  Value r = loop.getResult(0);
  return bits == word ? r : arith::TruncIOp::create(b, bits, r).getResult();
}

/// The bits of r·2^exponent, where `exponent` counts from that of a subnormal's
/// last bit, 1.
Value FloatBits::assemble(Value r, Value exponent) {
  Value room = arith::SubIOp::create(b, exponent, constant(1));
  Value above =
      arith::SubIOp::create(b, math::CountLeadingZerosOp::create(b, r),
                            constant(width - fraction - 1));
  Value shift = arith::MinUIOp::create(b, above, room);
  // The leading bit of a normal number adds the 1 that its field lacks here.
  Value field = arith::ShLIOp::create(b, arith::SubIOp::create(b, room, shift),
                                      constant(fraction));
  Value sum =
      arith::AddIOp::create(b, arith::ShLIOp::create(b, r, shift), field);
  Value zero = constant(uint64_t(0));
  return arith::SelectOp::create(b, compare(CmpIPredicate::eq, r, zero), zero,
                                 sum);
}

Value FloatBits::remainder(Value x, Value y) {
  uint64_t infinite = ((uint64_t(1) << (width - 1 - fraction)) - 1) << fraction;
  Value ax = magnitude(x), ay = magnitude(y), infinity = constant(infinite);
  Value special = arith::OrIOp::create(
      b, compare(CmpIPredicate::uge, ax, infinity),
      arith::OrIOp::create(
          b, compare(CmpIPredicate::ugt, ay, infinity),
          compare(CmpIPredicate::eq, ay, constant(uint64_t(0)))));
  Value ex = exponent(ax), ey = exponent(ay);
  // No rounds for what is not a number; no division by zero.
  Value count = arith::SelectOp::create(b, special, constant(uint64_t(0)),
                                        arith::SubIOp::create(b, ex, ey));
  Value divisor = arith::MaxUIOp::create(b, mantissa(ay), constant(1));
  Value r = shiftedRemainder(mantissa(ax), divisor, count);
  Value sign = arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, x),
                                     constant(uint64_t(1) << (width - 1)));
  Value result = arith::BitcastOp::create(
      b, type, arith::OrIOp::create(b, assemble(r, ey), sign));
  result = arith::SelectOp::create(b, compare(CmpIPredicate::ult, ax, ay), x,
                                   result);
  Value notANumber = arith::ConstantOp::create(
      b, b.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics())));
  return arith::SelectOp::create(b, special, notANumber, result);
}

namespace {

struct ExpandRemainder : belfry::impl::ExpandRemainderBase<ExpandRemainder> {
  void runOnOperation() override {
    getOperation()->walk([&](arith::RemFOp op) {
      auto type = dyn_cast<FloatType>(op.getType());
      if (!type ||
          (!type.isF16() && !type.isBF16() && !type.isF32() && !type.isF64()))
        return;
      OpBuilder b(op);
      Location loc = op.getLoc();
      Value x = op.getLhs(), y = op.getRhs();
      FloatType wide = type.getWidth() < 32 ? b.getF32Type() : type;
      if (wide != type) {
        // The remainder of two numbers of a format is one of that format.
        x = arith::ExtFOp::create(b, loc, wide, x);
        y = arith::ExtFOp::create(b, loc, wide, y);
      }
      Value result = FloatBits(b, loc, wide).remainder(x, y);
      if (wide != type)
        result = arith::TruncFOp::create(b, loc, type, result);
      op.replaceAllUsesWith(result);
      op.erase();
      ++numExpanded;
    });
  }
};

} // namespace
