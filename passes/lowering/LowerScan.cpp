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
// An output takes the place of a sequence that nobody reads after the loop, if
// the step that makes the one is the only reader of the other.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/RowBlocks.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Outputs in the place of sequences
//===----------------------------------------------------------------------===//

namespace {

/// What one unit of the body reads of a sequence, at each step, element by
/// element; and nobody reads after that.
struct StepRegion {
  View steps; ///< of all steps
  unsigned unit;
};

/// The regions of the sequences of a loop.
class Regions {
public:
  Regions(nn::ScanOp op, RowExtents &extents,
          const Optimizations &optimizations)
      : addsInPlace(optimizations.has(Optimization::AddInPlace)) {
    for (auto [i, unit] : llvm::enumerate(
             formUnits(op.getBody().front(), extents, optimizations))) {
      elementwise.push_back(unit.elementwise);
      for (Operation *inner : unit.ops)
        unitOf[inner] = i;
    }
  }

  void add(Value argument, const View &steps);
  /// Takes the region that is `place`, if unit `unit` reads it.
  bool take(const View &place, unsigned unit);
  std::optional<unsigned> elementwiseUnit(Value value) const {
    Operation *op = value.getDefiningOp();
    auto it = op ? unitOf.find(op) : unitOf.end();
    if (it == unitOf.end() || !elementwise[it->second])
      return std::nullopt;
    return it->second;
  }
  ArrayRef<StepRegion> all() const { return regions; }

private:
  std::optional<unsigned> onlyUnit(Value value) const;

  bool addsInPlace;
  SmallVector<StepRegion> regions;
  DenseMap<Operation *, unsigned> unitOf;
  SmallVector<bool> elementwise;
};

} // namespace

/// The elementwise unit that holds every reader of `value`.
std::optional<unsigned> Regions::onlyUnit(Value value) const {
  std::optional<unsigned> unit;
  for (OpOperand &use : value.getUses()) {
    if (isShapeOperand(use))
      continue;
    auto it = unitOf.find(use.getOwner());
    if (it == unitOf.end() || !elementwise[it->second] ||
        (unit && *unit != it->second))
      return std::nullopt;
    unit = it->second;
  }
  return unit;
}

void Regions::add(Value argument, const View &steps) {
  // A product adds to the whole of it before.
  if (Operation *user = onlyReader(argument);
      addsInPlace && accumulationOf(user))
    argument = user->getResult(0);
  if (auto unit = onlyUnit(argument)) {
    regions.push_back({steps, *unit});
    return;
  }
  // In parts, along the last dimension.
  unsigned last = steps.rank() - 1;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  SmallVector<StepRegion> parts;
  for (OpOperand &use : argument.getUses()) {
    if (isShapeOperand(use))
      continue;
    auto slice = dyn_cast<nn::SliceOp>(use.getOwner());
    auto unit = slice ? onlyUnit(slice.getResult()) : std::nullopt;
    auto constant = getConstantIntValue(steps.offset);
    if (!unit || !constant || !steps.strides[last].is(1) ||
        llvm::any_of(slice.getStride(), [](int64_t s) { return s != 1; }) ||
        llvm::any_of(slice.getStart().drop_back(),
                     [](int64_t s) { return s != 0; }))
      return;
    auto type = cast<RankedTensorType>(slice.getType());
    for (unsigned d = 0; d + 1 < static_cast<unsigned>(type.getRank()); ++d)
      if (!type.isDynamicDim(d) && !steps.sizes[d + 1].is(type.getDimSize(d)))
        return;
    int64_t start = slice.getStart().back();
    int64_t size = type.getShape().back();
    for (auto [from, to] : ranges)
      if (start < to && from < start + size)
        return;
    ranges.emplace_back(start, start + size);
    View part = steps;
    part.offset = IntegerAttr::get(IndexType::get(argument.getContext()),
                                   *constant + start);
    part.sizes[last] = Affine::of(size);
    parts.push_back({part, *unit});
  }
  llvm::append_range(regions, parts);
}

bool Regions::take(const View &place, unsigned unit) {
  auto it = llvm::find_if(regions, [&](const StepRegion &r) {
    return r.unit == unit && isSamePlace(r.steps, place) &&
           r.steps.element == place.element;
  });
  if (it == regions.end())
    return false;
  regions.erase(it);
  return true;
}

/// What stands in memory for a sequence of the loop.
static Value stepsValue(nn::ScanOp op, Value sequence) {
  return op.getMask() ? sequence.getDefiningOp<nn::UnpackStepsOp>().getOperand()
                      : sequence;
}

/// Packed rows, seen as one step that holds them all.
static View withLeadingStep(View rows) {
  rows.sizes.insert(rows.sizes.begin(), Affine::of(1));
  rows.strides.insert(rows.strides.begin(), Affine::of(0));
  return rows;
}

