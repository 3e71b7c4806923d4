//===- PackMaskedSteps.cpp - masked steps cost nothing --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each masked nn.scan of a phase:
//
//   1. Its sequences and outputs go through nn.pack_steps and nn.unpack_steps:
//      the loop then reads and writes rows that the mask selects, and no
//      others.
//   2. Packing moves up through what makes the sequences, and unpacking down
//      through what reads the outputs, until they meet or reach what needs all
//      steps: products are computed for the selected rows alone, and weight
//      gradients are sums over those rows.
//   3. After the last masked layer, what the loss ignores at masked steps is
//      computed for the selected rows (PackIgnored.h).
//
// Rows keep their order, so that a sum over them differs by terms that are
// zero.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/RowMultiple.h"
#include "passes/Passes.h"
#include "passes/lowering/FormUnits.h"
#include "passes/lowering/PackIgnored.h"
#include "passes/lowering/PackPatterns.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace belfry {
#define GEN_PASS_DEF_PACKMASKEDSTEPS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value unpack(OpBuilder &b, Location loc, Value packed, Value mask) {
  RankedTensorType type = tensorType(packed);
  SmallVector<int64_t> shape{tensorType(mask).getDimSize(0)};
  llvm::append_range(shape, type.getShape());
  return nn::UnpackStepsOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), packed,
      mask);
}

/// Whether the loop may run on some of the rows.
static bool canPack(nn::ScanOp op) {
  if (!op.getMask() || op.getSequences().empty() || op.getSteps() < 1 ||
      !tensorType(op.getMask()).isDynamicDim(1))
    return false;
  for (Value sequence : op.getSequences())
    if (tensorType(sequence).getRank() < 2 ||
        !tensorType(sequence).isDynamicDim(1))
      return false;
  for (Value output : op.getOutputs())
    if (!tensorType(output).isDynamicDim(1))
      return false;
  for (Value closed : op.getClosed())
    if (!tensorType(closed).hasStaticShape() &&
        !tensorType(closed).isDynamicDim(0))
      return false;
  return llvm::all_of(op.getBody().front(),
                      [](Operation &inner) { return isByRow(&inner); });
}

static void packScan(nn::ScanOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value mask = op.getMask();
  for (OpOperand &operand : op.getSequencesMutable())
    operand.set(unpack(b, loc, packSteps(b, loc, operand.get(), mask), mask));
  b.setInsertionPointAfter(op);
  for (Value output : op.getOutputs()) {
    if (output.use_empty())
      continue;
    Value packed = packSteps(b, loc, output, mask);
    Value whole = unpack(b, loc, packed, mask);
    output.replaceAllUsesExcept(whole, packed.getDefiningOp());
  }
}

namespace {

struct PackOfUnpack : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    auto whole = op.getOperand().getDefiningOp<nn::UnpackStepsOp>();
    if (!whole || whole.getMask() != op.getMask())
      return failure();
    rewriter.replaceOp(op, whole.getOperand());
    return success();
  }
};

/// A product of each row of each step with a matrix.
static bool isRowProduct(nn::DotOp dot, Value steps) {
  return dot.getLhs() == steps && dot.getRhs() != steps &&
         dot.getLhsBatch().empty() &&
         llvm::all_of(dot.getLhsContract(), [](int64_t d) { return d >= 2; });
}

static SmallVector<int64_t> shifted(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (int64_t d : dims)
    result.push_back(d - 1);
  return result;
}

/// The product `dot` of packed rows.
static Value packedProduct(PatternRewriter &rewriter, nn::DotOp dot,
                           Value packed) {
  RankedTensorType type = tensorType(dot.getResult());
  auto none = rewriter.getDenseI64ArrayAttr({});
  return nn::DotOp::create(
      rewriter, dot.getLoc(),
      RankedTensorType::get(type.getShape().drop_front(),
                            type.getElementType()),
      packed, dot.getRhs(), none, none,
      rewriter.getDenseI64ArrayAttr(shifted(dot.getLhsContract())),
      dot.getRhsContractAttr());
}

struct PackOfProduct : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<nn::DotOp>();
    if (!dot || onlyReader(dot.getResult()) != op ||
        !isRowProduct(dot, dot.getLhs()) ||
        tensorType(dot.getLhs()).getShape().take_front(2) !=
            tensorType(op.getMask()).getShape())
      return failure();
    Value rows = packSteps(rewriter, op.getLoc(), dot.getLhs(), op.getMask());
    rewriter.replaceOp(op, packedProduct(rewriter, dot, rows));
    return success();
  }
};

