//===- BlockCode.cpp - what the threads of a block do ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace belfry;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Extents of loops, in phases and kernels
//===----------------------------------------------------------------------===//

OpFoldResult belfry::ceilDivIndex(OpBuilder &b, Location loc, OpFoldResult x,
                                  int64_t y) {
  if (auto n = getConstantIntValue(x))
    return b.getIndexAttr(llvm::divideCeil(*n, y));
  Value sum = indexValue(b, loc, addIndex(b, loc, x, b.getIndexAttr(y - 1)));
  return arith::DivUIOp::create(b, loc, sum,
                                arith::ConstantIndexOp::create(b, loc, y))
      .getResult();
}

SmallVector<OpFoldResult>
belfry::loopExtents(linalg::LinalgOp op,
                    function_ref<OpFoldResult(Value, int64_t)> extentOf) {
  Builder b(op.getContext());
  SmallVector<OpFoldResult> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    auto type = cast<MemRefType>(operand.get().getType());
    for (auto [d, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        OpFoldResult &size = sizes[loop.getPosition()];
        if (!type.isDynamicDim(d))
          size = b.getIndexAttr(type.getDimSize(d));
        else if (!size)
          size = extentOf(operand.get(), d);
      }
  }
  return sizes;
}

OpFoldResult belfry::iterationsOf(OpBuilder &b, Location loc,
                                  linalg::LinalgOp op,
                                  ArrayRef<OpFoldResult> extents,
                                  IteratorType kind) {
  OpFoldResult product = b.getIndexAttr(1);
  for (auto [extent, iterator] : llvm::zip(extents, op.getIteratorTypesArray()))
    if (iterator == kind)
      product = mulIndex(b, loc, product, extent);
  return product;
}

BlockCode::BlockCode(OpBuilder &b, Location loc, gpu::GPUFuncOp kernel,
                     IRMapping &map, bool tensorCores)
    : b(b), loc(loc), kernel(kernel), map(map), tensorCores(tensorCores) {
  threadId = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  blockId = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value BlockCode::block() { return blockId; }

Value BlockCode::thread() { return threadId; }

Value BlockCode::index(int64_t n) {
  return arith::ConstantIndexOp::create(b, loc, n);
}

Value BlockCode::add(Value x, Value y) {
  return indexValue(b, loc, addIndex(b, loc, OpFoldResult(x), OpFoldResult(y)));
}

Value BlockCode::mul(Value x, Value y) {
  return indexValue(b, loc, mulIndex(b, loc, OpFoldResult(x), OpFoldResult(y)));
}

Value BlockCode::ceilDiv(Value x, int64_t y) {
  return indexValue(b, loc, ceilDivIndex(b, loc, x, y));
}

Value BlockCode::least(Value x, Value y) {
  return arith::MinSIOp::create(b, loc, x, y);
}

Value BlockCode::dim(Value memref, int64_t d) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(d))
    return index(type.getDimSize(d));
  return memref::DimOp::create(b, loc, memref, d);
}

SmallVector<OpFoldResult> BlockCode::extents(linalg::LinalgOp op) {
  return loopExtents(op, [&](Value memref, int64_t d) {
    return OpFoldResult(dim(inside(memref), d));
  });
}

Value BlockCode::count(linalg::LinalgOp op, IteratorType kind) {
  return indexValue(b, loc, iterationsOf(b, loc, op, extents(op), kind));
}

SmallVector<Value> BlockCode::indices(Value item,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> result(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    if (getConstantIntValue(sizes[d]) == 1) {
      result[d] = index(0);
      continue;
    }
    bool outermost = llvm::all_of(sizes.take_front(d), [](OpFoldResult size) {
      return getConstantIntValue(size) == 1;
    });
    if (outermost) {
      result[d] = item;
      item = index(0);
      continue;
    }
    Value size = indexValue(b, loc, sizes[d]);
    result[d] = arith::RemUIOp::create(b, loc, item, size);
    item = arith::DivUIOp::create(b, loc, item, size);
  }
  return result;
}

