//===- LowerNnToLinalg.cpp - core ops to linalg on buffers ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each phase function:
//
//   1. Its rows become memref arguments; results that have no argument's row
//      get an argument of their own.
//   2. The ops are grouped into units (FormUnits.h) and lowered in order.
//   3. When a unit is lowered, the places where its values are wanted are
//      known: it writes there, unless the old content is still read.
//   4. What is then not yet in its place is copied at the end of the block.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

namespace belfry {
#define GEN_PASS_DEF_LOWERNNTOLINALG
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Who reads what
//===----------------------------------------------------------------------===//

struct NnLowering::Frame {
  Frame(Block &block, ArrayRef<Sink> sinks, RowExtents &extents,
        const Optimizations &optimizations)
      : block(block), units(formUnits(block, extents, optimizations)),
        sinks(sinks.begin(), sinks.end()), satisfied(sinks.size(), false) {
    for (auto [i, unit] : llvm::enumerate(units))
      for (Operation *op : unit.ops) {
        unitOf[op] = i;
        for (OpOperand &operand : op->getOpOperands())
          if (!isShapeOperand(operand))
            readers[root(operand.get())].push_back(&operand);
      }
  }

  Value root(Value value) const { return viewedValue(value, block); }

  /// Whether unit `unit` may overwrite what `old` is in: all have read it.
  bool mayOverwrite(const Sink &sink, unsigned unit) const {
    Value old = root(sink.old);
    for (OpOperand *reader : readers.lookup(old)) {
      unsigned at = unitOf.lookup(reader->getOwner());
      if (at < unit && !isViewOp(reader->getOwner()))
        continue;
      if (isViewOp(reader->getOwner()))
        continue; // its readers are in the list too
      // The same loop reads an element just before it writes it.
      if (at == unit && units[unit].elementwise && reader->get() == sink.old)
        continue;
      return false;
    }
    for (auto [i, other] : llvm::enumerate(sinks))
      if (&other != &sink && !satisfied[i] && root(other.value) == old)
        return false;
    return true;
  }

  Block &block;
  SmallVector<Unit> units;
  SmallVector<Sink> sinks;
  SmallVector<bool> satisfied;
  DenseMap<Operation *, unsigned> unitOf;
  DenseMap<Value, SmallVector<OpOperand *>> readers;
  DenseSet<OpOperand *> placed; ///< operands of concatenations
};

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<Affine> NnLowering::sizesOf(Value value) {
  SmallVector<Affine> sizes;
  FailureOr<int64_t> m = extents.multiple(value);
  if (failed(m))
    failedAt = value.getDefiningOp();
  Affine rows{succeeded(m) ? *m : 1, 0};
  if (Value count = countOf(value))
    rows = {1, 0, count};
  for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape())
    sizes.push_back(ShapedType::isDynamic(extent) ? rows : Affine::of(extent));
  return sizes;
}

View NnLowering::wholeView(Value buffer, Value value) {
  View view;
  view.base = buffer;
  view.offset = b.getIndexAttr(0);
  view.sizes = sizesOf(value);
  view.strides = denseStrides(view.sizes);
  view.element = cast<MemRefType>(buffer.getType()).getElementType();
  return view;
}

View NnLowering::allocate(ArrayRef<Affine> sizes, Type element) {
  // Blocks of rows may run side by side, each in its own part.
  bool blocks = scan && scan->first;
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (Affine size : sizes) {
    if (auto most = capacity.find(size.count);
        !size.isFixed() && most != capacity.end())
      size = most->second * size.perRow + Affine::of(size.fixed);
    shape.push_back(size.isFixed() ? size.fixed : ShapedType::kDynamic);
    if (!size.isFixed())
      dynamic.push_back(math.value(size));
  }
  View view;
  {
    OpBuilder::InsertionGuard guard(b);
    if (blocks)
      b.setInsertionPoint(scan->loop);
    view.base = memref::AllocOp::create(b, loc, MemRefType::get(shape, element),
                                        dynamic);
  }
  view.offset = b.getIndexAttr(0);
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides = denseStrides(sizes);
  view.element = element;
  if (!blocks)
    return view;
  if (sizes.empty() || sizes[0].isFixed() || !sizes[0].count ||
      !view.strides[0].isFixed())
    scan->shares = true;
  else
    view.offset = mulIndex(b, loc, OpFoldResult(scan->first),
                           math.fold(b, view.strides[0] * sizes[0].perRow));
  return view;
}

