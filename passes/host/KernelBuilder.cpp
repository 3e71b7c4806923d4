//===- KernelBuilder.cpp - one loop nest as a function on pointers --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Take the linalg op apart: a stride for each operand and loop.
//   2. Join neighbouring loops that every operand walks as one.
//   3. Order the loops so that the innermost walks memory, and build them with
//      plain address arithmetic, which is what LLVM's vectorizer likes.
//
// Reductions are in KernelReductions.cpp, updates of slots in
// KernelTinyNumbers.cpp, what threads share in KernelSplit.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/host/KernelBuilder.h"

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// What comes from outside
//===----------------------------------------------------------------------===//

Value KernelBuilder::argument(Value outside, Type type) {
  Block &entry = function.getBody().front();
  arguments.push_back(outside);
  return entry.addArgument(type, loc);
}

int KernelBuilder::pointerOf(const View &view, bool written) {
  for (auto [i, known] : llvm::enumerate(pointers))
    if (known.base == view.base && known.element == view.element &&
        constantDifference(known.offset, view.offset) == 0) {
      pointersWritten[i] = pointersWritten[i] || written;
      return i;
    }
  pointers.push_back(view);
  pointersWritten.push_back(written);
  pointersInside.push_back(argument(Value(), view.base.getType()));
  return static_cast<int>(pointers.size()) - 1;
}

void KernelBuilder::buildArguments(OpBuilder &at) {
  unsigned pointer = 0;
  for (Value &value : arguments)
    if (!value)
      value = pointerTo(at, op->getLoc(), pointers[pointer++]);
}

SmallVector<KernelBuilder::Access> KernelBuilder::accesses() const {
  SmallVector<Access> list;
  for (auto [view, written] : llvm::zip(pointers, pointersWritten))
    list.push_back({view.base, written});
  return list;
}

Value KernelBuilder::inside(Affine affine) {
  Value outside = affine.isFixed() ? Value() : affine.count;
  if (!affine.isFixed() && !outside)
    outside = rows;
  Value &known = affines[{affine.perRow, affine.fixed, outside}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  Value &inner = counts[outside];
  if (outside && !inner)
    inner = argument(outside, b.getIndexType());
  b.setInsertionPointToStart(&function.getBody().front());
  if (affine.isFixed())
    return known = arith::ConstantIndexOp::create(b, loc, affine.fixed);
  Value value = inner;
  if (affine.perRow != 1)
    value = arith::MulIOp::create(
        b, loc, value, arith::ConstantIndexOp::create(b, loc, affine.perRow));
  if (affine.fixed)
    value = arith::AddIOp::create(
        b, loc, value, arith::ConstantIndexOp::create(b, loc, affine.fixed));
  return affines[{affine.perRow, affine.fixed, outside}] = value;
}

/// A value from outside, as the kernel sees it: multiples of the rows and
/// constants that say nothing else are made anew, others are arguments.
Value KernelBuilder::imported(Value outside) {
  if (Value known = importedValues.lookup(outside))
    return known;
  Value value;
  if (isa<IndexType>(outside.getType()))
    if (auto affine = affineOf(outside, rows))
      value = inside(*affine);
  if (auto constant = outside.getDefiningOp<arith::ConstantOp>();
      constant && !constant->hasAttr(kArgumentAttr) && !value) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    value = arith::ConstantOp::create(b, loc, constant.getValue());
  }
  if (!value)
    value = argument(outside, outside.getType());
  return importedValues[outside] = value;
}

//===----------------------------------------------------------------------===//
// Taking apart
//===----------------------------------------------------------------------===//

