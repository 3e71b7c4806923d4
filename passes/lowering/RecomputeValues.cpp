//===- RecomputeValues.cpp - made again rather than kept ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Outputs of loops that one other loop reads are made again in the body of
//      that loop, from what it reads anyway.
//   2. Where most is live, values of the phase that are read before and after
//      are made again for the readers after, from what lives until then anyway.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/lowering/FormUnits.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace belfry {
#define GEN_PASS_DEF_RECOMPUTEVALUES
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// More ops than this are not worth the bytes of one value.
static constexpr unsigned kMostOps = 24;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether no row of the body reads another row, so that it does not matter
/// what rows hold that the mask takes out.
static bool keepsRowsApart(nn::ScanOp scan) {
  return llvm::all_of(scan.getBody().front(),
                      [](Operation &op) { return isByRow(&op); });
}

namespace {

/// Makes outputs of other loops again in the loop `reader`.
class LoopReader {
public:
  explicit LoopReader(nn::ScanOp reader) : reader(reader) {}

  /// Returns how many sequences the loop has no more.
  int64_t run();

private:
  bool makeAgain(unsigned sequence);
  void findKnown(nn::ScanOp writer, unsigned except);
  bool collect(Value value, Block &body, llvm::SetVector<Operation *> &ops);
  Value shapeLike(Value like);
  void rebuild();

  nn::ScanOp reader;
  DenseSet<unsigned> made; ///< sequences that the body makes itself
  /// Values of the writer's body that the reader's body has as arguments.
  DenseMap<Value, Value> known;
};

} // namespace

void LoopReader::findKnown(nn::ScanOp writer, unsigned except) {
  known.clear();
  auto writerArgs = writer.getSequenceArgs();
  for (auto [i, sequence] : llvm::enumerate(reader.getSequences())) {
    if (i == except || made.contains(i))
      continue;
    Value argument = reader.getSequenceArgs()[i];
    if (auto result = dyn_cast<OpResult>(sequence);
        result && result.getOwner() == writer) {
      unsigned output = result.getResultNumber() - writer.getFinals().size();
      known[writer.getYield().getOutputs()[output]] = argument;
    }
    for (auto [own, other] : llvm::zip(writerArgs, writer.getSequences()))
      if (other == sequence)
        known[own] = argument;
  }
  for (auto [argument, value] :
       llvm::zip(reader.getClosedArgs(), reader.getClosed()))
    for (auto [own, other] :
         llvm::zip(writer.getClosedArgs(), writer.getClosed()))
      if (other == value)
        known[own] = argument;
}

/// An argument of the reader's body with the shape of a value of the writer's.
Value LoopReader::shapeLike(Value like) {
  for (BlockArgument argument : reader.getBody().getArguments())
    if (tensorType(argument).getShape() == tensorType(like).getShape())
      return argument;
  return {};
}

/// Adds the ops that make `value` from known values, in order; false where it
/// cannot be made.
bool LoopReader::collect(Value value, Block &body,
                         llvm::SetVector<Operation *> &ops) {
  if (known.count(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body ||
      !(isMap(op) || isa<nn::ConstantOp, nn::BroadcastOp, nn::SliceOp>(op)))
    return false;
  if (ops.contains(op))
    return true;
  for (OpOperand &operand : op->getOpOperands())
    if (isShapeOperand(operand) ? !shapeLike(operand.get())
                                : !collect(operand.get(), body, ops))
      return false;
  ops.insert(op);
  return ops.size() <= kMostOps;
}

bool LoopReader::makeAgain(unsigned sequence) {
  Value steps = reader.getSequences()[sequence];
  auto writer = steps.getDefiningOp<nn::ScanOp>();
  if (!writer || !steps.hasOneUse() ||
      writer->getBlock() != reader->getBlock() ||
      writer.getMask() != reader.getMask() ||
      writer.getSteps() != reader.getSteps() ||
      (reader.getMask() && !keepsRowsApart(reader)))
    return false;
  unsigned finals = writer.getFinals().size();
  unsigned number = cast<OpResult>(steps).getResultNumber();
  if (number < finals)
    return false;
  Value value = writer.getYield().getOutputs()[number - finals];
  findKnown(writer, sequence);
  llvm::SetVector<Operation *> ops;
  if (!collect(value, writer.getBody().front(), ops))
    return false;
  // In front of what was made before, which may read it.
  OpBuilder b = OpBuilder::atBlockBegin(&reader.getBody().front());
  IRMapping map;
  for (auto [before, after] : known)
    map.map(before, after);
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      if (isShapeOperand(operand) && !map.contains(operand.get()))
        map.map(operand.get(), shapeLike(operand.get()));
    b.clone(*op, map);
  }
  reader.getSequenceArgs()[sequence].replaceAllUsesWith(map.lookup(value));
  made.insert(sequence);
  return true;
}

