//===- NnVerify.cpp - verifiers of elementwise, shape and index ops -------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check is a constraint of the op's description. What follows from operand
// types alone is checked by type inference, in NnInferTypes.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/RowMultiple.h"
#include "dialects/nn/Verify.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// What verifiers share
//===----------------------------------------------------------------------===//

static SmallVector<Value> operandsAndResults(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

LogicalResult belfry::nn::verifyOneShape(Operation *op) {
  SmallVector<Value> values = operandsAndResults(op);
  for (Value v : values)
    if (tensorType(v).getShape() != tensorType(values.front()).getShape())
      return op->emitOpError("has values of different shapes, ")
             << values.front().getType() << " and " << v.getType();
  return success();
}

LogicalResult belfry::nn::verifyOneType(Operation *op) {
  SmallVector<Value> values = operandsAndResults(op);
  for (Value v : values)
    if (v.getType() != values.front().getType())
      return op->emitOpError("has values of different types, ")
             << values.front().getType() << " and " << v.getType();
  return success();
}

LogicalResult belfry::nn::verifyType(Operation *op, const Twine &what,
                                     Type type, Type expected) {
  if (type == expected)
    return success();
  return op->emitOpError() << what << " has type " << type << ", expected "
                           << expected;
}

LogicalResult belfry::nn::verifyLike(Operation *op, Value like, bool needed) {
  if (needed && !like)
    return op->emitOpError("has a new dynamic dimension, but no operand 'like' "
                           "to give its extent");
  if (!needed && like)
    return op->emitOpError(
        "has an operand 'like', but no new dynamic dimension");
  if (like && tensorType(like).hasStaticShape())
    return op->emitOpError("takes the extent of its dynamic dimension from ")
           << like.getType() << ", which has none";
  return success();
}

LogicalResult belfry::nn::verifyDims(Operation *op, StringRef what,
                                     ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t d : dims) {
    if (d < 0 || d >= rank)
      return op->emitOpError()
             << what << " has dimension " << d << ", but the rank is " << rank;
    if (!seen.insert(d).second)
      return op->emitOpError() << what << " has dimension " << d << " twice";
  }
  return success();
}

std::string belfry::nn::describeKnown(StringRef name,
                                      ArrayRef<StringRef> known) {
  // A typing error rather than another name: a third of the letters at most.
  StringRef nearest;
  unsigned least = name.size() / 3 + 1;
  for (StringRef candidate : known) {
    unsigned distance = name.edit_distance(candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty())
    return ("did you mean '" + nearest + "'?").str();
  return "known are " + llvm::join(known, ", ");
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr>(getValue()))
    return emitOpError("has a value that is no dense elements attribute");
  return success();
}

LogicalResult UnaryOp::verify() {
  if (failed(verifyOneShape(*this)))
    return failure();
  Type element = tensorType(getOperand()).getElementType();
  bool fits = false;
  switch (getKind()) {
  case UnaryKind::Not:
    fits = isBool(element);
    break;
  case UnaryKind::Neg:
  case UnaryKind::Abs:
  case UnaryKind::Sign:
    fits = isNumber(element);
    break;
  default:
    fits = isFloat(element);
  }
  if (!fits)
    return emitOpError() << "'" << stringifyEnum(getKind())
                         << "' does not take elements of type " << element;
  Type expected = element;
  if (getKind() == UnaryKind::IsFinite)
    expected = IntegerType::get(getContext(), 1);
  return verifyType(*this, "result", getType(),
                    getOperand().getType().clone(expected));
}

LogicalResult BinaryOp::verify() {
  if (failed(verifyOneType(*this)))
    return failure();
  Type element = getType().getElementType();
  bool fits = false;
  switch (getKind()) {
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    fits = isa<IntegerType>(element);
    break;
  case BinaryKind::Pow:
    fits = isFloat(element);
    break;
  default:
    fits = isNumber(element);
  }
  if (!fits)
    return emitOpError() << "'" << stringifyEnum(getKind())
                         << "' does not take elements of type " << element;
  return success();
}

LogicalResult CompareOp::verify() { return verifyOneShape(*this); }
LogicalResult SelectOp::verify() { return verifyOneShape(*this); }
LogicalResult ConvertOp::verify() { return verifyOneShape(*this); }

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tensorType(getOperand()), to = getType();
  ArrayRef<int64_t> dims = getDims();
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError("dims has ")
           << dims.size() << " entries, but the operand's rank is "
           << from.getRank();
  if (failed(verifyDims(*this, "dims", dims, to.getRank())))
    return failure();
  if (!llvm::is_sorted(dims))
    return emitOpError("dims is not increasing");
  if (from.getElementType() != to.getElementType())
    return emitOpError("makes ")
           << to.getElementType() << " of " << from.getElementType();
  for (auto [k, d] : llvm::enumerate(dims))
    if (from.getDimSize(k) != to.getDimSize(d))
      return emitOpError("matches dimension ")
             << k << " of " << from << " with dimension " << d << " of " << to;
  bool dynamicIsNew = false;
  for (int64_t d = 0; d < to.getRank(); ++d)
    dynamicIsNew |= to.isDynamicDim(d) && !llvm::is_contained(dims, d);
  return verifyLike(*this, getLike(), dynamicIsNew);
}

