//===- ExpandNarrowFloats.cpp - conversions of f16 and bf16 ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 and the formats of 16 bits, as arithmetic on bits: no
// target's instruction is asked for, no call of a library is left, and a NaN
// has the same bits everywhere. The steps are those of belfry/NarrowFloats.h,
// with choices in place of branches. What is left are numbers that are moved:
// they become words, since even to choose between two of them LLVM calls a
// library where the processor has no instructions for the format.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathBuilders.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::expandmath;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// The type with another element, a scalar or a vector.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Bool isEqual(Bits a, uint64_t pattern) {
  return isZero(a ^ a.emitter->bits(pattern));
}

/// f16's exponent has a bias of 112 less than f32's.
constexpr uint64_t kRebias = uint64_t(112) << 23;

static Num widenHalf(Bits half) {
  Emitter *e = half.emitter;
  Bits exponent = half & e->bits(0x7c00);
  Bits sign = (half & e->bits(0x8000)) << 16;
  Bits word = ((half & e->bits(0x7fff)) << 13) + e->bits(kRebias);
  // Denormal numbers are a difference of normal ones.
  Bits least = e->bits(kRebias + (1 << 23));
  Bits denormal = bitsOf(numOf(word + e->bits(1 << 23)) - numOf(least));
  Bits special = word + e->bits(kRebias);
  word = select(isZero(exponent), denormal,
                select(isEqual(exponent, 0x7c00), special, word));
  return numOf(word | sign);
}

static Bits roundToHalf(Num x) {
  Emitter *e = x.emitter;
  Bits sign = (bitsOf(x) >> 16) & e->bits(0x8000);
  Num magnitude = abs(x);
  Bits word = bitsOf(magnitude);
  Bits odd = (word >> 13) & e->bits(1);
  Bits normal = (word + e->bits(0xfff) + odd - e->bits(kRebias)) >> 13;
  // 1/2 has a unit in the last place of 2^-24, f16's least number.
  Bits denormal = bitsOf(magnitude + 0.5) - bitsOf(e->number(0.5));
  Bits half = select(magnitude < 0x1p-14, denormal, normal);
  half = select(magnitude >= 65520.0, e->bits(0x7c00), half);
  return select(isNaN(x), e->bits(0x7e00), half) | sign;
}

static Num widenBFloat16(Bits x) { return numOf(x << 16); }

static Bits roundToBFloat16(Num x) {
  Emitter *e = x.emitter;
  Bits word = bitsOf(x), upper = word >> 16;
  Bits rounded = (word + e->bits(0x7fff) + (upper & e->bits(1))) >> 16;
  Bits sign = upper & e->bits(0x8000);
  return select(isNaN(x), sign | e->bits(0x7fc0), rounded);
}

namespace {

struct ExpandWiden : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!isNarrow(from))
      return failure();
    Location loc = op.getLoc();
    Type f32 = withElement(to, rewriter.getF32Type());
    Emitter e(rewriter, loc, f32);
    Value bits = arith::BitcastOp::create(
        rewriter, loc, withElement(from, rewriter.getI16Type()), op.getIn());
    Bits word{&e, arith::ExtUIOp::create(rewriter, loc, e.bitsType, bits)};
    Value result = (getElementTypeOrSelf(from).isF16() ? widenHalf(word)
                                                       : widenBFloat16(word))
                       .value;
    if (to != f32)
      result = arith::ExtFOp::create(rewriter, loc, to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandNarrow : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!isNarrow(to))
      return failure();
    Location loc = op.getLoc();
    Value x = op.getIn();
    Type f32 = withElement(from, rewriter.getF32Type());
    if (from != f32)
      x = arith::TruncFOp::create(rewriter, loc, f32, x);
    Emitter e(rewriter, loc, f32);
    Bits word = getElementTypeOrSelf(to).isF16() ? roundToHalf(e.num(x))
                                                 : roundToBFloat16(e.num(x));
    Value bits = arith::TruncIOp::create(
        rewriter, loc, withElement(to, rewriter.getI16Type()), word.value);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, bits);
    return success();
  }
};

/// Conversions of integers, which MLIR's folders bring together with those of
/// f32: apart again, since they round by way of f32.
template <typename Op> struct SplitFromInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Type f32 = withElement(op.getType(), rewriter.getF32Type());
    Value wide = Op::create(rewriter, op.getLoc(), f32, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

template <typename Op> struct SplitToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!isNarrow(from))
      return failure();
    Type f32 = withElement(from, rewriter.getF32Type());
    Value wide = arith::ExtFOp::create(rewriter, op.getLoc(), f32, op.getIn());
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), wide);
    return success();
  }
};

} // namespace

static bool hasNarrow(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

/// Whether `op` has to know what the bits mean.
static bool isArithmetic(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") &&
         !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
}

/// Words of 16 bits in place of the numbers, in all types and constants of
/// functions.
static void replaceTypes(Operation *root) {
  AttrTypeReplacer replacer;
  Type word = IntegerType::get(root->getContext(), 16);
  replacer.addReplacement([=](FloatType type) -> std::optional<Type> {
    return isNarrow(type) ? std::optional(word) : std::nullopt;
  });
  replacer.addReplacement([=](FloatAttr value) -> std::optional<Attribute> {
    if (!isNarrow(value.getType()))
      return std::nullopt;
    return IntegerAttr::get(word, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseFPElementsAttr values) -> std::optional<Attribute> {
        if (!isNarrow(values.getElementType()))
          return std::nullopt;
        return values.bitcast(word);
      });
  // What tensor cores are handed stays f16: kernels have no other vectors.
  bool multiplies = root->walk([](Operation *op) {
                          return op->getName().getStringRef() == "nvvm.mma.sync"
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (multiplies)
    replacer.addReplacement(
        [](VectorType type) -> std::optional<std::pair<Type, WalkResult>> {
          return std::pair(type, WalkResult::skip());
        });
  // Parameters and what the program says of itself keep their types.
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    return WalkResult::skip();
  });
  root->walk([](arith::BitcastOp op) {
    if (op.getIn().getType() != op.getType())
      return;
    op.replaceAllUsesWith(op.getIn());
    op.erase();
  });
}

LogicalResult belfry::expandNarrowFloats(Operation *root) {
  RewritePatternSet integers(root->getContext());
  integers
      .add<SplitFromInteger<arith::SIToFPOp>, SplitFromInteger<arith::UIToFPOp>,
           SplitToInteger<arith::FPToSIOp>, SplitToInteger<arith::FPToUIOp>>(
          root->getContext());
  walkAndApplyPatterns(root, std::move(integers));
  RewritePatternSet patterns(root->getContext());
  patterns.add<ExpandWiden, ExpandNarrow>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  // Ops on tensors stay, and their types with them.
  bool any = false, stays = false, good = true;
  root->walk([&](Operation *op) {
    if (!hasNarrow(op))
      return;
    any = true;
    if (!isArithmetic(op))
      return;
    if (isa<TensorType>(op->getResult(0).getType())) {
      stays = true;
      return;
    }
    good = false;
    op->emitOpError("computes with numbers of 16 bits, and its bits would "
                    "depend on the target");
  });
  if (any && good && !stays)
    replaceTypes(root);
  return success(good);
}
