//===- LayersRecurrent.cpp - decompositions of the recurrent layers -------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All three layers take the same way:
//
//   1. the input is made time-major, (T, B, F); dropout acts on it;
//   2. one product over all steps with the kernel, plus the bias, gives the
//      gates' share of the input, (T, B, G·U);
//   3. a masked nn.scan over that computes the states; the recurrent kernel and
//      the state's dropout masks are closed values;
//   4. outputs at masked steps, their order, and the last output follow Keras's
//      generic (not cuDNN) rules: docs/passes/nn-decompose.md.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Decompose.h"

using namespace mlir;
using namespace belfry::nn;

namespace {

/// Gate blocks of the last dimension: block `i` of width `units`.
Value gate(CoreBuilder &core, Value x, int64_t i, int64_t units) {
  int64_t last = tensorType(x).getRank() - 1;
  return sliceDim(core, x, last, i * units, (i + 1) * units);
}

Value dotRows(CoreBuilder &core, Value x, Value kernel) {
  return DotOp::create(core.getBuilder(), core.getLoc(), x, kernel,
                       ArrayRef<int64_t>{}, ArrayRef<int64_t>{},
                       tensorType(x).getRank() - 1, ArrayRef<int64_t>{0});
}

/// The state's products with the recurrent kernel, inside of the body: one
/// for all gates, or one a gate where dropout gives each gate its own state.
class Recurrence {
public:
  /// Outside of the scan: what the body needs as closed values.
  Recurrence(CoreBuilder &core, Value kernel, Value keepScale, int64_t gates,
             int64_t units)
      : units(units), dropping(keepScale != nullptr) {
    if (!dropping) {
      closed.push_back(kernel);
      return;
    }
    // keepScale is (B, G, U).
    RankedTensorType type = tensorType(keepScale);
    for (int64_t g = 0; g < gates; ++g) {
      closed.push_back(gate(core, kernel, g, units));
      Value one = sliceDim(core, keepScale, 1, g, g + 1);
      closed.push_back(core.reshape(one, {type.getDimSize(0), units}));
    }
  }

  ArrayRef<Value> getClosed() const { return closed; }

