//===- InterpretLinear.cpp - meaning of products and convolutions ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element of a result is one sum, taken in the row-major order of the
// contracted dimensions.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include <algorithm>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

//===----------------------------------------------------------------------===//
// nn.dot
//===----------------------------------------------------------------------===//

namespace {

/// One side of a product, brought into a shape of three dimensions.
struct Side {
  Shape batch, free, contract; ///< dimensions of the operand
  HostTensor packed;
};

} // namespace

static Side sideOf(const HostTensor &x, ArrayRef<int64_t> batch,
                   ArrayRef<int64_t> contract) {
  Side side{Shape(batch), {}, Shape(contract), {}};
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      side.free.push_back(d);
  return side;
}

static Shape extents(const HostTensor &x, ArrayRef<int64_t> dims) {
  Shape shape;
  for (int64_t d : dims)
    shape.push_back(x.getDim(d));
  return shape;
}

/// The operand with its dimensions in the given order.
static HostTensor packed(const HostTensor &x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order)) // row-major already
    return x;
  Shape shape = extents(x, order), strides, from = stridesOf(x.getShape());
  for (int64_t d : order)
    strides.push_back(from[d]);
  HostTensor result(x.getType(), shape);
  copyStrided(x.getType(), shape, x.data(), strides, result.mutableData(),
              stridesOf(shape));
  return result;
}

/// c[m,n] += a[m,k] · b[k,n], k upwards for each element. A block of b stays
/// in the cache while rows of c pass.
template <typename T>
static void multiply(int64_t m, int64_t n, int64_t k, const T *a, const T *b,
                     T *c) {
  constexpr int64_t block = 64;
  for (int64_t k0 = 0; k0 < k; k0 += block)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = k0, end = std::min(k, k0 + block); l < end; ++l) {
        const T x = a[i * k + l];
        const T *from = b + l * n;
        T *to = c + i * n;
        for (int64_t j = 0; j < n; ++j)
          to[j] = addOf(to[j], mulOf(x, from[j]));
      }
}