LogicalResult ReduceOp::verify() {
  Type element = tensorType(getOperand()).getElementType();
  bool logical = getKind() == ReduceKind::And || getKind() == ReduceKind::Or;
  if (logical ? !isBool(element) : !isNumber(element))
    return emitOpError() << "'" << stringifyEnum(getKind())
                         << "' does not take elements of type " << element;
  return success();
}

LogicalResult ArgMaxOp::verify() {
  int64_t extent = tensorType(getOperand()).getDimSize(getDim());
  if (ShapedType::isDynamic(extent) || extent == 0)
    return emitOpError("looks for the largest along dimension ")
           << getDim() << " of " << getOperand().getType()
           << ", which has to be static and not empty";
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorType(getOperand()), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("makes ")
           << to.getElementType() << " of " << from.getElementType();
  if (from.hasStaticShape() != to.hasStaticShape())
    return emitOpError("makes ")
           << to << " of " << from
           << ": both sides have a dynamic dimension, or neither";
  int64_t a = staticElements(from), b = staticElements(to);
  if (from.hasStaticShape()) {
    if (a != b)
      return emitOpError("makes ") << to << " (" << b << " elements) of "
                                   << from << " (" << a << " elements)";
    return success();
  }
  if (from == to)
    return success();
  if (a == 0 || b == 0 || (a % b != 0 && b % a != 0))
    return emitOpError("makes ")
           << to << " of " << from << ": " << a << " elements a row and " << b
           << " are no multiples";
  return success();
}

LogicalResult PadOp::verify() {
  Type scalar = withShape(tensorType(getOperand()), {});
  return verifyType(*this, "value", getValue().getType(), scalar);
}

LogicalResult ReverseOp::verify() {
  if (failed(verifyOneType(*this)))
    return failure();
  return verifyDims(*this, "dims", getDims(), getType().getRank());
}

/// `steps` is the sequence by steps, `packed` the one of packed rows.
static LogicalResult verifySteps(Operation *op, RankedTensorType steps,
                                 RankedTensorType packed,
                                 RankedTensorType mask) {
  if (mask.getRank() != 2 || mask.isDynamicDim(0) || !mask.isDynamicDim(1))
    return op->emitOpError("expected a mask of static steps and dynamic rows, "
                           "got ")
           << mask;
  if (steps.getRank() < 2 || steps.getShape().take_front(2) != mask.getShape())
    return op->emitOpError("has a mask of type ")
           << mask << " for a sequence of type " << steps;
  SmallVector<int64_t> shape(steps.getShape().drop_front());
  return verifyType(op, "packed rows", packed, withShape(steps, shape));
}

LogicalResult PackStepsOp::verify() {
  return verifySteps(*this, tensorType(getOperand()), tensorType(getResult()),
                     tensorType(getMask()));
}

LogicalResult UnpackStepsOp::verify() {
  return verifySteps(*this, tensorType(getResult()), tensorType(getOperand()),
                     tensorType(getMask()));
}

//===----------------------------------------------------------------------===//
// Index ops
//===----------------------------------------------------------------------===//

LogicalResult ScatterAddOp::verify() {
  RankedTensorType init = tensorType(getInit()), ids = tensorType(getIds()),
                   updates = tensorType(getUpdates());
  int64_t batch = getBatchDims();
  if (batch < 0 || batch >= init.getRank() || batch > ids.getRank())
    return emitOpError("has ")
           << batch << " batch dimensions, but a table of rank "
           << init.getRank() << " and ids of rank " << ids.getRank();
  for (int64_t d = 0; d < batch; ++d)
    if (init.getDimSize(d) != ids.getDimSize(d))
      return emitOpError("has batch dimension ")
             << d << " of " << init << " and " << ids;
  SmallVector<int64_t> shape(ids.getShape());
  llvm::append_range(shape, init.getShape().drop_front(batch + 1));
  return verifyType(*this, "operand 'updates'", updates,
                    withShape(init, shape));
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = tensorType(getResult());
  int64_t dim = getDim();
  if (failed(verifyDims(*this, "dim", dim, type.getRank())))
    return failure();
  if (type.isDynamicDim(dim))
    return emitOpError("counts along dimension ")
           << dim << ", which is dynamic";
  return verifyLike(*this, getLike(), !type.hasStaticShape());
}

LogicalResult DimSizeOp::verify() {
  return verifyDims(*this, "dim", static_cast<int64_t>(getDim()),
                    tensorType(getOperand()).getRank());
}

LogicalResult RandomOp::verify() {
  RankedTensorType type = tensorType(getResult());
  if ((getKind() == RandomKind::Bits) == isFloat(type.getElementType()))
    return emitOpError() << "'" << stringifyEnum(getKind())
                         << "' does not give elements of type "
                         << type.getElementType();
  if (type.getRank() == 0)
    return emitOpError(
        "gives a scalar, but needs a leading dimension for the rows");
  for (int64_t d = 1; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      return emitOpError("has the dynamic dimension ")
             << d << ", but rows are the leading one";
  return verifyLike(*this, getLike(), !type.hasStaticShape());
}
