//===- NnFold.cpp - folders of core ops -----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders never change a bit of a result: x + 0 stays (it turns −0 into 0), and
// functions whose bits are the run time's own, such as exp, are not computed
// here.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Builders.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// What folders share
//===----------------------------------------------------------------------===//

/// The element that stands everywhere in `v`, if that is known: a splat
/// constant, repeated or joined with its like or not.
static Attribute splatElement(Value v) {
  while (auto broadcast = v.getDefiningOp<BroadcastOp>())
    v = broadcast.getOperand();
  if (auto concat = v.getDefiningOp<ConcatOp>()) {
    Attribute first = splatElement(concat.getOperands().front());
    bool areAlike =
        first && llvm::all_of(concat.getOperands().drop_front(), [&](Value o) {
          return splatElement(o) == first;
        });
    return areAlike ? first : Attribute();
  }
  auto constant = v.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

static bool isSplat(Value v, double value) {
  Attribute element = splatElement(v);
  if (auto number = dyn_cast_or_null<FloatAttr>(element))
    return number.getValue().isExactlyValue(value) &&
           !number.getValue().isNegZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(element))
    return number.getType().isInteger(1)
               ? number.getValue().getBoolValue() == (value != 0.0)
               : number.getValue().getSExtValue() == value;
  return false;
}

