//===- SplitPhases.cpp - training functions to phases ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function:
//
//   1. Flatten: the ops of the function and of its tower.replicate, in order.
//   2. A value is per tower when it follows from a slice, the row offset or the
//      tower's index; what a collective gives is the same in every tower.
//   3. The level of a value is the number of collectives before it. Stage s is
//      the once phase of level s, then its per-tower phase, then the
//      collectives of values of level s.
//   4. Per-tower ops stand in the stage of their level. Once ops stand in the
//      last stage that serves all their uses, results in the last stage of
//      all, where no reader of an old parameter is left.
//   5. Values that another phase, a collective or the caller needs get a row of
//      the buffer table.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/IR/IRMapping.h"

namespace belfry {
#define GEN_PASS_DEF_SPLITPHASES
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

/// Replicated values up to this many elements are computed where they are
/// needed rather than in a phase of their own.
constexpr int64_t kRecomputeElements = 4096;

bool isCollective(Operation *op) {
  return isa<tower::AllReduceOp, tower::AllGatherOp>(op);
}

/// A row of the buffer table.
struct Row {
  std::string kind, name, of;
  int64_t index = -1;
  bool shared = false;
  Type element;
  std::pair<int64_t, int64_t> bytes;
};

/// Where an op stands: stage and whether it runs once.
struct Place {
  int64_t stage = -1;
  bool once = false;
  bool operator==(const Place &o) const {
    return stage == o.stage && once == o.once;
  }
};

class Splitter {
public:
  Splitter(func::FuncOp function) : function(function), builder(function) {}

  LogicalResult run();

  SmallVector<func::FuncOp> phases;
  DictionaryAttr table(int64_t firstPhase);
  int64_t crossing = 0;

private:
  LogicalResult flatten();
  LogicalResult classify();
  void placeOps();
  LogicalResult assignResults();
  LogicalResult buildPhases();
  LogicalResult buildPhase(Place place);
  LogicalResult buildCollectives(int64_t stage);
  SmallVector<Value> copiedForCollectives(Place place) const;

  bool isFree(Operation *op) const;
  FailureOr<Value> materialize(Value value, OpBuilder &b, IRMapping &map,
                               Place place);
  Value phaseArgument(int64_t row, Value value);
  Value scalarTensor(OpBuilder &b, Location loc, Type type, PhaseScalar which,
                     int64_t multiple);
  FailureOr<int64_t> addRow(Row row, Value like);
  FailureOr<int64_t> argumentRow(BlockArgument argument, bool shared);
  FailureOr<int64_t> crossRow(Value value);
  Place placeOf(Value value) const;

  func::FuncOp function;
  OpBuilder builder;
  tower::ReplicateOp replicate;
  RowExtents extents;
  SmallVector<Operation *> ops;
  SmallVector<Value> returned;     ///< what the function returns
  SmallVector<int64_t> concatDims; ///< −1: the same in every tower
  DenseMap<Value, bool> perTower;
  DenseMap<Value, int64_t> level;
  DenseMap<Operation *, Place> places;
  int64_t lastStage = 0;

  SmallVector<Row> rows;
  DenseMap<std::pair<Value, unsigned>, int64_t> argumentRows;
  DenseMap<Value, int64_t> valueRows; ///< canonical row of a computed value
  /// Further rows that a value is stored to, by its place.
  SmallVector<std::tuple<Value, int64_t, Place>> stores;
  SmallVector<Attribute> schedule;
  Value rowsLike;
  func::FuncOp current;
  SmallVector<std::pair<int64_t, Value>> phaseArguments;
};

} // namespace

