//===- OutlineRepeats.cpp - what phases do again, as functions ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. A phase is a list of steps: calls, loops, stores, loads. What else there
//      is has no effect and follows its users.
//   2. Each step has a number by its form: ops, types and how they hang
//      together, without the values of integers.
//   3. While there is a run of numbers that is worth it: make it a function,
//      and each place where it stands a call. Integers that differ between the
//      places are words of a table.
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Passes.h"
#include "passes/host/HostViews.h"
#include "passes/host/RepeatFinder.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

namespace belfry {
#define GEN_PASS_DEF_OUTLINEREPEATS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether `address` is the field of belfry_phase_args at `offset`; any field
/// without one.
static bool isField(Value address, BlockArgument phaseArgs,
                    std::optional<int32_t> offset = std::nullopt) {
  int32_t at = 0;
  if (auto gep = address.getDefiningOp<LLVM::GEPOp>()) {
    if (gep.getRawConstantIndices().size() != 1 ||
        !gep.getDynamicIndices().empty() || !gep.getElemType().isInteger(8))
      return false;
    at = gep.getRawConstantIndices()[0];
    address = gep.getBase();
  }
  return address == phaseArgs && (!offset || at == *offset);
}

/// Whether the op reads what stays as it is while a phase runs: a field of its
/// arguments, or the pointer in a row of the buffer table.
static bool isEntryLoad(Operation *op, BlockArgument phaseArgs) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load)
    return false;
  if (isField(load.getAddr(), phaseArgs))
    return true;
  Value table = load.getAddr();
  if (auto gep = table.getDefiningOp<LLVM::GEPOp>())
    table = gep.getBase();
  auto field = table.getDefiningOp<LLVM::LoadOp>();
  return field && isa<LLVM::LLVMPointerType>(load.getType()) &&
         isField(field.getAddr(), phaseArgs,
                 int32_t(offsetof(belfry_phase_args, buffers)));
}

/// Whether the op, which stands in a phase itself, can be made anew wherever
/// its operands are.
static bool followsUsers(Operation *op, BlockArgument phaseArgs) {
  return isEntryLoad(op, phaseArgs) ||
         (op->getNumRegions() == 0 && op->getNumResults() > 0 &&
          isMemoryEffectFree(op));
}

static bool isStep(Operation *op, BlockArgument phaseArgs) {
  return !op->hasTrait<OpTrait::IsTerminator>() && !isa<LLVM::AllocaOp>(op) &&
         !followsUsers(op, phaseArgs);
}

