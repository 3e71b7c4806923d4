//===- LowerSteps.cpp - loops over packed rows ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is read once: lists say which rows each step has, where they stand
// when packed, and whether a step has other rows than the one before. A step of
// the loop runs on its rows alone, which lie together. Carried values lie
// together likewise; where the rows change, they go back to a buffer of all
// rows and those of the step are fetched from there. The rows keep their order.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/RowBlocks.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

Value NnLowering::loadIndex(const View &list, Value at) {
  Value word = memref::LoadOp::create(b, loc, list.base, ValueRange{at});
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), word);
}

const NnLowering::Steps &NnLowering::stepsOf(Value mask) {
  auto [it, fresh] = stepsByMask.try_emplace(mask);
  Steps &lists = it->second;
  if (!fresh)
    return lists;
  View selected = viewOf(mask);
  if (!selected.base)
    selected = dense(selected);
  Type i32 = b.getI32Type();
  int64_t steps = selected.sizes[0].fixed;
  Affine rows = selected.sizes[1], all = rows * steps;
  lists.steps = steps;
  lists.perStep = rows;
  lists.rows = allocate({all}, i32);
  lists.ranks = allocate({rows * (steps + 2) + Affine::of(1)}, i32);
  lists.changes = allocate({rows * (steps + 1) + Affine::of(1)}, i32);

  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  Value start = math.value(Affine::of(0)), unit = math.value(Affine::of(1)),
        end = math.value(Affine::of(steps)),
        last = math.value(Affine::of(steps - 1)), rowEnd = math.value(rows);
  Value source = memref(selected);
  auto store = [&](Value value, const View &list, Value at) {
    memref::StoreOp::create(b, loc, value, list.base, ValueRange{at});
  };
  auto is = [&](arith::CmpIPredicate how, Value step, Value other) -> Value {
    return arith::CmpIOp::create(b, loc, how, step, other);
  };
  View beforeFirst = lists.ranks;
  beforeFirst.sizes = {rows};
  fill(beforeFirst, b.getI32IntegerAttr(0));
  // Once more than there are steps: for what comes after the last one.
  auto loop =
      scf::ForOp::create(b, loc, start, math.value(Affine::of(steps + 1)), unit,
                         ValueRange{none, none});
  loop->setAttr(kKernelAttr, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    Value isFirst = is(arith::CmpIPredicate::eq, step, start),
          isStep = is(arith::CmpIPredicate::ne, step, end);
    Value outside = arith::OrIOp::create(
        b, loc, isFirst, is(arith::CmpIPredicate::eq, step, end));
    Value own = arith::SelectOp::create(b, loc, isStep, step, last);
    Value before = arith::SelectOp::create(
        b, loc, isFirst, step, arith::SubIOp::create(b, loc, step, unit));
    auto inner = scf::ForOp::create(b, loc, start, rowEnd, unit,
                                    ValueRange(loop.getRegionIterArgs()));
    {
      OpBuilder::InsertionGuard rowGuard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value row = inner.getInductionVar(), packed = inner.getRegionIterArg(0),
            changes = inner.getRegionIterArg(1);
      auto load = [&](Value at) -> Value {
        return memref::LoadOp::create(b, loc, source, ValueRange{at, row});
      };
      Value entry = entryOf(lists, step, row);
      store(packed, lists.ranks, arith::AddIOp::create(b, loc, entry, rowEnd));
      store(changes, lists.changes, entry);
      Value here = load(own);
      Value differs = arith::OrIOp::create(
          b, loc, outside, arith::XOrIOp::create(b, loc, here, load(before)));
      auto chosen = scf::IfOp::create(
          b, loc, TypeRange{i32}, arith::AndIOp::create(b, loc, here, isStep),
          /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard ifGuard(b);
        b.setInsertionPointToStart(chosen.thenBlock());
        Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), packed);
        store(arith::IndexCastOp::create(b, loc, i32, row), lists.rows, at);
        Value next = arith::AddIOp::create(b, loc, packed, one);
        scf::YieldOp::create(b, loc, next);
        b.setInsertionPointToStart(chosen.elseBlock());
        scf::YieldOp::create(b, loc, packed);
      }
      Value changed = arith::AddIOp::create(
          b, loc, changes, arith::ExtUIOp::create(b, loc, i32, differs));
      scf::YieldOp::create(b, loc, ValueRange{chosen.getResult(0), changed});
    }
    // What stays is after the last row of all.
    Value next = entryOf(lists, step, rowEnd);
    store(inner.getResult(0), lists.ranks,
          arith::AddIOp::create(b, loc, next, rowEnd));
    store(inner.getResult(1), lists.changes, next);
    scf::YieldOp::create(b, loc, inner.getResults());
  }
  lists.total = loadIndex(lists.ranks, math.value(rows * (steps + 1)));
  capacity[lists.total] = all;
  return lists;
}