  /// h as gate `g` sees it.
  Value state(CoreBuilder &core, ValueRange args, Value h, int64_t g) const {
    return dropping ? core.mul(h, args[2 * g + 1]) : h;
  }
  /// The product of `x` with the block of gate `g`.
  Value product(CoreBuilder &core, ValueRange args, Value x, int64_t g) const {
    return dotRows(core, x,
                   dropping ? args[2 * g] : gate(core, args[0], g, units));
  }
  /// The products of h with the blocks of gates [begin, end), side by side.
  Value products(CoreBuilder &core, ValueRange args, Value h, int64_t begin,
                 int64_t end) const {
    if (!dropping)
      return dotRows(core, h,
                     sliceDim(core, args[0], 1, begin * units, end * units));
    SmallVector<Value> parts;
    for (int64_t g = begin; g < end; ++g)
      parts.push_back(dotRows(core, state(core, args, h, g), args[2 * g]));
    if (parts.size() == 1)
      return parts.front();
    return ConcatOp::create(core.getBuilder(), core.getLoc(), parts, /*dim=*/1);
  }

private:
  int64_t units;
  bool dropping;
  SmallVector<Value> closed;
};

/// One step of a cell: from the input's share of the gates, the carried states
/// and the closed arguments to the next states. The first state is the output.
using Cell = llvm::function_ref<LogicalResult(
    CoreBuilder &, Value xz, ValueRange states, ValueRange closed,
    SmallVectorImpl<Value> &next)>;

/// The decomposition of one layer.
template <typename OpT> class RecurrentBuilder {
public:
  RecurrentBuilder(OpT op, OpBuilder &builder, const DecomposeContext &context,
                   int64_t gates)
      : op(op), builder(builder), core(builder, op.getLoc()), context(context),
        gates(gates) {
    RankedTensorType type = tensorType(op.getInput());
    rows = type.getDimSize(0);
    steps = type.getDimSize(1);
    features = type.getDimSize(2);
    units = tensorType(op.getRecurrentKernel()).getDimSize(0);
    element = type.getElementType();
  }

  CoreBuilder &getCore() { return core; }
  int64_t getUnits() const { return units; }

  /// The masks of the input, (B, 1 or G, F), as factors; null without dropout.
  Value inputFactors(bool everyGate) {
    double rate = op.getDropout().convertToDouble();
    return factors(rate, {rows, everyGate ? gates : 1, features},
                   op.getStream());
  }
  /// The masks of the state, (B, G, U), as factors; null without dropout.
  Value stateFactors() {
    return factors(op.getRecurrentDropout().convertToDouble(),
                   {rows, gates, units}, op.getStream() + 1);
  }

  /// The gates' share of the input, (T, B, G·U). `bias` is (G·U) or null.
  Value inputShare(Value bias) {
    bool everyGate = !op.getRecurrentDropout().isZero();
    Value keep = inputFactors(everyGate);
    Value x = core.transpose(op.getInput(), {1, 0, 2});
    Value share;
    if (keep && everyGate && gates > 1) {
      SmallVector<Value> parts;
      for (int64_t g = 0; g < gates; ++g)
        parts.push_back(dotRows(core, dropped(x, keep, g),
                                gate(core, op.getKernel(), g, units)));
      share = ConcatOp::create(builder, op.getLoc(), parts, /*dim=*/2);
    } else {
      share = dotRows(core, keep ? dropped(x, keep, 0) : x, op.getKernel());
    }
    if (!bias)
      return share;
    return core.add(share, core.broadcastLike(bias, share, {2}));
  }

  /// Builds the scan and what comes after it.
  LogicalResult build(Value share, ArrayRef<Value> closed, unsigned stateCount,
                      Cell cell, SmallVectorImpl<Value> &results) {
    auto stateType = RankedTensorType::get({rows, units}, element);
    Value zero = splatOf(core, stateType, 0.0, op.getInput());
    SmallVector<Value> inits(op.getInitialState());
    if (inits.empty())
      inits.assign(stateCount, zero);

    Value mask = op.getMask();
    if (mask)
      mask = core.transpose(mask, {1, 0});
    // Keras's unrolled loop then zeroes outputs by the mask in its own order.
    bool zeroesUnreversed = mask && op.getZeroOutputForMask() &&
                            op.getUnroll() && op.getGoBackwards() &&
                            op.getReturnSequences();
    bool holds = mask && (!op.getZeroOutputForMask() || zeroesUnreversed);
    // The last state is the last valid output, unless the layer starts from a
    // state that no step has put out.
    bool carriesOutput =
        holds && !op.getReturnSequences() && !op.getInitialState().empty();
    bool stacks =
        op.getReturnSequences() || (mask && op.getZeroOutputForMask());
    if (carriesOutput)
      inits.push_back(zero);

    auto scan =
        ScanOp::create(builder, op.getLoc(), inits, ValueRange{share},
                       ValueRange(closed), mask, op.getGoBackwards(), steps,
                       stacks ? TypeRange{stateType} : TypeRange{});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&scan.getBody().front());
      SmallVector<Value> next;
      ValueRange carried = scan.getCarriedArgs();
      if (failed(cell(core, scan.getSequenceArgs()[0],
                      carried.take_front(stateCount), scan.getClosedArgs(),
                      next))) {
        YieldOp::create(builder, op.getLoc(), carried,
                        stacks ? ValueRange{carried[0]} : ValueRange{});
        return failure();
      }
      Value h = next.front();
      if (carriesOutput)
        next.push_back(h);
      YieldOp::create(builder, op.getLoc(), next,
                      stacks ? ValueRange{h} : ValueRange{});
    }

    if (!stacks) {
      results.push_back(carriesOutput ? scan.getFinals().back()
                                      : scan.getFinals().front());
    } else if (!op.getReturnSequences()) {
      int64_t last = op.getGoBackwards() ? 0 : steps - 1;
      Value output = sliceDim(core, scan.getOutputs()[0], 0, last, last + 1);
      results.push_back(core.reshape(output, {rows, units}));
    } else {
      Value outputs = scan.getOutputs()[0];
      if (holds)
        outputs = hold(outputs, mask, zero);
      outputs = core.transpose(outputs, {1, 0, 2});
      if (op.getGoBackwards())
        outputs = ReverseOp::create(builder, op.getLoc(), outputs.getType(),
                                    outputs, ArrayRef<int64_t>{1});
      if (zeroesUnreversed)
        outputs = core.select(core.broadcastLike(op.getMask(), outputs, {0, 1}),
                              outputs, core.splat(outputs, 0.0));
      results.push_back(outputs);
    }
    if (op.getReturnState())
      llvm::append_range(results, scan.getFinals().take_front(stateCount));
    return success();
  }

