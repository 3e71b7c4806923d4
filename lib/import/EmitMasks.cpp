//===- EmitMasks.cpp - masks: nodes of keras.ops, merged masks ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/EmitterFrame.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Value;

/// The mask that the outputs' masks are computed from.
Value Emitter::previousMask(const CallInputs &call) {
  return call.mask ? *call.mask : call.inputs.front().mask;
}

void Emitter::warnMaskEnds(Instance &instance, const CallInputs &call) {
  if (previousMask(call) && instance.calls == 0)
    diags.warning(file + ": layer '" + instance.path + "' (" +
                  instance.config->className +
                  ") drops the mask of its input; later layers do not see it");
}

/// The value with extents of 1 repeated to those of `type`, which has the same
/// rank; null where the shapes do not fit.
static Value repeatTo(mlir::OpBuilder &builder, mlir::Location loc, Value value,
                      RankedTensorType type) {
  RankedTensorType from = nn::tensorType(value);
  if (from == type)
    return value;
  if (from.getRank() != type.getRank())
    return {};
  llvm::SmallVector<int64_t> kept, dims;
  for (auto [i, extents] :
       llvm::enumerate(llvm::zip(from.getShape(), type.getShape()))) {
    auto [have, wanted] = extents;
    if (have == wanted) {
      kept.push_back(have);
      dims.push_back(int64_t(i));
    } else if (have != 1 || ShapedType::isDynamic(wanted)) {
      return {};
    }
  }
  if (kept.size() != from.getShape().size())
    value = nn::ReshapeOp::create(builder, loc, from.clone(kept), value);
  return nn::BroadcastOp::create(builder, loc, type, value, Value(), dims);
}

llvm::FailureOr<Value> Emitter::logicalOr(mlir::Location loc, Value lhs,
                                          Value rhs, StringRef layer) {
  if (lhs == rhs)
    return lhs;
  auto known =
      orMasks.find({lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer()});
  if (known != orMasks.end())
    return known->second;
  RankedTensorType left = nn::tensorType(lhs), right = nn::tensorType(rhs);
  Value a = lhs, b = rhs;
  if (left != right && left.getRank() == right.getRank()) {
    llvm::SmallVector<int64_t> shape;
    for (auto [l, r] : llvm::zip(left.getShape(), right.getShape()))
      shape.push_back(l == 1 ? r : l);
    a = repeatTo(builder, loc, lhs, left.clone(shape));
    b = repeatTo(builder, loc, rhs, left.clone(shape));
  }
  if (!a || !b || a.getType() != b.getType())
    return diags.error(file + ": layer '" + layer + "': masks of " +
                       "different shapes meet");
  Value result = nn::BinaryOp::create(builder, loc, nn::BinaryKind::Or, a, b);
  orMasks[{lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer()}] = result;
  return result;
}

/// Add and its kin: a mask only where every input has one; a step counts where
/// it counts in any (keras/src/layers/merging/base_merge.py).
llvm::FailureOr<Value> Emitter::mergedMask(Instance &instance,
                                           llvm::ArrayRef<Tensor> inputs) {
  Value mask;
  for (const Tensor &input : inputs) {
    if (!input.mask)
      return Value();
    if (!mask) {
      mask = input.mask;
      continue;
    }
    llvm::FailureOr<Value> both =
        logicalOr(locOf(instance), mask, input.mask, instance.path);
    if (failed(both))
      return llvm::failure();
    mask = *both;
  }
  return mask;
}

/// Masks widened to their inputs' shapes, all true where there is none, joined
/// like the inputs; then a step counts where any of its features does
/// (keras/src/layers/merging/concatenate.py).
llvm::FailureOr<Value> Emitter::concatenatedMask(Instance &instance,
                                                 llvm::ArrayRef<Tensor> inputs,
                                                 int64_t axis) {
  if (llvm::none_of(inputs, [](const Tensor &t) { return bool(t.mask); }))
    return Value();
  mlir::Location loc = locOf(instance);
  int64_t rank = inputs.front().type().getRank();
  for (const Tensor &input : inputs)
    if (input.mask && nn::tensorType(input.mask).getRank() != rank - 1)
      return error(instance, "a mask of rank " +
                                 Twine(nn::tensorType(input.mask).getRank()) +
                                 " on an input of rank " + Twine(rank) +
                                 " is not supported");
  if (axis == rank - 1) {
    // An input without a mask makes every step count, which is no mask.
    if (llvm::any_of(inputs, [](const Tensor &t) { return !t.mask; }))
      return Value();
    return mergedMask(instance, inputs);
  }
  llvm::SmallVector<Value> masks;
  auto shape = llvm::to_vector(nn::tensorType(inputs.front().value).getShape());
  shape[size_t(axis)] = 0;
  for (const Tensor &input : inputs) {
    RankedTensorType type = input.type();
    shape[size_t(axis)] += type.getDimSize(axis);
    auto maskType =
        RankedTensorType::get(type.getShape().drop_back(), builder.getI1Type());
    if (input.mask) {
      Value mask = repeatTo(builder, loc, input.mask, maskType);
      if (!mask)
        return error(instance, "a mask does not have the shape of its input");
      masks.push_back(mask);
      continue;
    }
    Value one = nn::ConstantOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()), 1.0);
    masks.push_back(nn::BroadcastOp::create(
        builder, loc, maskType, one, input.value, llvm::ArrayRef<int64_t>()));
  }
  shape.pop_back();
  return Value(nn::ConcatOp::create(
      builder, loc, RankedTensorType::get(shape, builder.getI1Type()), masks,
      axis));
}