/// What writing the step down once less saves: ops, and words that calls pass.
static int64_t weightOf(Operation *step) {
  int64_t weight = 0;
  step->walk([&](Operation *op) {
    weight += 1;
    if (isa<func::CallOp>(op))
      weight += op->getNumOperands();
  });
  return weight;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {

/// Steps that follow one another, and all that they need from their phase.
class Form {
public:
  Form(ArrayRef<Operation *> steps, BlockArgument phaseArgs);

  /// Those of the same form have the same text, ops one to one, and the same
  /// numbers of values.
  SmallVector<uint64_t> text;
  SmallVector<Operation *> ops; ///< in order: the steps and what they use
  SmallVector<std::pair<Operation *, int64_t>> integers;
  SmallVector<Value> leaves; ///< values of the phase that can't be made anew
  SmallVector<Value> results;

  /// Which results of steps something else in the phase uses.
  BitVector escaping() const;

private:
  void writeSteps(ArrayRef<Operation *> steps);
  void write(Operation *op);
  void writeAttributes(Operation *op);
  void writeOperand(Value value);
  void word(const void *pointer) {
    text.push_back(reinterpret_cast<uintptr_t>(pointer));
  }
  void number(Value value) { numbers.try_emplace(value, numbers.size()); }
  bool escapes(Value value, DenseMap<Operation *, bool> &known) const;

  BlockArgument phaseArgs;
  DenseMap<Value, unsigned> numbers;
  DenseSet<Operation *> members; ///< the steps
};

} // namespace

Form::Form(ArrayRef<Operation *> steps, BlockArgument phaseArgs)
    : phaseArgs(phaseArgs), members(steps.begin(), steps.end()) {
  number(phaseArgs);
  for (Operation *step : steps) {
    write(step);
    ops.push_back(step);
    llvm::append_range(results, step->getResults());
  }
}

/// All attributes but the integers that may differ between places.
void Form::writeAttributes(Operation *op) {
  TypedAttr constant;
  if (auto arith = dyn_cast<arith::ConstantOp>(op))
    constant = arith.getValue();
  else if (auto word = dyn_cast<LLVM::ConstantOp>(op))
    constant = dyn_cast<TypedAttr>(word.getValue());
  if (auto integer = dyn_cast_or_null<IntegerAttr>(constant);
      integer && integer.getValue().getBitWidth() <= 64 &&
      !op->getResult(0).getType().isInteger(1)) {
    integers.emplace_back(op, integer.getValue().getSExtValue());
    return;
  }
  if (auto gep = dyn_cast<LLVM::GEPOp>(op);
      gep && gep.getRawConstantIndices().size() == 1 &&
      gep.getDynamicIndices().empty()) {
    integers.emplace_back(op, gep.getRawConstantIndices()[0]);
    word(gep.getElemType().getAsOpaquePointer());
    text.push_back(static_cast<uint64_t>(gep.getNoWrapFlags()));
    return;
  }
  word(op->getAttrDictionary().getAsOpaquePointer());
}

void Form::writeOperand(Value value) {
  auto [it, fresh] = numbers.try_emplace(value, numbers.size());
  if (!fresh) {
    text.push_back(it->second);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == phaseArgs.getOwner() &&
      followsUsers(op, phaseArgs)) {
    numbers.erase(it);
    write(op);
    ops.push_back(op);
    text.push_back(numbers.at(value));
    return;
  }
  leaves.push_back(value);
  word(nullptr);
  word(value.getType().getAsOpaquePointer());
}

void Form::write(Operation *op) {
  for (Value operand : op->getOperands())
    writeOperand(operand);
  word(op->getName().getAsOpaquePointer());
  text.push_back(op->getNumOperands());
  writeAttributes(op);
  for (Value result : op->getResults()) {
    word(result.getType().getAsOpaquePointer());
    number(result);
  }
  for (Region &region : op->getRegions()) {
    text.push_back(region.getBlocks().size());
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        word(argument.getType().getAsOpaquePointer());
        number(argument);
      }
      text.push_back(block.getOperations().size());
      for (Operation &inner : block)
        write(&inner);
    }
  }
}

bool Form::escapes(Value value, DenseMap<Operation *, bool> &known) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    user = phaseArgs.getOwner()->findAncestorOpInBlock(*user);
    if (members.contains(user))
      return false;
    if (!followsUsers(user, phaseArgs))
      return true;
    auto it = known.find(user);
    if (it == known.end()) {
      bool is = llvm::any_of(user->getResults(), [&](Value derived) {
        return escapes(derived, known);
      });
      it = known.try_emplace(user, is).first;
    }
    return it->second;
  });
}

BitVector Form::escaping() const {
  BitVector set(results.size());
  DenseMap<Operation *, bool> known;
  for (auto [i, result] : llvm::enumerate(results))
    set[i] = escapes(result, known);
  return set;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

constexpr llvm::StringLiteral kTable = "belfry_words";
/// In ops: of a call with its table, and what is worth a function.
constexpr int64_t kCallCost = 8, kLeastSaving = 32;

struct Step {
  Operation *op = nullptr; ///< null between phases
  BlockArgument phaseArgs;
};

struct OutlineRepeatsPass
    : belfry::impl::OutlineRepeatsBase<OutlineRepeatsPass> {
  void runOnOperation() override;

private:
  void append(Operation *op, BlockArgument phaseArgs);
  unsigned tokenOf(const Step &step);
  unsigned freshToken() { return numTokens++; }
  void outline(const Repeat &repeat);
  func::FuncOp build(ArrayRef<Form *> places, const BitVector &escaping,
                     std::vector<SmallVector<int64_t>> &words);
  func::CallOp buildCall(Operation *op, func::FuncOp function, Value phaseArgs,
                         ArrayRef<int64_t> words, ArrayRef<Value> leaves);

  SmallVector<Step> steps;
  SmallVector<unsigned> tokens;
  SmallVector<int64_t> weights;
  DenseMap<uint64_t, unsigned> knownTokens; ///< by the hash of a step's text
  unsigned numTokens = 0, numParts = 0;
  SmallVector<int64_t> table; ///< of the words of all calls
};

} // namespace