LogicalResult Splitter::flatten() {
  auto terminator =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto r = dyn_cast<tower::ReplicateOp>(op)) {
      if (replicate)
        return r.emitOpError("is the second one in '")
               << function.getName() << "', expected one";
      replicate = r;
      for (Operation &inner : r.getBody().front().without_terminator())
        ops.push_back(&inner);
      continue;
    }
    if (replicate)
      return op.emitOpError("stands after tower.replicate; expected only the "
                            "return of its results");
    ops.push_back(&op);
  }
  for (Value value : terminator.getOperands()) {
    auto result = dyn_cast<OpResult>(value);
    if (replicate && result && result.getOwner() == replicate) {
      auto yield =
          cast<tower::YieldOp>(replicate.getBody().front().getTerminator());
      returned.push_back(yield.getValues()[result.getResultNumber()]);
      concatDims.push_back(yield.getConcat()[result.getResultNumber()]);
    } else {
      returned.push_back(value);
      concatDims.push_back(-1);
    }
  }
  return success();
}

/// Ops that cost nothing, or as good as: made where they are needed.
bool Splitter::isFree(Operation *op) const {
  if (isa<nn::ConstantOp, nn::BroadcastOp, nn::IotaOp, nn::TransposeOp,
          nn::ReshapeOp, nn::SliceOp, nn::DimSizeOp, tower::SliceOp,
          tower::RowOffsetOp, tower::IndexOp>(op))
    return true;
  if (!isa<nn::UnaryOp, nn::BinaryOp, nn::CompareOp, nn::SelectOp,
           nn::ConvertOp>(op) ||
      perTower.lookup(op->getResult(0)))
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() <= kRecomputeElements;
}

LogicalResult Splitter::classify() {
  for (Operation *op : ops) {
    bool tower = false;
    int64_t at = 0;
    for (Value operand : op->getOperands()) {
      tower |= perTower.lookup(operand);
      at = std::max(at, level.lookup(operand));
    }
    if (isa<tower::SliceOp, tower::IndexOp, tower::RowOffsetOp>(op))
      tower = true;
    if (isCollective(op)) {
      if (op->getNumOperands() != 1)
        return op->emitOpError("of an unrolled program cannot be split into "
                               "phases; expected one operand, got ")
               << op->getNumOperands();
      tower = false;
      ++at;
    } else if (isa<tower::ReduceScatterOp, tower::ConcatOp>(op)) {
      return op->emitOpError("cannot be split into phases");
    }
    for (Value result : op->getResults()) {
      perTower[result] = tower;
      level[result] = at;
    }
  }
  return success();
}

Place Splitter::placeOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op ? places.lookup(op) : Place{};
}

void Splitter::placeOps() {
  // The last stage that has per-tower work, or a collective before it.
  int64_t lastTower = -1;
  for (Operation *op : ops) {
    bool tower = op->getNumResults() && perTower.lookup(op->getResult(0));
    if (isCollective(op)) {
      lastStage = std::max(lastStage, level.lookup(op->getResult(0)));
      continue;
    }
    if (tower && !isFree(op)) {
      int64_t stage = level.lookup(op->getResult(0));
      places[op] = {stage, false};
      lastTower = std::max(lastTower, stage);
    }
  }
  for (auto [value, dim] : llvm::zip(returned, concatDims))
    if (dim >= 0) {
      lastTower = std::max(lastTower, level.lookup(value));
      lastStage = std::max(lastStage, lastTower);
    }
  if (lastTower == lastStage)
    ++lastStage;

  // Backwards: the stage at which each replicated value is needed.
  DenseMap<Value, int64_t> neededAt;
  auto need = [&](Value value, int64_t stage) {
    auto [it, fresh] = neededAt.try_emplace(value, stage);
    if (!fresh)
      it->second = std::min(it->second, stage);
  };
  for (Value value : returned)
    need(value, lastStage);
  for (Operation *op : llvm::reverse(ops)) {
    int64_t stage = lastStage;
    if (isCollective(op)) {
      stage = level.lookup(op->getResult(0)) - 1;
    } else if (auto it = places.find(op); it != places.end()) {
      stage = it->second.stage;
    } else {
      for (Value result : op->getResults())
        if (auto it = neededAt.find(result); it != neededAt.end())
          stage = std::min(stage, it->second);
      if (!isFree(op))
        places[op] = {stage, true};
    }
    for (Value operand : op->getOperands())
      need(operand, stage);
  }
}

