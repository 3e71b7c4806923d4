//===- ExpandMma.cpp - tensor cores that an architecture has not ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --expand-mma
//
// sm_75 has tensor cores for f16, with half of the depth, and none for bf16.
//
// - A product of f16 is two of m16n8k8, the lower half of the contracted
//   dimension first.
// - For one of bf16 each lane gets the words of its two rows of A and its two
//   columns of B from the lanes that have them, and makes its four sums by
//   multiply-adds in the order that Mma.h says.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/Mma.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace belfry {
#define GEN_PASS_DEF_EXPANDMMA
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// Two products of half the depth.
static void halve(NVVM::MmaOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> sums(op.getOperandC());
  NVVM::MMATypes type = *op.getMultiplicandAPtxType();
  Value result;
  constexpr int64_t kHalf = kMmaDepth / 2;
  for (unsigned half = 0; half < 2; ++half) {
    result = NVVM::MmaOp::create(
        b, loc, op.getType(), op.getOperandA().slice(2 * half, 2),
        op.getOperandB().slice(half, 1), sums,
        ArrayRef<int64_t>{kMmaRows, kMmaColumns, kHalf}, std::nullopt,
        std::nullopt, std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    if (half == 0)
      for (auto [i, sum] : llvm::enumerate(sums))
        sum = LLVM::ExtractValueOp::create(b, loc, result, int64_t(i));
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {

/// The multiply-adds of one product.
class Expansion {
public:
  explicit Expansion(NVVM::MmaOp op) : op(op), b(op), loc(op.getLoc()) {}
  void build();

private:
  Value word(int64_t n) {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(n)));
  }
  /// The word that lane `lane` of the warp has.
  Value shuffled(Value value, Value lane) {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), word(-1), value, lane,
                                word(kWarpLanes - 1), NVVM::ShflKind::idx,
                                UnitAttr());
  }
  /// Element `k` of a row or column, whose words the lanes from `first` on
  /// have: two of each of four.
  SmallVector<Value> elements(Value lower, Value upper, Value first);

  NVVM::MmaOp op;
  OpBuilder b;
  Location loc;
};

} // namespace

SmallVector<Value> Expansion::elements(Value lower, Value upper, Value first) {
  SmallVector<Value> result;
  for (Value words : {lower, upper})
    for (int64_t i = 0; i < 4; ++i) {
      Value lane = LLVM::AddOp::create(b, loc, first, word(i));
      Value pair = shuffled(words, lane);
      // The bits of a bf16 are the upper ones of an f32.
      for (Value bits :
           {Value(LLVM::ShlOp::create(b, loc, pair, word(16))),
            Value(LLVM::AndOp::create(b, loc, pair, word(-1 << 16)))})
        result.push_back(LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits));
    }
  return result;
}

void Expansion::build() {
  Value lane = NVVM::LaneIdOp::create(b, loc, b.getI32Type());
  Value inQuad = LLVM::AndOp::create(b, loc, lane, word(3));
  Value quad = LLVM::SubOp::create(b, loc, lane, inQuad);
  OperandRange a = op.getOperandA(), own = op.getOperandB();
  SmallVector<SmallVector<Value>> rows, columns;
  for (unsigned i = 0; i < 2; ++i) {
    rows.push_back(elements(a[i], a[2 + i], quad));
    // Column 2t + i, whose words are those of lanes 4·(2t + i) and after.
    Value first = LLVM::AddOp::create(
        b, loc, LLVM::ShlOp::create(b, loc, inQuad, word(3)), word(4 * i));
    columns.push_back(elements(own[0], own[1], first));
  }
  Value result = LLVM::UndefOp::create(b, loc, op.getType());
  for (auto [i, sum] : llvm::enumerate(op.getOperandC())) {
    Value value = sum;
    for (auto [x, y] : llvm::zip(rows[i / 2], columns[i % 2]))
      value = LLVM::FMAOp::create(b, loc, x, y, value);
    result = LLVM::InsertValueOp::create(b, loc, result, value, int64_t(i));
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct ExpandMmaPass : belfry::impl::ExpandMmaBase<ExpandMmaPass> {
  void runOnOperation() override {
    SmallVector<NVVM::MmaOp> products;
    getOperation()->walk([&](NVVM::MmaOp op) { products.push_back(op); });
    for (NVVM::MmaOp op : products) {
      if (!isMma(op)) {
        op.emitOpError("is no product of shape m16n8k16 of f16 or bf16");
        return signalPassFailure();
      }
      if (factorOf(op).isF16()) {
        halve(op);
        ++numHalved;
      } else {
        Expansion(op).build();
        ++numExpanded;
      }
    }
  }
};
} // namespace
