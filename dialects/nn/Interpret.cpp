//===- Interpret.cpp - host tensors, blocks, registration of the rules ----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Interpret.h"

#include "dialects/nn/InterpretRules.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::nn::interp;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t interp::product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t d : shape)
    result *= d;
  return result;
}

Shape interp::stridesOf(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Shape interp::shapeLike(RankedTensorType type, Value likeValue,
                        const HostTensor *like) {
  Shape shape(type.getShape());
  for (int64_t &d : shape) {
    if (!ShapedType::isDynamic(d))
      continue;
    d = 0;
    for (int64_t k = 0; like && k < like->getRank(); ++k)
      if (tensorType(likeValue).isDynamicDim(k))
        d = like->getDim(k);
  }
  return shape;
}

template <typename T>
static void copyTyped(ArrayRef<int64_t> shape, const T *from,
                      ArrayRef<int64_t> fromStrides, T *to,
                      ArrayRef<int64_t> toStrides) {
  if (product(shape) == 0)
    return;
  if (shape.empty()) {
    *to = *from;
    return;
  }
  if (shape.size() == 1) {
    for (int64_t i = 0; i < shape[0]; ++i)
      to[i * toStrides[0]] = from[i * fromStrides[0]];
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    copyTyped(shape.drop_front(), from + i * fromStrides[0],
              fromStrides.drop_front(), to + i * toStrides[0],
              toStrides.drop_front());
}

void interp::copyStrided(HostType type, ArrayRef<int64_t> shape,
                         const void *from, ArrayRef<int64_t> fromStrides,
                         void *to, ArrayRef<int64_t> toStrides) {
  dispatch(type, [&]<typename T>() {
    copyTyped<T>(shape, static_cast<const T *>(from), fromStrides,
                 static_cast<T *>(to), toStrides);
  });
}

//===----------------------------------------------------------------------===//
// HostTensor
//===----------------------------------------------------------------------===//

size_t belfry::nn::hostTypeSize(HostType type) {
  return dispatch(type, []<typename T>() { return sizeof(T); });
}

StringRef belfry::nn::hostTypeName(HostType type) {
  constexpr StringLiteral names[] = {"i1",  "i8",   "i32", "i64",
                                     "f16", "bf16", "f32", "f64"};
  return names[static_cast<size_t>(type)];
}

HostTensor::HostTensor(HostType type, ArrayRef<int64_t> shape)
    : type(type), shape(shape) {
  storage =
      std::make_shared<std::vector<uint64_t>>((sizeInBytes() + 7) / 8 + 1, 0);
}

int64_t HostTensor::size() const { return product(shape); }

void HostTensor::makeUnique() {
  if (storage.use_count() > 1)
    storage = std::make_shared<std::vector<uint64_t>>(*storage);
}

double HostTensor::getAsDouble(int64_t index) const {
  return dispatch(type, [&]<typename T>() {
    return static_cast<double>(values<T>()[index]);
  });
}

int64_t HostTensor::getAsInteger(int64_t index) const {
  return dispatch(type, [&]<typename T>() {
    return static_cast<int64_t>(values<T>()[index]);
  });
}

HostTensor HostTensor::reshape(ArrayRef<int64_t> newShape) const {
  HostTensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

/// Float to integer truncates toward zero and saturates, and NaN gives 0;
/// integer to integer keeps the low bits; f16 and bf16 are made of an f32.
template <typename To, typename From> static To convertElement(From x) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return convertElement<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, Half> ||
                       std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, uint8_t>) {
    return x != 0;
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<From>) {
    if (x != x)
      return 0;
    // The bounds are powers of two, the upper one the first that is too large.
    constexpr double low = std::numeric_limits<To>::min();
    double wide = x;
    if (wide >= -low)
      return std::numeric_limits<To>::max();
    if (wide <= low)
      return std::numeric_limits<To>::min();
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(x);
  }
}

HostTensor HostTensor::convertTo(HostType newType) const {
  if (newType == type)
    return *this;
  HostTensor result(newType, shape);
  dispatch(type, [&]<typename From>() {
    dispatch(newType, [&]<typename To>() {
      ArrayRef<From> from = values<From>();
      MutableArrayRef<To> to = result.mutableValues<To>();
      for (size_t i = 0; i < from.size(); ++i)
        to[i] = convertElement<To>(from[i]);
    });
  });
  return result;
}

HostTensor HostTensor::takeBlock(int64_t dim, int64_t begin,
                                 int64_t count) const {
  Shape part(shape);
  part[dim] = count;
  HostTensor result(type, part);
  Shape strides = stridesOf(shape);
  const char *from = static_cast<const char *>(data()) +
                     begin * strides[dim] * hostTypeSize(type);
  copyStrided(type, part, from, strides, result.mutableData(), stridesOf(part));
  return result;
}

HostTensor HostTensor::join(ArrayRef<HostTensor> parts, int64_t dim) {
  Shape whole(parts.front().getShape());
  whole[dim] = 0;
  for (const HostTensor &part : parts)
    whole[dim] += part.getDim(dim);
  HostTensor result(parts.front().getType(), whole);
  Shape strides = stridesOf(whole);
  char *to = static_cast<char *>(result.mutableData());
  for (const HostTensor &part : parts) {
    copyStrided(part.getType(), part.getShape(), part.data(),
                stridesOf(part.getShape()), to, strides);
    to += part.getDim(dim) * strides[dim] * hostTypeSize(part.getType());
  }
  return result;
}

bool HostTensor::isIdenticalTo(const HostTensor &other) const {
  return type == other.type && shape == other.shape &&
         std::memcmp(data(), other.data(), sizeInBytes()) == 0;
}

std::string HostTensor::typeString() const {
  std::string result;
  for (int64_t d : shape)
    result += std::to_string(d) + "x";
  return result + hostTypeName(type).str();
}

//===----------------------------------------------------------------------===//
// InterpretContext, blocks
//===----------------------------------------------------------------------===//

HostType InterpretContext::getHostType(Type element) const {
  if (isa<FloatType>(element)) {
    if (precision == Precision::F64)
      return HostType::F64;
    return element.isF16()    ? HostType::F16
           : element.isBF16() ? HostType::BF16
                              : HostType::F32;
  }
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return HostType::Bool;
  case 8:
    return HostType::I8;
  case 32:
    return HostType::I32;
  default:
    return HostType::I64;
  }
}