View NnLowering::viewOf(Value value) {
  if (auto it = views.find(value); it != views.end())
    return it->second;
  View view;
  view.sizes = sizesOf(value);
  view.element = cast<RankedTensorType>(value.getType()).getElementType();
  view.offset = b.getIndexAttr(0);
  view.strides.assign(view.sizes.size(), Affine::of(0));
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<nn::ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    if (elements.isSplat()) {
      view.splat = elements.getSplatValue<Attribute>();
    } else {
      auto module =
          b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
      auto type = MemRefType::get(elements.getType().getShape(), view.element);
      memref::GlobalOp global;
      for (auto known : module.getOps<memref::GlobalOp>())
        if (known.getInitialValueAttr() == elements && known.getType() == type)
          global = known;
      if (!global) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(module.getBody());
        unsigned number = llvm::range_size(module.getOps<memref::GlobalOp>());
        global = memref::GlobalOp::create(
            b, loc, ("constant_" + Twine(number)).str(),
            b.getStringAttr("private"), type, elements, true, IntegerAttr());
      }
      view.base = memref::GetGlobalOp::create(b, loc, type, global.getName());
      view.strides = denseStrides(view.sizes);
    }
  } else if (auto made = dyn_cast_or_null<tensor::FromElementsOp>(op)) {
    view.scalar = scalars.lookupOrDefault(made.getElements()[0]);
  }
  if (view)
    views[value] = view;
  return view;
}

/// The place of the operand of a view op, so that its result is at `place`.
static std::optional<View> placeBefore(Operation *op, const View &place,
                                       ArrayRef<Affine> sizes) {
  if (isa<nn::ReshapeOp>(op))
    return reshapeView(place, sizes);
  if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(place.rank());
    for (auto [k, d] : llvm::enumerate(transpose.getPerm()))
      inverse[d] = k;
    return transposeView(place, inverse);
  }
  return std::nullopt;
}

View NnLowering::wantedByConcat(nn::ConcatOp concat, unsigned operand) {
  View whole = placeOf(concat.getResult());
  SmallVector<int64_t> start(whole.rank(), 0), stride(whole.rank(), 1);
  int64_t dim = concat.getDim();
  for (unsigned i = 0; i < operand; ++i)
    start[dim] +=
        cast<RankedTensorType>(concat.getOperand(i).getType()).getDimSize(dim);
  return sliceView(b, loc, math, whole, start, stride,
                   sizesOf(concat.getOperand(operand)));
}

SmallVector<View> NnLowering::wantedPlaces(Value value, unsigned unit) {
  SmallVector<View> wanted;
  if (!optimizations.has(Optimization::WriteInPlace))
    return wanted;
  bool updates = optimizations.has(Optimization::UpdateInPlace);
  // Follow the value forwards through views that only rearrange.
  struct Step {
    Value value;
    SmallVector<Operation *> path;
  };
  SmallVector<Step> pending{{value, {}}};
  auto back = [&](const Step &step, View place) -> std::optional<View> {
    for (Operation *op : llvm::reverse(step.path)) {
      auto before = placeBefore(op, place, sizesOf(op->getOperand(0)));
      if (!before)
        return std::nullopt;
      place = *before;
    }
    return place;
  };
  bool early = isa_and_nonnull<nn::ConcatOp>(value.getDefiningOp());
  while (!pending.empty()) {
    Step step = pending.pop_back_val();
    for (auto [i, sink] : llvm::enumerate(frame->sinks)) {
      if (frame->satisfied[i] || sink.value != step.value)
        continue;
      if (sink.old && (!updates || !step.path.empty() || early ||
                       !frame->mayOverwrite(sink, unit)))
        continue;
      if (auto place = back(step, sink.place)) {
        frame->satisfied[i] = true;
        wanted.push_back(*place);
      }
    }
    for (OpOperand &use : step.value.getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != &frame->block)
        continue;
      if (auto concat = dyn_cast<nn::ConcatOp>(user)) {
        if (frame->placed.contains(&use))
          continue;
        View part = wantedByConcat(concat, use.getOperandNumber());
        if (auto place = back(step, part)) {
          frame->placed.insert(&use);
          wanted.push_back(*place);
        }
      } else if (isa<nn::ReshapeOp, nn::TransposeOp>(user)) {
        Step next{user->getResult(0), step.path};
        next.path.push_back(user);
        pending.push_back(std::move(next));
      }
    }
  }
  return wanted;
}

