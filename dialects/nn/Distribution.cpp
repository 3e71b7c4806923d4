//===- Distribution.cpp - registration and common parts of the transfer
// functions
//----------------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/DistributionModel.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace belfry::nn;

bool belfry::nn::isZeroConstant(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp>(op)) {
      v = op->getOperand(0);
      continue;
    }
    DenseElementsAttr value;
    if (!matchPattern(v, m_Constant(&value)) || !value.isSplat())
      return false;
    if (auto f = dyn_cast<FloatAttr>(value.getSplatValue<Attribute>()))
      return f.getValue().isPosZero();
    auto i = dyn_cast<IntegerAttr>(value.getSplatValue<Attribute>());
    return i && i.getValue().isZero();
  }
  return false;
}

LogicalResult belfry::nn::propagateStates(Block &block,
                                          DenseMap<Value, DistState> &states) {
  for (Operation &op : block.without_terminator()) {
    SmallVector<DistState> operands;
    for (Value v : op.getOperands())
      operands.push_back(states.lookup(v));
    DistTransfer answer;
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    if (!distributable) {
      if (llvm::any_of(operands,
                       [](const DistState &s) { return !s.isReplicated(); }))
        return failure();
      continue;
    }
    distributable.transfer(operands, answer);
    if (!answer.makeWhole.empty())
      return failure();
    for (auto [result, state] :
         llvm::zip_equal(op.getResults(), answer.results))
      if (!state.isReplicated())
        states[result] = state;
  }
  return success();
}

void belfry::nn::registerDistributionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NnDialect *) {
    attachElementwiseDistribution(context);
    attachShapeDistribution(context);
    attachProductDistribution(context);
    attachScanDistribution(context);
  });
}