private:
  /// Dropout masks as factors: 1/(1 − rate) or 0.
  Value factors(double rate, ArrayRef<int64_t> shape, uint32_t stream) {
    if (!context.training || rate == 0.0)
      return {};
    // Keras's LSTM and GRU drop nothing at a rate of 1, its SimpleRNN all.
    if (rate >= 1.0 && gates > 1)
      return {};
    auto type = RankedTensorType::get(shape, element);
    Value zero = splatOf(core, type, 0.0, op.getInput());
    if (rate >= 1.0)
      return zero;
    Value keep = dropoutKeep(core, element, shape, op.getInput(), rate, stream);
    return core.select(
        keep, splatOf(core, type, 1.0 / (1.0 - rate), op.getInput()), zero);
  }

  /// The time-major input under the mask of gate `g`, the same for all steps.
  Value dropped(Value x, Value keep, int64_t g) {
    Value own =
        core.reshape(sliceDim(core, keep, 1, g, g + 1), {rows, features});
    return core.mul(x, core.broadcastLike(own, x, {1, 2}));
  }

  /// Masked steps of `outputs` (T, B, U) repeat the output before them, zeros
  /// before the first valid one.
  Value hold(Value outputs, Value mask, Value zero) {
    auto scan =
        ScanOp::create(builder, op.getLoc(), ValueRange{zero},
                       ValueRange{outputs, mask}, ValueRange{}, Value(),
                       op.getGoBackwards(), steps, TypeRange{zero.getType()});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scan.getBody().front());
    Value previous = scan.getCarriedArgs()[0],
          output = scan.getSequenceArgs()[0];
    Value valid = core.broadcastLike(scan.getSequenceArgs()[1], output, {0});
    Value held = core.select(valid, output, previous);
    YieldOp::create(builder, op.getLoc(), ValueRange{held}, ValueRange{held});
    return scan.getOutputs()[0];
  }

  OpT op;
  OpBuilder &builder;
  CoreBuilder core;
  const DecomposeContext &context;
  int64_t gates, rows, steps, features, units;
  Type element;
};