bool NnLowering::isPlaced(OpOperand &operand) {
  return frame->placed.contains(&operand);
}

View NnLowering::placeOf(Value result) {
  if (auto it = views.find(result); it != views.end())
    return it->second;
  unsigned unit = frame->unitOf.lookup(result.getDefiningOp());
  SmallVector<View> wanted = wantedPlaces(result, unit);
  auto natural =
      llvm::find_if(wanted, [](const View &v) { return v.isNatural(); });
  View primary;
  if (natural != wanted.end()) {
    primary = *natural;
    wanted.erase(natural);
  } else {
    primary =
        allocate(sizesOf(result),
                 cast<RankedTensorType>(result.getType()).getElementType());
  }
  views[result] = primary;
  places[result] = SmallVector<View, 1>(wanted.begin(), wanted.end());
  return primary;
}

void NnLowering::putAt(Value result, const View &place) {
  unsigned unit = frame->unitOf.lookup(result.getDefiningOp());
  SmallVector<View> wanted = wantedPlaces(result, unit);
  views[result] = place;
  places[result] = SmallVector<View, 1>(wanted.begin(), wanted.end());
}

void NnLowering::finish(Value result) {
  for (const View &place : places.lookup(result))
    copy(views[result], place);
  places.erase(result);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult NnLowering::lowerView(Operation *op) {
  Value result = op->getResult(0);
  View operand = viewOf(op->getOperand(0));
  SmallVector<Affine> sizes = sizesOf(result);
  View view;
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    view = broadcastView(operand, broadcast.getDims(), sizes);
  } else if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    view = transposeView(operand, transpose.getPerm());
  } else if (auto slice = dyn_cast<nn::SliceOp>(op)) {
    view = sliceView(b, loc, math, operand, slice.getStart(), slice.getStride(),
                     sizes);
  } else if (auto reverse = dyn_cast<nn::ReverseOp>(op)) {
    view = reverseView(b, loc, math, operand, reverse.getDims());
  } else {
    auto reshaped = reshapeView(operand, sizes);
    if (!reshaped) {
      lowerReshapeCopy(cast<nn::ReshapeOp>(op));
      return success();
    }
    view = *reshaped;
  }
  views[result] = view;
  return success();
}