/// The loop without the sequences that it makes itself.
void LoopReader::rebuild() {
  OpBuilder b(reader);
  SmallVector<Value> sequences;
  for (auto [i, sequence] : llvm::enumerate(reader.getSequences()))
    if (!made.contains(i))
      sequences.push_back(sequence);
  nn::YieldOp yield = reader.getYield();
  auto fresh = nn::ScanOp::create(
      b, reader.getLoc(), reader.getInits(), sequences, reader.getClosed(),
      reader.getMask(), reader.getReverse(), reader.getSteps(),
      yield.getOutputs().getTypes());
  Block &body = fresh.getBody().front(), &old = reader.getBody().front();
  unsigned first = reader.getInits().size();
  unsigned next = 0;
  for (BlockArgument argument : old.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number < first || !made.contains(number - first))
      argument.replaceAllUsesWith(body.getArgument(next++));
  }
  body.getOperations().splice(body.end(), old.getOperations());
  reader.replaceAllUsesWith(fresh.getResults());
  reader.erase();
}

int64_t LoopReader::run() {
  // One stays: it says how many steps there are.
  unsigned count = reader.getSequences().size();
  for (unsigned i = 0; i < count && made.size() + 1 < count; ++i)
    makeAgain(i);
  auto number = static_cast<int64_t>(made.size());
  if (number)
    rebuild();
  return number;
}

//===----------------------------------------------------------------------===//
// Values of a phase
//===----------------------------------------------------------------------===//

namespace {

/// What is live in a phase, unit by unit, and what is made again to lower it.
class PhaseValues {
public:
  explicit PhaseValues(Block &block) : block(block) { analyse(); }

  /// Makes one value again where most is live; false where none can be.
  bool step();

private:
  struct Life {
    int64_t bytes = 0;
    unsigned first = 0, last = 0;     ///< units
    bool isResult = false;            ///< of the phase
    SmallVector<Operation *> readers; ///< no views
  };

  void analyse();
  unsigned peak() const;
  bool collect(Value value, unsigned until, Operation *self,
               llvm::SetVector<Operation *> &ops);
  bool isMask(Value value, const Life &life);
  bool makeAgain(Value value, const Life &life, unsigned at);
  void redirect(Operation *reader, Value before, Value after);

  Block &block;
  llvm::MapVector<Value, Life> lives; ///< of what is stored
  DenseMap<Operation *, unsigned> unitOf;
  SmallVector<Unit> units;
};

} // namespace

void PhaseValues::analyse() {
  constexpr int64_t kRows = 1024;
  RowExtents extents;
  units = formUnits(block, extents, Optimizations());
  for (auto [i, unit] : llvm::enumerate(units))
    for (Operation *op : unit.ops)
      unitOf[op] = i;
  for (Operation &op : block) {
    if (isViewOp(&op) || isa<nn::ConstantOp>(op))
      continue;
    bool ends = op.hasTrait<OpTrait::IsTerminator>();
    for (OpOperand &operand : op.getOpOperands()) {
      Value value = viewedValue(operand.get(), block);
      if (isShapeOperand(operand) || !value.getDefiningOp() ||
          isa<nn::ConstantOp>(value.getDefiningOp()) ||
          !isa<RankedTensorType>(value.getType()))
        continue;
      unsigned made = unitOf.lookup(value.getDefiningOp());
      unsigned at = ends ? units.size() : unitOf.lookup(&op);
      if (at == made)
        continue; // in registers
      auto [it, fresh] = lives.insert({value, Life()});
      Life &life = it->second;
      if (fresh) {
        life.first = made;
        auto elements = extents.elements(value);
        if (succeeded(elements))
          life.bytes = (elements->first * kRows + elements->second) *
                       elementBytes(getElementTypeOrSelf(value.getType()));
      }
      life.last = std::max(life.last, at);
      life.isResult |= ends;
      if (!llvm::is_contained(life.readers, &op))
        life.readers.push_back(&op);
    }
  }
}

/// The unit at which most is live. The outputs of a loop take the place of
/// sequences that end with it.
unsigned PhaseValues::peak() const {
  SmallVector<int64_t> live(units.size() + 1, 0), born(live), ends(live);
  for (const auto &[value, life] : lives) {
    for (unsigned u = life.first; u <= life.last && u < live.size(); ++u)
      live[u] += life.bytes;
    born[life.first] += life.bytes;
    ends[life.last] += life.bytes;
  }
  unsigned most = 0;
  for (unsigned u = 0; u < units.size(); ++u) {
    if (isa<nn::ScanOp>(units[u].ops.front()))
      live[u] -= std::min(born[u], ends[u]);
    if (live[u] > live[most])
      most = u;
  }
  return most;
}

