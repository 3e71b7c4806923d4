//===- Philox.cpp - the random numbers of nn.random, as arith -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC'11). The words are kept in 64-bit integers whose upper
// halves are of no account: that is how processors multiply 32 by 32 bits in
// vectors, and no word has to be moved between rounds.
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
  Value wide(uint64_t v) {
    return arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(static_cast<int64_t>(v)));
  }
  Value widen(Value x) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
  }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  /// The product with the lower half of x: its lower word (below what is of no
  /// account), and its upper one.
  std::pair<Value, Value> multiply(uint32_t factor, Value x) {
    Value low = arith::AndIOp::create(b, loc, x, wide(0xFFFFFFFF));
    Value product = arith::MulIOp::create(b, loc, low, wide(factor));
    return {product, arith::ShRUIOp::create(b, loc, product, wide(32))};
  }
  std::array<Value, 4> block(const RandomCounter &counter);

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
  /// Box and Muller's transform of a pair of words: radius and angle.
  std::pair<Value, Value> polar(Type type, Value first, Value second) {
    Value u = unit(type, first, 1), v = unit(type, second, 0);
    Value logarithm = math::LogOp::create(b, loc, u);
    Value radius = math::SqrtOp::create(
        b, loc, arith::MulFOp::create(b, loc, number(type, -2.0), logarithm));
    return {radius, arith::MulFOp::create(
                        b, loc, number(type, 2 * std::numbers::pi), v)};
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

std::array<Value, 4> Words::block(const RandomCounter &counter) {
  constexpr uint32_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  Value c0 = widen(counter.block), c1 = widen(counter.row),
        c2 = widen(counter.step), c3 = widen(counter.stream);
  Value k0 = counter.seedLow, k1 = counter.seedHigh;
  for (int round = 0; round < 10; ++round) {
    if (round) {
      k0 = arith::AddIOp::create(b, loc, k0, word(kW0));
      k1 = arith::AddIOp::create(b, loc, k1, word(kW1));
    }
    auto [low0, high0] = multiply(kM0, c0);
    auto [low1, high1] = multiply(kM1, c2);
    c0 = exclusiveOr(exclusiveOr(high1, c1), widen(k0));
    c1 = low1;
    c2 = exclusiveOr(exclusiveOr(high0, c3), widen(k1));
    c3 = low0;
  }
  std::array<Value, 4> words = {c0, c1, c2, c3};
  for (Value &word : words)
    word = arith::TruncIOp::create(b, loc, b.getI32Type(), word);
  return words;
}

std::array<Value, 4> belfry::buildRandomBlock(OpBuilder &b, Location loc,
                                              nn::RandomKind kind,
                                              const RandomCounter &counter,
                                              Type element) {
  Words w{b, loc};
  std::array<Value, 4> values = w.block(counter);
  if (kind == nn::RandomKind::Uniform)
    for (Value &value : values)
      value = w.unit(element, value, 0);
  if (kind == nn::RandomKind::Normal)
    for (int first : {0, 2}) {
      auto [radius, angle] = w.polar(element, values[first], values[first + 1]);
      values[first] = arith::MulFOp::create(b, loc, radius,
                                            math::CosOp::create(b, loc, angle));
      values[first + 1] = arith::MulFOp::create(
          b, loc, radius, math::SinOp::create(b, loc, angle));
    }
  return values;
}

Value belfry::buildRandom(OpBuilder &b, Location loc, nn::RandomKind kind,
                          const RandomCounter &counter, Value lane,
                          Type element) {
  Words w{b, loc};
  std::array<Value, 4> words = w.block(counter);
  if (kind != nn::RandomKind::Normal) {
    Value chosen = w.pick(lane, words);
    return kind == nn::RandomKind::Bits ? chosen : w.unit(element, chosen, 0);
  }
  Value pair = arith::ShRUIOp::create(b, loc, lane, w.word(1));
  Value odd = arith::AndIOp::create(b, loc, lane, w.word(1));
  auto [radius, angle] = w.polar(element, w.pick(pair, {words[0], words[2]}),
                                 w.pick(pair, {words[1], words[3]}));
  Value wave = w.pick(odd, {math::CosOp::create(b, loc, angle),
                            math::SinOp::create(b, loc, angle)});
  return arith::MulFOp::create(b, loc, radius, wave);
}
