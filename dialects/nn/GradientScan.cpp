//===- GradientScan.cpp - the gradient of the loop over time --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a scan is a scan in the other direction:
//
//   1. Find the carried values, sequences and closed values that gradients flow
//      through (a fixpoint over the carried values).
//   2. Differentiate the body into the body of the reverse scan, whose carried
//      values are the gradients of the carried values. It refers to
//      values of the forward body at first. Products with a closed value, and
//      broadcasts of one, are left out: their gradients are not built here.
//   3. Resolve the references: a closed value or a sequence is handed on; a
//   value
//      that is cheap to make is made again; any other becomes a further output
//      of the forward scan, and a sequence of the reverse one ("saved").
//   4. Outside, the gradient of a closed value is one product over all steps,
//   of
//      the other side's stacked values and the stacked gradients of the
//      results.
//
// A row mask is handed on: where a row is masked, the reverse scan keeps its
// carried gradient, and its outputs, the gradients of the step's elements, are
// zero, which is what the chain rule says.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Autodiff.h"
#include "dialects/nn/GradientLinear.h"
#include "dialects/nn/GradientModel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace belfry::nn;

/// Replaces a scan with a row mask by one without, whose body selects by the
/// mask. For bodies in which gradients of closed values need every row.
static ScanOp unmaskScan(OpBuilder &builder, ScanOp op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  SmallVector<Value> sequences(op.getSequences());
  sequences.push_back(op.getMask());
  YieldOp yield = op.getYield();
  ScanOp plain = ScanOp::create(
      builder, op.getLoc(), op.getInits(), sequences, op.getClosed(), Value(),
      op.getReverse(), op.getSteps(), TypeRange(yield.getOutputs().getTypes()));
  IRMapping map;
  map.map(op.getCarriedArgs(), plain.getCarriedArgs());
  map.map(op.getSequenceArgs(), plain.getSequenceArgs().drop_back());
  map.map(op.getClosedArgs(), plain.getClosedArgs());
  builder.setInsertionPointToEnd(&plain.getBody().front());
  for (Operation &inner : op.getBody().front().without_terminator())
    builder.clone(inner, map);
  CoreBuilder b(builder, yield.getLoc());
  Value mask = plain.getSequenceArgs().back();
  auto choose = [&](Value v, Value otherwise) {
    return b.select(b.broadcastLike(mask, v, {0}), v, otherwise);
  };
  SmallVector<Value> carry, outputs;
  for (auto [next, arg] :
       llvm::zip_equal(yield.getCarry(), plain.getCarriedArgs()))
    carry.push_back(choose(map.lookupOrDefault(next), arg));
  for (Value v : yield.getOutputs()) {
    Value mapped = map.lookupOrDefault(v);
    outputs.push_back(choose(mapped, b.splat(mapped, 0.0)));
  }
  YieldOp::create(builder, yield.getLoc(), carry, outputs);
  op.replaceAllUsesWith(plain.getResults());
  op.erase();
  return plain;
}

namespace {

/// What step 2 left out: the gradient of `use`, of the stacked gradient.
struct ClosedUse {
  Operation *op;    ///< the nn.dot or nn.broadcast of the forward body
  unsigned operand; ///< which of its operands is the closed value
  unsigned closed;  ///< which closed value
  Value gradient;   ///< of the op's result, in the reverse body
};

class ScanDifferentiator {
public:
  ScanDifferentiator(OpBuilder &builder, ScanOp op, ValueRange resultGrads,
                     ArrayRef<bool> wanted)
      : builder(builder), forward(op), resultGrads(resultGrads),
        wanted(wanted) {}

  LogicalResult run(SmallVectorImpl<Value> &operandGrads);

private:
  void findActive();
  bool needsEveryRow();
  LogicalResult buildReverseBody();
  void resolveReferences();
  Value resolve(Value v);
  Value outside(Value v);
  void saveForward();
  ScanOp buildReverseScan();
  Value closedGradient(const ClosedUse &use, Value stackedGrad);

  unsigned numInits() { return forward.getInits().size(); }
  unsigned numSequences() { return forward.getSequences().size(); }

  OpBuilder &builder;
  ScanOp forward;
  ValueRange resultGrads;
  ArrayRef<bool> wanted;

  SmallVector<Operation *> bodyOps;
  DenseSet<Value> active;
  SmallVector<unsigned> activeCarries;

