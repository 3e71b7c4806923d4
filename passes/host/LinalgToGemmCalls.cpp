//===- LinalgToGemmCalls.cpp - products to calls --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Passes.h"
#include "passes/host/HostViews.h"
#include "passes/host/OpFacts.h"
#include "passes/lowering/PhaseAttrs.h"

namespace belfry {
#define GEN_PASS_DEF_LINALGTOGEMMCALLS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct LinalgToGemmCallsPass
    : belfry::impl::LinalgToGemmCallsBase<LinalgToGemmCallsPass> {
  using LinalgToGemmCallsBase::LinalgToGemmCallsBase;

  void runOnOperation() override {
    for (auto phase :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (phase->hasAttr(kFunctionAttr) && failed(rewrite(phase)))
        return signalPassFailure();
  }

  LogicalResult rewrite(func::FuncOp phase);
  func::FuncOp declare(Type element);
};

} // namespace

func::FuncOp LinalgToGemmCallsPass::declare(Type element) {
  ModuleOp module = getOperation();
  StringRef name = element.isF32()   ? "belfry_gemm_f32"
                   : element.isF64() ? "belfry_gemm_f64"
                                     : "belfry_gemm_i32";
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  auto function = func::FuncOp::create(
      b, module.getLoc(), name,
      b.getFunctionType({pointer, i64, i64, i64, pointer, i64, i64, pointer,
                         i64, i64, pointer, i64, i32},
                        {}));
  function.setPrivate();
  return function;
}

LogicalResult LinalgToGemmCallsPass::rewrite(func::FuncOp phase) {
  SmallVector<linalg::MatmulOp> products;
  phase.walk([&](linalg::MatmulOp op) { products.push_back(op); });
  if (products.empty())
    return success();
  Value rows = rowsOf(phase);
  if (!rows)
    return phase.emitError("has no rows yet; --host-entry-points runs first");
  OpBuilder b(&getContext());
  b.setInsertionPointToStart(&phase.getBody().front());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Value field = LLVM::GEPOp::create(b, phase.getLoc(), pointer, b.getI8Type(),
                                    phase.getArgument(0),
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                        offsetof(belfry_phase_args, context))});
  Value context = LLVM::LoadOp::create(b, phase.getLoc(), pointer, field);

  for (linalg::MatmulOp op : products) {
    Location loc = op.getLoc();
    FailureOr<View> x = describeMemref(op.getInputs()[0], rows),
                    y = describeMemref(op.getInputs()[1], rows),
                    z = describeMemref(op.getOutputs()[0], rows);
    if (failed(x) || failed(y) || failed(z))
      return failure();
    // A fill of the same target just before is part of the call.
    bool accumulate = true;
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      auto fill = dyn_cast<linalg::FillOp>(before);
      if (!fill) {
        if (isMemoryEffectFree(before))
          continue;
        break;
      }
      FailureOr<View> target = describeMemref(fill.getOutputs()[0], rows);
      if (failed(target))
        return failure();
      if (target->base == z->base && target->offset == z->offset &&
          target->sizes == z->sizes && target->strides == z->strides &&
          (matchPattern(fill.getInputs()[0], m_PosZeroFloat()) ||
           matchPattern(fill.getInputs()[0], m_Zero()))) {
        accumulate = false;
        ++numFillsMerged;
        fill.erase();
      }
      break;
    }
    b.setInsertionPoint(op);
    auto integer = [&](Affine a) -> Value {
      if (a.isFixed())
        return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(a.fixed));
      Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), rows);
      if (a.perRow != 1)
        count = arith::MulIOp::create(
            b, loc, count,
            arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(a.perRow)));
      if (a.fixed)
        count = arith::AddIOp::create(
            b, loc, count,
            arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(a.fixed)));
      return count;
    };
    Value flag =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(accumulate));
    auto call = func::CallOp::create(
        b, loc, declare(z->element),
        ValueRange{context, integer(z->sizes[0]), integer(z->sizes[1]),
                   integer(x->sizes[1]), pointerTo(b, loc, *x),
                   integer(x->strides[0]), integer(x->strides[1]),
                   pointerTo(b, loc, *y), integer(y->strides[0]),
                   integer(y->strides[1]), pointerTo(b, loc, *z),
                   integer(z->strides[0]), flag});
    if (describe)
      call->setAttr(kOpAttr,
                    describeProduct(&getContext(), z->sizes[0], z->sizes[1],
                                    x->sizes[1], z->element, accumulate));
    op.erase();
    ++numCalls;
  }
  return success();
}
