//===- Mma.cpp - the products of tensor cores -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/Mma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace belfry;

SmallVector<Value> belfry::createMma(OpBuilder &b, Location loc, Type element,
                                     ValueRange a, ValueRange own,
                                     ValueRange sums) {
  // NVVM wants pairs of f16 as vectors, pairs of bf16 as words.
  Type pair = VectorType::get(2, element);
  auto factors = [&](ValueRange words) {
    SmallVector<Value> result(words);
    if (element.isF16())
      for (Value &word : result)
        word = LLVM::BitcastOp::create(b, loc, pair, word);
    return result;
  };
  Type f32 = b.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(kMmaSums, f32));
  NVVM::MMATypes type =
      element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  auto mma = NVVM::MmaOp::create(
      b, loc, result, factors(a), factors(own), sums,
      ArrayRef<int64_t>{kMmaRows, kMmaColumns, kMmaDepth}, std::nullopt,
      std::nullopt, std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> next;
  for (int64_t i = 0; i < kMmaSums; ++i)
    next.push_back(LLVM::ExtractValueOp::create(b, loc, mma, i));
  return next;
}

bool belfry::isMma(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> type = op.getMultiplicandAPtxType();
  NVVM::MMAShapeAttr shape = op.getShape();
  return type == op.getMultiplicandBPtxType() &&
         (type == NVVM::MMATypes::f16 || type == NVVM::MMATypes::bf16) &&
         shape.getM() == kMmaRows && shape.getN() == kMmaColumns &&
         shape.getK() == kMmaDepth && op.getOperandC().size() == kMmaSums &&
         llvm::all_of(op.getOperandC().getTypes(),
                      [](Type sum) { return sum.isF32(); });
}

Type belfry::factorOf(NVVM::MmaOp op) {
  if (op.getMultiplicandAPtxType() == NVVM::MMATypes::f16)
    return Float16Type::get(op.getContext());
  return BFloat16Type::get(op.getContext());
}

Value belfry::wordOf(Value factor) {
  auto cast = factor.getDefiningOp<LLVM::BitcastOp>();
  return cast ? cast.getArg() : factor;
}

//===----------------------------------------------------------------------===//
// As loops over threads
//===----------------------------------------------------------------------===//

std::pair<MemRefType, MemRefType> belfry::mmaFactorTypes(MLIRContext *context,
                                                         int64_t threads) {
  Type f32 = Float32Type::get(context);
  int64_t warps = threads / kWarpLanes;
  return {MemRefType::get({warps, kMmaRows, kMmaDepth}, f32),
          MemRefType::get({warps, kMmaDepth, kMmaColumns}, f32)};
}

namespace {
/// Where a thread is among those that multiply together.
struct Lane {
  Value warp, quad, twice; ///< lane 4·quad + twice / 2 of the warp
};
} // namespace

static Value index(OpBuilder &b, Location loc, int64_t n) {
  return arith::ConstantIndexOp::create(b, loc, n);
}

static Value add(OpBuilder &b, Location loc, Value x, int64_t n) {
  return n == 0 ? x : Value(arith::AddIOp::create(b, loc, x, index(b, loc, n)));
}

static Lane laneOf(OpBuilder &b, Location loc, Value thread) {
  auto split = [&](Value x, int64_t n) -> std::pair<Value, Value> {
    return {arith::DivUIOp::create(b, loc, x, index(b, loc, n)),
            arith::RemUIOp::create(b, loc, x, index(b, loc, n))};
  };
  auto [warp, lane] = split(thread, kWarpLanes);
  auto [quad, inQuad] = split(lane, 4);
  return {warp, quad, arith::MulIOp::create(b, loc, inQuad, index(b, loc, 2))};
}

void belfry::storeMmaFactors(OpBuilder &b, Location loc, Type element,
                             const MmaFactors &to, Value thread,
                             ValueRange words) {
  Lane lane = laneOf(b, loc, thread);
  Value shift = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
  auto half = [&](Value word, bool upper) -> Value {
    if (upper)
      word = arith::ShRUIOp::create(b, loc, word, shift);
    Value bits = arith::TruncIOp::create(b, loc, b.getI16Type(), word);
    Value number = arith::BitcastOp::create(b, loc, element, bits);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), number);
  };
  constexpr int64_t kWordsOfA = 4;
  for (auto [i, word] : llvm::enumerate(words))
    for (int64_t upper = 0; upper < 2; ++upper) {
      Value number = half(word, upper);
      if (i < kWordsOfA) {
        Value row = add(b, loc, lane.quad, int64_t(i % 2) * kMmaRows / 2),
              k = add(b, loc, lane.twice, int64_t(i / 2) * 8 + upper);
        memref::StoreOp::create(b, loc, number, to.a,
                                ValueRange{lane.warp, row, k});
        continue;
      }
      Value k = add(b, loc, lane.twice, int64_t(i - kWordsOfA) * 8 + upper);
      memref::StoreOp::create(b, loc, number, to.b,
                              ValueRange{lane.warp, k, lane.quad});
    }
}

SmallVector<Value> belfry::addMmaProducts(OpBuilder &b, Location loc,
                                          const MmaFactors &from, Value thread,
                                          ValueRange sums) {
  Lane lane = laneOf(b, loc, thread);
  auto loop =
      scf::ForOp::create(b, loc, index(b, loc, 0), index(b, loc, kMmaDepth),
                         index(b, loc, 1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Value x[2], y[2];
  for (int64_t i = 0; i < 2; ++i) {
    Value row = add(b, loc, lane.quad, i * kMmaRows / 2),
          column = add(b, loc, lane.twice, i);
    x[i] =
        memref::LoadOp::create(b, loc, from.a, ValueRange{lane.warp, row, k});
    y[i] = memref::LoadOp::create(b, loc, from.b,
                                  ValueRange{lane.warp, k, column});
  }
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (auto [i, sum] : llvm::enumerate(next))
    sum = math::FmaOp::create(b, loc, x[i / 2], y[i % 2], sum);
  scf::YieldOp::create(b, loc, next);
  return loop.getResults();
}