//===----------------------------------------------------------------------===//
// Nodes of keras.ops
//===----------------------------------------------------------------------===//

llvm::FailureOr<Value> Emitter::evaluateArgument(OperationNode &node,
                                                 size_t index) {
  const Argument *argument = node.argument(index);
  if (!argument || argument->kind != Argument::Tensor)
    return diags.error(file + ": operation '" + node.path + "' (" +
                       node.config->className + "): argument " + Twine(index) +
                       " is no tensor, which is not supported");
  llvm::FailureOr<Tensor> tensor = read(argument->tensor, *node.frame);
  if (failed(tensor))
    return llvm::failure();
  return tensor->value;
}

/// The number that stands as an argument, if it is one.
static std::optional<double> numberArgument(const Argument *argument) {
  if (argument && argument->kind == Argument::Scalar &&
      argument->json.isNumber())
    return argument->json.getAnyNumber();
  return std::nullopt;
}

llvm::FailureOr<Value> Emitter::evaluateNotEqual(OperationNode &node) {
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(node.path));
  llvm::FailureOr<Value> lhs = evaluateArgument(node, 0);
  if (failed(lhs))
    return llvm::failure();
  Value rhs;
  if (std::optional<double> number = numberArgument(node.argument(1))) {
    auto known = embeddingMasks.find(lhs->getAsOpaquePointer());
    if (*number == 0 && known != embeddingMasks.end())
      return known->second;
    rhs = splatLike(loc, *lhs, *number, nn::tensorType(*lhs).getElementType());
  } else {
    llvm::FailureOr<Value> other = evaluateArgument(node, 1);
    if (failed(other))
      return llvm::failure();
    rhs = *other;
  }
  if (lhs->getType() != rhs.getType())
    return diags.error(file + ": operation '" + node.path +
                       "' compares tensors of different types");
  return Value(
      nn::CompareOp::create(builder, loc, nn::CompareKind::Ne, *lhs, rhs));
}

/// The dimension that `axis` names, or an error.
static llvm::FailureOr<int64_t> axisOf(JsonView axis, int64_t rank) {
  int64_t number = axis.getInt();
  if (number < -rank || number >= rank)
    return axis.error("axis " + Twine(number) + " of a tensor of rank " +
                      Twine(rank));
  return number < 0 ? number + rank : number;
}

llvm::FailureOr<Value> Emitter::evaluateAny(OperationNode &node) {
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(node.path));
  JsonView config = node.config->config;
  bool keep = config.getBool("keepdims", false);

  // Keras's own mask of a Masking layer: any(not_equal(x, value), axis=-1).
  const Argument *argument = node.argument(0);
  const NodeValue *inner = argument && argument->kind == Argument::Tensor
                               ? node.frame->find(argument->tensor)
                               : nullptr;
  if (inner && inner->operation &&
      inner->operation->config->className == "NotEqual" && !keep) {
    OperationNode &compare = *inner->operation;
    std::optional<double> number = numberArgument(compare.argument(1));
    if (number) {
      llvm::FailureOr<Value> compared = evaluateArgument(compare, 0);
      if (failed(compared))
        return llvm::failure();
      auto known = maskingMasks.find(
          {compared->getAsOpaquePointer(), llvm::bit_cast<uint64_t>(*number)});
      llvm::FailureOr<int64_t> axis =
          axisOf(config["axis"], nn::tensorType(*compared).getRank());
      if (failed(axis))
        return llvm::failure();
      if (known != maskingMasks.end() &&
          *axis == nn::tensorType(*compared).getRank() - 1)
        return known->second;
    }
  }

  llvm::FailureOr<Value> operand = evaluateArgument(node, 0);
  if (failed(operand))
    return llvm::failure();
  RankedTensorType type = nn::tensorType(*operand);
  llvm::FailureOr<int64_t> axis = axisOf(config["axis"], type.getRank());
  if (failed(axis))
    return llvm::failure();
  if (!type.getElementType().isInteger(1))
    operand = convert(loc, *operand, builder.getI1Type());
  auto shape = llvm::to_vector(type.getShape());
  shape.erase(shape.begin() + *axis);
  Value result = nn::ReduceOp::create(
      builder, loc, RankedTensorType::get(shape, builder.getI1Type()),
      nn::ReduceKind::Or, *operand, llvm::ArrayRef<int64_t>{*axis});
  if (!keep)
    return result;
  shape.insert(shape.begin() + *axis, 1);
  return Value(nn::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, builder.getI1Type()), result));
}