/// Applies activations, remembering whether one has failed.
class Activate {
public:
  Activate(CoreBuilder &core) : core(core) {}
  Value operator()(Activation kind, Value x) {
    FailureOr<Value> y =
        decomposeActivation(core.getBuilder(), core.getLoc(), kind, x);
    ok &= succeeded(y);
    return succeeded(y) ? *y : x;
  }
  LogicalResult status() const { return success(ok); }

private:
  CoreBuilder &core;
  bool ok = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// nn.lstm
//===----------------------------------------------------------------------===//

LogicalResult LstmOp::decompose(OpBuilder &builder,
                                const DecomposeContext &context,
                                SmallVectorImpl<Value> &results) {
  RecurrentBuilder<LstmOp> layer(*this, builder, context, /*gates=*/4);
  int64_t units = layer.getUnits();
  Value share = layer.inputShare(getBias());
  Recurrence recurrence(layer.getCore(), getRecurrentKernel(),
                        layer.stateFactors(), 4, units);
  auto cell = [&](CoreBuilder &core, Value xz, ValueRange states,
                  ValueRange closed,
                  SmallVectorImpl<Value> &next) -> LogicalResult {
    Activate activate(core);
    Value z = core.add(xz, recurrence.products(core, closed, states[0], 0, 4));
    Value i = activate(getRecurrentActivation(), gate(core, z, 0, units));
    Value f = activate(getRecurrentActivation(), gate(core, z, 1, units));
    Value g = activate(getActivation(), gate(core, z, 2, units));
    Value o = activate(getRecurrentActivation(), gate(core, z, 3, units));
    Value c = core.add(core.mul(f, states[1]), core.mul(i, g));
    next.assign({core.mul(o, activate(getActivation(), c)), c});
    return activate.status();
  };
  return layer.build(share, recurrence.getClosed(), /*stateCount=*/2, cell,
                     results);
}

//===----------------------------------------------------------------------===//
// nn.gru
//===----------------------------------------------------------------------===//

LogicalResult GruOp::decompose(OpBuilder &builder,
                               const DecomposeContext &context,
                               SmallVectorImpl<Value> &results) {
  RecurrentBuilder<GruOp> layer(*this, builder, context, /*gates=*/3);
  CoreBuilder &outer = layer.getCore();
  int64_t units = layer.getUnits();
  // With reset_after row 0 of the bias is the input's, row 1 the state's.
  Value bias = getBias(), stateBias;
  if (bias && getResetAfter()) {
    stateBias = outer.reshape(sliceDim(outer, bias, 0, 1, 2), {3 * units});
    bias = outer.reshape(sliceDim(outer, bias, 0, 0, 1), {3 * units});
  }
  Value share = layer.inputShare(bias);
  Recurrence recurrence(outer, getRecurrentKernel(), layer.stateFactors(), 3,
                        units);
  SmallVector<Value> closed(recurrence.getClosed());
  if (stateBias)
    closed.push_back(stateBias);

  auto cell = [&](CoreBuilder &core, Value xz, ValueRange states,
                  ValueRange args,
                  SmallVectorImpl<Value> &next) -> LogicalResult {
    Activate activate(core);
    Value h = states[0];
    Value z, r, candidate;
    if (getResetAfter()) {
      Value hz = recurrence.products(core, args, h, 0, 3);
      if (stateBias)
        hz = core.add(hz, core.broadcastLike(args.back(), hz, {1}));
      auto sum = [&](int64_t g) {
        return core.add(gate(core, xz, g, units), gate(core, hz, g, units));
      };
      z = activate(getRecurrentActivation(), sum(0));
      r = activate(getRecurrentActivation(), sum(1));
      candidate = core.mul(r, gate(core, hz, 2, units));
    } else {
      Value hz = recurrence.products(core, args, h, 0, 2);
      auto sum = [&](int64_t g) {
        return core.add(gate(core, xz, g, units), gate(core, hz, g, units));
      };
      z = activate(getRecurrentActivation(), sum(0));
      r = activate(getRecurrentActivation(), sum(1));
      Value reset = core.mul(r, recurrence.state(core, args, h, 2));
      candidate = recurrence.product(core, args, reset, 2);
    }
    candidate = activate(getActivation(),
                         core.add(gate(core, xz, 2, units), candidate));
    Value rest = core.binary(BinaryKind::Sub, 1.0, z);
    next.assign({core.add(core.mul(z, h), core.mul(rest, candidate))});
    return activate.status();
  };
  return layer.build(share, closed, /*stateCount=*/1, cell, results);
}

//===----------------------------------------------------------------------===//
// nn.simple_rnn
//===----------------------------------------------------------------------===//

LogicalResult SimpleRnnOp::decompose(OpBuilder &builder,
                                     const DecomposeContext &context,
                                     SmallVectorImpl<Value> &results) {
  RecurrentBuilder<SimpleRnnOp> layer(*this, builder, context, /*gates=*/1);
  Value share = layer.inputShare(getBias());
  Recurrence recurrence(layer.getCore(), getRecurrentKernel(),
                        layer.stateFactors(), 1, layer.getUnits());
  auto cell = [&](CoreBuilder &core, Value xz, ValueRange states,
                  ValueRange closed,
                  SmallVectorImpl<Value> &next) -> LogicalResult {
    Activate activate(core);
    Value z = core.add(xz, recurrence.products(core, closed, states[0], 0, 1));
    next.assign({activate(getActivation(), z)});
    return activate.status();
  };
  return layer.build(share, recurrence.getClosed(), /*stateCount=*/1, cell,
                     results);
}

//===----------------------------------------------------------------------===//
// nn.bidirectional
//===----------------------------------------------------------------------===//

LogicalResult BidirectionalOp::decompose(OpBuilder &builder,
                                         const DecomposeContext &,
                                         SmallVectorImpl<Value> &results) {
  CoreBuilder core(builder, getLoc());
  Value forward = getForward(), backward = getBackward();
  if (getReturnSequences())
    backward = ReverseOp::create(builder, getLoc(), backward.getType(),
                                 backward, ArrayRef<int64_t>{1});
  switch (getMergeMode()) {
  case MergeMode::Concat:
    results.push_back(ConcatOp::create(builder, getLoc(),
                                       ValueRange{forward, backward},
                                       tensorType(forward).getRank() - 1));
    return success();
  case MergeMode::Sum:
    results.push_back(core.add(forward, backward));
    return success();
  case MergeMode::Ave:
    results.push_back(core.mul(core.add(forward, backward), 0.5));
    return success();
  case MergeMode::Mul:
    results.push_back(core.mul(forward, backward));
    return success();
  case MergeMode::None:
    return emitOpError(
        "joins outputs by the merge mode 'none', which joins nothing");
  }
  llvm_unreachable("a merge mode without a case");
}
