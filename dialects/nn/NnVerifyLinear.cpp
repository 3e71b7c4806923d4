//===- NnVerifyLinear.cpp - verifiers of convolutions and of nn.scan ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Verify.h"

using namespace mlir;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Checks a convolution of `input` and `kernel` that gives `result`, whichever
/// of them the op computes.
template <typename OpT>
static LogicalResult verifyConv2D(OpT op, RankedTensorType input,
                                  RankedTensorType kernel,
                                  RankedTensorType result) {
  for (RankedTensorType type : {input, kernel, result})
    if (type.getRank() != 4)
      return op.emitOpError("takes and gives tensors of rank 4, got ") << type;
  for (RankedTensorType type : {kernel, result})
    if (type.getElementType() != input.getElementType())
      return op.emitOpError("has element types ")
             << input.getElementType() << " and " << type.getElementType();
  if (!kernel.hasStaticShape())
    return op.emitOpError("has a kernel ") << kernel << " that is not static";
  for (RankedTensorType type : {input, result})
    for (int64_t d = 1; d < 4; ++d)
      if (type.isDynamicDim(d))
        return op.emitOpError("has the dynamic dimension ")
               << d << " in " << type << ", but only the first may be";
  auto list = [&](StringRef name, ArrayRef<int64_t> values, size_t length,
                  int64_t least) -> LogicalResult {
    if (values.size() != length)
      return op.emitOpError() << name << " has " << values.size()
                              << " entries, expected " << length;
    for (int64_t v : values)
      if (v < least)
        return op.emitOpError()
               << name << " has " << v << ", expected at least " << least;
    return success();
  };
  if (failed(list("strides", op.getStrides(), 2, 1)) ||
      failed(list("dilations", op.getDilations(), 2, 1)) ||
      failed(list("padding", op.getPadding(), 4, 0)))
    return failure();
  if (input.getDimSize(3) != kernel.getDimSize(2))
    return op.emitOpError("has ")
           << input.getDimSize(3) << " input channels, but the kernel "
           << kernel.getDimSize(2);
  SmallVector<int64_t> shape{input.getDimSize(0)};
  for (int64_t i = 0; i < 2; ++i) {
    int64_t padded = input.getDimSize(i + 1) + op.getPadding()[2 * i] +
                     op.getPadding()[2 * i + 1];
    int64_t window = op.getDilations()[i] * (kernel.getDimSize(i) - 1) + 1;
    if (window > padded || kernel.getDimSize(i) == 0)
      return op.emitOpError("has a kernel of extent ")
             << window << ", which does not fit into the " << padded
             << " of dimension " << i + 1;
    shape.push_back((padded - window) / op.getStrides()[i] + 1);
  }
  shape.push_back(kernel.getDimSize(3));
  return verifyType(op, "convolution's result", result,
                    withShape(input, shape));
}

LogicalResult Conv2DOp::verify() {
  return verifyConv2D(*this, tensorType(getInput()), tensorType(getKernel()),
                      tensorType(getResult()));
}
LogicalResult Conv2DInputGradOp::verify() {
  return verifyConv2D(*this, tensorType(getResult()), tensorType(getKernel()),
                      tensorType(getGrad()));
}
LogicalResult Conv2DKernelGradOp::verify() {
  return verifyConv2D(*this, tensorType(getInput()), tensorType(getResult()),
                      tensorType(getGrad()));
}

//===----------------------------------------------------------------------===//
// nn.scan
//===----------------------------------------------------------------------===//

