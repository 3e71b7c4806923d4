//===- BlockReduction.cpp - sums by the threads of a block ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/cuda/KernelAttrs.h"
#include "passes/lowering/NnLowering.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace belfry;
using utils::IteratorType;

Value BlockCode::combine(Operation *combiner, Value x, Value y) {
  Operation *clone = combiner->cloneWithoutRegions();
  clone->setOperands({x, y});
  clone->setLoc(loc);
  b.insert(clone);
  return clone->getResult(0);
}

Value BlockCode::startOr(linalg::LinalgOp op, function_ref<Value()> before) {
  if (auto start = op->getAttrOfType<TypedAttr>(kStartAttr))
    return arith::ConstantOp::create(b, loc, start);
  return before();
}

std::pair<Value, Value> BlockCode::laneOf(int64_t lanes, int64_t beside,
                                          bool lanesInner) {
  if (lanes == 1)
    return {index(0), thread()};
  Value fast = index(lanesInner ? lanes : beside);
  Value within = arith::RemUIOp::create(b, loc, thread(), fast);
  Value over = arith::DivUIOp::create(b, loc, thread(), fast);
  return lanesInner ? std::pair(within, over) : std::pair(over, within);
}

Operation *belfry::combinerOf(linalg::LinalgOp op, std::string *why) {
  auto fails = [&](StringRef reason) -> Operation * {
    if (why)
      *why = reason.str();
    return nullptr;
  };
  SmallVector<Operation *> combiners;
  if (op.getNumDpsInits() != 1 ||
      !matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return fails("it is a reduction with several results, or of several ops");
  if (!arith::getNeutralElement(combiners.front()))
    return fails("it reduces by an op without a neutral element");
  return combiners.front();
}

LogicalResult BlockCode::reduction(linalg::LinalgOp op, Value first,
                                   Value end) {
  std::string why;
  Operation *combiner = combinerOf(op, &why);
  if (!combiner)
    return op->emitError(why);
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);

  ReductionLayout layout = layoutOf(op);
  SmallVector<OpFoldResult> sizes = extents(op), outer, inner;
  SmallVector<unsigned> outerLoops, innerLoops;
  for (auto [d, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool parallel = iterator == IteratorType::parallel;
    (parallel ? outer : inner).push_back(sizes[d]);
    (parallel ? outerLoops : innerLoops).push_back(d);
  }
  Value total = count(op, IteratorType::reduction);
  Type element = combiner->getResult(0).getType();
  Value lanes = index(layout.lanes), outputs = index(layout.outputs);
  auto [lane, side] = laneOf(layout.lanes, layout.outputs, layout.lanesInner);
  Value partial;
  if (layout.lanes > 1)
    partial = workgroup({kBlockThreads}, element);
  OpOperand &init = op.getDpsInitsMutable()[0];

  loop(first, end, outputs, [&](Value base) {
    Value output = add(base, side);
    Value there =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, output, end);
    SmallVector<Value> at(op.getNumLoops(), index(0));
    for (auto [loop, i] : llvm::zip(outerLoops, indices(output, outer)))
      at[loop] = i;
    Value zero = arith::ConstantOp::create(b, loc, *neutral);
    // A lane beyond the last output sums nothing.
    Value bound = arith::SelectOp::create(b, loc, there, total, lane);
    auto sum = scf::ForOp::create(b, loc, lane, bound, lanes, zero);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(sum.getBody());
      SmallVector<Value> here = at;
      for (auto [loop, i] :
           llvm::zip(innerLoops, indices(sum.getInductionVar(), inner)))
        here[loop] = i;
      SmallVector<Value> arguments;
      for (OpOperand *input : op.getDpsInputOperands())
        arguments.push_back(operandAt(op, input, here));
      arguments.push_back(sum.getRegionIterArg(0));
      scf::YieldOp::create(b, loc, body(op, arguments, here));
    }
    Value own = sum.getResult(0);
    auto finish = [&](Value value) {
      SmallVector<Value> to = place(op, &init, at);
      Value memref = inside(init.get());
      Value before = startOr(op, [&]() -> Value {
        return memref::LoadOp::create(b, loc, memref, to);
      });
      memref::StoreOp::create(b, loc, combine(combiner, before, value), memref,
                              to);
    };
    if (layout.lanes == 1) {
      guarded(there, [&] { finish(own); });
      return;
    }
    memref::StoreOp::create(b, loc, own, partial, thread());
    barrier();
    int64_t apart = layout.lanesInner ? 1 : layout.outputs;
    for (int64_t half = layout.lanes / 2; half > 0; half /= 2) {
      guarded(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lane,
                                    index(half)),
              [&] {
                Value x = memref::LoadOp::create(b, loc, partial, thread());
                Value other = add(thread(), index(half * apart));
                Value y = memref::LoadOp::create(b, loc, partial, other);
                memref::StoreOp::create(b, loc, combine(combiner, x, y),
                                        partial, thread());
              });
      barrier();
    }
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0));
    guarded(arith::AndIOp::create(b, loc, there, isFirst),
            [&] { finish(memref::LoadOp::create(b, loc, partial, thread())); });
    barrier();
  });
  return success();
}
