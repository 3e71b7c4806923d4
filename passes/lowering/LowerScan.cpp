//===- LowerScan.cpp - nn.scan to a loop over buffers ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carried values live in one buffer each, which the body updates; stacked
// outputs are written step by step into their place; elements of the sequences
// are read where they are. The loop carries no values of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"

using namespace mlir;
using namespace belfry;

LogicalResult NnLowering::lowerScan(nn::ScanOp op) {
  if (op.getMask())
    return op.emitOpError("has a mask; --expand-scan-mask has to run first");
  SmallVector<View> carried, stacked;
  for (auto [init, final] : llvm::zip(op.getInits(), op.getFinals())) {
    carried.push_back(placeOf(final));
    copy(viewOf(init), carried.back());
  }
  for (Value output : op.getOutputs())
    stacked.push_back(placeOf(output));

  Location at = loc;
  int64_t steps = op.getSteps();
  auto loop = scf::ForOp::create(b, loc, math.value(Affine::of(0)),
                                 math.value(Affine::of(steps)),
                                 math.value(Affine::of(1)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    if (op.getReverse())
      step = arith::SubIOp::create(b, loc, math.value(Affine::of(steps - 1)),
                                   step);
    for (auto [argument, view] : llvm::zip(op.getCarriedArgs(), carried))
      views[argument] = view;
    for (auto [argument, sequence] :
         llvm::zip(op.getSequenceArgs(), op.getSequences()))
      views[argument] =
          elementView(b, loc, math, viewOf(sequence), 0, OpFoldResult(step));
    for (auto [argument, closed] :
         llvm::zip(op.getClosedArgs(), op.getClosed()))
      views[argument] = viewOf(closed);
    nn::YieldOp yield = op.getYield();
    SmallVector<Sink> sinks;
    for (auto [value, view, argument] :
         llvm::zip(yield.getCarry(), carried, op.getCarriedArgs()))
      sinks.push_back({value, view, argument});
    for (auto [value, view] : llvm::zip(yield.getOutputs(), stacked))
      sinks.push_back(
          {value, elementView(b, loc, math, view, 0, OpFoldResult(step)), {}});
    if (failed(lowerBlock(op.getBody().front(), sinks)))
      return failure();
  }
  loc = at;
  for (Value result : op.getResults())
    finish(result);
  return success();
}
