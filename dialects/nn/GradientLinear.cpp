//===- GradientLinear.cpp - gradients of products and convolutions --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/GradientLinear.h"
#include "dialects/nn/GradientModel.h"

using namespace mlir;
using namespace belfry::nn;

/// The dimensions of a side that are neither batch nor contracted.
static SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                                     ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

static SmallVector<int64_t> range(int64_t from, int64_t count) {
  return llvm::to_vector(llvm::seq(from, from + count));
}

Value belfry::nn::buildDotGradient(CoreBuilder &b, DotOp op, bool ofLeft,
                                   Value other, Value resultGrad,
                                   bool stacked) {
  // The result of the product is batch, left free, right free. The gradient of
  // a side contracts the free dimensions of the other one.
  RankedTensorType side = tensorType(ofLeft ? op.getLhs() : op.getRhs());
  ArrayRef<int64_t> sideBatch = ofLeft ? op.getLhsBatch() : op.getRhsBatch();
  ArrayRef<int64_t> sideContract =
      ofLeft ? op.getLhsContract() : op.getRhsContract();
  ArrayRef<int64_t> otherBatch = ofLeft ? op.getRhsBatch() : op.getLhsBatch();
  ArrayRef<int64_t> otherContract =
      ofLeft ? op.getRhsContract() : op.getLhsContract();
  int64_t otherRank = tensorType(ofLeft ? op.getRhs() : op.getLhs()).getRank();
  SmallVector<int64_t> sideFree =
      freeDims(side.getRank(), sideBatch, sideContract);
  SmallVector<int64_t> otherFree =
      freeDims(otherRank, otherBatch, otherContract);
  int64_t batches = static_cast<int64_t>(sideBatch.size());
  int64_t shift = stacked ? 1 : 0;

  auto shifted = [&](ArrayRef<int64_t> dims) {
    SmallVector<int64_t> result;
    for (int64_t d : dims)
      result.push_back(d + shift);
    return result;
  };
  SmallVector<int64_t> gradBatch = range(shift, batches);
  SmallVector<int64_t> gradContract =
      ofLeft ? range(shift + batches + static_cast<int64_t>(sideFree.size()),
                     static_cast<int64_t>(otherFree.size()))
             : range(shift + batches, static_cast<int64_t>(otherFree.size()));
  SmallVector<int64_t> otherSum = shifted(otherFree);
  if (stacked) {
    gradContract.insert(gradContract.begin(), 0);
    otherSum.insert(otherSum.begin(), 0);
  }

  // What is left of the other side are its contracted dimensions in ascending
  // order, each of which stands for one of this side.
  SmallVector<int64_t> kept;
  for (int64_t d : freeDims(otherRank, otherBatch, otherFree))
    kept.push_back(
        sideContract[llvm::find(otherContract, d) - otherContract.begin()]);

  // Where 16 bits were added in f32, so are their gradients.
  Type element = getElementTypeOrSelf(resultGrad);
  if (getElementTypeOrSelf(other) != element)
    other = b.convert(other, element);
  Value product;
  SmallVector<int64_t> order(
      sideBatch); // dimension of the side at each of the product's
  if (ofLeft) {
    product =
        DotOp::create(b.getBuilder(), b.getLoc(), resultGrad, other, gradBatch,
                      shifted(otherBatch), gradContract, otherSum);
    llvm::append_range(order, sideFree);
    llvm::append_range(order, kept);
  } else {
    product =
        DotOp::create(b.getBuilder(), b.getLoc(), other, resultGrad,
                      shifted(otherBatch), gradBatch, otherSum, gradContract);
    llvm::append_range(order, kept);
    llvm::append_range(order, sideFree);
  }
  SmallVector<int64_t> perm(order.size());
  for (auto [at, d] : llvm::enumerate(order))
    perm[d] = static_cast<int64_t>(at);
  Value gradient = b.transpose(product, perm);
  return element == side.getElementType()
             ? gradient
             : b.convert(gradient, side.getElementType());
}

namespace {

struct DotGradient : GradientModel<DotGradient, DotOp> {
  static LogicalResult build(DotOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    if (wanted[0])
      out[0] = buildDotGradient(b, op, /*ofLeft=*/true, op.getRhs(), grads[0]);
    if (wanted[1])
      out[1] = buildDotGradient(b, op, /*ofLeft=*/false, op.getLhs(), grads[0]);
    return success();
  }
};

// A convolution and its two gradients are the three faces of one trilinear
// form, so each is the gradient of the others.
template <typename OpT>
Value conv(CoreBuilder &b, Operation *like, Type type, Value x, Value y) {
  auto list = [&](StringRef name) {
    return like->getAttrOfType<DenseI64ArrayAttr>(name);
  };
  return OpT::create(b.getBuilder(), b.getLoc(), type, x, y, list("strides"),
                     list("dilations"), list("padding"));
}

struct Conv2DGradient : GradientModel<Conv2DGradient, Conv2DOp> {
  static LogicalResult build(Conv2DOp op, CoreBuilder &b, ValueRange grads,
                             ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    Value x = op.getInput(), k = op.getKernel();
    if (wanted[0])
      out[0] = conv<Conv2DInputGradOp>(b, op, x.getType(), grads[0], k);
    if (wanted[1])
      out[1] = conv<Conv2DKernelGradOp>(b, op, k.getType(), x, grads[0]);
    return success();
  }
};

struct Conv2DInputGradGradient
    : GradientModel<Conv2DInputGradGradient, Conv2DInputGradOp> {
  static LogicalResult build(Conv2DInputGradOp op, CoreBuilder &b,
                             ValueRange grads, ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    Value dy = op.getGrad(), k = op.getKernel();
    if (wanted[0])
      out[0] = conv<Conv2DOp>(b, op, dy.getType(), grads[0], k);
    if (wanted[1])
      out[1] = conv<Conv2DKernelGradOp>(b, op, k.getType(), grads[0], dy);
    return success();
  }
};

struct Conv2DKernelGradGradient
    : GradientModel<Conv2DKernelGradGradient, Conv2DKernelGradOp> {
  static LogicalResult build(Conv2DKernelGradOp op, CoreBuilder &b,
                             ValueRange grads, ArrayRef<bool> wanted,
                             SmallVectorImpl<Value> &out) {
    Value x = op.getInput(), dy = op.getGrad();
    if (wanted[0])
      out[0] = conv<Conv2DInputGradOp>(b, op, x.getType(), dy, grads[0]);
    if (wanted[1])
      out[1] = conv<Conv2DOp>(b, op, dy.getType(), x, grads[0]);
    return success();
  }
};

} // namespace

void belfry::nn::attachLinearGradients(MLIRContext *context) {
  DotGradient::attach(context);
  Conv2DGradient::attach(context);
  Conv2DInputGradGradient::attach(context);
  Conv2DKernelGradGradient::attach(context);
}
