//===- NarrowProducts.cpp - products that read f16 and bf16 ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --narrow-products
//
// A product of two values that were widened for it reads them as they were: the
// kernel widens what it loads, and no array of f32 is written for it.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "passes/Passes.h"

namespace belfry {
#define GEN_PASS_DEF_NARROWPRODUCTS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// What `value` was widened from; null where it was not.
static Value narrowSource(Value value) {
  auto convert = value.getDefiningOp<nn::ConvertOp>();
  if (!convert || !getElementTypeOrSelf(value).isF32() ||
      !nn::isNarrow(getElementTypeOrSelf(convert.getOperand())))
    return {};
  return convert.getOperand();
}

namespace {
struct NarrowProductsPass
    : belfry::impl::NarrowProductsBase<NarrowProductsPass> {
  using NarrowProductsBase::NarrowProductsBase;

  void runOnOperation() override {
    getOperation()->walk([&](nn::DotOp dot) {
      Value lhs = narrowSource(dot.getLhs()), rhs = narrowSource(dot.getRhs());
      if (!lhs || !rhs ||
          getElementTypeOrSelf(lhs) != getElementTypeOrSelf(rhs))
        return;
      dot.getLhsMutable().set(lhs);
      dot.getRhsMutable().set(rhs);
      ++numNarrowed;
    });
    if (numNarrowed == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