SmallVector<Value> BlockCode::indicesBehind(ValueRange base, Value offset,
                                            ArrayRef<OpFoldResult> sizes) {
  Type i32 = b.getI32Type();
  auto narrow = [&](Value x) -> Value {
    return arith::IndexCastUIOp::create(b, loc, i32, x);
  };
  auto wide = [&](Value x) -> Value {
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), x);
  };
  SmallVector<Value> result(base);
  for (size_t d = sizes.size(); d-- > 0;) {
    if (getConstantIntValue(sizes[d]) == 1)
      continue;
    bool outermost = llvm::all_of(sizes.take_front(d), [](OpFoldResult size) {
      return getConstantIntValue(size) == 1;
    });
    if (outermost) {
      result[d] = add(base[d], wide(offset));
      break;
    }
    Value size = narrow(indexValue(b, loc, sizes[d]));
    Value sum = arith::AddIOp::create(b, loc, narrow(base[d]), offset);
    result[d] = wide(arith::RemUIOp::create(b, loc, sum, size));
    offset = arith::DivUIOp::create(b, loc, sum, size);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void BlockCode::loop(Value first, Value end, Value step, Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, first, end, step);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void BlockCode::guarded(Value condition, function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void BlockCode::deal(Value first, Value end, Body body) {
  loop(first, end, index(kBlockThreads), [&](Value base) {
    Value item = add(base, thread());
    guarded(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, item, end),
            [&] { body(item); });
  });
}

void BlockCode::barrier() { gpu::BarrierOp::create(b, loc); }

Value BlockCode::workgroup(ArrayRef<int64_t> shape, Type element,
                           int64_t alignment) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  BlockArgument memory = kernel.addWorkgroupAttribution(
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space), loc);
  if (alignment > 0)
    kernel.setWorkgroupAttributionAttr(
        static_cast<int>(kernel.getNumWorkgroupAttributions()) - 1,
        LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(alignment));
  return memory;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> BlockCode::place(linalg::LinalgOp op, OpOperand *operand,
                                    ValueRange at) {
  AffineMap places = op.getMatchingIndexingMap(operand);
  SmallVector<Value> result;
  for (AffineExpr expr : places.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      result.push_back(at[loop.getPosition()]);
    else
      result.push_back(affine::expandAffineExpr(b, loc, expr, at, {}));
  return result;
}

Value BlockCode::operandAt(linalg::LinalgOp op, OpOperand *operand,
                           ValueRange at) {
  Value value = inside(operand->get());
  if (op.isScalar(operand))
    return value;
  return memref::LoadOp::create(b, loc, value, place(op, operand, at));
}

SmallVector<Value> BlockCode::body(linalg::LinalgOp op, ValueRange arguments,
                                   ValueRange at) {
  Block *block = op.getBlock();
  IRMapping local(map);
  local.map(block->getArguments(), arguments);
  for (Operation &inner : block->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
      local.map(number.getResult(), at[number.getDim()]);
      continue;
    }
    b.clone(inner, local);
  }
  return llvm::map_to_vector(
      block->getTerminator()->getOperands(),
      [&](Value value) { return local.lookupOrDefault(value); });
}

Value BlockCode::argumentAt(linalg::LinalgOp op, OpOperand &operand,
                            ValueRange at) {
  if (op.payloadUsesValueFromOperand(&operand))
    return operandAt(op, &operand, at);
  return ub::PoisonOp::create(b, loc,
                              getElementTypeOrSelf(operand.get().getType()));
}

void BlockCode::storeResults(linalg::LinalgOp op, ValueRange results,
                             ValueRange at) {
  for (auto [result, operand] : llvm::zip(results, op.getDpsInitsMutable()))
    memref::StoreOp::create(b, loc, result, inside(operand.get()),
                            place(op, &operand, at));
}

void BlockCode::elements(linalg::LinalgOp op, Value first, Value end) {
  SmallVector<OpFoldResult> sizes = extents(op);
  deal(first, end, [&](Value item) {
    SmallVector<Value> at = indices(item, sizes), arguments;
    for (OpOperand &operand : op->getOpOperands())
      arguments.push_back(argumentAt(op, operand, at));
    storeResults(op, body(op, arguments, at), at);
  });
}

void BlockCode::fewElements(linalg::LinalgOp op, Value first, Value end,
                            int64_t together) {
  SmallVector<OpFoldResult> sizes = extents(op);
  SmallVector<Value> base = indices(first, sizes);
  Value count = arith::SubIOp::create(b, loc, end, first),
        last = arith::SubIOp::create(b, loc, count, index(1));
  loop(index(0), count, index(together * kBlockThreads), [&](Value start) {
    SmallVector<SmallVector<Value>> at, arguments;
    SmallVector<Value> offsets;
    for (int64_t i = 0; i < together; ++i) {
      Value own = add(start, add(thread(), index(i * kBlockThreads)));
      offsets.push_back(own);
      // What is beyond the end repeats the last one, and is not stored.
      Value offset = arith::IndexCastUIOp::create(b, loc, b.getI32Type(),
                                                  least(own, last));
      at.push_back(indicesBehind(base, offset, sizes));
      arguments.emplace_back();
      for (OpOperand &operand : op->getOpOperands())
        arguments.back().push_back(argumentAt(op, operand, at.back()));
    }
    for (int64_t i = 0; i < together; ++i)
      guarded(less(offsets[i], count),
              [&] { storeResults(op, body(op, arguments[i], at[i]), at[i]); });
  });
}

//===----------------------------------------------------------------------===//
// Loops and sequences
//===----------------------------------------------------------------------===//

Value BlockCode::tripCount(scf::ForOp loop) {
  Value first = inside(loop.getLowerBound()),
        end = inside(loop.getUpperBound());
  Value all = getConstantIntValue(first) == 0
                  ? end
                  : Value(arith::SubIOp::create(b, loc, end, first));
  Value step = inside(loop.getStep());
  if (auto constant = getConstantIntValue(step))
    return ceilDiv(all, *constant);
  return arith::CeilDivSIOp::create(b, loc, all, step);
}

