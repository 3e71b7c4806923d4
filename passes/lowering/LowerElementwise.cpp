//===- LowerElementwise.cpp - elementwise units ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit of elementwise ops becomes one linalg.generic: its inputs are the
// values from outside, its outputs the values that something outside reads (one
// for each place), its body the ops on scalars.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/Philox.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace belfry;

namespace {

/// Builds scalar arithmetic.
struct Scalars {
  OpBuilder &b;
  Location loc;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  Value number(Type type, double v) {
    if (isa<FloatType>(type))
      return make<arith::ConstantOp>(b.getFloatAttr(type, v));
    return make<arith::ConstantOp>(
        b.getIntegerAttr(type, static_cast<int64_t>(v)));
  }
  Value compare(arith::CmpFPredicate p, Value x, Value y) {
    return make<arith::CmpFOp>(p, x, y);
  }
  Value compare(arith::CmpIPredicate p, Value x, Value y) {
    return make<arith::CmpIOp>(p, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return make<arith::SelectOp>(c, x, y);
  }
  Value unary(nn::UnaryKind kind, Value x);
  Value binary(nn::BinaryKind kind, Value x, Value y);
  Value comparison(nn::CompareKind kind, Value x, Value y);
  Value convert(Value x, Type to);
};

} // namespace

Value Scalars::unary(nn::UnaryKind kind, Value x) {
  Type type = x.getType();
  bool integer = isa<IntegerType>(type);
  switch (kind) {
  case nn::UnaryKind::Neg:
    return integer ? make<arith::SubIOp>(number(type, 0), x)
                   : make<arith::NegFOp>(x);
  case nn::UnaryKind::Abs:
    return integer ? make<math::AbsIOp>(x) : make<math::AbsFOp>(x);
  case nn::UnaryKind::Sign: {
    Value zero = number(type, 0), one = number(type, 1),
          minus = number(type, -1);
    if (integer)
      return select(
          compare(arith::CmpIPredicate::sgt, x, zero), one,
          select(compare(arith::CmpIPredicate::slt, x, zero), minus, zero));
    // NaN and both zeros stay what they are.
    return select(
        compare(arith::CmpFPredicate::OGT, x, zero), one,
        select(compare(arith::CmpFPredicate::OLT, x, zero), minus, x));
  }
  case nn::UnaryKind::Exp:
    return make<math::ExpOp>(x);
  case nn::UnaryKind::Expm1:
    return make<math::ExpM1Op>(x);
  case nn::UnaryKind::Log:
    return make<math::LogOp>(x);
  case nn::UnaryKind::Log1p:
    return make<math::Log1pOp>(x);
  case nn::UnaryKind::Sqrt:
    return make<math::SqrtOp>(x);
  case nn::UnaryKind::Rsqrt:
    return make<arith::DivFOp>(number(type, 1), make<math::SqrtOp>(x));
  case nn::UnaryKind::Tanh:
    return make<math::TanhOp>(x);
  case nn::UnaryKind::Sigmoid: {
    Value one = number(type, 1);
    Value e = make<math::ExpOp>(make<arith::NegFOp>(x));
    return make<arith::DivFOp>(one, make<arith::AddFOp>(one, e));
  }
  case nn::UnaryKind::Erf:
    return make<math::ErfOp>(x);
  case nn::UnaryKind::Sin:
    return make<math::SinOp>(x);
  case nn::UnaryKind::Cos:
    return make<math::CosOp>(x);
  case nn::UnaryKind::Floor:
    return make<math::FloorOp>(x);
  case nn::UnaryKind::Ceil:
    return make<math::CeilOp>(x);
  case nn::UnaryKind::Not:
    return make<arith::XOrIOp>(x, number(type, 1));
  case nn::UnaryKind::IsFinite: {
    Value magnitude = make<math::AbsFOp>(x);
    Value infinity = make<arith::ConstantOp>(b.getFloatAttr(
        type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics())));
    return compare(arith::CmpFPredicate::OLT, magnitude, infinity);
  }
  }
  llvm_unreachable("all kinds are covered");
}