FailureOr<Nest> KernelBuilder::takeApart(linalg::LinalgOp linalg) {
  Nest nest;
  unsigned rank = linalg.getNumLoops();
  nest.dims.resize(rank);
  SmallVector<utils::IteratorType> iterators = linalg.getIteratorTypesArray();
  for (unsigned d = 0; d < rank; ++d) {
    nest.dims[d].original = {d};
    nest.dims[d].parallel = iterators[d] == utils::IteratorType::parallel;
  }
  nest.inputs = linalg.getNumDpsInputs();
  for (OpOperand &operand : linalg->getOpOperands()) {
    NestOperand entry;
    SmallVector<Affine> strides(rank, Affine::of(0));
    entry.element = getElementTypeOrSelf(operand.get().getType());
    if (isa<MemRefType>(operand.get().getType())) {
      FailureOr<View> view = describeMemref(operand.get(), rows);
      if (failed(view))
        return failure();
      entry.pointer =
          pointerOf(*view, operand.getOperandNumber() >= nest.inputs);
      AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (auto [r, expr] : llvm::enumerate(map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          return linalg->emitOpError("indexes operand ")
                 << operand.getOperandNumber() << " by what is not a loop";
        strides[dim.getPosition()] =
            strides[dim.getPosition()] + view->strides[r];
        nest.dims[dim.getPosition()].size = view->sizes[r];
      }
    } else {
      entry.scalar = operand.get();
    }
    for (unsigned d = 0; d < rank; ++d)
      nest.dims[d].strides.push_back(strides[d]);
    nest.operands.push_back(entry);
  }
  auto generic = dyn_cast<linalg::GenericOp>(linalg.getOperation());
  if (!generic && !isa<linalg::FillOp, linalg::CopyOp>(linalg.getOperation()))
    return linalg->emitOpError("is no loop nest that is written out");
  if (generic) {
    nest.body = &generic.getRegion().front();
    for (Operation &inner : *nest.body)
      nest.usesIndex |= isa<linalg::IndexOp, memref::LoadOp>(inner);
  }
  return nest;
}

/// Joins loops that every operand walks as one, and drops loops of one step.
void KernelBuilder::collapse(Nest &nest) {
  if (nest.usesIndex)
    return;
  bool merge = optimizations.has(Optimization::MergeLoops);
  llvm::erase_if(nest.dims, [](const NestDim &d) { return d.size.is(1); });
  for (unsigned d = nest.dims.size(); d-- > 1;) {
    NestDim &outer = nest.dims[d - 1], &inner = nest.dims[d];
    bool joins = outer.parallel == inner.parallel &&
                 // The order of a sum follows from its loops: those stay.
                 (merge || !outer.parallel) &&
                 (outer.size.isFixed() || inner.size.isFixed());
    for (unsigned i = 0; joins && i < nest.operands.size(); ++i)
      joins = (outer.strides[i].is(0) && inner.strides[i].is(0)) ||
              (inner.size.isFixed() || inner.strides[i].isFixed()
                   ? outer.strides[i] == inner.strides[i] * inner.size
                   : false);
    if (!joins)
      continue;
    outer.size = outer.size * inner.size;
    outer.strides = inner.strides;
    outer.original.append(inner.original);
    nest.dims.erase(nest.dims.begin() + d);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

KernelBuilder::Offsets KernelBuilder::start(Nest &nest) {
  Offsets offsets;
  for (const NestOperand &operand : nest.operands)
    offsets.push_back(operand.isArray() ? inside(Affine::of(0)) : Value());
  return offsets;
}

KernelBuilder::Offsets KernelBuilder::advance(Nest &nest, unsigned dim,
                                              const Offsets &offsets,
                                              Value index) {
  Offsets next(offsets);
  Value zero = inside(Affine::of(0));
  auto flags = arith::IntegerOverflowFlagsAttr::get(
      b.getContext(), arith::IntegerOverflowFlags::nsw);
  // Operands with equal strides and offsets share the arithmetic.
  for (unsigned i = 0; i < nest.operands.size(); ++i) {
    Affine stride = nest.dims[dim].strides[i];
    if (!nest.operands[i].isArray() || stride.is(0))
      continue;
    bool shared = false;
    for (unsigned k = 0; k < i && !shared; ++k)
      if (nest.operands[k].isArray() && nest.dims[dim].strides[k] == stride &&
          offsets[k] == offsets[i]) {
        next[i] = next[k];
        shared = true;
      }
    if (shared)
      continue;
    Value step = stride.is(1) ? index
                              : arith::MulIOp::create(b, loc, index,
                                                      inside(stride), flags)
                                    .getResult();
    next[i] = offsets[i] == zero
                  ? step
                  : arith::AddIOp::create(b, loc, offsets[i], step, flags)
                        .getResult();
  }
  return next;
}

void KernelBuilder::loops(Nest &nest, unsigned from, unsigned to,
                          Offsets offsets,
                          function_ref<void(const Offsets &)> body) {
  if (from == to)
    return body(offsets);
  OpBuilder::InsertionGuard guard(b);
  auto [first, end] = boundsOf(nest, from);
  auto loop = scf::ForOp::create(b, loc, first, end, inside(Affine::of(1)));
  // The innermost loop, where each iteration writes elements of its own.
  if (nest.body && from + 1 == nest.dims.size() && nest.dims[from].parallel) {
    bool apart = true;
    for (unsigned i = nest.inputs; i < nest.operands.size(); ++i)
      apart &= !nest.dims[from].strides[i].is(0);
    if (apart)
      loop->setAttr(kParallelAttr, b.getUnitAttr());
  }
  b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  for (unsigned original : nest.dims[from].original)
    indices[original] = index;
  loops(nest, from + 1, to, advance(nest, from, offsets, index), body);
}

Value KernelBuilder::addressOf(int pointer, Type element, Value offset) {
  Value base = pointersInside[pointer];
  if (matchPattern(offset, m_Zero()))
    return base;
  Type memory = element.isInteger(1) ? b.getI8Type() : element;
  Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), offset);
  return LLVM::GEPOp::create(b, loc, base.getType(), memory, base,
                             ArrayRef<LLVM::GEPArg>{word},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value KernelBuilder::load(int pointer, Type element, Value offset,
                          int64_t lanes) {
  bool boolean = element.isInteger(1);
  Type memory = boolean ? b.getI8Type() : element;
  unsigned alignment = memory.getIntOrFloatBitWidth() / 8;
  Value address = addressOf(pointer, element, offset);
  if (lanes)
    memory = VectorType::get({lanes}, memory);
  Value value = LLVM::LoadOp::create(b, loc, memory, address, alignment);
  if (!boolean)
    return value;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(memory));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

void KernelBuilder::store(Value value, int pointer, Type element,
                          Value offset) {
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  LLVM::StoreOp::create(b, loc, value, addressOf(pointer, element, offset));
}

/// Clones the ops of the body but the terminator; on vectors with `lanes`.
void KernelBuilder::cloneBody(Nest &nest, IRMapping &map, Operation *except,
                              int64_t lanes) {
  for (Operation &inner : nest.body->without_terminator()) {
    if (&inner == except)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), indices[index.getDim()]);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(inner); constant && lanes) {
      auto type = VectorType::get({lanes}, constant.getType());
      map.map(constant.getResult(),
              arith::ConstantOp::create(
                  b, loc, DenseElementsAttr::get(type, constant.getValue()))
                  .getResult());
      continue;
    }
    for (Value operand : inner.getOperands())
      if (!map.contains(operand) && !isa<MemRefType>(operand.getType()))
        map.map(operand, imported(operand));
    Operation *clone = b.clone(inner, map);
    clone->setLoc(loc);
    if (lanes)
      for (Value result : clone->getResults())
        result.setType(VectorType::get({lanes}, result.getType()));
  }
}

