//===- Philox.cpp - the random numbers of nn.random, as arith -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC'11). Each element computes its whole block: integer work
// without memory, which a loop does for many elements at once.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace belfry;

namespace {
struct Words {
  OpBuilder &b;
  Location loc;

  Value word(uint32_t v) {
    return arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(v)));
  }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  std::pair<Value, Value> multiply(uint32_t factor, Value x) {
    auto product = arith::MulUIExtendedOp::create(b, loc, word(factor), x);
    return {product.getLow(), product.getHigh()};
  }
  Value number(Type type, double v) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  }
  /// The upper 24 bits as a number, plus `add`, times 2⁻²⁴.
  Value unit(Type type, Value w, int32_t add) {
    Value bits = arith::ShRUIOp::create(b, loc, w, word(8));
    if (add)
      bits = arith::AddIOp::create(b, loc, bits, word(add));
    Value x = arith::SIToFPOp::create(b, loc, type, bits);
    return arith::MulFOp::create(b, loc, x, number(type, 0x1p-24));
  }
  Value pick(Value index, ArrayRef<Value> choices) {
    Value result = choices.back();
    for (size_t i = choices.size() - 1; i-- > 0;) {
      Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index,
                                       word(i));
      result = arith::SelectOp::create(b, loc, is, choices[i], result);
    }
    return result;
  }
};
} // namespace

Value belfry::buildRandom(OpBuilder &b, Location loc, nn::RandomKind kind,
                          Value seedLow, Value seedHigh, Value step,
                          Value stream, Value row, Value e, Type element) {
  constexpr uint32_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  Words w{b, loc};
  Value block = arith::ShRUIOp::create(b, loc, e, w.word(2));
  Value lane = arith::AndIOp::create(b, loc, e, w.word(3));
  Value c0 = block, c1 = row, c2 = step, c3 = stream;
  Value k0 = seedLow, k1 = seedHigh;
  for (int round = 0; round < 10; ++round) {
    if (round) {
      k0 = arith::AddIOp::create(b, loc, k0, w.word(kW0));
      k1 = arith::AddIOp::create(b, loc, k1, w.word(kW1));
    }
    auto [low0, high0] = w.multiply(kM0, c0);
    auto [low1, high1] = w.multiply(kM1, c2);
    Value n0 = w.exclusiveOr(w.exclusiveOr(high1, c1), k0);
    Value n2 = w.exclusiveOr(w.exclusiveOr(high0, c3), k1);
    c0 = n0;
    c1 = low1;
    c2 = n2;
    c3 = low0;
  }
  if (kind != nn::RandomKind::Normal) {
    Value chosen = w.pick(lane, {c0, c1, c2, c3});
    return kind == nn::RandomKind::Bits ? chosen : w.unit(element, chosen, 0);
  }
  // Box and Muller's transform of the pair of words that the lane belongs to.
  Value pair = arith::ShRUIOp::create(b, loc, lane, w.word(1));
  Value odd = arith::AndIOp::create(b, loc, lane, w.word(1));
  Value u = w.unit(element, w.pick(pair, {c0, c2}), 1);
  Value v = w.unit(element, w.pick(pair, {c1, c3}), 0);
  Value logarithm = math::LogOp::create(b, loc, u);
  Value radius = math::SqrtOp::create(
      b, loc,
      arith::MulFOp::create(b, loc, w.number(element, -2.0), logarithm));
  Value angle =
      arith::MulFOp::create(b, loc, w.number(element, 2 * std::numbers::pi), v);
  Value wave = w.pick(odd, {math::CosOp::create(b, loc, angle),
                            math::SinOp::create(b, loc, angle)});
  return arith::MulFOp::create(b, loc, radius, wave);
}
