//===- PackPatterns.cpp - packing moves through maps ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between two masked layers is computed for the rows that the mask
// selects:
//
//   1. An elementwise op that only a pack reads is done on packed operands;
//      likewise under a transpose of batch and time.
//   2. Where a mask selects, a loop that takes a sequence's element where it
//      selects, and what it carries elsewhere, gives the sequence.
//   3. The gradient of such a loop sums what comes in at masked steps for the
//      step before them. Where nothing comes in, it gives what came in.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/PackPatterns.h"

#include "dialects/nn/DistributionModel.h"
#include "dialects/nn/Nn.h"
#include "passes/lowering/FormUnits.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace belfry;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value belfry::swappedSteps(Value value) {
  auto transpose = value.getDefiningOp<nn::TransposeOp>();
  if (!transpose || transpose.getPerm().size() < 2)
    return {};
  for (auto [d, from] : llvm::enumerate(transpose.getPerm()))
    if (from != static_cast<int64_t>(d < 2 ? 1 - d : d))
      return {};
  return transpose.getOperand();
}

bool belfry::readsRandom(Operation *map) {
  return llvm::any_of(map->getOperands(), [](Value operand) {
    return bool(operand.getDefiningOp<nn::RandomOp>());
  });
}

Value belfry::swapSteps(OpBuilder &b, Location loc, Value value) {
  if (Value before = swappedSteps(value))
    return before;
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> perm, shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    perm.push_back(d < 2 ? 1 - d : d);
    shape.push_back(type.getDimSize(perm.back()));
  }
  return nn::TransposeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      b.getDenseI64ArrayAttr(perm));
}

/// Whether `condition` is what `mask` says of the row of a step; with `swap` it
/// is by batch, then time.
static bool isMask(Value condition, Value mask, bool swap) {
  if (auto broadcast = condition.getDefiningOp<nn::BroadcastOp>();
      broadcast && broadcast.getDims() == ArrayRef<int64_t>{0, 1})
    condition = broadcast.getOperand();
  return swap ? swappedSteps(mask) == condition ||
                    swappedSteps(condition) == mask
              : condition == mask;
}

Value belfry::packSteps(OpBuilder &b, Location loc, Value steps, Value mask) {
  RankedTensorType type = tensorType(steps);
  return nn::PackStepsOp::create(
      b, loc,
      RankedTensorType::get(type.getShape().drop_front(),
                            type.getElementType()),
      steps, mask);
}

/// A broadcast that is the same for all rows of all steps.
static bool isSameInAllRows(Value value) {
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  return broadcast &&
         llvm::all_of(broadcast.getDims(), [](int64_t d) { return d >= 2; });
}

namespace {

/// What is packed already need not be packed again.
struct PackTwice : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : op.getOperand().getUsers()) {
      auto other = dyn_cast<nn::PackStepsOp>(user);
      if (!other || other == op || other.getMask() != op.getMask() ||
          other->getBlock() != op->getBlock() || !other->isBeforeInBlock(op))
        continue;
      rewriter.replaceOp(op, other.getResult());
      return success();
    }
    return failure();
  }
};

struct PackOfMap : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    Value steps = op.getOperand();
    if (onlyReader(steps) != op)
      return failure();
    Value below = swappedSteps(steps);
    if (below && onlyReader(below) != steps.getDefiningOp())
      return failure();
    Operation *map = (below ? below : steps).getDefiningOp();
    if (!isMap(map) || llvm::all_of(map->getOperands(), isSameInAllRows))
      return failure();
    if (readsRandom(map))
      return failure();
    Location loc = map->getLoc();
    if (auto select = dyn_cast<nn::SelectOp>(map);
        select && isMask(select->getOperand(0), op.getMask(), bool(below))) {
      Value chosen = select->getOperand(1);
      if (below)
        chosen = swapSteps(rewriter, loc, chosen);
      rewriter.replaceOp(op, packSteps(rewriter, loc, chosen, op.getMask()));
      return success();
    }
    auto shape = tensorType(op.getResult()).getShape();
    IRMapping packed;
    Value rows;
    for (Value operand : map->getOperands()) {
      if (isSameInAllRows(operand) || packed.contains(operand))
        continue;
      Value byStep = below ? swapSteps(rewriter, loc, operand) : operand;
      rows = packSteps(rewriter, loc, byStep, op.getMask());
      packed.map(operand, rows);
    }
    for (Value operand : map->getOperands()) {
      auto broadcast = operand.getDefiningOp<nn::BroadcastOp>();
      if (packed.contains(operand) || !broadcast)
        continue;
      SmallVector<int64_t> dims;
      for (int64_t d : broadcast.getDims())
        dims.push_back(d - 1);
      packed.map(operand, nn::BroadcastOp::create(
                              rewriter, broadcast.getLoc(),
                              RankedTensorType::get(
                                  shape, tensorType(operand).getElementType()),
                              broadcast.getOperand(), rows,
                              rewriter.getDenseI64ArrayAttr(dims)));
    }
    Operation *clone = rewriter.clone(*map, packed);
    clone->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, clone->getResult(0));
    return success();
  }
};