unsigned OutlineRepeatsPass::tokenOf(const Step &step) {
  Form form(step.op, step.phaseArgs);
  uint64_t hash = llvm::hash_combine_range(form.text);
  // The two values that DenseMap keeps for itself; texts that share a hash are
  // told apart later.
  hash &= ~uint64_t(1) >> 1;
  auto [it, fresh] = knownTokens.try_emplace(hash, numTokens);
  numTokens += fresh;
  return it->second;
}

void OutlineRepeatsPass::append(Operation *op, BlockArgument phaseArgs) {
  Step step = {op, phaseArgs};
  steps.push_back(step);
  tokens.push_back(op ? tokenOf(step) : freshToken());
  weights.push_back(op ? weightOf(op) : 0);
}

/// What follows its users, where none is left.
static void eraseUnused(BlockArgument phaseArgs) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*phaseArgs.getOwner())))
    if (op.use_empty() && followsUsers(&op, phaseArgs))
      op.erase();
}

void OutlineRepeatsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> phases;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kFunctionAttr) && !function.isExternal())
      phases.push_back(function);
  for (func::FuncOp phase : phases) {
    if (phase.getNumArguments() != 1 || !phase.getBody().hasOneBlock()) {
      phase.emitError("is no phase that the runtime can call; "
                      "--host-entry-points runs first");
      return signalPassFailure();
    }
    Block &body = phase.getBody().front();
    BlockArgument phaseArgs = body.getArgument(0);
    eraseUnused(phaseArgs);
    for (Operation &op : body)
      if (isStep(&op, phaseArgs))
        append(&op, phaseArgs);
    append(nullptr, {});
  }
  while (std::optional<Repeat> repeat =
             findRepeat(tokens, weights, kCallCost, kLeastSaving))
    outline(*repeat);
  if (table.empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto size = static_cast<int64_t>(table.size());
  LLVM::GlobalOp::create(
      b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI64Type(), size),
      /*isConstant=*/true, LLVM::Linkage::Internal, kTable,
      DenseElementsAttr::get(RankedTensorType::get(size, b.getI64Type()),
                             ArrayRef<int64_t>(table)));
}

void OutlineRepeatsPass::outline(const Repeat &repeat) {
  // 1. The places of one form: steps that look alike one by one can hang
  //    together differently. The form of most places is taken.
  std::vector<Form> forms;
  forms.reserve(repeat.starts.size());
  for (unsigned start : repeat.starts) {
    SmallVector<Operation *> ops;
    for (const Step &step : ArrayRef(steps).slice(start, repeat.length))
      ops.push_back(step.op);
    forms.emplace_back(ops, steps[start].phaseArgs);
  }
  SmallVector<unsigned> chosen;
  for (unsigned i = 0; i < forms.size(); ++i) {
    SmallVector<unsigned> alike;
    for (unsigned k = i; k < forms.size(); ++k)
      if (forms[i].text == forms[k].text)
        alike.push_back(k);
    if (alike.size() > chosen.size())
      chosen = alike;
  }
  for (unsigned i = 0; i < forms.size(); ++i)
    if (chosen.size() < 2 || !llvm::is_contained(chosen, i))
      tokens[repeat.starts[i]] = freshToken();
  if (chosen.size() < 2)
    return;

  // 2. The function.
  SmallVector<Form *> places;
  BitVector escaping(forms[chosen[0]].results.size());
  for (unsigned i : chosen) {
    places.push_back(&forms[i]);
    escaping |= forms[i].escaping();
  }
  std::vector<SmallVector<int64_t>> words(places.size());
  func::FuncOp function = build(places, escaping, words);

  // 3. The calls; from the last place, so that the others stay where they are.
  for (unsigned k = chosen.size(); k-- > 0;) {
    unsigned start = repeat.starts[chosen[k]];
    BlockArgument phaseArgs = steps[start].phaseArgs;
    Operation *first = steps[start].op,
              *last = steps[start + repeat.length - 1].op;
    func::CallOp call =
        buildCall(first, function, phaseArgs, words[k], places[k]->leaves);
    unsigned result = 0;
    for (unsigned i : escaping.set_bits())
      places[k]->results[i].replaceAllUsesWith(call.getResult(result++));
    DenseSet<Operation *> members;
    for (const Step &step : ArrayRef(steps).slice(start, repeat.length))
      members.insert(step.op);
    for (Operation *op = last; op != call;) {
      Operation *before = op->getPrevNode();
      if (members.contains(op) ||
          (op->use_empty() && followsUsers(op, phaseArgs)))
        op->erase();
      op = before;
    }
    eraseUnused(phaseArgs);
    steps[start].op = call;
    tokens[start] = tokenOf(steps[start]);
    weights[start] = weightOf(call);
    auto drop = [&](auto &list) {
      list.erase(list.begin() + start + 1,
                 list.begin() + start + repeat.length);
    };
    drop(steps);
    drop(tokens);
    drop(weights);
    ++numCalls;
  }
}