/// `element` everywhere, for a static type.
static OpFoldResult splatOf(RankedTensorType type, Attribute element) {
  if (!element || !type.hasStaticShape())
    return {};
  return DenseElementsAttr::get(type, element);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

OpFoldResult UnaryOp::fold(FoldAdaptor) {
  bool undoesItself =
      getKind() == UnaryKind::Neg || getKind() == UnaryKind::Not;
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  if (undoesItself && inner && inner.getKind() == getKind())
    return inner.getOperand();
  return {};
}

/// `a kind b` where IEEE 754 or two's complement leaves no choice; else null.
static Attribute foldElement(BinaryKind kind, Attribute a, Attribute b) {
  auto x = dyn_cast_or_null<FloatAttr>(a), y = dyn_cast_or_null<FloatAttr>(b);
  if (x && y) {
    APFloat value = x.getValue(), other = y.getValue();
    constexpr auto nearest = APFloat::rmNearestTiesToEven;
    // f16 and bf16 are computed with in f32, and rounded.
    auto convert = [](APFloat &number, const llvm::fltSemantics &semantics) {
      bool inexact;
      number.convert(semantics, nearest, &inexact);
    };
    if (isNarrow(x.getType())) {
      convert(value, APFloat::IEEEsingle());
      convert(other, APFloat::IEEEsingle());
    }
    switch (kind) {
    case BinaryKind::Add:
      value.add(other, nearest);
      break;
    case BinaryKind::Sub:
      value.subtract(other, nearest);
      break;
    case BinaryKind::Mul:
      value.multiply(other, nearest);
      break;
    case BinaryKind::Div:
      value.divide(other, nearest);
      break;
    default:
      return {};
    }
    convert(value, x.getValue().getSemantics());
    // The bits of a NaN are the machine's.
    return value.isNaN() ? Attribute() : FloatAttr::get(x.getType(), value);
  }
  auto i = dyn_cast_or_null<IntegerAttr>(a),
       j = dyn_cast_or_null<IntegerAttr>(b);
  if (!i || !j)
    return {};
  switch (kind) {
  case BinaryKind::Add:
    return IntegerAttr::get(i.getType(), i.getValue() + j.getValue());
  case BinaryKind::Sub:
    return IntegerAttr::get(i.getType(), i.getValue() - j.getValue());
  case BinaryKind::Mul:
    return IntegerAttr::get(i.getType(), i.getValue() * j.getValue());
  case BinaryKind::And:
    return IntegerAttr::get(i.getType(), i.getValue() & j.getValue());
  case BinaryKind::Or:
    return IntegerAttr::get(i.getType(), i.getValue() | j.getValue());
  case BinaryKind::Xor:
    return IntegerAttr::get(i.getType(), i.getValue() ^ j.getValue());
  default:
    return {};
  }
}

OpFoldResult BinaryOp::fold(FoldAdaptor) {
  RankedTensorType type = getType();
  bool integers = isa<IntegerType>(type.getElementType());
  bool bools = type.getElementType().isInteger(1);
  Value x = getLhs(), y = getRhs();
  switch (getKind()) {
  case BinaryKind::Mul:
    if (isSplat(y, 1.0))
      return x;
    if (isSplat(x, 1.0))
      return y;
    break;
  case BinaryKind::Div:
    if (isSplat(y, 1.0))
      return x;
    break;
  case BinaryKind::Sub:
    if (isSplat(y, 0.0))
      return x;
    break;
  case BinaryKind::Add:
    if (integers && isSplat(y, 0.0))
      return x;
    if (integers && isSplat(x, 0.0))
      return y;
    break;
  case BinaryKind::And:
    if (x == y || (bools && isSplat(y, 1.0)))
      return x;
    if (bools && isSplat(x, 1.0))
      return y;
    break;
  case BinaryKind::Or:
    if (x == y || isSplat(y, 0.0) || (bools && isSplat(x, 1.0)))
      return x;
    if (bools && isSplat(y, 1.0))
      return y;
    if (isSplat(x, 0.0))
      return y;
    break;
  case BinaryKind::Max:
  case BinaryKind::Min:
    if (x == y)
      return x;
    break;
  default:
    break;
  }
  return splatOf(type,
                 foldElement(getKind(), splatElement(x), splatElement(y)));
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (isSplat(getCondition(), 1.0))
    return getOnTrue();
  if (isSplat(getCondition(), 0.0))
    return getOnFalse();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  // With one type on both sides the dimensions are all there, in order.
  if (getOperand().getType() == getType())
    return getOperand();
  if (OpFoldResult splat = splatOf(getType(), splatElement(getOperand())))
    return splat;
  auto inner = getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> dims;
  for (int64_t d : inner.getDims())
    dims.push_back(getDims()[d]);
  // There is one dynamic dimension, which one of the two has made, or none.
  if (Value like = inner.getLike())
    getLikeMutable().assign(like);
  setDims(dims);
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (getDims().empty())
    return getOperand();
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  auto identity = llvm::seq<int64_t>(0, getPerm().size());
  if (llvm::equal(getPerm(), identity))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> perm;
    for (int64_t d : getPerm())
      perm.push_back(inner.getPerm()[d]);
    setPerm(perm);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (OpFoldResult splat = splatOf(getType(), splatElement(getOperand())))
    return splat;
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    // Leaving out the middle must not lose what the verifier can see: that the
    // elements of a row are a multiple.
    auto from = tensorType(inner.getOperand());
    auto elements = [](RankedTensorType type) {
      int64_t count = 1;
      for (int64_t size : type.getShape())
        count *= ShapedType::isDynamic(size) ? 1 : size;
      return count;
    };
    int64_t a = elements(from), b = elements(getType());
    if (from != getType() && !from.hasStaticShape() &&
        (a == 0 || b == 0 || (a % b != 0 && b % a != 0)))
      return {};
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType() &&
      llvm::all_of(getStride(), [](int64_t s) { return s == 1; }))
    return getOperand();
  return {};
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto none = [](ArrayRef<int64_t> widths) {
    return llvm::all_of(widths, [](int64_t w) { return w == 0; });
  };
  if (none(getLow()) && none(getHigh()) && none(getInterior()))
    return getOperand();
  return {};
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  if (getDims().empty())
    return getOperand();
  auto inner = getOperand().getDefiningOp<ReverseOp>();
  if (!inner)
    return {};
  // What both reverse stays as it was.
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < getType().getRank(); ++d)
    if (llvm::is_contained(getDims(), d) !=
        llvm::is_contained(inner.getDims(), d))
      dims.push_back(d);
  if (dims.empty())
    return inner.getOperand();
  setDims(dims);
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  return splatOf(getType(), splatElement(getResult()));
}

//===----------------------------------------------------------------------===//
// Index ops
//===----------------------------------------------------------------------===//

OpFoldResult DimSizeOp::fold(FoldAdaptor) {
  int64_t size = tensorType(getOperand()).getDimSize(getDim());
  if (ShapedType::isDynamic(size) || !llvm::isInt<32>(size))
    return {};
  auto type = cast<RankedTensorType>(getType());
  return DenseElementsAttr::get(type,
                                IntegerAttr::get(type.getElementType(), size));
}