/// One element of each operand.
void KernelBuilder::buildElement(Nest &nest, const Offsets &at) {
  SmallVector<Value> values;
  for (auto [i, operand] : llvm::enumerate(nest.operands)) {
    if (!operand.isArray())
      values.push_back(imported(operand.scalar));
    else if (nest.body &&
             (i < nest.inputs || !nest.body->getArgument(i).use_empty()))
      values.push_back(load(operand.pointer, operand.element, at[i]));
    else
      values.push_back(Value());
  }
  if (!nest.body) {
    const NestOperand &target = nest.operands.back();
    return store(values[0], target.pointer, target.element, at.back());
  }
  IRMapping map;
  for (auto [argument, value] : llvm::zip(nest.body->getArguments(), values))
    if (value)
      map.map(argument, value);
  cloneBody(nest, map);
  Operation *yield = nest.body->getTerminator();
  for (auto [k, value] : llvm::enumerate(yield->getOperands())) {
    const NestOperand &target = nest.operands[nest.inputs + k];
    Value stored = map.lookupOrNull(value);
    if (!stored)
      stored = imported(value);
    store(stored, target.pointer, target.element, at[nest.inputs + k]);
  }
}

void KernelBuilder::buildScalarLoops(Nest &nest) {
  loops(nest, 0, nest.dims.size(), start(nest),
        [&](const Offsets &at) { buildElement(nest, at); });
}