  // The reverse body while it is built: a block with arguments for the
  // gradients of active carried values and of the outputs that have one;
  // sequences and closed values are added as they are needed.
  std::unique_ptr<Block> body;
  SmallVector<unsigned> gradOutputs; ///< forward outputs with a gradient
  SmallVector<Value> carryNext, stepOutputs;
  SmallVector<unsigned>
      sequenceOfOutput; ///< sequence whose gradient an output is
  SmallVector<ClosedUse> closedUses;
  SmallVector<unsigned>
      accumulated; ///< closed values summed in a carried value

  llvm::MapVector<Value, Value>
      references; ///< forward value → in the reverse body
  SmallVector<std::pair<Value, Value>>
      newSequences;                               ///< forward value, argument
  SmallVector<std::pair<Value, Value>> newClosed; ///< closed argument, argument
};

} // namespace

void ScanDifferentiator::findActive() {
  bodyOps.clear();
  for (Operation &op : forward.getBody().front().without_terminator())
    bodyOps.push_back(&op);
  SmallVector<Value> sources;
  for (auto [i, arg] : llvm::enumerate(forward.getBody().getArguments()))
    if (wanted[i])
      sources.push_back(arg);
  // A carried value is active once anything active is yielded to it.
  for (bool changed = true; changed;) {
    changed = false;
    active = findActiveValues(bodyOps, sources);
    for (auto [arg, next] : llvm::zip_equal(forward.getCarriedArgs(),
                                            forward.getYield().getCarry()))
      if (active.contains(next) && !active.contains(arg)) {
        sources.push_back(arg);
        changed = true;
      }
  }
  for (unsigned i = 0; i < numInits(); ++i)
    if (active.contains(forward.getCarriedArgs()[i]))
      activeCarries.push_back(i);
}

/// Whether the gradient of a closed value can be built from stacked values.
static bool isStackable(OpOperand &use) {
  return isa<DotOp, BroadcastOp>(use.getOwner());
}

bool ScanDifferentiator::needsEveryRow() {
  for (auto [i, arg] : llvm::enumerate(forward.getClosedArgs())) {
    if (!active.contains(arg) || tensorType(arg).getRank() == 0)
      continue;
    for (OpOperand &use : arg.getUses())
      if (!isStackable(use))
        return true;
  }
  return false;
}

LogicalResult ScanDifferentiator::buildReverseBody() {
  OpBuilder::InsertionGuard guard(builder);
  body = std::make_unique<Block>();
  builder.setInsertionPointToEnd(body.get());
  Differentiator differentiator(builder);
  YieldOp yield = forward.getYield();
  for (unsigned i : activeCarries) {
    Value arg = body->addArgument(forward.getCarriedArgs()[i].getType(),
                                  forward.getLoc());
    Value next = yield.getCarry()[i];
    if (active.contains(next))
      differentiator.addGradient(next, arg);
  }
  for (unsigned j = 0; j < yield.getOutputs().size(); ++j) {
    Value v = yield.getOutputs()[j];
    if (!resultGrads[numInits() + j] || !active.contains(v))
      continue;
    gradOutputs.push_back(j);
    differentiator.addGradient(
        v, body->addArgument(v.getType(), forward.getLoc()));
  }

  DenseMap<Value, unsigned> closedNumber;
  for (auto [i, arg] : llvm::enumerate(forward.getClosedArgs()))
    closedNumber[arg] = static_cast<unsigned>(i);
  auto intercept = [&](OpOperand &use, ValueRange grads) {
    auto it = closedNumber.find(use.get());
    if (it == closedNumber.end() || !active.contains(use.get()) ||
        !isStackable(use))
      return false;
    closedUses.push_back(
        {use.getOwner(), use.getOperandNumber(), it->second, grads[0]});
    return true;
  };
  if (failed(differentiator.run(bodyOps, active, intercept)))
    return failure();

  CoreBuilder b(builder, forward.getLoc());
  for (unsigned i : activeCarries) {
    Value arg = forward.getCarriedArgs()[i];
    Value g = differentiator.gradient(arg);
    carryNext.push_back(g ? g
                          : b.splat(body->getArgument(carryNext.size()), 0.0));
  }
  for (unsigned i = 0; i < numSequences(); ++i)
    if (wanted[numInits() + i])
      if (Value g = differentiator.gradient(forward.getSequenceArgs()[i])) {
        sequenceOfOutput.push_back(i);
        stepOutputs.push_back(g);
      }
  for (ClosedUse &use : closedUses)
    stepOutputs.push_back(use.gradient);
  // Any other gradient of a closed value is summed over the steps.
  for (auto [i, arg] : llvm::enumerate(forward.getClosedArgs()))
    if (Value g = differentiator.gradient(arg);
        g && wanted[numInits() + numSequences() + i]) {
      Value sum =
          body->insertArgument(activeCarries.size() + accumulated.size(),
                               arg.getType(), forward.getLoc());
      accumulated.push_back(static_cast<unsigned>(i));
      carryNext.push_back(b.add(sum, g));
    }
  return success();
}