/// Adds the ops that make `value` from what is live at unit `until` anyway, for
/// another reader than `self`.
bool PhaseValues::collect(Value value, unsigned until, Operation *self,
                          llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<nn::ConstantOp, tensor::FromElementsOp>(op))
    return true;
  if (op->getBlock() != &block)
    return false;
  if (op != self && !isViewOp(op)) {
    const auto *it = lives.find(value);
    if (it != lives.end() && it->second.last >= until)
      return true;
  }
  if (!isMap(op) && !isa<nn::RandomOp>(op) && !isViewOp(op))
    return false;
  if (ops.contains(op))
    return true;
  for (OpOperand &operand : op->getOpOperands())
    if (!isShapeOperand(operand) && !collect(operand.get(), until, self, ops))
      return false;
  ops.insert(op);
  return ops.size() <= kMostOps;
}

/// Has `reader` read `after`, through the views through which it read `before`.
void PhaseValues::redirect(Operation *reader, Value before, Value after) {
  OpBuilder b(reader);
  for (OpOperand &operand : reader->getOpOperands()) {
    if (isShapeOperand(operand) || viewedValue(operand.get(), block) != before)
      continue;
    SmallVector<Operation *> path;
    for (Value value = operand.get(); value != before;
         value = path.back()->getOperand(0))
      path.push_back(value.getDefiningOp());
    Value value = after;
    for (Operation *view : llvm::reverse(path)) {
      IRMapping map;
      map.map(view->getOperand(0), value);
      value = b.clone(*view, map)->getResult(0);
    }
    operand.set(value);
  }
}

bool PhaseValues::makeAgain(Value value, const Life &life, unsigned at) {
  SmallVector<Operation *> late;
  Operation *first = nullptr;
  unsigned until = units.size();
  for (Operation *reader : life.readers) {
    unsigned unit = unitOf.lookup(reader);
    if (unit <= at)
      continue;
    late.push_back(reader);
    until = std::min(until, unit);
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  llvm::SetVector<Operation *> ops;
  if (!first || !collect(value, until, value.getDefiningOp(), ops))
    return false;
  // As soon as the first reader has its other operands: of the products of a
  // gradient, the one that frees memory can then go first.
  Operation *before = first;
  Operation *last = nullptr;
  for (Value operand : first->getOperands()) {
    Operation *maker = viewedValue(operand, block).getDefiningOp();
    if (maker && maker != value.getDefiningOp() && unitOf.lookup(maker) > at &&
        (!last || last->isBeforeInBlock(maker)))
      last = maker;
  }
  if (last)
    before = last->getNextNode();
  OpBuilder b(before);
  IRMapping map;
  for (Operation *op : ops) {
    Operation *clone = b.clone(*op, map);
    if (!isViewOp(op))
      clone->setAttr(kAgainAttr, b.getUnitAttr());
  }
  for (Operation *reader : late)
    redirect(reader, value, map.lookup(value));
  return true;
}

/// Whether loops have `value` as their mask: rows are packed by masks that are
/// one value.
bool PhaseValues::isMask(Value value, const Life &life) {
  return llvm::any_of(life.readers, [&](Operation *reader) {
    auto scan = dyn_cast<nn::ScanOp>(reader);
    return scan && scan.getMask() &&
           viewedValue(scan.getMask(), block) == value;
  });
}

bool PhaseValues::step() {
  unsigned at = peak();
  SmallVector<std::pair<int64_t, unsigned>> candidates; // least bytes last
  unsigned number = 0;
  for (const auto &[value, life] : lives) {
    Operation *op = value.getDefiningOp();
    ++number;
    if (life.first < at && life.last > at && !life.isResult &&
        (isMap(op) || isa<nn::RandomOp>(op)) && !op->hasAttr(kAgainAttr) &&
        !isMask(value, life))
      candidates.emplace_back(-life.bytes, number - 1);
  }
  llvm::sort(candidates);
  return llvm::any_of(candidates, [&](const auto &candidate) {
    const auto &[value, life] = lives.begin()[candidate.second];
    return makeAgain(value, life, at);
  });
}

namespace {
struct RecomputeValuesPass
    : belfry::impl::RecomputeValuesBase<RecomputeValuesPass> {
  void runOnOperation() override {
    int64_t loops = 0, values = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kFunctionAttr))
        continue;
      Block &block = function.getBody().front();
      SmallVector<nn::ScanOp> scans(block.getOps<nn::ScanOp>());
      for (nn::ScanOp scan : scans)
        loops += LoopReader(scan).run();
      while (PhaseValues(block).step())
        ++values;
    }
    numSequences += loops;
    numValues += values;
  }
};
} // namespace