FailureOr<int64_t> Splitter::addRow(Row row, Value like) {
  FailureOr<std::pair<int64_t, int64_t>> count = extents.elements(like);
  if (failed(count))
    return failure();
  row.element = cast<RankedTensorType>(like.getType()).getElementType();
  int64_t size = elementBytes(row.element);
  row.bytes = {count->first * size, count->second * size};
  rows.push_back(std::move(row));
  return static_cast<int64_t>(rows.size()) - 1;
}

FailureOr<int64_t> Splitter::argumentRow(BlockArgument argument, bool shared) {
  // Only what has rows differs by tower.
  if (cast<RankedTensorType>(argument.getType()).hasStaticShape())
    shared = true;
  auto [it, fresh] = argumentRows.try_emplace({argument, shared}, -1);
  if (!fresh)
    return it->second;
  unsigned number = argument.getArgNumber();
  auto role = function.getArgAttrOfType<nn::RoleAttr>(number, nn::kRoleAttr);
  if (!role)
    return function.emitError("argument ")
           << number << " of '" << function.getName() << "' has no role";
  Row row;
  row.kind = nn::stringifyRole(role.getValue()).str();
  if (auto name = function.getArgAttrOfType<StringAttr>(number, nn::kNameAttr))
    row.name = name.str();
  row.index = 0;
  for (unsigned i = 0; i < number; ++i)
    if (function.getArgAttrOfType<nn::RoleAttr>(i, nn::kRoleAttr) == role)
      ++row.index;
  if (auto of = function.getArgAttrOfType<StringAttr>(number, "nn.of"))
    row.of = of.str();
  row.shared = shared;
  FailureOr<int64_t> id = addRow(row, argument);
  if (succeeded(id))
    argumentRows[{argument, shared}] = *id;
  return id;
}

FailureOr<int64_t> Splitter::crossRow(Value value) {
  if (auto it = valueRows.find(value); it != valueRows.end())
    return it->second;
  Row row;
  row.kind = "cross";
  row.shared = !perTower.lookup(value);
  FailureOr<int64_t> id = addRow(row, value);
  if (succeeded(id))
    valueRows[value] = *id;
  ++crossing;
  return id;
}

LogicalResult Splitter::assignResults() {
  for (auto [i, value] : llvm::enumerate(returned)) {
    unsigned number = i;
    auto role =
        function.getResultAttrOfType<nn::RoleAttr>(number, nn::kRoleAttr);
    if (!role)
      return function.emitError("result ")
             << number << " of '" << function.getName() << "' has no role";
    auto name = function.getResultAttrOfType<StringAttr>(number, nn::kNameAttr);
    int64_t concat = concatDims[i];
    if (concat > 0)
      return function.emitError("result ")
             << number << " of '" << function.getName()
             << "' is joined along dimension " << concat
             << "; rows have to be its dimension 0";
    if (concat < 0 && replicate && perTower.lookup(value))
      return function.emitError("result ")
             << number << " of '" << function.getName()
             << "' is returned as the same in every tower, but differs";
    bool inPlace = role.getValue() == nn::Role::Parameter ||
                   role.getValue() == nn::Role::Slot;
    FailureOr<int64_t> id = failure();
    if (inPlace) {
      BlockArgument old;
      auto of = function.getResultAttrOfType<StringAttr>(number, "nn.of");
      for (BlockArgument argument : function.getArguments()) {
        unsigned k = argument.getArgNumber();
        if (function.getArgAttrOfType<nn::RoleAttr>(k, nn::kRoleAttr) == role &&
            function.getArgAttrOfType<StringAttr>(k, nn::kNameAttr) == name &&
            function.getArgAttrOfType<StringAttr>(k, "nn.of") == of)
          old = argument;
      }
      if (!old)
        return function.emitError("result ")
               << number << " of '" << function.getName() << "' updates "
               << nn::stringifyRole(role.getValue()) << " '"
               << (name ? name.getValue() : "") << "', which no argument is";
      if (value == old)
        continue;
      id = argumentRow(old, true);
    } else {
      Row row;
      row.kind = nn::stringifyRole(role.getValue()).str();
      if (name)
        row.name = name.str();
      row.index = 0;
      for (unsigned k = 0; k < number; ++k)
        if (function.getResultAttrOfType<nn::RoleAttr>(k, nn::kRoleAttr) ==
            role)
          ++row.index;
      row.shared = concat < 0;
      id = addRow(row, value);
    }
    if (failed(id))
      return failure();

    // A value that an op computes is stored where it is made; a view, a copy of
    // an argument or a second copy where results are written.
    Place place = placeOf(value);
    Operation *op = value.getDefiningOp();
    bool fresh = op && !isFree(op) && !inPlace && !valueRows.count(value);
    if (fresh)
      valueRows[value] = *id;
    if (fresh && isCollective(op))
      continue;
    if (!fresh || place.stage < 0)
      place = concat >= 0 ? Place{level.lookup(value), false}
                          : Place{lastStage, true};
    stores.emplace_back(value, *id, place);
  }
  return success();
}