Value Scalars::binary(nn::BinaryKind kind, Value x, Value y) {
  Type type = x.getType();
  bool integer = isa<IntegerType>(type);
  bool boolean = type.isInteger(1);
  switch (kind) {
  case nn::BinaryKind::Add:
    return integer ? make<arith::AddIOp>(x, y) : make<arith::AddFOp>(x, y);
  case nn::BinaryKind::Sub:
    return integer ? make<arith::SubIOp>(x, y) : make<arith::SubFOp>(x, y);
  case nn::BinaryKind::Mul:
    return integer ? make<arith::MulIOp>(x, y) : make<arith::MulFOp>(x, y);
  case nn::BinaryKind::Div:
  case nn::BinaryKind::Rem: {
    bool remainder = kind == nn::BinaryKind::Rem;
    if (!integer)
      return remainder ? make<arith::RemFOp>(x, y) : make<arith::DivFOp>(x, y);
    // x / 0 is 0 and its remainder x; the least number over −1 is itself.
    Value zero = number(type, 0), one = number(type, 1);
    Value none = compare(arith::CmpIPredicate::eq, y, zero);
    Value minus = compare(arith::CmpIPredicate::eq, y, number(type, -1));
    Value divisor = select(make<arith::OrIOp>(none, minus), one, y);
    if (remainder)
      return select(none, x, make<arith::RemSIOp>(x, divisor));
    Value quotient = make<arith::DivSIOp>(x, divisor);
    quotient = select(minus, make<arith::SubIOp>(zero, x), quotient);
    return select(none, zero, quotient);
  }
  case nn::BinaryKind::Max:
    if (boolean)
      return make<arith::OrIOp>(x, y);
    return integer ? make<arith::MaxSIOp>(x, y) : make<arith::MaximumFOp>(x, y);
  case nn::BinaryKind::Min:
    if (boolean)
      return make<arith::AndIOp>(x, y);
    return integer ? make<arith::MinSIOp>(x, y) : make<arith::MinimumFOp>(x, y);
  case nn::BinaryKind::Pow:
    return make<math::PowFOp>(x, y);
  case nn::BinaryKind::And:
    return make<arith::AndIOp>(x, y);
  case nn::BinaryKind::Or:
    return make<arith::OrIOp>(x, y);
  case nn::BinaryKind::Xor:
    return make<arith::XOrIOp>(x, y);
  }
  llvm_unreachable("all kinds are covered");
}

Value Scalars::comparison(nn::CompareKind kind, Value x, Value y) {
  bool boolean = x.getType().isInteger(1);
  if (isa<IntegerType>(x.getType())) {
    using P = arith::CmpIPredicate;
    P predicate = P::eq;
    switch (kind) {
    case nn::CompareKind::Eq:
      break;
    case nn::CompareKind::Ne:
      predicate = P::ne;
      break;
    case nn::CompareKind::Lt:
      predicate = boolean ? P::ult : P::slt;
      break;
    case nn::CompareKind::Le:
      predicate = boolean ? P::ule : P::sle;
      break;
    case nn::CompareKind::Gt:
      predicate = boolean ? P::ugt : P::sgt;
      break;
    case nn::CompareKind::Ge:
      predicate = boolean ? P::uge : P::sge;
      break;
    }
    return compare(predicate, x, y);
  }
  using P = arith::CmpFPredicate;
  switch (kind) {
  case nn::CompareKind::Eq:
    return compare(P::OEQ, x, y);
  case nn::CompareKind::Ne:
    return compare(P::UNE, x, y);
  case nn::CompareKind::Lt:
    return compare(P::OLT, x, y);
  case nn::CompareKind::Le:
    return compare(P::OLE, x, y);
  case nn::CompareKind::Gt:
    return compare(P::OGT, x, y);
  case nn::CompareKind::Ge:
    return compare(P::OGE, x, y);
  }
  llvm_unreachable("all kinds are covered");
}

