//===- ExpandMath.cpp - transcendental functions as arith ops -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --expand-math
//
// 1. Replace the logistic function, written as 1 / (1 + exp(-x)), as a whole.
// 2. Replace each transcendental op on scalars and vectors by its expansion
//    (MathBuilders.h; the formulas are in ExpandMath<Family>.cpp).
// 3. Write out conversions of f16 and bf16 (ExpandNarrowFloats.cpp).
// 4. Report every op that is left and would become a call of the target's own
//    library, whose bits differ by target.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/ExpandMathEmitter.h"
#include "passes/lowering/MathBuilders.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace belfry {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/Passes.h.inc"

using expandmath::Emitter;
using expandmath::Num;

/// Whether values of the type are what an expansion works on.
static bool isExpandable(Type type) {
  if (!isa<FloatType, VectorType>(type))
    return false;
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
}

/// Emits `formula` on the operands, in f32 where they are narrower.
template <typename... Operand>
static Value build(OpBuilder &builder, Location loc,
                   Num (*formula)(decltype(Operand(), Num())...),
                   Operand... operand) {
  Type type = (operand.getType(), ...);
  if (!isExpandable(type))
    return {};
  Type wide = type;
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32) {
    wide = builder.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
  }
  Emitter emitter(builder, loc, wide);
  Value result = formula(emitter.convert(emitter.num(operand))...).value;
  return wide == type ? result
                      : arith::TruncFOp::create(builder, loc, type, result);
}

Value buildExp(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitExp, x);
}
Value buildExp2(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitExp2, x);
}
Value buildExpM1(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitExpM1, x);
}
Value buildLog(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitLog, x);
}
Value buildLog1p(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitLog1p, x);
}
Value buildTanh(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitTanh, x);
}
Value buildSigmoid(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitSigmoid, x);
}
Value buildErf(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitErf, x);
}
Value buildSin(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitSin, x);
}
Value buildCos(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitCos, x);
}
Value buildRsqrt(OpBuilder &builder, Location loc, Value x) {
  return build(builder, loc, expandmath::emitRsqrt, x);
}
Value buildPow(OpBuilder &builder, Location loc, Value x, Value y) {
  return build(builder, loc, expandmath::emitPow, x, y);
}

namespace {

template <typename Op, auto Builder> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not a float or a vector of floats of 16, 32 or 64 bits");
    Value result;
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
      result = Builder(rewriter, op.getLoc(), op->getOperand(0));
    else
      result =
          Builder(rewriter, op.getLoc(), op->getOperand(0), op->getOperand(1));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// 1 / (1 + exp(-x)), as lowerings write the logistic function for want of an
/// op of its own.
struct ExpandSigmoid : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern<arith::DivFOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
    if (!matchPattern(op.getLhs(), m_OneFloat()) || !sum)
      return failure();
    auto exp = sum.getLhs().getDefiningOp<math::ExpOp>();
    Value one = sum.getRhs();
    if (!exp) {
      exp = sum.getRhs().getDefiningOp<math::ExpOp>();
      one = sum.getLhs();
    }
    auto negated =
        exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    if (!negated || !matchPattern(one, m_OneFloat()) ||
        !isExpandable(op.getType()))
      return failure();
    rewriter.replaceOp(
        op, buildSigmoid(rewriter, op.getLoc(), negated.getOperand()));
    // The parts would be expanded for nothing.
    for (Operation *part :
         {sum.getOperation(), exp.getOperation(), negated.getOperation()})
      if (part->use_empty())
        rewriter.eraseOp(part);
    return success();
  }
};

/// Whether the op becomes one or a few instructions of IEEE 754 on every
/// target.
bool isBasic(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
             math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp,
             math::FmaOp, math::IPowIOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp, math::RoundOp,
             math::SqrtOp, math::TruncOp>(op);
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    // As a whole first, before exp is taken on its own.
    RewritePatternSet sigmoid(&getContext());
    sigmoid.add<ExpandSigmoid>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(sigmoid));
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Expansions on f16 and bf16 have made conversions too.
    if (failed(expandNarrowFloats(getOperation())))
      signalPassFailure();
    getOperation()->walk(
        [&](Operation *op) {
          if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
              isBasic(op) || op->getNumResults() == 0 ||
              isa<TensorType>(op->getResult(0).getType()))
            return;
          op->emitOpError()
              << "has no expansion for type " << op->getResult(0).getType()
              << ", and its bits would depend on the target's library";
          signalPassFailure();
        });
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns
      .add<Expand<math::ExpOp, buildExp>, Expand<math::Exp2Op, buildExp2>,
           Expand<math::ExpM1Op, buildExpM1>, Expand<math::LogOp, buildLog>,
           Expand<math::Log1pOp, buildLog1p>, Expand<math::TanhOp, buildTanh>,
           Expand<math::ErfOp, buildErf>, Expand<math::SinOp, buildSin>,
           Expand<math::CosOp, buildCos>, Expand<math::RsqrtOp, buildRsqrt>,
           Expand<math::PowFOp, buildPow>>(patterns.getContext());
}

} // namespace belfry
