//===- PhaseBuild.cpp - the phases of a function --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/parallel/PhaseSplitter.h"

using namespace mlir;
using namespace belfry;

FailureOr<Value> PhaseSplitter::materialize(Value value, OpBuilder &b,
                                            IRMapping &map, Place place) {
  if (Value mapped = map.lookupOrNull(value))
    return mapped;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = value.getDefiningOp();
  FailureOr<int64_t> row = failure();
  // The extent of a whole value is that of the global batch.
  if (auto size = dyn_cast_or_null<nn::DimSizeOp>(op);
      size && !perTower.lookup(size.getOperand()) &&
      cast<RankedTensorType>(size.getOperand().getType())
          .isDynamicDim(size.getDim())) {
    FailureOr<int64_t> m = extents.multiple(size.getOperand());
    if (failed(m))
      return failure();
    Value scalar =
        scalarTensor(b, op->getLoc(), value.getType(), kGlobalRows, *m);
    map.map(value, scalar);
    return scalar;
  }
  // So a tower's block of a value that was gathered is cut where it is read.
  if (auto slice = dyn_cast_or_null<tower::SliceOp>(op);
      slice && !isa<BlockArgument>(slice.getOperand())) {
    if (slice.getDim() != 0 || perTower.lookup(slice.getOperand()))
      return slice.emitOpError("cuts a computed value along dimension ")
             << slice.getDim() << "; expected dimension 0 of a whole value";
    FailureOr<int64_t> source = crossRow(slice.getOperand());
    if (failed(source))
      return failure();
    Value whole = phaseArgument(*source, slice.getOperand());
    Value block = tower::SliceOp::create(b, op->getLoc(), whole, 0, {}, {}, {});
    map.map(value, block);
    return block;
  }
  bool whole = !place.once && (argument || !perTower.lookup(value)) &&
               !isa_and_nonnull<tower::SliceOp>(op) &&
               !cast<RankedTensorType>(value.getType()).hasStaticShape();
  if (whole)
    return emitError(value.getLoc())
           << "a whole value of type " << value.getType()
           << " is used by an op that runs for each tower; expected a "
              "tower.slice of it";
  if (argument) {
    row = argumentRow(argument, true);
  } else if (auto slice = dyn_cast<tower::SliceOp>(op);
             slice && isa<BlockArgument>(slice.getOperand())) {
    // The tower's block of an argument is what the runtime hands over.
    if (slice.getDim() != 0)
      return slice.emitOpError("cuts an argument along dimension ")
             << slice.getDim() << "; rows have to be its dimension 0";
    row = argumentRow(cast<BlockArgument>(slice.getOperand()), false);
  } else if (isa<tower::RowOffsetOp, tower::IndexOp>(op)) {
    PhaseScalar which = kTower;
    int64_t multiple = 1;
    if (auto offset = dyn_cast<tower::RowOffsetOp>(op)) {
      which = kRowOffset;
      FailureOr<int64_t> m = extents.multiple(offset.getOfValue());
      if (failed(m))
        return failure();
      multiple = *m;
    }
    Value scalar =
        scalarTensor(b, op->getLoc(), value.getType(), which, multiple);
    map.map(value, scalar);
    return scalar;
  } else if (isFree(op) || (places.lookup(op) == place)) {
    for (Value operand : op->getOperands())
      if (failed(materialize(operand, b, map, place)))
        return failure();
    b.clone(*op, map);
    return map.lookup(value);
  } else {
    row = crossRow(value);
  }
  if (failed(row))
    return failure();
  Value added = phaseArgument(*row, value);
  map.map(value, added);
  return added;
}

/// The argument of the phase that is a row: two names of one row (an argument
/// and its slice) are one.
Value PhaseSplitter::phaseArgument(int64_t row, Value value) {
  for (auto [id, existing] : phaseArguments)
    if (id == row)
      return existing;
  Value added =
      current.getBody().front().addArgument(value.getType(), value.getLoc());
  phaseArguments.emplace_back(row, added);
  return added;
}

/// A scalar of the phase times a number, as a tensor.
Value PhaseSplitter::scalarTensor(OpBuilder &b, Location loc, Type type,
                                  PhaseScalar which, int64_t multiple) {
  Value index = current.getArgument(which);
  if (multiple != 1)
    index = arith::MulIOp::create(
        b, loc, index, arith::ConstantIndexOp::create(b, loc, multiple));
  Value word = arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  return tensor::FromElementsOp::create(b, loc, cast<RankedTensorType>(type),
                                        word);
}