/// The steps of the first place as a function of the phase's arguments, the
/// words of the place, if there are any, and the leaves.
func::FuncOp
OutlineRepeatsPass::build(ArrayRef<Form *> places, const BitVector &escaping,
                          std::vector<SmallVector<int64_t>> &words) {
  // Integers that differ in the same way are one word.
  const Form &form = *places[0];
  llvm::MapVector<SmallVector<int64_t>, unsigned> known;
  SmallVector<std::pair<Operation *, unsigned>> wordOf;
  for (auto [i, slot] : llvm::enumerate(form.integers)) {
    SmallVector<int64_t> values;
    for (const Form *place : places)
      values.push_back(place->integers[i].second);
    if (llvm::all_equal(values))
      continue;
    auto it = known.try_emplace(values, known.size()).first;
    wordOf.emplace_back(slot.first, it->second);
  }
  for (const auto &[values, word] : known)
    for (auto [place, value] : llvm::enumerate(values))
      words[place].push_back(value);

  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<Type> arguments = {pointer}, results;
  if (!known.empty())
    arguments.push_back(pointer);
  for (Value leaf : form.leaves)
    arguments.push_back(leaf.getType());
  for (unsigned i : escaping.set_bits())
    results.push_back(form.results[i].getType());
  Location loc = form.ops.back()->getLoc();
  auto function =
      func::FuncOp::create(b, loc, ("part_" + Twine(numParts++)).str(),
                           b.getFunctionType(arguments, results));
  function.setPrivate();
  function->setAttr(kPartAttr, b.getUnitAttr());
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);

  IRMapping map;
  map.map(form.ops.front()->getBlock()->getArgument(0), body->getArgument(0));
  map.map(form.leaves, body->getArguments().take_back(form.leaves.size()));
  SmallVector<Value> loaded;
  for (unsigned word = 0; word < known.size(); ++word)
    loaded.push_back(
        loadWord(b, loc, b.getI64Type(), body->getArgument(1), word));
  for (Operation *op : form.ops)
    b.clone(*op, map);
  SmallVector<Value> returned;
  for (unsigned i : escaping.set_bits())
    returned.push_back(map.lookup(form.results[i]));
  func::ReturnOp::create(b, loc, returned);
  for (auto [original, word] : wordOf) {
    Operation *op = map.lookup(original);
    b.setInsertionPoint(op);
    Value value = loaded[word];
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      value = LLVM::GEPOp::create(
          b, op->getLoc(), gep.getType(), gep.getElemType(), gep.getBase(),
          ArrayRef<LLVM::GEPArg>{value}, gep.getNoWrapFlags());
    else if (Type type = op->getResult(0).getType(); isa<IndexType>(type))
      value = arith::IndexCastOp::create(b, op->getLoc(), type, value);
    else if (type != value.getType())
      value = arith::TruncIOp::create(b, op->getLoc(), type, value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
  ++numFunctions;
  return function;
}

/// In front of `op`.
func::CallOp OutlineRepeatsPass::buildCall(Operation *op, func::FuncOp function,
                                           Value phaseArgs,
                                           ArrayRef<int64_t> words,
                                           ArrayRef<Value> leaves) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands = {phaseArgs};
  if (!words.empty()) {
    Value start =
        LLVM::AddressOfOp::create(b, loc, phaseArgs.getType(), kTable);
    operands.push_back(
        wordAt(b, loc, start, static_cast<int64_t>(table.size())));
    llvm::append_range(table, words);
  }
  llvm::append_range(operands, leaves);
  return func::CallOp::create(b, loc, function, operands);
}