LogicalResult NnLowering::lowerOp(Operation *op) {
  if (isViewOp(op))
    return lowerView(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<nn::ConstantOp, tensor::FromElementsOp>(
          [&](auto) { return success(); })
      .Case<arith::ConstantOp, arith::IndexCastOp, arith::MulIOp>(
          [&](Operation *scalar) {
            IRMapping map;
            for (Value operand : scalar->getOperands())
              map.map(operand, scalars.lookupOrDefault(operand));
            Operation *clone = b.clone(*scalar, map);
            scalars.map(scalar->getResults(), clone->getResults());
            return success();
          })
      .Case<nn::DimSizeOp>([&](nn::DimSizeOp size) {
        View view = viewOf(size.getResult());
        Affine extent = sizesOf(size.getOperand())[size.getDim()];
        view.sizes.clear();
        view.strides.clear();
        if (extent.isFixed())
          view.splat = b.getI32IntegerAttr(extent.fixed);
        else
          view.scalar = arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                                   math.value(extent));
        views[size.getResult()] = view;
        return success();
      })
      .Case<tower::SliceOp>([&](tower::SliceOp slice) {
        // The tower's rows of a value that stands there for all towers.
        View view = viewOf(slice.getOperand());
        Value result = slice.getResult();
        view.sizes = sizesOf(result);
        OpFoldResult rows = mulIndex(b, loc, OpFoldResult(rowOffset),
                                     b.getIndexAttr(view.sizes[0].perRow));
        view.offset =
            addIndex(b, loc, view.offset,
                     mulIndex(b, loc, rows, math.fold(b, view.strides[0])));
        views[result] = view;
        return success();
      })
      .Case<nn::ReduceOp>([&](auto o) { return lowerReduce(o), success(); })
      .Case<nn::ArgMaxOp>([&](auto o) { return lowerArgMax(o), success(); })
      .Case<nn::PadOp>([&](auto o) { return lowerPad(o), success(); })
      .Case<nn::ConcatOp>([&](auto o) { return lowerConcat(o), success(); })
      .Case<nn::GatherOp>([&](auto o) { return lowerGather(o), success(); })
      .Case<nn::ScatterAddOp>(
          [&](auto o) { return lowerScatterAdd(o), success(); })
      .Case<nn::DotOp>([&](nn::DotOp o) { return lowerDot(o), success(); })
      .Case<nn::Conv2DOp>([&](auto o) { return lowerConv(o), success(); })
      .Case<nn::Conv2DInputGradOp>(
          [&](auto o) { return lowerConvInputGrad(o), success(); })
      .Case<nn::Conv2DKernelGradOp>(
          [&](auto o) { return lowerConvKernelGrad(o), success(); })
      .Case<nn::PackStepsOp>(
          [&](auto o) { return lowerPackSteps(o), success(); })
      .Case<nn::UnpackStepsOp>(
          [&](auto o) { return lowerUnpackSteps(o), success(); })
      .Case<nn::ScanOp>([&](nn::ScanOp o) {
        return o.getMask() ? lowerPackedScan(o) : lowerScan(o);
      })
      .Default([&](Operation *o) {
        return o->emitOpError("has no lowering to loops");
      });
}

/// Whether the op is a product of 16 bits whose sum is of f32 already.
static bool addsInF32(Operation *op) {
  return isa<nn::DotOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

LogicalResult NnLowering::lowerUnit(const Unit &unit) {
  loc = unit.ops.back()->getLoc();
  for (Operation *op : unit.ops)
    if (nn::computesInNarrow(op) && !addsInF32(op))
      return op->emitOpError("computes with ")
             << *op->operand_type_begin()
             << "; --widen-narrow-floats runs first";
  if (unit.random)
    return lowerRandom(unit);
  if (unit.elementwise)
    return lowerElementwise(unit);
  if (unit.ops.size() == 2) {
    lowerDot(cast<nn::DotOp>(unit.ops[0]), cast<nn::BinaryOp>(unit.ops[1]));
    return success();
  }
  return lowerOp(unit.ops.front());
}

LogicalResult NnLowering::lowerBlock(Block &block, ArrayRef<Sink> sinks) {
  Frame here(block, sinks, extents, optimizations);
  Frame *outer = std::exchange(frame, &here);
  // What the block gets and hands out as it is goes first: a carried value that
  // is saved can then be overwritten in place.
  for (auto [i, sink] : llvm::enumerate(here.sinks))
    if (!sink.old && isa<BlockArgument>(sink.value)) {
      loc = sink.value.getLoc();
      copy(viewOf(sink.value), sink.place);
      here.satisfied[i] = true;
    }
  for (const Unit &unit : here.units)
    if (failed(lowerUnit(unit)))
      return failure();

  // What is not in its place: values that are lost by another copy go first.
  std::vector<std::pair<View, View>> early, late;
  for (auto [i, sink] : llvm::enumerate(here.sinks)) {
    if (here.satisfied[i] || (sink.old && sink.value == sink.old))
      continue;
    View from = viewOf(sink.value);
    if (!from)
      return emitError(sink.value.getLoc()) << "value has no place";
    bool lost = llvm::any_of(here.sinks, [&](const Sink &other) {
      return &other != &sink && other.old &&
             here.root(sink.value) == here.root(other.old);
    });
    if (sink.old && (lost || here.root(sink.value) == here.root(sink.old))) {
      View kept = allocate(from.sizes, from.element);
      copy(from, kept);
      from = kept;
    }
    (sink.old ? late : early).emplace_back(from, sink.place);
  }
  for (auto &[from, to] : llvm::concat<std::pair<View, View>>(early, late))
    copy(from, to);
  frame = outer;
  return failure(failedAt != nullptr);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerNnToLinalgPass
    : belfry::impl::LowerNnToLinalgBase<LowerNnToLinalgPass> {
  using LowerNnToLinalgBase::LowerNnToLinalgBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> phases;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr))
        phases.push_back(function);
    for (func::FuncOp phase : phases)
      if (failed(lowerPhase(phase)))
        return signalPassFailure();
  }

  LogicalResult lowerPhase(func::FuncOp phase);

  Optimizations optimizations;
};
} // namespace