Value NnLowering::entryOf(const Steps &steps, Value step, Value row) {
  Value first = arith::MulIOp::create(b, loc, step, math.value(steps.perStep));
  return arith::AddIOp::create(b, loc, first, row);
}

Value NnLowering::countOf(Value value) {
  if (scan && scan->count &&
      value.getParentBlock() == &scan->op.getBody().front())
    return scan->count;
  // Ops by row hand packed rows on.
  while (!cast<RankedTensorType>(value.getType()).hasStaticShape()) {
    Operation *op = value.getDefiningOp();
    if (auto pack = dyn_cast_or_null<nn::PackStepsOp>(op))
      return stepsOf(pack.getMask()).total;
    if (!op || (!isByRow(op) && !isElementwise(op)))
      return {};
    auto rows = llvm::find_if(op->getOperands(), [](Value operand) {
      return !cast<RankedTensorType>(operand.getType()).hasStaticShape();
    });
    if (rows == op->operand_end())
      return {};
    value = *rows;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Moving rows
//===----------------------------------------------------------------------===//

/// An element of `view` at `index`, for its leading dimensions, then `rest`.
static SmallVector<Value> indexOf(ArrayRef<Value> leading, ValueRange rest) {
  SmallVector<Value> index(leading);
  llvm::append_range(index, rest);
  return index;
}

void NnLowering::moveSteps(const View &steps, const View &packed, Value mask,
                           bool pack) {
  const Steps &lists = stepsOf(mask);
  View selected = viewOf(mask);
  Value source = memref(selected), whole = memref(steps), rows = memref(packed);
  Value zeroIndex = math.value(Affine::of(0)), one = math.value(Affine::of(1));
  Value rowEnd = math.value(selected.sizes[1]);
  ArrayRef<Affine> inner = ArrayRef(steps.sizes).drop_front(2);
  auto kernel = kernelLoops({Affine::of(lists.steps)}, [&](ValueRange at) {
    Value step = at[0];
    Value start = loadIndex(
        lists.ranks,
        entryOf(lists, arith::AddIOp::create(b, loc, step, one), zeroIndex));
    auto loop =
        scf::ForOp::create(b, loc, zeroIndex, rowEnd, one, ValueRange{start});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar(), packedRow = loop.getRegionIterArg(0);
    Value here = memref::LoadOp::create(b, loc, source, ValueRange{step, row});
    auto chosen = scf::IfOp::create(b, loc, TypeRange{b.getIndexType()}, here,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard ifGuard(b);
      b.setInsertionPointToStart(chosen.thenBlock());
      plainLoops(inner, [&](ValueRange rest) {
        SmallVector<Value> in = indexOf({step, row}, rest),
                           out = indexOf({packedRow}, rest);
        if (pack)
          memref::StoreOp::create(
              b, loc, memref::LoadOp::create(b, loc, whole, in), rows, out);
        else
          memref::StoreOp::create(
              b, loc, memref::LoadOp::create(b, loc, rows, out), whole, in);
      });
      Value next = arith::AddIOp::create(b, loc, packedRow, one);
      scf::YieldOp::create(b, loc, next);
      b.setInsertionPointToStart(chosen.elseBlock());
      if (!pack) {
        Value none = arith::ConstantOp::create(
            b, loc, cast<TypedAttr>(zero(steps.element)));
        plainLoops(inner, [&](ValueRange rest) {
          memref::StoreOp::create(b, loc, none, whole,
                                  indexOf({step, row}, rest));
        });
      }
      scf::YieldOp::create(b, loc, packedRow);
    }
    scf::YieldOp::create(b, loc, chosen.getResult(0));
  });
  int64_t elements = 1;
  for (Affine extent : inner)
    elements *= extent.fixed;
  kernel->setAttr(kIndependentAttr, b.getI64IntegerAttr(elements));
}

void NnLowering::moveRows(const View &whole, const View &selected,
                          const Steps &steps, Value first, Value count,
                          bool gather) {
  Value all = memref(whole), some = memref(selected);
  auto loop = scf::ForOp::create(b, loc, math.value(Affine::of(0)), count,
                                 math.value(Affine::of(1)));
  loop->setAttr(kKernelAttr, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value row = loadIndex(steps.rows, arith::AddIOp::create(b, loc, first, i));
  plainLoops(ArrayRef(whole.sizes).drop_front(), [&](ValueRange rest) {
    SmallVector<Value> in = indexOf({row}, rest), out = indexOf({i}, rest);
    if (gather)
      memref::StoreOp::create(b, loc, memref::LoadOp::create(b, loc, all, in),
                              some, out);
    else
      memref::StoreOp::create(b, loc, memref::LoadOp::create(b, loc, some, out),
                              all, in);
  });
}

void NnLowering::lowerPackSteps(nn::PackStepsOp op) {
  // What a loop over packed rows gives is there already.
  if (auto scan = op.getOperand().getDefiningOp<nn::ScanOp>();
      scan && scan.getMask() && runsOnPackedRows(scan))
    return;
  // Of some only the shape is read.
  if (llvm::all_of(op->getUses(),
                   [](OpOperand &use) { return isShapeOperand(use); })) {
    stepsOf(op.getMask());
    return;
  }
  View steps = viewOf(op.getOperand());
  if (!steps.base)
    steps = dense(steps);
  View place = placeOf(op.getResult());
  moveSteps(steps, place, op.getMask(), /*pack=*/true);
  finish(op.getResult());
}

void NnLowering::lowerUnpackSteps(nn::UnpackStepsOp op) {
  // A loop reads the packed rows themselves.
  bool needed = llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto scan = dyn_cast<nn::ScanOp>(use.getOwner());
    return !isShapeOperand(use) && !(scan && runsOnPackedRows(scan));
  });
  if (!needed)
    return;
  View place = placeOf(op.getResult());
  moveSteps(place, viewOf(op.getOperand()), op.getMask(), /*pack=*/false);
  finish(op.getResult());
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult NnLowering::lowerPackedScan(nn::ScanOp op) {
  if (!runsOnPackedRows(op))
    return op.emitOpError("has a mask; --expand-scan-mask has to run first");
  const Steps steps = stepsOf(op.getMask());
  Location at = loc;

  // Carried values, and closed ones that have rows, are there twice: of all
  // rows and of those of the step.
  SmallVector<View> all, carried, closedAll, closed, sequences, outputs;
  auto selected = [&](const View &whole) {
    return allocate(whole.sizes, whole.element);
  };
  for (auto [init, final] : llvm::zip(op.getInits(), op.getFinals())) {
    all.push_back(placeOf(final));
    copy(viewOf(init), all.back());
    carried.push_back(selected(all.back()));
  }
  for (Value value : op.getClosed()) {
    View whole = viewOf(value);
    bool hasRows = !cast<RankedTensorType>(value.getType()).hasStaticShape();
    if (hasRows && !whole.base)
      whole = dense(whole);
    closedAll.push_back(hasRows ? whole : View());
    closed.push_back(hasRows ? selected(whole) : whole);
  }
  for (Value sequence : op.getSequences()) {
    View view =
        viewOf(sequence.getDefiningOp<nn::UnpackStepsOp>().getOperand());
    sequences.push_back(view.base ? view : dense(view));
  }
  reuseSequences(op);
  for (Value output : op.getOutputs()) {
    Value packed = packedOutput(op, output);
    outputs.push_back(packed ? placeOf(packed) : View());
  }

  int64_t last = steps.steps - 1;
  Value one = math.value(Affine::of(1));
  {
    OpBuilder::InsertionGuard guard(b);
    Scan here;
    here.op = op;
    Value blockFirst = math.value(Affine::of(0)),
          blockEnd = math.value(steps.perStep);
    if (optimizations.has(Optimization::RowBlocks)) {
      openBlocks(here, steps.perStep);
      for (View &view : carried)
        view = ofRows(view, 0, here.first, here.rows);
      for (auto [whole, some] : llvm::zip(closedAll, closed))
        if (whole)
          some = ofRows(some, 0, here.first, here.rows);
      blockFirst = here.first;
      blockEnd = arith::AddIOp::create(b, loc, here.first, here.rows);
    }
    // The packed rows of a step that the block has: the first, and how many.
    auto rowsOfStep = [&](Value entry) {
      Value from = loadIndex(steps.ranks, entryOf(steps, entry, blockFirst)),
            to = loadIndex(steps.ranks, entryOf(steps, entry, blockEnd));
      Value count = arith::SubIOp::create(b, loc, to, from);
      return std::pair<Value, Value>(from, count);
    };
    auto loop = scf::ForOp::create(b, loc, math.value(Affine::of(0)),
                                   math.value(Affine::of(steps.steps)), one);
    if (!here.loop)
      here.loop = loop;
    {
      OpBuilder::InsertionGuard loopGuard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value step = loop.getInductionVar();
      if (op.getReverse())
        step =
            arith::SubIOp::create(b, loc, math.value(Affine::of(last)), step);
      // Ranks begin with those of before the first step.
      Value entry = arith::AddIOp::create(b, loc, step, one);
      Value previous =
          op.getReverse()
              ? arith::AddIOp::create(b, loc, entry, one).getResult()
              : step;
      auto [first, count] = rowsOfStep(entry);
      Value edge = op.getReverse() ? entry : step;
      Value changed = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne,
          loadIndex(steps.changes, entryOf(steps, edge, blockFirst)),
          loadIndex(steps.changes, entryOf(steps, edge, blockEnd)));
      auto change =
          scf::IfOp::create(b, loc, changed, /*withElseRegion=*/false);
      {
        OpBuilder::InsertionGuard ifGuard(b);
        b.setInsertionPointToStart(change.thenBlock());
        auto [oldFirst, oldCount] = rowsOfStep(previous);
        for (auto [whole, some] : llvm::zip(all, carried))
          moveRows(whole, some, steps, oldFirst, oldCount, /*gather=*/false);
        for (auto [whole, some] : llvm::zip(all, carried))
          moveRows(whole, some, steps, first, count, /*gather=*/true);
        for (auto [whole, some] : llvm::zip(closedAll, closed))
          if (whole)
            moveRows(whole, some, steps, first, count, /*gather=*/true);
      }
      Value zeroIndex = math.value(Affine::of(0));
      SmallVector<View> carriedNow, closedNow, sequencesNow, outputsNow;
      if (looksAhead(op)) {
        auto [nextFirst, nextCount] = rowsOfStep(
            op.getReverse() ? step : arith::AddIOp::create(b, loc, entry, one));
        capacity[nextCount] = steps.perStep;
        lookAhead(op, sequences, outputs,
                  [&, at = nextFirst, rows = nextCount](const View &view) {
                    return ofRows(view, 0, at, rows);
                  });
      }
      for (const View &view : carried)
        carriedNow.push_back(ofRows(view, 0, zeroIndex, count));
      for (auto [whole, some] : llvm::zip(closedAll, closed))
        closedNow.push_back(whole ? ofRows(some, 0, zeroIndex, count) : some);
      for (const View &view : sequences)
        sequencesNow.push_back(ofRows(view, 0, first, count));
      for (const View &view : outputs)
        outputsNow.push_back(view ? ofRows(view, 0, first, count) : View());
      capacity[count] = steps.perStep;
      here.count = count;
      if (failed(lowerScanBody(here, carriedNow, sequencesNow, closedNow,
                               outputsNow)))
        return failure();
    }
    loc = at;
    // The rows of the last step go back, where anyone reads them.
    auto [first, count] =
        rowsOfStep(math.value(Affine::of(op.getReverse() ? 1 : last + 1)));
    for (auto [i, final] : llvm::enumerate(op.getFinals()))
      if (!final.use_empty())
        moveRows(all[i], carried[i], steps, first, count, /*gather=*/false);
    closeBlocks(here);
  }
  for (Value final : op.getFinals())
    finish(final);
  for (Value output : op.getOutputs())
    if (Value packed = packedOutput(op, output))
      finish(packed);
  return success();
}