Value Scalars::convert(Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (to.isInteger(1)) {
    if (isa<FloatType>(from))
      return compare(arith::CmpFPredicate::UNE, x, number(from, 0));
    return compare(arith::CmpIPredicate::ne, x, number(from, 0));
  }
  if (from.isInteger(1))
    return isa<FloatType>(to) ? make<arith::UIToFPOp>(to, x)
                              : make<arith::ExtUIOp>(to, x);
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  if (isa<IntegerType>(from)) {
    if (isa<FloatType>(to))
      return make<arith::SIToFPOp>(to, x);
    return toWidth > fromWidth ? make<arith::ExtSIOp>(to, x)
                               : make<arith::TruncIOp>(to, x);
  }
  if (isa<FloatType>(to))
    return toWidth > fromWidth ? make<arith::ExtFOp>(to, x)
                               : make<arith::TruncFOp>(to, x);
  // Saturating: what is out of range never reaches the conversion.
  double bound = std::ldexp(1.0, static_cast<int>(toWidth) - 1);
  Value low = number(from, -bound), high = number(from, bound);
  Value below = compare(arith::CmpFPredicate::OLE, x, low);
  Value above = compare(arith::CmpFPredicate::OGE, x, high);
  Value nan = compare(arith::CmpFPredicate::UNO, x, x);
  Value outside = make<arith::OrIOp>(make<arith::OrIOp>(below, above), nan);
  Value word = make<arith::FPToSIOp>(to, select(outside, number(from, 0), x));
  word = select(below,
                make<arith::ConstantOp>(
                    b.getIntegerAttr(to, APInt::getSignedMinValue(toWidth))),
                word);
  return select(above,
                make<arith::ConstantOp>(
                    b.getIntegerAttr(to, APInt::getSignedMaxValue(toWidth))),
                word);
}

