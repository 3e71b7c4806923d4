//===- Facts.cpp - collects what a compilation knows ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each training function:
//
//   1. An op is forward where loss, metrics or outputs need it, backward where
//      only gradients do, update otherwise.
//   2. An op is a tower's own where it follows from a slice, the tower's index
//      or its offset, and not through a collective.
//   3. Count flops and bytes op by op, bodies of scans times their steps; join
//      ops of one kind in one layer.
//
//===----------------------------------------------------------------------===//

#include "lib/report/Facts.h"

#include "dialects/nn/RowMultiple.h"
#include "dialects/tower/Collectives.h"
#include "dialects/tower/Tower.h"
#include "lib/report/Count.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <tuple>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// `nn.unary tanh` as `unary tanh`.
static std::string opName(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  auto add = [&](StringRef kind) { name += " " + kind.str(); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](UnaryOp o) { add(stringifyUnaryKind(o.getKind())); })
      .Case([&](BinaryOp o) { add(stringifyBinaryKind(o.getKind())); })
      .Case([&](CompareOp o) { add(stringifyCompareKind(o.getKind())); })
      .Case([&](nn::ReduceOp o) { add(nn::stringifyReduceKind(o.getKind())); })
      .Case([&](RandomOp o) { add(stringifyRandomKind(o.getKind())); })
      .Case([&](tower::AllReduceOp o) {
        add(tower::stringifyReduceKind(o.getKind()));
      });
  return name;
}

static std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {

class Collector {
public:
  Collector(func::FuncOp function, Facts &facts)
      : function(function), facts(facts) {}

  void run();

private:
  void flatten();
  void slice(Role role, DenseSet<Operation *> &needed);
  void need(Value value, DenseSet<Operation *> &needed);
  void classify();
  StringRef partOf(Operation *op) const;
  void addOp(Operation *op, Operation *outer, int64_t runs);
  void addCollective(Operation *op);

  func::FuncOp function;
  Facts &facts;
  SmallVector<Operation *> ops; ///< of the function and its towers
  /// Result number of the function → the value that it is.
  SmallVector<Value> returned;
  DenseSet<Operation *> forward, backward, perTower;
  using Key = std::tuple<std::string, std::string, std::string, std::string,
                         std::string, bool>;
  llvm::MapVector<Key, OpFact, std::map<Key, unsigned>> joined;
};

} // namespace

void Collector::flatten() {
  tower::ReplicateOp replicate;
  for (Operation &op : function.getBody().front().without_terminator()) {
    replicate = dyn_cast<tower::ReplicateOp>(op);
    if (!replicate) {
      ops.push_back(&op);
      continue;
    }
    for (Operation &inner : replicate.getBody().front().without_terminator())
      ops.push_back(&inner);
  }
  for (Value value :
       function.getBody().front().getTerminator()->getOperands()) {
    if (auto towers = value.getDefiningOp<tower::ReplicateOp>())
      value = cast<tower::YieldOp>(towers.getBody().front().getTerminator())
                  .getValues()[cast<OpResult>(value).getResultNumber()];
    returned.push_back(value);
  }
}

void Collector::need(Value value, DenseSet<Operation *> &needed) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      work.append(op->operand_begin(), op->operand_end());
  }
}

void Collector::slice(Role role, DenseSet<Operation *> &needed) {
  for (auto [i, value] : llvm::enumerate(returned)) {
    auto attr = function.getResultAttrOfType<RoleAttr>(i, kRoleAttr);
    if (attr && attr.getValue() == role)
      need(value, needed);
  }
}

void Collector::classify() {
  for (Role role :
       {Role::Output, Role::Loss, Role::MetricTotal, Role::MetricCount})
    slice(role, forward);
  for (Role role : {Role::Gradient, Role::GradientScale})
    slice(role, backward);
  for (Operation *op : ops) {
    bool own = isa<tower::SliceOp, tower::IndexOp, tower::RowOffsetOp>(op);
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        own |= perTower.contains(source) && !tower::isCollective(source);
    if (own)
      perTower.insert(op);
  }
}

StringRef Collector::partOf(Operation *op) const {
  if (forward.contains(op))
    return "forward";
  return backward.contains(op) ? "backward" : "update";
}

/// `outer` is the op of the function that `op` is, or is inside of.
void Collector::addOp(Operation *op, Operation *outer, int64_t runs) {
  auto placement = op->getAttrOfType<tower::PlacementAttr>(kPlacementAttr);
  if (!placement || op->getNumResults() == 0)
    return;
  OpFact fact;
  fact.function = function.getName().str();
  fact.part = partOf(outer).str();
  fact.layer = layerOf(op).str();
  fact.op = opName(op);
  fact.type = typeName(op->getResult(0).getType());
  fact.asked = tower::stringifyDeviceKind(placement.getAsked()).str();
  fact.given = tower::stringifyDeviceKind(placement.getGiven()).str();
  fact.kernel = placement.getKernel().str();
  fact.reason = placement.getReason().str();
  fact.perTower = perTower.contains(outer);
  OpFact &all = joined[{fact.part, fact.layer, fact.op, fact.type, fact.kernel,
                        fact.perTower}];
  if (all.ops == 0)
    all = fact;
  all.ops += 1;
  all.runs += runs;
  OpCount count = countOp(op);
  auto times = [&](RowCount one) {
    return RowCount{one.perRow * runs, one.fixed * runs};
  };
  all.flops += times(count.flops);
  all.read += times(count.read);
  all.written += times(count.written);
  if (auto scan = dyn_cast<ScanOp>(op))
    for (Operation &inner : scan.getBody().front().without_terminator())
      addOp(&inner, outer, runs * scan.getSteps());
}

/// The parameters whose gradients an all-reduced value becomes; without any,
/// the layer of the op.
void Collector::addCollective(Operation *op) {
  if (!tower::isCollective(op))
    return;
  CollectiveFact fact;
  fact.function = function.getName().str();
  fact.kind = opName(op);
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    fact.bytes += bytesOf(operand);
    fact.dtype =
        dtypeName(cast<RankedTensorType>(operand.getType()).getElementType())
            .str();
    bool isGradient = false;
    for (auto [i, value] : llvm::enumerate(returned)) {
      auto role = function.getResultAttrOfType<RoleAttr>(i, kRoleAttr);
      auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
      if (value != result || !role || !name)
        continue;
      if (role.getValue() == Role::Gradient) {
        fact.members.push_back(name.str());
        isGradient = true;
      }
    }
    if (!isGradient)
      fact.members.push_back(layerOf(op).str());
  }
  facts.collectives.push_back(std::move(fact));
}

void Collector::run() {
  flatten();
  classify();
  for (Operation *op : ops) {
    addOp(op, op, 1);
    addCollective(op);
  }
  for (auto &entry : joined)
    facts.ops.push_back(std::move(entry.second));
}

Facts belfry::collectFacts(ModuleOp module) {
  Facts facts;
  for (StringRef name : {"predict", "evaluate", "train"})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      Collector(function, facts).run();
  return facts;
}