struct ProductOfUnpack : OpRewritePattern<nn::DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::DotOp dot,
                                PatternRewriter &rewriter) const override {
    auto left = dot.getLhs().getDefiningOp<nn::UnpackStepsOp>();
    auto right = dot.getRhs().getDefiningOp<nn::UnpackStepsOp>();
    if (left && isRowProduct(dot, dot.getLhs())) {
      Value packed = packedProduct(rewriter, dot, left.getOperand());
      rewriter.replaceOp(
          dot, unpack(rewriter, dot.getLoc(), packed, left.getMask()));
      return success();
    }
    // A sum over the rows of all steps, where one side is zero in rows that are
    // masked.
    auto rowsOnly = [](ArrayRef<int64_t> contract) {
      return contract == ArrayRef<int64_t>{0, 1};
    };
    if ((!left && !right) || !dot.getLhsBatch().empty() ||
        !rowsOnly(dot.getLhsContract()) || !rowsOnly(dot.getRhsContract()))
      return failure();
    Value mask = left ? left.getMask() : right.getMask();
    auto rowsOf = [&](Value steps, nn::UnpackStepsOp whole) -> Value {
      if (whole && whole.getMask() == mask)
        return whole.getOperand();
      return packSteps(rewriter, dot.getLoc(), steps, mask);
    };
    Value lhs = rowsOf(dot.getLhs(), left), rhs = rowsOf(dot.getRhs(), right);
    auto none = rewriter.getDenseI64ArrayAttr({});
    auto rows = rewriter.getDenseI64ArrayAttr({0});
    rewriter.replaceOpWithNewOp<nn::DotOp>(dot, dot.getType(), lhs, rhs, none,
                                           none, rows, rows);
    return success();
  }
};

struct SumOfUnpack : OpRewritePattern<nn::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto whole = op.getOperand().getDefiningOp<nn::UnpackStepsOp>();
    ArrayRef<int64_t> dims = op.getDims();
    if (!whole || op.getKind() != nn::ReduceKind::Sum || dims.size() < 2 ||
        dims[0] != 0 || dims[1] != 1)
      return failure();
    rewriter.replaceOpWithNewOp<nn::ReduceOp>(
        op, op.getType(), op.getKind(), whole.getOperand(),
        rewriter.getDenseI64ArrayAttr(shifted(dims.drop_front())));
    return success();
  }
};

struct PackMaskedStepsPass
    : belfry::impl::PackMaskedStepsBase<PackMaskedStepsPass> {
  void runOnOperation() override {
    SmallVector<nn::ScanOp> scans;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr))
        for (auto scan : function.getBody().front().getOps<nn::ScanOp>())
          scans.push_back(scan);
    shapesFromOrigins();
    int64_t packed = 0;
    for (nn::ScanOp scan : scans)
      if (canPack(scan)) {
        packScan(scan);
        ++packed;
      } else if (scan.getMask()) {
        ++numMissed;
      }
    numPacked += packed;
    if (packed == 0)
      return;
    // What comes after the last layer reads packed rows that then meet the
    // layer's.
    if (failed(meet()) || (ignored() && failed(meet())))
      signalPassFailure();
  }

  /// Moves packing and unpacking apart until they meet.
  LogicalResult meet() {
    RewritePatternSet patterns(&getContext());
    patterns.add<PackOfUnpack, PackOfProduct, ProductOfUnpack, SumOfUnpack>(
        &getContext());
    populatePackPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return failure();
    shapesFromOrigins();
    return success();
  }

  bool ignored() {
    int64_t changed = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kFunctionAttr))
        continue;
      Block &block = function.getBody().front();
      llvm::SetVector<Value> masks;
      for (auto pack : block.getOps<nn::PackStepsOp>())
        masks.insert(pack.getMask());
      for (Value mask : masks)
        changed += packIgnored(block, mask);
    }
    numIgnored += changed;
    return changed > 0;
  }

  /// A value of which only the shape is read must not be computed for it.
  void shapesFromOrigins() {
    getOperation().walk([](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isShapeOperand(operand) && !isa<nn::DimSizeOp>(op))
          operand.set(nn::rowOrigin(operand.get()));
    });
  }
};

} // namespace