llvm::FailureOr<Value> Emitter::evaluateConcatenate(OperationNode &node) {
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(node.path));
  std::vector<TensorRef> refs;
  if (const Argument *argument = node.argument(0))
    argument->collect(refs);
  llvm::SmallVector<Value> values;
  for (const TensorRef &ref : refs) {
    llvm::FailureOr<Tensor> tensor = read(ref, *node.frame);
    if (failed(tensor))
      return llvm::failure();
    values.push_back(tensor->value);
  }
  std::string where = file + ": operation '" + node.path + "' (Concatenate)";
  if (values.empty())
    return diags.error(where + " has no tensors");
  RankedTensorType type = nn::tensorType(values.front());
  llvm::FailureOr<int64_t> axis =
      axisOf(node.config->config["axis"], type.getRank());
  if (failed(axis))
    return llvm::failure();
  auto shape = llvm::to_vector(type.getShape());
  if (ShapedType::isDynamic(shape[size_t(*axis)]))
    return diags.error(where + " joins along the batch");
  shape[size_t(*axis)] = 0;
  for (Value value : values) {
    RankedTensorType other = nn::tensorType(value);
    bool fits = other.getRank() == type.getRank() &&
                other.getElementType() == type.getElementType();
    for (int64_t i = 0; fits && i < type.getRank(); ++i)
      fits = i == *axis || other.getDimSize(i) == type.getDimSize(i);
    if (!fits)
      return diags.error(where + " joins tensors whose shapes do not fit");
    shape[size_t(*axis)] += other.getDimSize(*axis);
  }
  return Value(
      nn::ConcatOp::create(builder, loc, type.clone(shape), values, *axis));
}

llvm::FailureOr<Value> Emitter::evaluate(OperationNode &node) {
  if (node.value)
    return node.value;
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(node.path));
  StringRef name = node.config->className;
  llvm::FailureOr<Value> result = llvm::failure();
  if (name == "NotEqual") {
    result = evaluateNotEqual(node);
  } else if (name == "Any") {
    result = evaluateAny(node);
  } else if (name == "Concatenate") {
    result = evaluateConcatenate(node);
  } else if (name == "LogicalOr") {
    llvm::FailureOr<Value> lhs = evaluateArgument(node, 0);
    llvm::FailureOr<Value> rhs = evaluateArgument(node, 1);
    if (failed(lhs) || failed(rhs))
      return llvm::failure();
    result = logicalOr(loc, convert(loc, *lhs, builder.getI1Type()),
                       convert(loc, *rhs, builder.getI1Type()), node.path);
  } else if (name == "ExpandDims") {
    llvm::FailureOr<Value> operand = evaluateArgument(node, 0);
    if (failed(operand))
      return llvm::failure();
    RankedTensorType type = nn::tensorType(*operand);
    llvm::FailureOr<int64_t> axis =
        axisOf(node.config->config["axis"], type.getRank() + 1);
    if (failed(axis))
      return llvm::failure();
    auto shape = llvm::to_vector(type.getShape());
    shape.insert(shape.begin() + *axis, 1);
    result =
        Value(nn::ReshapeOp::create(builder, loc, type.clone(shape), *operand));
  } else {
    // ZerosLike and OnesLike stand here as all-false and all-true masks.
    llvm::FailureOr<Value> operand = evaluateArgument(node, 0);
    if (failed(operand))
      return llvm::failure();
    result = splatLike(loc, *operand, name == "OnesLike" ? 1 : 0,
                       builder.getI1Type());
  }
  // A frame's nodes and their readers stand in one block.
  if (succeeded(result))
    node.value = *result;
  return result;
}