/// Of a value of a loop's body: what it is at steps where `mask` selects the
/// row; or null.
Value whereSelected(nn::ScanOp scan, Value value, Value mask) {
  auto select = value.getDefiningOp<nn::SelectOp>();
  if (!select || select->getParentOp() != scan)
    return {};
  Value condition = select->getOperand(0);
  if (auto broadcast = condition.getDefiningOp<nn::BroadcastOp>()) {
    if (broadcast.getDims() != ArrayRef<int64_t>{0})
      return {};
    condition = broadcast.getOperand();
  }
  auto argument = dyn_cast<BlockArgument>(condition);
  if (!argument || argument.getOwner()->getParentOp() != scan ||
      scan->getOperand(argument.getArgNumber()) != mask ||
      !llvm::is_contained(scan.getSequenceArgs(), argument))
    return {};
  return select->getOperand(1);
}

/// The unmasked loop whose output is packed, and what the output is where the
/// mask selects the row; nulls where that can't be seen.
std::pair<nn::ScanOp, Value> selectedOutput(nn::PackStepsOp op) {
  auto scan = op.getOperand().getDefiningOp<nn::ScanOp>();
  if (!scan || scan.getMask())
    return {};
  unsigned index = cast<OpResult>(op.getOperand()).getResultNumber();
  unsigned inits = scan.getInits().size();
  if (index < inits)
    return {};
  return {scan, whereSelected(scan, scan.getYield().getOutputs()[index - inits],
                              op.getMask())};
}

struct PackOfHold : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    auto [scan, chosen] = selectedOutput(op);
    auto argument = dyn_cast_or_null<BlockArgument>(chosen);
    if (!argument || !llvm::is_contained(scan.getSequenceArgs(), argument))
      return failure();
    Value sequence = scan->getOperand(argument.getArgNumber());
    rewriter.replaceOp(
        op, packSteps(rewriter, op.getLoc(), sequence, op.getMask()));
    return success();
  }
};

} // namespace

/// Whether all elements are one finite number.
static bool isFinite(Value value) {
  if (auto broadcast = value.getDefiningOp<nn::BroadcastOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  return !isa<FloatType>(elements.getElementType()) ||
         elements.getSplatValue<APFloat>().isFinite();
}

/// Whether `value` is zero (of any sign) at the rows that `mask` does not
/// select.
static bool isZeroWhereMasked(Value value, Value mask) {
  if (auto unpack = value.getDefiningOp<nn::UnpackStepsOp>())
    return unpack.getMask() == mask;
  if (Value below = swappedSteps(value))
    return isZeroWhereMasked(below, mask);
  Operation *op = value.getDefiningOp();
  auto either = [&](Value x) {
    return nn::isZeroConstant(x) || isZeroWhereMasked(x, mask);
  };
  if (auto select = dyn_cast_or_null<nn::SelectOp>(op))
    return either(select->getOperand(1)) && either(select->getOperand(2));
  auto binary = dyn_cast_or_null<nn::BinaryOp>(op);
  if (!binary || binary.getKind() != nn::BinaryKind::Mul)
    return false;
  return (isFinite(binary.getRhs()) &&
          isZeroWhereMasked(binary.getLhs(), mask)) ||
         (isFinite(binary.getLhs()) &&
          isZeroWhereMasked(binary.getRhs(), mask));
}

Value belfry::heldGradient(nn::PackStepsOp op,
                           function_ref<bool(Value)> isZero) {
  // The sum of what is carried and what comes in, where the row is selected.
  Value mask = op.getMask();
  auto [scan, chosen] = selectedOutput(op);
  auto sum = chosen ? chosen.getDefiningOp<nn::BinaryOp>() : nn::BinaryOp();
  if (!sum || sum.getKind() != nn::BinaryKind::Add)
    return {};
  for (auto [x, y] : {std::pair(sum.getLhs(), sum.getRhs()),
                      std::pair(sum.getRhs(), sum.getLhs())}) {
    auto carried = dyn_cast<BlockArgument>(x),
         comes = dyn_cast<BlockArgument>(y);
    if (!carried || !comes ||
        !llvm::is_contained(scan.getCarriedArgs(), carried) ||
        !llvm::is_contained(scan.getSequenceArgs(), comes))
      continue;
    // It begins with nothing, and carries nothing on from a selected row.
    Value next = scan.getYield().getCarry()[carried.getArgNumber()];
    auto select = next.getDefiningOp<nn::SelectOp>();
    Value sequence = scan->getOperand(comes.getArgNumber());
    Value kept = whereSelected(scan, next, mask);
    if (select && kept && nn::isZeroConstant(kept) &&
        select->getOperand(2) == chosen &&
        nn::isZeroConstant(scan->getOperand(carried.getArgNumber())) &&
        isZero(sequence))
      return sequence;
  }
  return {};
}

namespace {

struct PackOfHeldGradient : OpRewritePattern<nn::PackStepsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PackStepsOp op,
                                PatternRewriter &rewriter) const override {
    Value mask = op.getMask();
    Value sequence = heldGradient(
        op, [&](Value value) { return isZeroWhereMasked(value, mask); });
    if (!sequence)
      return failure();
    rewriter.replaceOp(op, packSteps(rewriter, op.getLoc(), sequence, mask));
    return success();
  }
};

} // namespace

void belfry::populatePackPatterns(RewritePatternSet &patterns) {
  patterns.add<PackTwice, PackOfMap, PackOfHold, PackOfHeldGradient>(
      patterns.getContext());
}