/// The steps, or failure after an error.
static FailureOr<int64_t> verifySequences(ScanOp scan) {
  if (scan.getSequences().empty()) {
    if (!scan.getLength())
      return scan.emitOpError("has neither sequences nor a length");
    if (static_cast<int64_t>(*scan.getLength()) < 0)
      return scan.emitOpError("has the length ")
             << static_cast<int64_t>(*scan.getLength())
             << ", expected at least 0";
    return static_cast<int64_t>(*scan.getLength());
  }
  if (scan.getLength())
    return scan.emitOpError(
        "has sequences, which give the number of steps, and a length");
  std::optional<int64_t> steps;
  for (Value v : scan.getSequences()) {
    RankedTensorType type = tensorType(v);
    if (type.getRank() == 0 || type.isDynamicDim(0))
      return scan.emitOpError("has a sequence of type ")
             << type
             << ", whose leading dimension is not a static number of steps";
    if (steps && *steps != type.getDimSize(0))
      return scan.emitOpError("has sequences of ")
             << *steps << " and of " << type.getDimSize(0) << " steps";
    steps = type.getDimSize(0);
  }
  return *steps;
}

/// The arguments of the body.
static LogicalResult verifyArguments(ScanOp scan) {
  Block &body = scan.getBody().front();
  SmallVector<Type> expected(scan.getInits().getTypes());
  for (Value v : scan.getSequences())
    expected.push_back(
        withShape(tensorType(v), tensorType(v).getShape().drop_front()));
  llvm::append_range(expected, scan.getClosed().getTypes());
  if (body.getNumArguments() != expected.size())
    return scan.emitOpError("has a body with ")
           << body.getNumArguments() << " arguments, expected "
           << expected.size()
           << ": carried values, elements of the sequences, closed values";
  for (auto [i, type] : llvm::enumerate(expected))
    if (failed(verifyType(scan, "argument " + Twine(i) + " of the body",
                          body.getArgument(i).getType(), type)))
      return failure();
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  FailureOr<int64_t> steps = verifySequences(*this);
  if (failed(steps) || failed(verifyArguments(*this)))
    return failure();
  if (getFinals().size() != getInits().size())
    return emitOpError("carries ") << getInits().size() << " values, but has "
                                   << getFinals().size() << " last ones";
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("has a body that does not end with nn.yield");
  if (yield.getCarry().size() != getInits().size() ||
      yield.getOutputs().size() != getOutputs().size())
    return yield.emitOpError("yields ")
           << yield.getCarry().size() << " carried values and "
           << yield.getOutputs().size() << " outputs, expected "
           << getInits().size() << " and " << getOutputs().size();
  for (auto [i, type] : llvm::enumerate(getInits().getTypes()))
    if (failed(verifyType(yield, "carried value " + Twine(i),
                          yield.getCarry()[i].getType(), type)) ||
        failed(verifyType(*this, "last carried value " + Twine(i),
                          getFinals()[i].getType(), type)))
      return failure();
  for (auto [i, value] : llvm::enumerate(yield.getOutputs())) {
    SmallVector<int64_t> shape{*steps};
    llvm::append_range(shape, tensorType(value).getShape());
    if (failed(verifyType(*this, "output " + Twine(i),
                          getOutputs()[i].getType(),
                          withShape(tensorType(value), shape))))
      return failure();
  }
  if (Value mask = getMask()) {
    RankedTensorType type = tensorType(mask);
    if (type.getRank() != 2 || type.getDimSize(0) != *steps)
      return emitOpError("has a mask of type ")
             << type << ", expected " << *steps
             << " steps by the number of rows";
    SmallVector<Value> rows(yield.getCarry());
    llvm::append_range(rows, yield.getOutputs());
    for (Value v : rows)
      if (tensorType(v).getRank() == 0 ||
          tensorType(v).getDimSize(0) != type.getDimSize(1))
        return yield.emitOpError("yields a ")
               << v.getType()
               << ", whose leading dimension is not the rows of the mask "
               << type;
  }
  for (Operation &op : getBody().front().without_terminator())
    if (op.getDialect() == (*this)->getDialect() && !op.hasTrait<CoreOp>()) {
      InFlightDiagnostic diag =
          op.emitOpError("stands in a body of nn.scan, which takes core ops");
      diag.attachNote(getLoc()) << "nn.scan is here";
      return diag;
    }
  return success();
}