FailureOr<Value> Splitter::materialize(Value value, OpBuilder &b,
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
Value Splitter::phaseArgument(int64_t row, Value value) {
  for (auto [id, existing] : phaseArguments)
    if (id == row)
      return existing;
  Value added =
      current.getBody().front().addArgument(value.getType(), value.getLoc());
  phaseArguments.emplace_back(row, added);
  return added;
}

/// A scalar of the phase times a number, as a tensor.
Value Splitter::scalarTensor(OpBuilder &b, Location loc, Type type,
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
SmallVector<Value> Splitter::copiedForCollectives(Place place) const {
  SmallVector<Value> values;
  for (Operation *op : ops) {
    if (!isCollective(op) || place.once ||
        level.lookup(op->getResult(0)) - 1 != place.stage)
      continue;
    Operation *source = op->getOperand(0).getDefiningOp();
    if (!source || isFree(source) || isCollective(source))
      values.push_back(op->getOperand(0));
  }
  return values;
}

LogicalResult Splitter::buildPhase(Place place) {
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
        if (isCollective(user)) {
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

LogicalResult Splitter::buildCollectives(int64_t stage) {
  for (Operation *op : ops) {
    if (!isCollective(op) || level.lookup(op->getResult(0)) - 1 != stage)
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

LogicalResult Splitter::buildPhases() {
  for (int64_t stage = 0; stage <= lastStage; ++stage) {
    if (failed(buildPhase({stage, true})) ||
        failed(buildPhase({stage, false})) || failed(buildCollectives(stage)))
      return failure();
  }
  return success();
}

DictionaryAttr Splitter::table(int64_t firstPhase) {
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

LogicalResult Splitter::run() {
  if (failed(flatten()) || failed(classify()))
    return failure();
  placeOps();
  return failure(failed(assignResults()) || failed(buildPhases()));
}

namespace {
struct SplitPhasesPass : belfry::impl::SplitPhasesBase<SplitPhasesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module);
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool roles = false;
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        roles |= !!function.getResultAttr(i, nn::kRoleAttr);
      if (roles && !function.isExternal())
        functions.push_back(function);
    }
    SmallVector<Attribute> phases;
    NamedAttrList tables;
    for (func::FuncOp function : functions) {
      Splitter splitter(function);
      if (failed(splitter.run()))
        return signalPassFailure();
      tables.append(function.getName(), splitter.table(phases.size()));
      for (func::FuncOp phase : splitter.phases)
        phases.push_back(FlatSymbolRefAttr::get(phase));
      numPhases += splitter.phases.size();
      numCrossing += splitter.crossing;
      function.erase();
    }
    module->setAttr(kPhasesAttr, builder.getArrayAttr(phases));
    module->setAttr(kFunctionsAttr, tables.getDictionary(&getContext()));
  }
};
} // namespace