/// Ops that the reverse body makes again rather than have their results saved.
static bool isCheap(Operation *op) {
  if (isa<ConstantOp, BroadcastOp, IotaOp, SliceOp, ReshapeOp, TransposeOp,
          ConvertOp, CompareOp>(op))
    return true;
  auto unary = dyn_cast<UnaryOp>(op);
  return unary && (unary.getKind() == UnaryKind::Neg ||
                   unary.getKind() == UnaryKind::Not);
}

/// The value of the reverse body that stands for `v` of the forward body.
Value ScanDifferentiator::resolve(Value v) {
  if (v.getParentBlock() != &forward.getBody().front())
    return v;
  if (Value known = references.lookup(v))
    return known;
  Value here;
  if (llvm::is_contained(forward.getClosedArgs(), v)) {
    here = body->addArgument(v.getType(), v.getLoc());
    newClosed.emplace_back(v, here);
  } else if (Operation *op = v.getDefiningOp(); op && isCheap(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(resolve(operand));
    OpBuilder::InsertionGuard guard(builder);
    // After what it is made of, before everything that may use it.
    Operation *last = nullptr;
    for (Value operand : operands)
      if (Operation *def = operand.getDefiningOp())
        if (!last || last->isBeforeInBlock(def))
          last = def;
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(body.get());
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    here = copy->getResult(cast<OpResult>(v).getResultNumber());
  } else {
    here = body->addArgument(v.getType(), v.getLoc());
    newSequences.emplace_back(v, here);
  }
  references[v] = here;
  return here;
}

void ScanDifferentiator::resolveReferences() {
  for (Operation &op : llvm::make_early_inc_range(*body))
    for (OpOperand &operand : op.getOpOperands())
      operand.set(resolve(operand.get()));
  for (Value &v : carryNext)
    v = resolve(v);
  for (Value &v : stepOutputs)
    v = resolve(v);
}

/// The stacked values of `v`, a value of the forward body, outside of the scan.
Value ScanDifferentiator::outside(Value v) {
  for (auto [arg, sequence] :
       llvm::zip_equal(forward.getSequenceArgs(), forward.getSequences()))
    if (arg == v)
      return sequence;
  for (auto [j, output] : llvm::enumerate(forward.getYield().getOutputs()))
    if (output == v)
      return forward.getOutputs()[j];
  llvm_unreachable("the value was saved");
}

/// Gives the forward scan an output for each value in `saved`.
void ScanDifferentiator::saveForward() {
  YieldOp yield = forward.getYield();
  SmallVector<Value> outputs(yield.getOutputs());
  auto save = [&](Value v) {
    if (!llvm::is_contained(forward.getSequenceArgs(), v) &&
        !llvm::is_contained(outputs, v))
      outputs.push_back(v);
  };
  for (auto [v, arg] : newSequences)
    save(v);
  for (ClosedUse &use : closedUses)
    if (isa<DotOp>(use.op))
      save(use.op->getOperand(1 - use.operand));
  if (outputs.size() == yield.getOutputs().size())
    return;

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, yield.getLoc(), yield.getCarry(), outputs);
  yield.erase();
  builder.setInsertionPoint(forward);
  ScanOp more = ScanOp::create(
      builder, forward.getLoc(), forward.getInits(), forward.getSequences(),
      forward.getClosed(), forward.getMask(), forward.getReverse(),
      forward.getSteps(), TypeRange(ValueRange(outputs).getTypes()));
  more.getBody().takeBody(forward.getBody());
  // Results of the old scan lead in both parts.
  for (auto [from, to] : llvm::zip(forward.getFinals(), more.getFinals()))
    from.replaceAllUsesWith(to);
  for (auto [from, to] : llvm::zip(forward.getOutputs(), more.getOutputs()))
    from.replaceAllUsesWith(to);
  forward.erase();
  forward = more;
}