/// Whether the block reads `value` where it is, and nowhere wants it moved.
static bool isOnlyRead(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    return isShapeOperand(use) || isElementwise(user) ||
           isa<nn::DotOp, nn::ScanOp, nn::ReduceOp, nn::UnpackStepsOp>(user);
  });
}

/// The last op of the block that reads `value`, or a whole made of its rows.
static Operation *lastReader(Value value) {
  Operation *last = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isShapeOperand(use))
      continue;
    Operation *user = use.getOwner(), *reader = user;
    if (isa<nn::UnpackStepsOp>(user))
      if (Operation *later = lastReader(user->getResult(0)))
        reader = later;
    if (reader->getBlock() == value.getParentBlock() &&
        (!last || last->isBeforeInBlock(reader)))
      last = reader;
  }
  return last;
}

void NnLowering::reuseSequences(nn::ScanOp op) {
  if (!optimizations.has(Optimization::ReuseSequences))
    return;
  Regions regions(op, extents, optimizations);
  for (auto [argument, sequence] :
       llvm::zip(op.getSequenceArgs(), op.getSequences())) {
    View steps = viewOf(stepsValue(op, sequence));
    if (steps && steps.base && endsWith(sequence, op)) {
      if (op.getMask())
        steps = withLeadingStep(steps);
      regions.add(argument, steps);
    }
  }
  // What is read for longest comes first: the buffer stays as long as any part
  // of it is read, and the gradient's loop gets it with all of its parts.
  nn::YieldOp yield = op.getYield();
  struct Wanted {
    Value result, value;
    Operation *last;
    unsigned index;
  };
  SmallVector<Wanted> wanted;
  for (auto [output, value] : llvm::zip(op.getOutputs(), yield.getOutputs()))
    if (Value result = packedOutput(op, output);
        result && !views.count(result) && isOnlyRead(result))
      wanted.push_back({result, value, lastReader(result),
                        static_cast<unsigned>(wanted.size())});
  llvm::sort(wanted, [](const Wanted &a, const Wanted &b) {
    if (a.last == b.last || !a.last || !b.last)
      return a.last == b.last ? a.index < b.index : a.last != nullptr;
    return b.last->isBeforeInBlock(a.last);
  });
  for (const Wanted &one : wanted) {
    Value result = one.result, value = one.value;
    SmallVector<Affine> sizes{Affine::of(op.getMask() ? 1 : op.getSteps())};
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Affine> whole = sizesOf(result);
    llvm::append_range(sizes, ArrayRef(whole).drop_front(op.getMask() ? 0 : 1));
    // The parts that are written each by itself, and where in the result.
    SmallVector<std::pair<Value, int64_t>> parts;
    auto concat = value.getDefiningOp<nn::ConcatOp>();
    if (concat && static_cast<int64_t>(concat.getDim()) == type.getRank() - 1) {
      int64_t at = 0;
      for (Value part : concat.getOperands()) {
        if (!part.hasOneUse())
          break;
        parts.emplace_back(part, at);
        at += cast<RankedTensorType>(part.getType()).getShape().back();
      }
      if (parts.size() != concat->getNumOperands())
        continue;
    } else {
      parts.emplace_back(value, 0);
    }
    for (const StepRegion &candidate : SmallVector<StepRegion>(regions.all())) {
      View place = candidate.steps;
      if (place.element != type.getElementType() ||
          !getConstantIntValue(place.offset) || place.rank() != sizes.size())
        continue;
      place.sizes = sizes;
      Regions left = regions;
      bool fits = llvm::all_of(parts, [&](const auto &part) {
        auto unit = left.elementwiseUnit(part.first);
        View at = place;
        at.offset =
            b.getIndexAttr(*getConstantIntValue(place.offset) + part.second);
        auto partType = cast<RankedTensorType>(part.first.getType());
        if (partType.getRank() > 0 &&
            !partType.isDynamicDim(partType.getRank() - 1))
          at.sizes.back() = Affine::of(partType.getShape().back());
        return unit && left.take(at, *unit);
      });
      if (!fits)
        continue;
      regions = left;
      if (op.getMask()) {
        place.sizes.erase(place.sizes.begin());
        place.strides.erase(place.strides.begin());
      }
      views[result] = place;
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult NnLowering::lowerScanBody(Scan &here, ArrayRef<View> carried,
                                        ArrayRef<View> sequences,
                                        ArrayRef<View> closed,
                                        ArrayRef<View> outputs) {
  nn::ScanOp op = here.op;
  llvm::SaveAndRestore<Scan *> inside(scan, &here);
  for (auto [argument, view] : llvm::zip(op.getCarriedArgs(), carried))
    views[argument] = view;
  for (auto [argument, view] : llvm::zip(op.getSequenceArgs(), sequences))
    views[argument] = view;
  for (auto [argument, view] : llvm::zip(op.getClosedArgs(), closed))
    views[argument] = view;
  nn::YieldOp yield = op.getYield();
  SmallVector<Sink> sinks;
  for (auto [value, view, argument] :
       llvm::zip(yield.getCarry(), carried, op.getCarriedArgs()))
    sinks.push_back({value, view, argument});
  for (auto [value, view] : llvm::zip(yield.getOutputs(), outputs))
    if (view)
      sinks.push_back({value, view, {}});
  return lowerBlock(op.getBody().front(), sinks);
}

bool NnLowering::looksAhead(nn::ScanOp op) {
  return optimizations.has(Optimization::LookAhead) &&
         !op.getBody().front().getOps<nn::DotOp>().empty();
}

void NnLowering::lookAhead(nn::ScanOp op, ArrayRef<View> sequences,
                           ArrayRef<View> outputs,
                           llvm::function_ref<View(const View &)> atNext) {
  // Shorter rows come fast enough when they are read.
  constexpr int64_t kLeastBytes = 64;
  SmallVector<View> known;
  auto add = [&](const View &view) {
    bool moves = view.base && !view.strides[0].is(0);
    if (!moves || llvm::any_of(known, [&](const View &v) {
          return isSamePlace(v, view);
        }))
      return;
    known.push_back(view);
    View next = atNext(view);
    int64_t bytes = elementBytes(next.element);
    for (Affine size : ArrayRef(next.sizes).drop_front())
      bytes *= size.fixed;
    if (next.rank() > 0 && next.isDense() && bytes >= kLeastBytes)
      memref::PrefetchOp::create(
          b, loc, memref(next),
          SmallVector<Value>(next.rank(), math.value(Affine::of(0))),
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  };
  for (auto [argument, view] : llvm::zip(op.getSequenceArgs(), sequences))
    if (llvm::any_of(argument.getUses(),
                     [](OpOperand &use) { return !isShapeOperand(use); }))
      add(view);
  for (const View &view : outputs)
    add(view);
}

LogicalResult NnLowering::lowerScan(nn::ScanOp op) {
  SmallVector<View> carried, sequences, closed, stacked;
  for (auto [init, final] : llvm::zip(op.getInits(), op.getFinals())) {
    carried.push_back(placeOf(final));
    copy(viewOf(init), carried.back());
  }
  for (Value sequence : op.getSequences())
    sequences.push_back(viewOf(sequence));
  for (Value value : op.getClosed())
    closed.push_back(viewOf(value));
  reuseSequences(op);
  for (Value output : op.getOutputs())
    stacked.push_back(placeOf(output));

  Location at = loc;
  int64_t steps = op.getSteps();
  Scan here;
  here.op = op;
  {
    OpBuilder::InsertionGuard guard(b);
    if (optimizations.has(Optimization::RowBlocks) && runsByRows(op, extents)) {
      openBlocks(here, sizesOf(op.getInits().front()).front());
      here.count = here.rows;
      auto ofBlock = [&](SmallVector<View> &list, ValueRange values,
                         unsigned dim) {
        for (auto [view, value] : llvm::zip(list, values))
          if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
            view = ofRows(view, dim, here.first, here.rows);
      };
      ofBlock(carried, op.getInits(), 0);
      ofBlock(closed, op.getClosed(), 0);
      ofBlock(sequences, op.getSequences(), 1);
      ofBlock(stacked, op.getOutputs(), 1);
    }
    auto loop = scf::ForOp::create(b, loc, math.value(Affine::of(0)),
                                   math.value(Affine::of(steps)),
                                   math.value(Affine::of(1)));
    if (!here.loop)
      here.loop = loop;
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    if (op.getReverse())
      step = arith::SubIOp::create(b, loc, math.value(Affine::of(steps - 1)),
                                   step);
    if (looksAhead(op)) {
      Value edge = math.value(Affine::of(op.getReverse() ? 0 : steps - 1)),
            one = math.value(Affine::of(1));
      Value next =
          op.getReverse()
              ? arith::MaxSIOp::create(
                    b, loc, arith::SubIOp::create(b, loc, step, one), edge)
                    .getResult()
              : arith::MinSIOp::create(
                    b, loc, arith::AddIOp::create(b, loc, step, one), edge);
      lookAhead(op, sequences, stacked, [&](const View &view) {
        return elementView(b, loc, math, view, 0, OpFoldResult(next));
      });
    }
    for (View &view : sequences)
      view = elementView(b, loc, math, view, 0, OpFoldResult(step));
    for (View &view : stacked)
      view = elementView(b, loc, math, view, 0, OpFoldResult(step));
    if (failed(lowerScanBody(here, carried, sequences, closed, stacked)))
      return failure();
    closeBlocks(here);
  }
  loc = at;
  for (Value result : op.getResults())
    finish(result);
  return success();
}