Value NnLowering::scalarOf(OpBuilder &body, Operation *op,
                           function_ref<Value(Value)> operand) {
  Scalars s{body, op->getLoc()};
  Type element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  auto index = [&](int64_t dim) -> Value {
    return linalg::IndexOp::create(body, op->getLoc(), dim);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<nn::UnaryOp>([&](nn::UnaryOp o) {
        return s.unary(o.getKind(), operand(o.getOperand()));
      })
      .Case<nn::BinaryOp>([&](nn::BinaryOp o) {
        return s.binary(o.getKind(), operand(o.getLhs()), operand(o.getRhs()));
      })
      .Case<nn::CompareOp>([&](nn::CompareOp o) {
        return s.comparison(o.getKind(), operand(o.getLhs()),
                            operand(o.getRhs()));
      })
      .Case<nn::SelectOp>([&](nn::SelectOp o) {
        return s.select(operand(o.getCondition()), operand(o.getOnTrue()),
                        operand(o.getOnFalse()));
      })
      .Case<nn::ConvertOp>([&](nn::ConvertOp o) {
        return s.convert(operand(o.getOperand()), element);
      })
      .Case<nn::IotaOp>([&](nn::IotaOp o) {
        Value word =
            s.make<arith::IndexCastOp>(body.getI32Type(), index(o.getDim()));
        return s.convert(word, element);
      })
      .Case<nn::RandomOp>([&](nn::RandomOp o) {
        // Element e of a row, in row-major order of the other dimensions.
        auto type = cast<RankedTensorType>(o.getType());
        Value e, row;
        Type i32 = body.getI32Type();
        for (int64_t d = 0; d < type.getRank(); ++d) {
          Value i = s.make<arith::IndexCastOp>(i32, index(d));
          if (d == 0) {
            row = i;
            continue;
          }
          if (!e) {
            e = i;
            continue;
          }
          e = s.make<arith::AddIOp>(
              s.make<arith::MulIOp>(e, s.number(i32, type.getDimSize(d))), i);
        }
        if (!row)
          row = s.number(i32, 0);
        if (!e)
          e = s.number(i32, 0);
        if (o.getRowOffset())
          row = s.make<arith::AddIOp>(row, operand(o.getRowOffset()));
        RandomCounter counter;
        counter.seedLow = operand(o.getSeed());
        counter.seedHigh = operand(nullptr);
        counter.step = operand(o.getStep());
        counter.stream = s.number(i32, static_cast<int32_t>(o.getStream()));
        counter.row = row;
        counter.block = s.make<arith::ShRUIOp>(e, s.number(i32, 2));
        return buildRandom(body, op->getLoc(), o.getKind(), counter,
                           s.make<arith::AndIOp>(e, s.number(i32, 3)), element);
      });
}

LogicalResult NnLowering::lowerElementwise(const Unit &unit) {
  MLIRContext *context = b.getContext();
  DenseSet<Operation *> members(unit.ops.begin(), unit.ops.end());
  // The place of a value is where it is first needed; a copy in another place
  // is a second store of the same loop.
  struct Output {
    Value value;
    View place;
  };
  SmallVector<Output> outputs;
  for (Operation *op : unit.ops) {
    Value result = op->getResult(0);
    bool needed = llvm::any_of(result.getUses(), [&](OpOperand &use) {
      return !members.contains(use.getOwner()) && !isShapeOperand(use);
    });
    if (!needed)
      continue;
    outputs.push_back({result, placeOf(result)});
    for (View &place : places[result])
      outputs.push_back({result, place});
    places.erase(result);
  }
  if (outputs.empty())
    return success();

  SmallVector<Affine> sizes = sizesOf(unit.ops.front()->getResult(0));
  unsigned rank = sizes.size();
  llvm::MapVector<Value, unsigned> inputs; // value → argument of the body
  SmallVector<Value> inputValues, outputValues;
  SmallVector<AffineMap> maps;
  SmallVector<std::pair<View, unsigned>> known;
  DenseMap<Value, unsigned> seedArgument; // seed → its first word
  auto addView = [&](const View &view) -> unsigned {
    for (auto &[other, argument] : known)
      if (other.base == view.base && other.scalar == view.scalar &&
          other.offset == view.offset && other.strides == view.strides)
        return argument;
    unsigned argument = inputValues.size();
    if (view.base) {
      LinalgOperand operand = withoutBroadcast(context, view);
      inputValues.push_back(memref(operand.view));
      maps.push_back(operand.map);
    } else {
      inputValues.push_back(view.scalar);
      maps.push_back(AffineMap::get(rank, 0, context));
    }
    known.emplace_back(view, argument);
    return argument;
  };
  for (Operation *op : unit.ops) {
    if (isa<nn::IotaOp>(op))
      continue;
    auto random = dyn_cast<nn::RandomOp>(op);
    for (Value operand : op->getOperands()) {
      if (inputs.count(operand) || members.contains(operand.getDefiningOp()))
        continue;
      if (random && operand == random.getLike() &&
          operand != random.getRowOffset() && operand != random.getStep())
        continue;
      View view = viewOf(operand);
      if (!view)
        return op->emitOpError("reads a value that has no place");
      if (random && operand == random.getSeed()) {
        // The words of the seed are two scalars.
        for (int64_t word = 0; word < 2; ++word) {
          View element =
              elementView(b, loc, math, view, 0, b.getIndexAttr(word));
          element.sizes = sizes;
          element.strides.assign(rank, Affine::of(0));
          if (element.splat)
            continue;
          unsigned argument = addView(element);
          if (word == 0)
            inputs[operand] = argument;
          else
            seedArgument[operand] = argument;
        }
        continue;
      }
      if (view.splat)
        continue;
      if (view.rank() != rank)
        view = broadcastView(view, {}, sizes);
      inputs[operand] = addView(view);
    }
  }
  for (Output &output : outputs)
    outputValues.push_back(memref(output.place));
  maps.append(outputValues.size(),
              AffineMap::getMultiDimIdentityMap(rank, context));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, inputValues, outputValues, maps, iterators,
      [&](OpBuilder &body, Location at, ValueRange arguments) {
        DenseMap<Value, Value> scalar;
        Value seed;
        auto operand = [&](Value value) -> Value {
          if (!value) { // the seed's second word
            if (auto it = seedArgument.find(seed); it != seedArgument.end())
              return arguments[it->second];
            return arith::ConstantOp::create(
                body, at, cast<TypedAttr>(viewOf(seed).splat));
          }
          if (auto it = scalar.find(value); it != scalar.end())
            return it->second;
          if (auto it = inputs.find(value); it != inputs.end())
            return arguments[it->second];
          Value constant = arith::ConstantOp::create(
              body, at, cast<TypedAttr>(viewOf(value).splat));
          return scalar[value] = constant;
        };
        for (Operation *op : unit.ops) {
          if (auto random = dyn_cast<nn::RandomOp>(op))
            seed = random.getSeed();
          scalar[op->getResult(0)] = scalarOf(body, op, operand);
        }
        SmallVector<Value> yielded;
        for (Output &output : outputs)
          yielded.push_back(scalar[output.value]);
        linalg::YieldOp::create(body, at, yielded);
      });
  return success();
}