/// Views and arguments that a collective after the phase reads: it reads
/// copies.
SmallVector<Value> PhaseSplitter::copiedForCollectives(Place place) const {
  SmallVector<Value> values;
  for (Operation *op : ops) {
    if (!tower::isCollective(op) || place.once ||
        level.lookup(op->getResult(0)) - 1 != place.stage)
      continue;
    Operation *source = op->getOperand(0).getDefiningOp();
    if (!source || isFree(source) || tower::isCollective(source))
      values.push_back(op->getOperand(0));
  }
  return values;
}

LogicalResult PhaseSplitter::buildPhase(Place place) {
  bool any = llvm::any_of(ops, [&](Operation *op) {
    auto it = places.find(op);
    return it != places.end() && it->second == place && !op->use_empty();
  });
  any |= llvm::any_of(stores, [&](auto &s) { return std::get<2>(s) == place; });
  SmallVector<Value> copied = copiedForCollectives(place);
  if (!any && copied.empty())
    return success();

  MLIRContext *context = function.getContext();
  std::string name = (function.getName() + "_p" + Twine(phases.size())).str();
  builder.setInsertionPoint(function);
  current = func::FuncOp::create(builder, function.getLoc(), name,
                                 builder.getFunctionType({}, {}));
  phaseArguments.clear();
  Block *body = current.addEntryBlock();
  for (unsigned i = 0; i < kNumPhaseScalars; ++i)
    body->addArgument(builder.getIndexType(), function.getLoc());

  OpBuilder b = OpBuilder::atBlockEnd(body);
  IRMapping map;
  SmallVector<Value> results;
  SmallVector<int64_t> resultRows;
  for (Operation *op : ops) {
    auto it = places.find(op);
    if (it == places.end() || !(it->second == place) || isFree(op) ||
        op->use_empty())
      continue;
    if (failed(materialize(op->getResult(0), b, map, place)))
      return failure();
  }
  for (auto &[value, row, where] : stores) {
    if (!(where == place))
      continue;
    FailureOr<Value> mapped = materialize(value, b, map, place);
    if (failed(mapped))
      return failure();
    results.push_back(*mapped);
    resultRows.push_back(row);
  }
  // What other phases and collectives read.
  for (Operation *op : ops) {
    auto it = places.find(op);
    if (it == places.end() || !(it->second == place))
      continue;
    for (Value value : op->getResults()) {
      if (llvm::any_of(stores, [&](auto &s) {
            auto row = valueRows.find(value);
            return std::get<0>(s) == value && std::get<2>(s) == place &&
                   row != valueRows.end() && row->second == std::get<1>(s);
          }))
        continue;
      if (!map.contains(value))
        continue;
      // A user elsewhere, also through ops that are made anew there.
      SmallVector<Operation *> pending(value.user_begin(), value.user_end());
      DenseSet<Operation *> seen;
      bool crosses = false;
      while (!pending.empty() && !crosses) {
        Operation *user = pending.pop_back_val();
        if (!seen.insert(user).second)
          continue;
        if (tower::isCollective(user)) {
          crosses = true;
        } else if (auto at = places.find(user); at != places.end()) {
          crosses = !(at->second == place);
        } else if (isFree(user)) {
          llvm::append_range(pending, user->getUsers());
          for (Value derived : user->getResults())
            for (auto &[stored, row, where] : stores)
              crosses |= stored == derived && !(where == place);
        }
      }
      for (auto &[stored, row, where] : stores)
        crosses |= stored == value && !(where == place);
      if (!crosses)
        continue;
      FailureOr<int64_t> row = crossRow(value);
      if (failed(row))
        return failure();
      results.push_back(map.lookup(value));
      resultRows.push_back(*row);
    }
  }
  for (Value operand : copied) {
    FailureOr<Value> mapped = materialize(operand, b, map, place);
    perTower[operand] = true;
    FailureOr<int64_t> row = crossRow(operand);
    if (failed(mapped) || failed(row))
      return failure();
    results.push_back(*mapped);
    resultRows.push_back(*row);
  }
  func::ReturnOp::create(b, function.getLoc(), results);

  SmallVector<Type> inputs(body->getArgumentTypes());
  SmallVector<Type> outputs(ValueRange(results).getTypes());
  current.setType(builder.getFunctionType(inputs, outputs));
  current.setPrivate();
  current->setAttr(kFunctionAttr, builder.getStringAttr(function.getName()));
  for (auto [row, value] : phaseArguments) {
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    current.setArgAttr(number, kBufferAttr, builder.getI64IntegerAttr(row));
  }
  for (auto [i, row] : llvm::enumerate(resultRows))
    current.setResultAttr(i, kBufferAttr, builder.getI64IntegerAttr(row));
  // Dynamic extents of arguments follow from the sizes of their rows.
  for (auto [row, value] : phaseArguments) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.hasStaticShape())
      continue;
    int64_t fixed = elementBytes(type.getElementType());
    for (int64_t extent : type.getShape())
      if (!ShapedType::isDynamic(extent))
        fixed *= extent;
    current.setArgAttr(
        cast<BlockArgument>(value).getArgNumber(), kExtentAttr,
        builder.getI64IntegerAttr(fixed ? rows[row].bytes.first / fixed : 1));
  }
  schedule.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("phase", builder.getI64IntegerAttr(phases.size())),
       builder.getNamedAttr(
           "run",
           StringAttr::get(context, place.once ? "once" : "per_tower"))}));
  phases.push_back(current);
  return success();
}

