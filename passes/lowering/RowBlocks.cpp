//===- RowBlocks.cpp - loops over time by blocks of rows ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over the blocks stands around the one over time. In its body all
// views are of the block's rows; buffers that the steps need for themselves are
// made before it, with room for all rows, since blocks may run side by side.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/RowBlocks.h"

#include "dialects/nn/RowMultiple.h"
#include "passes/lowering/NnLowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry;

/// Rows of a block: their part of the gates stays in the second-level cache,
/// and the matrix that each step multiplies with is read often enough.
static constexpr int64_t kBlockRows = 64;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

scf::ForOp belfry::rowBlocksAround(Operation *op) {
  do
    op = op->getParentOp();
  while (op && !op->hasAttr(kRowBlocksAttr));
  return dyn_cast_or_null<scf::ForOp>(op);
}

Operation *belfry::blockRowsOf(scf::ForOp loop) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.hasAttr(kBlockRowsAttr))
      return &op;
  return nullptr;
}

bool belfry::isByRow(Operation *op) {
  auto rowsLead = [](Value value) {
    RankedTensorType type = tensorType(value);
    return type.hasStaticShape() || nn::dynamicDim(type) == 0;
  };
  if (!llvm::all_of(op->getOperands(), rowsLead) ||
      !llvm::all_of(op->getResults(), rowsLead))
    return false;
  bool hasRows = llvm::any_of(op->getOperands(), [](Value value) {
    return !tensorType(value).hasStaticShape();
  });
  if (!hasRows || isa<nn::YieldOp>(op))
    return true;
  auto spares = [](ArrayRef<int64_t> dims) {
    return !llvm::is_contained(dims, 0);
  };
  auto isZero = [](int64_t n) { return n == 0; };
  if (isMap(op) || isa<nn::BroadcastOp>(op))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<nn::ReduceOp, nn::ReverseOp>(
          [&](auto o) { return spares(o.getDims()); })
      .Case<nn::ArgMaxOp, nn::ConcatOp>([&](auto o) { return o.getDim() != 0; })
      .Case([&](nn::TransposeOp o) { return isZero(o.getPerm()[0]); })
      .Case([&](nn::SliceOp o) {
        return isZero(o.getStart()[0]) && o.getStride()[0] == 1;
      })
      .Case([&](nn::PadOp o) {
        return isZero(o.getLow()[0]) && isZero(o.getHigh()[0]) &&
               isZero(o.getInterior()[0]);
      })
      .Case([](nn::ReshapeOp o) {
        return nn::staticElements(o.getOperand().getType()) ==
               nn::staticElements(o.getResult().getType());
      })
      .Case([&](nn::DotOp o) {
        // Rows by a matrix, or row by row.
        bool single = tensorType(o.getRhs()).hasStaticShape();
        return single ? spares(o.getLhsContract()) && spares(o.getLhsBatch())
                      : !spares(o.getLhsBatch()) && !spares(o.getRhsBatch());
      })
      .Default([](Operation *) { return false; });
}

bool belfry::runsByRows(nn::ScanOp scan, RowExtents &extents) {
  auto hasRows = [](Value value, int64_t dim) {
    RankedTensorType type = tensorType(value);
    return type.getRank() > dim && type.isDynamicDim(dim);
  };
  auto mayHaveRows = [&](Value value, int64_t dim) {
    return tensorType(value).hasStaticShape() || hasRows(value, dim);
  };
  if (scan.getInits().empty())
    return false;
  FailureOr<int64_t> own = extents.multiple(scan.getInits().front());
  auto sameRows = [&](Value value) {
    FailureOr<int64_t> m = extents.multiple(value);
    return succeeded(m) && succeeded(own) && (*m == 0 || *m == *own);
  };
  Block &body = scan.getBody().front();
  return scan.getSteps() > 0 &&
         llvm::all_of(scan.getInits(),
                      [&](Value v) { return hasRows(v, 0); }) &&
         llvm::all_of(scan.getOutputs(),
                      [&](Value v) { return hasRows(v, 1); }) &&
         llvm::all_of(scan.getSequences(),
                      [&](Value v) { return mayHaveRows(v, 1); }) &&
         llvm::all_of(scan.getClosed(),
                      [&](Value v) { return mayHaveRows(v, 0); }) &&
         llvm::all_of(body.getArguments(), sameRows) &&
         llvm::all_of(body, [&](Operation &op) {
           return isByRow(&op) && llvm::all_of(op.getResults(), sameRows);
         });
}

int64_t belfry::costOfRow(nn::ScanOp scan) {
  // A multiply-add of a product runs at a hundred a nanosecond or so.
  constexpr int64_t kProductsPerUnit = 5;
  constexpr int64_t kElement = 8;
  double cost = 0;
  for (Operation &op : scan.getBody().front()) {
    if (op.getNumResults() == 0 || isViewOp(&op))
      continue;
    double elements = double(nn::staticElements(op.getResult(0).getType()));
    if (auto dot = dyn_cast<nn::DotOp>(op)) {
      for (int64_t d : dot.getLhsContract())
        elements *= double(tensorType(dot.getLhs()).getDimSize(d));
      cost += elements / double(kProductsPerUnit);
    } else {
      cost += elements * double(kElement);
    }
  }
  return static_cast<int64_t>(
      std::clamp(cost * double(scan.getSteps()), 1.0, 1e12));
}

//===----------------------------------------------------------------------===//
// The loop over the blocks
//===----------------------------------------------------------------------===//

void NnLowering::openBlocks(Scan &here, Affine all) {
  Value rows = math.value(all), most = math.value(Affine::of(kBlockRows));
  auto loop = scf::ForOp::create(b, loc, math.value(Affine::of(0)), rows, most);
  loop->setAttr(kRowBlocksAttr, b.getI64IntegerAttr(costOfRow(here.op)));
  b.setInsertionPointToStart(loop.getBody());
  here.first = loop.getInductionVar();
  auto count = arith::MinSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, rows, here.first), most);
  count->setAttr(kBlockRowsAttr, b.getUnitAttr());
  here.rows = count;
  here.loop = loop;
  capacity[here.rows] = all;
}

View NnLowering::ofRows(View view, unsigned dim, Value first, Value count) {
  if (view.base)
    view.offset = addIndex(
        b, loc, view.offset,
        mulIndex(b, loc, OpFoldResult(first), math.fold(b, view.strides[dim])));
  view.sizes[dim] = {1, 0, count};
  return view;
}

void NnLowering::closeBlocks(Scan &here) {
  // What blocks share as they work is not theirs alone.
  if (here.first && here.shares)
    here.loop->removeAttr(kRowBlocksAttr);
}