void KernelBuilder::buildElementwise(Nest &nest) {
  // The innermost loop walks the first output.
  auto outer = [&](const NestDim &x, const NestDim &y) {
    Affine a = x.strides[nest.inputs], c = y.strides[nest.inputs];
    return std::pair(a.perRow, a.fixed) > std::pair(c.perRow, c.fixed);
  };
  sortDims(nest.dims, outer);
  collapse(nest);
  planSplit(nest);
  if (mayMeetTinyNumbers(nest))
    return buildUpdate(nest);
  buildScalarLoops(nest);
}

//===----------------------------------------------------------------------===//
// Loop nests that are kernels as they are
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::replaceAccesses(Operation *root) {
  SmallVector<Operation *> accesses;
  root->walk([&](Operation *access) {
    if (isa<memref::LoadOp, memref::StoreOp>(access))
      accesses.push_back(access);
  });
  for (Operation *access : accesses) {
    auto loadOp = dyn_cast<memref::LoadOp>(access);
    auto storeOp = dyn_cast<memref::StoreOp>(access);
    Value memref = loadOp ? loadOp.getMemRef() : storeOp.getMemRef();
    FailureOr<View> view = describeMemref(memref, rows);
    if (failed(view))
      return failure();
    int pointer = pointerOf(*view, !!storeOp);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(access);
    Value offset = inside(Affine::of(0));
    for (auto [index, stride] :
         llvm::zip(loadOp ? loadOp.getIndices() : storeOp.getIndices(),
                   view->strides)) {
      Value step = stride.is(1)
                       ? Value(index)
                       : arith::MulIOp::create(b, loc, index, inside(stride));
      offset = arith::AddIOp::create(b, loc, offset, step);
    }
    if (loadOp)
      loadOp.replaceAllUsesWith(load(pointer, view->element, offset));
    else
      store(storeOp.getValueToStore(), pointer, view->element, offset);
    access->erase();
  }
  return success();
}

LogicalResult KernelBuilder::buildLoopKernel(scf::ForOp loop) {
  IRMapping map;
  planSplit(loop);
  if (split && !split->count.isFixed())
    map.map(loop.getUpperBound(), splitEnd);
  WalkResult walked = loop->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *owner = operand.getDefiningOp();
      Block *block = operand.getParentBlock();
      bool within = loop->isAncestor(block->getParentOp()) ||
                    (owner && loop->isAncestor(owner));
      if (!within && !isa<MemRefType>(operand.getType()) &&
          !map.contains(operand))
        map.map(operand, imported(operand));
    }
    return WalkResult::advance();
  });
  (void)walked;
  auto clone = cast<scf::ForOp>(b.clone(*loop, map));
  clone->removeAttr(kKernelAttr);
  clone->removeAttr(kIndependentAttr);
  if (split) {
    clone.setLowerBound(splitBegin);
    clone.setUpperBound(splitEnd);
  }
  clone->walk([&](Operation *inner) { inner->setLoc(loc); });
  return replaceAccesses(clone);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::build() {
  function = func::FuncOp::create(loc, "kernel", b.getFunctionType({}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto end = func::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (failed(buildLoopKernel(loop)))
      return failure();
  } else {
    FailureOr<Nest> nest = takeApart(cast<linalg::LinalgOp>(op));
    if (failed(nest))
      return failure();
    indices.resize(nest->dims.size(), Value());
    if (llvm::all_of(nest->dims, [](const NestDim &d) { return d.parallel; }))
      buildElementwise(*nest);
    else
      buildReduction(*nest);
    if (failed(replaceAccesses(function)))
      return failure();
  }
  function.setType(b.getFunctionType(entry->getArgumentTypes(), {}));
  function.setPrivate();
  for (unsigned i = 0; i < pointers.size(); ++i)
    if (isApart(i))
      function.setArgAttr(cast<BlockArgument>(pointersInside[i]).getArgNumber(),
                          LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
  return success();
}

/// Whether what the kernel does to the elements of a pointer is seen through no
/// other one. Views of one buffer that are not at one place have no element in
/// common, if it can be seen that they are not.
bool KernelBuilder::isApart(unsigned pointer) const {
  for (unsigned i = 0; i < pointers.size(); ++i)
    if (i != pointer && pointers[i].base == pointers[pointer].base &&
        (pointersWritten[i] || pointersWritten[pointer]) &&
        !constantDifference(pointers[i].offset, pointers[pointer].offset))
      return false;
  return true;
}