ScanOp ScanDifferentiator::buildReverseScan() {
  CoreBuilder b(builder, forward.getLoc());
  SmallVector<Value> inits, sequences, closed;
  for (unsigned i : activeCarries) {
    Value g = resultGrads[i];
    inits.push_back(g ? g : b.splat(forward.getInits()[i], 0.0));
  }
  for (unsigned i : accumulated)
    inits.push_back(b.splat(forward.getClosed()[i], 0.0));
  for (unsigned j : gradOutputs)
    sequences.push_back(resultGrads[numInits() + j]);
  for (auto [v, arg] : newSequences)
    sequences.push_back(outside(v));
  for (auto [v, arg] : newClosed)
    closed.push_back(forward.getClosed()[cast<BlockArgument>(v).getArgNumber() -
                                         numInits() - numSequences()]);
  ScanOp reverse = ScanOp::create(
      builder, forward.getLoc(), inits, sequences, closed, forward.getMask(),
      !forward.getReverse(), forward.getSteps(),
      TypeRange(ValueRange(stepOutputs).getTypes()));
  // Move the body over, its arguments in the scan's order.
  Block &target = reverse.getBody().front();
  SmallVector<Value> arguments(
      body->getArguments().take_front(inits.size() + gradOutputs.size()));
  for (auto [v, arg] : newSequences)
    arguments.push_back(arg);
  for (auto [v, arg] : newClosed)
    arguments.push_back(arg);
  for (auto [from, to] : llvm::zip_equal(arguments, target.getArguments())) {
    from.replaceAllUsesWith(to);
    for (SmallVector<Value> *list : {&carryNext, &stepOutputs})
      llvm::replace(*list, from, Value(to));
  }
  target.getOperations().splice(target.end(), body->getOperations());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&target);
  YieldOp::create(builder, forward.getLoc(), carryNext, stepOutputs);
  return reverse;
}

Value ScanDifferentiator::closedGradient(const ClosedUse &use,
                                         Value stackedGrad) {
  CoreBuilder b(builder, use.op->getLoc());
  if (auto dot = dyn_cast<DotOp>(use.op)) {
    Value other = outside(use.op->getOperand(1 - use.operand));
    return buildDotGradient(b, dot, /*ofLeft=*/use.operand == 0, other,
                            stackedGrad, /*stacked=*/true);
  }
  auto broadcast = cast<BroadcastOp>(use.op);
  SmallVector<int64_t> added{0};
  for (int64_t d = 0; d < broadcast.getType().getRank(); ++d)
    if (!llvm::is_contained(broadcast.getDims(), d))
      added.push_back(d + 1);
  return b.reduce(ReduceKind::Sum, stackedGrad, added);
}

LogicalResult ScanDifferentiator::run(SmallVectorImpl<Value> &operandGrads) {
  findActive();
  if (forward.getMask() && needsEveryRow()) {
    SmallVector<bool> more(wanted.take_front(numInits() + numSequences()));
    more.push_back(false);
    llvm::append_range(more, wanted.slice(numInits() + numSequences(),
                                          forward.getClosed().size()));
    unsigned closedFrom = numInits() + numSequences();
    ScanOp plain = unmaskScan(builder, forward);
    SmallVector<Value> grads;
    if (failed(
            ScanDifferentiator(builder, plain, resultGrads, more).run(grads)))
      return failure();
    grads.erase(grads.begin() + closedFrom);
    grads.push_back(Value()); // the mask's
    operandGrads = std::move(grads);
    return success();
  }

  if (failed(buildReverseBody()))
    return failure();
  resolveReferences();
  saveForward();
  ScanOp reverse = buildReverseScan();

  unsigned inits = numInits(), sequences = numSequences();
  operandGrads.assign(forward->getNumOperands(), Value());
  for (auto [k, i] : llvm::enumerate(activeCarries))
    if (wanted[i])
      operandGrads[i] = reverse.getFinals()[k];
  for (auto [k, i] : llvm::enumerate(sequenceOfOutput))
    operandGrads[inits + i] = reverse.getOutputs()[k];
  CoreBuilder b(builder, forward.getLoc());
  auto addTo = [&](unsigned closed, Value g) {
    Value &sum = operandGrads[inits + sequences + closed];
    sum = sum ? b.add(sum, g) : g;
  };
  for (auto [k, use] : llvm::enumerate(closedUses))
    addTo(
        use.closed,
        closedGradient(use, reverse.getOutputs()[sequenceOfOutput.size() + k]));
  for (auto [k, i] : llvm::enumerate(accumulated))
    addTo(i, reverse.getFinals()[activeCarries.size() + k]);
  return success();
}

namespace {

struct ScanGradient : GradientModel<ScanGradient, ScanOp> {
  static LogicalResult build(ScanOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    return ScanDifferentiator(b.getBuilder(), op, grads, wanted).run(out);
  }
};

} // namespace

void belfry::nn::attachScanGradient(MLIRContext *context) {
  ScanGradient::attach(context);
}