LogicalResult InterpretContext::fail(Operation *op, const Twine &message) {
  if (!failure)
    failure =
        Failure{op->getLoc(),
                ("'" + op->getName().getStringRef() + "' op " + message).str(),
                {}};
  return llvm::failure();
}

LogicalResult InterpretContext::adopt(const Failure &other,
                                      const Twine &where) {
  failure = other;
  failure->where = where.str();
  return llvm::failure();
}

LogicalResult belfry::nn::runWidened(Operation *op,
                                     ArrayRef<HostTensor> operands,
                                     InterpretContext &context,
                                     SmallVectorImpl<HostTensor> &results,
                                     Rule rule) {
  SmallVector<HostTensor> wide(operands);
  for (HostTensor &operand : wide)
    if (isNarrow(operand.getType()))
      operand = operand.convertTo(HostType::F32);
  if (failed(rule(wide, results)))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op->getResults(), results)) {
    HostType type = context.getHostType(tensorType(value).getElementType());
    if (isNarrow(type))
      result = result.convertTo(type);
  }
  return success();
}

LogicalResult belfry::nn::interpretBlock(Block &block,
                                         ArrayRef<HostTensor> arguments,
                                         InterpretContext &context,
                                         SmallVectorImpl<HostTensor> &results) {
  DenseMap<Value, HostTensor> values;
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = tensor;
  SmallVector<HostTensor> operands, opResults;
  for (Operation &op : block) {
    operands.clear();
    for (Value v : op.getOperands())
      operands.push_back(values.lookup(v));
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results.assign(operands.begin(), operands.end());
      return success();
    }
    auto rule = dyn_cast<InterpretableOpInterface>(&op);
    if (!rule)
      return context.fail(&op, "has no rule for the interpreter");
    opResults.clear();
    if (failed(rule.interpret(operands, context, opResults)))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), opResults))
      values[value] = tensor;
  }
  return success();
}

void belfry::nn::registerInterpreterModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NnDialect *) {
    attachElementwiseRules(*context);
    attachShapeRules(*context);
    attachLinearRules(*context);
    attachIndexRules(*context);
    attachRandomRules(*context);
    attachScanRules(*context);
  });
}