void BlockCode::iterations(scf::ForOp loop, Value first, Value end) {
  deal(first, end, [&](Value item) {
    Value iv =
        add(inside(loop.getLowerBound()), mul(item, inside(loop.getStep())));
    IRMapping local(map);
    local.map(loop.getInductionVar(), iv);
    for (Operation &inner : loop.getBody()->without_terminator())
      b.clone(inner, local);
  });
}

LogicalResult BlockCode::rowsOf(scf::ForOp loop, Value number) {
  inRows = true;
  Value all = inside(loop.getUpperBound());
  OpFoldResult given = rowsOfBlock(b, loop, all);
  Value rows = given == OpFoldResult(loop.getStep())
                   ? inside(loop.getStep())
                   : indexValue(b, loc, given);
  Value first = add(inside(loop.getLowerBound()), mul(number, rows));
  map.map(loop.getInductionVar(), first);
  // What counts a block's rows takes those of this kernel's blocks.
  if (Operation *count = blockRowsOf(loop))
    map.map(count->getResult(0),
            least(arith::SubIOp::create(b, loc, all, first), rows));
  return sequence(*loop.getBody());
}

LogicalResult BlockCode::nest(ArrayRef<scf::ForOp> loops, Value number) {
  inNest = true;
  SmallVector<OpFoldResult> trips;
  for (scf::ForOp loop : loops)
    trips.push_back(getAsOpFoldResult(tripCount(loop)));
  SmallVector<Value> at = indices(number, trips);
  for (auto [i, outer] : llvm::enumerate(loops)) {
    scf::ForOp loop = outer;
    map.map(loop.getInductionVar(), add(inside(loop.getLowerBound()),
                                        mul(at[i], inside(loop.getStep()))));
  }
  return sequence(*scf::ForOp(loops.back()).getBody());
}

void BlockCode::beginPart(scf::ForOp loop, int64_t blocks) {
  Value each = index(blocks);
  map.map(loop.getInductionVar(),
          arith::DivUIOp::create(b, loc, blockId, each).getResult());
  blockId = arith::RemUIOp::create(b, loc, blockId, each);
  for (Operation &op : loop.getBody()->without_terminator())
    if (isMemoryEffectFree(&op))
      b.clone(op, map);
}

void BlockCode::alone(Operation *op) {
  guarded(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread(),
                                index(0)),
          [&] {
            Operation *clone = b.clone(*op, map);
            clone->removeAttr(kKernelAttr);
            clone->removeAttr(kIndependentAttr);
          });
}

/// Whether the kernel has the op's result already.
bool BlockCode::isMapped(Operation &op) {
  return op.hasAttr(kBlockRowsAttr) && map.contains(op.getResult(0));
}

LogicalResult BlockCode::sequence(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!isMapped(op) && failed(single(&op)))
      return failure();
  return success();
}

Operation *belfry::nextOnMemory(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::IsTerminator>());
  return op;
}

LogicalResult BlockCode::single(Operation *operation) {
  Operation &op = *operation;
  if (isa<memref::PrefetchOp>(op))
    return success();
  if (isMemoryEffectFree(&op)) {
    b.clone(op, map);
    return success();
  }
  if (isa<memref::LoadOp>(op)) {
    b.clone(op, map);
    // Nobody writes there before all have read; loads in a row need this once.
    if (!isa_and_nonnull<memref::LoadOp>(nextOnMemory(&op)))
      barrier();
    return success();
  }
  if (isProduct(&op)) {
    product(cast<linalg::LinalgOp>(op));
    barrier();
    return success();
  }
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    Value first = index(0), end = count(linalg, IteratorType::parallel);
    if (linalg.getNumReductionLoops() == 0 && inRows)
      fewElements(linalg, first, end, /*together=*/1);
    else if (linalg.getNumReductionLoops() == 0)
      elements(linalg, first, end);
    else if (failed(reduction(linalg, first, end)))
      return failure();
    barrier();
    return success();
  }
  if (op.hasAttr(kKernelAttr) || isa<memref::StoreOp>(op)) {
    if (op.hasAttr(kIndependentAttr))
      iterations(cast<scf::ForOp>(op), index(0),
                 tripCount(cast<scf::ForOp>(op)));
    else
      alone(&op);
    barrier();
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getInits().empty()) {
    auto inner = scf::ForOp::create(b, loc, inside(loop.getLowerBound()),
                                    inside(loop.getUpperBound()),
                                    inside(loop.getStep()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(inner.getBody());
    map.map(loop.getInductionVar(), inner.getInductionVar());
    if (failed(sequence(*loop.getBody())))
      return failure();
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && branch.getNumResults() == 0) {
    auto inner = scf::IfOp::create(b, loc, inside(branch.getCondition()),
                                   branch.elseBlock() != nullptr);
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         llvm::zip(branch->getRegions(), inner->getRegions())) {
      if (from.empty())
        continue;
      b.setInsertionPointToStart(&to.front());
      if (failed(sequence(from.front())))
        return failure();
    }
    return success();
  }
  return op.emitOpError("has no kernel");
}