LogicalResult LowerNnToLinalgPass::lowerPhase(func::FuncOp phase) {
  if (failed(verifyPhase<RankedTensorType>(phase)))
    return failure();
  OpBuilder b(phase);
  Location loc = phase.getLoc();
  Block &old = phase.getBody().front();
  auto terminator = cast<func::ReturnOp>(old.getTerminator());
  auto lowered =
      func::FuncOp::create(b, loc, phase.getName(), b.getFunctionType({}, {}));
  lowered.setPrivate();
  lowered->setAttr(kFunctionAttr, phase->getAttr(kFunctionAttr));
  Block *body = lowered.addEntryBlock();
  for (unsigned i = 0; i < kNumPhaseScalars; ++i)
    body->addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(body);

  NnLowering lowering(b, body->getArgument(kRows),
                      body->getArgument(kRowOffset), optimizations);
  RowExtents extents;
  SmallVector<std::pair<int64_t, Value>> rows; // row, its memref
  SmallVector<int64_t> multiples;
  auto addRow = [&](int64_t row, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Value buffer = body->addArgument(
        MemRefType::get(type.getShape(), type.getElementType()), loc);
    rows.emplace_back(row, buffer);
    multiples.push_back(extents.multiple(value).value_or(0));
    return buffer;
  };
  for (unsigned i = 0; i < kNumPhaseScalars; ++i)
    lowering.setScalar(old.getArgument(i), body->getArgument(i));
  for (BlockArgument argument :
       old.getArguments().drop_front(kNumPhaseScalars)) {
    auto row = phase.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                   kBufferAttr);
    Value buffer = addRow(row.getInt(), argument);
    lowering.setView(argument, lowering.wholeView(buffer, argument));
  }
  SmallVector<Sink> sinks;
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    int64_t row =
        phase.getResultAttrOfType<IntegerAttr>(i, kBufferAttr).getInt();
    Value buffer, argument;
    for (auto [k, known] : llvm::enumerate(rows))
      if (known.first == row) {
        buffer = known.second;
        if (k + kNumPhaseScalars < old.getNumArguments())
          argument = old.getArgument(k + kNumPhaseScalars);
      }
    if (!buffer)
      buffer = addRow(row, value);
    sinks.push_back({value, lowering.wholeView(buffer, value), argument});
  }
  if (failed(lowering.lowerBlock(old, sinks)))
    return failure();
  func::ReturnOp::create(b, loc);
  lowered.setType(b.getFunctionType(body->getArgumentTypes(), {}));
  for (auto [i, row] : llvm::enumerate(rows)) {
    unsigned number = kNumPhaseScalars + i;
    lowered.setArgAttr(number, kBufferAttr, b.getI64IntegerAttr(row.first));
    if (multiples[i])
      lowered.setArgAttr(number, kExtentAttr,
                         b.getI64IntegerAttr(multiples[i]));
  }
  phase.erase();
  return success();
}