static LogicalResult dotRule(DotOp op, Operands operands,
                             InterpretContext &context, Results &results) {
  const HostTensor &lhs = operands[0], &rhs = operands[1];
  Side l = sideOf(lhs, op.getLhsBatch(), op.getLhsContract());
  Side r = sideOf(rhs, op.getRhsBatch(), op.getRhsContract());
  if (extents(lhs, l.batch) != extents(rhs, r.batch) ||
      extents(lhs, l.contract) != extents(rhs, r.contract))
    return context.fail(op, "multiplies " + lhs.typeString() + " by " +
                                rhs.typeString() +
                                ", whose paired extents differ");
  // (batch, m, k) · (batch, k, n)
  Shape leftOrder = l.batch, rightOrder = r.batch;
  llvm::append_range(leftOrder, l.free);
  llvm::append_range(leftOrder, l.contract);
  llvm::append_range(rightOrder, r.contract);
  llvm::append_range(rightOrder, r.free);
  HostTensor a = packed(lhs, leftOrder), b = packed(rhs, rightOrder);
  int64_t batch = product(extents(lhs, l.batch)),
          m = product(extents(lhs, l.free)), n = product(extents(rhs, r.free)),
          k = product(extents(lhs, l.contract));
  Shape shape = extents(lhs, l.batch);
  llvm::append_range(shape, extents(lhs, l.free));
  llvm::append_range(shape, extents(rhs, r.free));
  HostTensor result(lhs.getType(), shape);
  dispatchComputed(result.getType(), [&]<typename T>() {
    const T *x = a.values<T>().data(), *y = b.values<T>().data();
    T *z = result.mutableValues<T>().data();
    for (int64_t i = 0; i < batch; ++i)
      multiply<T>(m, n, k, x + i * m * k, y + i * k * n, z + i * m * n);
  });
  results.push_back(std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// nn.conv2d and its gradients
//===----------------------------------------------------------------------===//

namespace {

/// A convolution's extents, and its walk: f(n, y, x, oy, ox, ky, kx) for each
/// pair of an input element's place (n, y, x) and a result's (n, oy, ox) that
/// kernel element (ky, kx) connects; for one result in row-major order of the
/// kernel.
struct Window {
  int64_t rows, height, width, outHeight, outWidth, kernelHeight, kernelWidth;
  ArrayRef<int64_t> strides, dilations, padding;

  template <typename F> void forEach(F &&f) const {
    for (int64_t n = 0; n < rows; ++n)
      for (int64_t oy = 0; oy < outHeight; ++oy)
        for (int64_t ox = 0; ox < outWidth; ++ox)
          for (int64_t ky = 0; ky < kernelHeight; ++ky)
            for (int64_t kx = 0; kx < kernelWidth; ++kx) {
              int64_t y = oy * strides[0] + ky * dilations[0] - padding[0];
              int64_t x = ox * strides[1] + kx * dilations[1] - padding[2];
              if (y >= 0 && y < height && x >= 0 && x < width)
                f((n * height + y) * width + x,
                  (n * outHeight + oy) * outWidth + ox, ky * kernelWidth + kx);
            }
  }
};

} // namespace

/// ⌊(in + before + after − dilation·(kernel − 1) − 1)/stride⌋ + 1
static int64_t outExtent(int64_t in, int64_t kernel, int64_t stride,
                         int64_t dilation, int64_t before, int64_t after) {
  int64_t span = in + before + after - dilation * (kernel - 1) - 1;
  return span < 0 ? 0 : span / stride + 1;
}

/// The window of an op from the shapes of input, kernel and result. The
/// kernel's shape is (KH, KW, C, F).
template <typename OpT>
static Window windowOf(OpT op, ArrayRef<int64_t> input,
                       ArrayRef<int64_t> kernel, ArrayRef<int64_t> output) {
  return {input[0],          input[1],       input[2],  output[1],
          output[2],         kernel[0],      kernel[1], op.getStrides(),
          op.getDilations(), op.getPadding()};
}

static LogicalResult convRule(Conv2DOp op, Operands operands,
                              InterpretContext &, Results &results) {
  const HostTensor &input = operands[0], &kernel = operands[1];
  ArrayRef<int64_t> s = op.getStrides(), d = op.getDilations(),
                    p = op.getPadding();
  int64_t channels = kernel.getDim(2), filters = kernel.getDim(3);
  Shape shape{
      input.getDim(0),
      outExtent(input.getDim(1), kernel.getDim(0), s[0], d[0], p[0], p[1]),
      outExtent(input.getDim(2), kernel.getDim(1), s[1], d[1], p[2], p[3]),
      filters};
  HostTensor result(input.getType(), shape);
  dispatchComputed(result.getType(), [&]<typename T>() {
    const T *in = input.values<T>().data(), *k = kernel.values<T>().data();
    T *out = result.mutableValues<T>().data();
    windowOf(op, input.getShape(), kernel.getShape(), shape)
        .forEach([&](int64_t i, int64_t o, int64_t w) {
          multiply<T>(1, filters, channels, in + i * channels,
                      k + w * channels * filters, out + o * filters);
        });
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult convInputGradRule(Conv2DInputGradOp op, Operands operands,
                                       InterpretContext &, Results &results) {
  const HostTensor &grad = operands[0], &kernel = operands[1];
  int64_t channels = kernel.getDim(2), filters = kernel.getDim(3);
  Shape shape(tensorType(op).getShape());
  shape[0] = grad.getDim(0);
  HostTensor result(grad.getType(), shape);
  dispatchComputed(result.getType(), [&]<typename T>() {
    const T *g = grad.values<T>().data(), *k = kernel.values<T>().data();
    T *out = result.mutableValues<T>().data();
    windowOf(op, shape, kernel.getShape(), grad.getShape())
        .forEach([&](int64_t i, int64_t o, int64_t w) {
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t f = 0; f < filters; ++f)
              out[i * channels + c] =
                  addOf(out[i * channels + c],
                        mulOf(g[o * filters + f],
                              k[(w * channels + c) * filters + f]));
        });
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult convKernelGradRule(Conv2DKernelGradOp op,
                                        Operands operands, InterpretContext &,
                                        Results &results) {
  const HostTensor &input = operands[0], &grad = operands[1];
  Shape shape(tensorType(op).getShape());
  int64_t channels = shape[2], filters = shape[3];
  HostTensor result(input.getType(), shape);
  dispatchComputed(result.getType(), [&]<typename T>() {
    const T *in = input.values<T>().data(), *g = grad.values<T>().data();
    T *out = result.mutableValues<T>().data();
    windowOf(op, input.getShape(), shape, grad.getShape())
        .forEach([&](int64_t i, int64_t o, int64_t w) {
          multiply<T>(channels, filters, 1, in + i * channels, g + o * filters,
                      out + w * channels * filters);
        });
  });
  results.push_back(std::move(result));
  return success();
}

void interp::attachLinearRules(MLIRContext &context) {
  attach<DotOp, dotRule>(context);
  attach<Conv2DOp, convRule>(context);
  attach<Conv2DInputGradOp, convInputGradRule>(context);
  attach<Conv2DKernelGradOp, convKernelGradRule>(context);
}
