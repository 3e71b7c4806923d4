//===- PhasePlacement.cpp - where ops and values stand --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/parallel/PhaseSplitter.h"

#include "passes/lowering/FormUnits.h"

using namespace mlir;
using namespace belfry;

/// Replicated values up to this many elements are computed where they are
/// needed rather than in a phase of their own.
static constexpr int64_t kRecomputeElements = 4096;

LogicalResult PhaseSplitter::flatten() {
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
bool PhaseSplitter::isFree(Operation *op) const {
  if (isa<nn::ConstantOp, nn::BroadcastOp, nn::IotaOp, nn::TransposeOp,
          nn::ReshapeOp, nn::SliceOp, nn::DimSizeOp, tower::SliceOp,
          tower::RowOffsetOp, tower::IndexOp>(op))
    return true;
  if (!recomputeSmall || !isMap(op) || perTower.lookup(op->getResult(0)))
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() <= kRecomputeElements;
}

LogicalResult PhaseSplitter::classify() {
  for (Operation *op : ops) {
    bool tower = false;
    int64_t at = 0;
    for (Value operand : op->getOperands()) {
      tower |= perTower.lookup(operand);
      at = std::max(at, level.lookup(operand));
    }
    if (isa<tower::SliceOp, tower::IndexOp, tower::RowOffsetOp>(op))
      tower = true;
    if (isa<tower::ReduceScatterOp, tower::ConcatOp>(op))
      return op->emitOpError("cannot be split into phases");
    if (tower::isCollective(op)) {
      if (op->getNumOperands() != 1)
        return op->emitOpError("of an unrolled program cannot be split into "
                               "phases; expected one operand, got ")
               << op->getNumOperands();
      tower = false;
      ++at;
    }
    for (Value result : op->getResults()) {
      perTower[result] = tower;
      level[result] = at;
    }
  }
  return success();
}

PhaseSplitter::Place PhaseSplitter::placeOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op ? places.lookup(op) : Place{};
}

void PhaseSplitter::placeOps() {
  // The last stage that has per-tower work, or a collective before it.
  int64_t lastTower = -1;
  for (Operation *op : ops) {
    bool tower = op->getNumResults() && perTower.lookup(op->getResult(0));
    if (tower::isCollective(op)) {
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
    if (tower::isCollective(op)) {
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

FailureOr<int64_t> PhaseSplitter::addRow(Row row, Value like) {
  FailureOr<std::pair<int64_t, int64_t>> count = extents.elements(like);
  if (failed(count))
    return failure();
  row.element = cast<RankedTensorType>(like.getType()).getElementType();
  int64_t size = elementBytes(row.element);
  row.bytes = {count->first * size, count->second * size};
  rows.push_back(std::move(row));
  return static_cast<int64_t>(rows.size()) - 1;
}

FailureOr<int64_t> PhaseSplitter::argumentRow(BlockArgument argument,
                                              bool shared) {
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

FailureOr<int64_t> PhaseSplitter::crossRow(Value value) {
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

LogicalResult PhaseSplitter::assignResults() {
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
    if (fresh && tower::isCollective(op))
      continue;
    if (!fresh || place.stage < 0)
      place = concat >= 0 ? Place{level.lookup(value), false}
                          : Place{lastStage, true};
    stores.emplace_back(value, *id, place);
  }
  return success();
}