LogicalResult PhaseSplitter::buildCollectives(int64_t stage) {
  for (Operation *op : ops) {
    if (!tower::isCollective(op) || level.lookup(op->getResult(0)) - 1 != stage)
      continue;
    Value operand = op->getOperand(0), result = op->getResult(0);
    if (result.use_empty())
      continue;
    FailureOr<int64_t> from = crossRow(operand), to = crossRow(result);
    FailureOr<std::pair<int64_t, int64_t>> count = extents.elements(operand);
    if (failed(from) || failed(to) || failed(count))
      return failure();
    auto type = cast<RankedTensorType>(operand.getType());
    NamedAttrList item;
    auto integer = [&](int64_t v) { return builder.getI64IntegerAttr(v); };
    item.append("dtype",
                builder.getStringAttr(nn::dtypeName(type.getElementType())));
    item.append("from", integer(*from));
    item.append("to", integer(*to));
    if (auto reduce = dyn_cast<tower::AllReduceOp>(op)) {
      if (count->first)
        return op->emitOpError("combines ")
               << type << ", whose extent differs by tower";
      item.append(
          "all_reduce",
          builder.getStringAttr(tower::stringifyReduceKind(reduce.getKind())));
      item.append("count", builder.getArrayAttr({integer(count->first),
                                                 integer(count->second)}));
    } else {
      auto gather = cast<tower::AllGatherOp>(op);
      int64_t outer = 1, inner = 1;
      for (auto [d, extent] : llvm::enumerate(type.getShape())) {
        if (ShapedType::isDynamic(extent))
          continue;
        (static_cast<int64_t>(d) < static_cast<int64_t>(gather.getDim())
             ? outer
             : inner) *= extent;
      }
      item.append("all_gather", builder.getBoolAttr(true));
      item.append("outer", integer(outer));
      item.append("inner", integer(inner));
    }
    schedule.push_back(item.getDictionary(function.getContext()));
  }
  return success();
}

LogicalResult PhaseSplitter::buildPhases() {
  for (int64_t stage = 0; stage <= lastStage; ++stage) {
    if (failed(buildPhase({stage, true})) ||
        failed(buildPhase({stage, false})) || failed(buildCollectives(stage)))
      return failure();
  }
  return success();
}

DictionaryAttr PhaseSplitter::table(int64_t firstPhase) {
  auto integer = [&](int64_t v) { return builder.getI64IntegerAttr(v); };
  SmallVector<Attribute> buffers, items;
  for (const Row &row : rows) {
    NamedAttrList entry;
    entry.append("kind", builder.getStringAttr(row.kind));
    if (row.index >= 0)
      entry.append("index", integer(row.index));
    if (!row.name.empty())
      entry.append("name", builder.getStringAttr(row.name));
    if (!row.of.empty())
      entry.append("of", builder.getStringAttr(row.of));
    entry.append("scope",
                 builder.getStringAttr(row.shared ? "shared" : "tower"));
    entry.append("dtype", builder.getStringAttr(nn::dtypeName(row.element)));
    entry.append("bytes", builder.getArrayAttr({integer(row.bytes.first),
                                                integer(row.bytes.second)}));
    buffers.push_back(entry.getDictionary(function.getContext()));
  }
  for (Attribute item : schedule) {
    NamedAttrList entry(cast<DictionaryAttr>(item));
    if (auto phase = dyn_cast_if_present<IntegerAttr>(entry.get("phase")))
      entry.set("phase", integer(phase.getInt() + firstPhase));
    items.push_back(entry.getDictionary(function.getContext()));
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("buffers", builder.getArrayAttr(buffers)),
       builder.getNamedAttr("schedule", builder.getArrayAttr(items))});
}

LogicalResult PhaseSplitter::run() {
  if (failed(flatten()) || failed(classify()))
    return failure();
  placeOps();
  return failure(failed(assignResults()) || failed(buildPhases()));
}
