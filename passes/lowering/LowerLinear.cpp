//===- LowerLinear.cpp - products and convolutions ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything linear becomes linalg.matmul on strided memrefs: C += A·B with one
// unit stride in A, one in B, and contiguous rows of C. A convolution is a
// product for each row of the output: the windows of a row are an overlapping
// view of the input, so nothing is gathered first.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/ParallelLoops.h"

#include "belfry/Runtime.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace belfry;

/// Whether a matrix (the last two dimensions) can be an operand as it is.
static bool isOperand(const View &view) {
  unsigned r = view.rank() - 2, c = view.rank() - 1;
  auto unit = [&](unsigned d) {
    return view.strides[d].is(1) || view.sizes[d].is(1);
  };
  auto forward = [&](unsigned d) {
    return view.strides[d].perRow >= 0 && view.strides[d].fixed >= 0;
  };
  return view.base && forward(r) && forward(c) && (unit(r) || unit(c));
}

static bool isTarget(const View &view) {
  unsigned c = view.rank() - 1;
  return view.strides[c].is(1) || view.sizes[c].is(1);
}

/// Where an extent is 1 the stride means nothing; the library wants it to be 1.
static View normalized(View view) {
  unsigned r = view.rank() - 2, c = view.rank() - 1;
  if (view.sizes[c].is(1) && !view.strides[r].is(1))
    view.strides[c] = Affine::of(1);
  else if (view.sizes[r].is(1) && !view.strides[c].is(1))
    view.strides[r] = Affine::of(1);
  return view;
}

void NnLowering::product(const View &x, const View &y, const View &z) {
  linalg::MatmulOp::create(
      b, loc, ValueRange{memref(normalized(x)), memref(normalized(y))},
      ValueRange{memref(z)});
}

/// Marks the loops of these indices: each iteration writes a place of its own.
static void markParallel(ValueRange indices) {
  for (Value index : indices)
    cast<BlockArgument>(index).getOwner()->getParentOp()->setAttr(
        kParallelAttr, UnitAttr::get(index.getContext()));
}

static Affine extentOf(const View &view, ArrayRef<int64_t> dims) {
  Affine extent = Affine::of(1);
  for (int64_t d : dims)
    extent = extent * view.sizes[d];
  return extent;
}

View NnLowering::packed(Value matrix, const View &view) {
  auto known = scan->packed.find(matrix);
  if (known != scan->packed.end())
    return known->second;
  Scan *here = scan;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(here->loop);
  llvm::SaveAndRestore<Scan *> outside(scan, nullptr);
  // A header, then rows of whole vectors (belfry_gemm_pack_f32 in Runtime.h).
  int64_t bytes = view.element.getIntOrFloatBitWidth() / 8;
  int64_t line = BELFRY_GEMM_PACKED_HEADER / bytes;
  int64_t width = llvm::alignTo(view.sizes[1].fixed, line);
  View result =
      allocate({Affine::of(line + view.sizes[0].fixed * width)}, view.element);
  result.offset = b.getIndexAttr(line);
  result.sizes = view.sizes;
  result.strides = {Affine::of(width), Affine::of(1)};
  copy(view, result)->setAttr(kPackAttr, b.getUnitAttr());
  here->packed[matrix] = result;
  return result;
}

void NnLowering::lowerDot(nn::DotOp op, nn::BinaryOp sum) {
  View lhs = viewOf(op.getLhs()), rhs = viewOf(op.getRhs());
  if (!lhs.base)
    lhs = dense(lhs);
  if (!rhs.base)
    rhs = dense(rhs);
  auto freeDims = [](const View &view, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> contract) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < static_cast<int64_t>(view.rank()); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
        dims.push_back(d);
    return dims;
  };
  SmallVector<int64_t> lhsFree =
      freeDims(lhs, op.getLhsBatch(), op.getLhsContract());
  SmallVector<int64_t> rhsFree =
      freeDims(rhs, op.getRhsBatch(), op.getRhsContract());

  // Each side as (batch…, rows, columns); copied where strides do not allow it.
  auto matrices = [&](Value value, const View &view, ArrayRef<int64_t> batch,
                      ArrayRef<int64_t> rows, ArrayRef<int64_t> columns) {
    SmallVector<int64_t> perm(batch);
    llvm::append_range(perm, rows);
    llvm::append_range(perm, columns);
    SmallVector<Affine> sizes;
    for (int64_t d : batch)
      sizes.push_back(view.sizes[d]);
    sizes.push_back(extentOf(view, rows));
    sizes.push_back(extentOf(view, columns));
    auto shape = [&](const View &from) -> std::optional<View> {
      auto shaped = reshapeView(transposeView(from, perm), sizes);
      return shaped && isOperand(*shaped) ? shaped : std::nullopt;
    };
    if (auto shaped = shape(view))
      return *shaped;
    // A copy in the value's own order serves later readers too.
    if (!view.isDense()) {
      View own = dense(view);
      if (auto shaped = shape(own)) {
        views[value] = own;
        return *shaped;
      }
    }
    return *reshapeView(dense(transposeView(view, perm)), sizes);
  };
  View x = matrices(op.getLhs(), lhs, op.getLhsBatch(), lhsFree,
                    op.getLhsContract());
  View y = matrices(op.getRhs(), rhs, op.getRhsBatch(), op.getRhsContract(),
                    rhsFree);
  // What every step multiplies with is packed once.
  if (scan && optimizations.has(Optimization::PackWeights) && y.rank() == 2 &&
      y.base == rhs.base &&
      llvm::is_contained(scan->op.getClosedArgs(), op.getRhs()) &&
      isa<FloatType>(y.element) && y.sizes[0].isFixed() && y.sizes[1].isFixed())
    y = packed(op.getRhs(), y);

  if (sum) {
    Value result = sum.getResult();
    View target = viewOf(accumulationOf(sum)->start);
    auto whole = *reshapeView(target, {x.sizes[0], y.sizes[1]});
    putAt(result, target);
    product(x, y, whole);
    return finish(result);
  }
  View place = placeOf(op.getResult());
  SmallVector<Affine> sizes(ArrayRef(x.sizes).drop_back());
  sizes.push_back(y.sizes.back());
  auto shaped = reshapeView(place, sizes);
  View target =
      shaped && isTarget(*shaped) ? *shaped : allocate(sizes, place.element);
  plainLoops(ArrayRef(sizes).drop_back(2), [&](ValueRange indices) {
    markParallel(indices);
    View xi = x, yi = y, zi = target;
    for (Value index : indices) {
      xi = elementView(b, loc, math, xi, 0, OpFoldResult(index));
      yi = elementView(b, loc, math, yi, 0, OpFoldResult(index));
      zi = elementView(b, loc, math, zi, 0, OpFoldResult(index));
    }
    fill(zi, zero(zi.element));
    product(xi, yi, zi);
  });
  if (!shaped || !isTarget(*shaped))
    copy(*reshapeView(target, place.sizes), place);
  finish(op.getResult());
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

View NnLowering::padded(const View &input, ArrayRef<int64_t> padding) {
  if (llvm::all_of(padding, [](int64_t p) { return p == 0; }))
    return dense(input);
  SmallVector<Affine> sizes(input.sizes);
  sizes[1] = sizes[1] + Affine::of(padding[0] + padding[1]);
  sizes[2] = sizes[2] + Affine::of(padding[2] + padding[3]);
  View whole = allocate(sizes, input.element);
  fill(whole, zero(input.element));
  copy(input, sliceView(b, loc, math, whole, {0, padding[0], padding[2], 0},
                        {1, 1, 1, 1}, input.sizes));
  return whole;
}

namespace {
/// The extents of a convolution.
struct Window {
  int64_t kh, kw, c, f, oh, ow, sh, sw, dh, dw;

  template <typename Op>
  Window(Op op, Value kernel, Value output)
      : sh(op.getStrides()[0]), sw(op.getStrides()[1]),
        dh(op.getDilations()[0]), dw(op.getDilations()[1]) {
    auto k = cast<RankedTensorType>(kernel.getType()).getShape();
    auto o = cast<RankedTensorType>(output.getType()).getShape();
    kh = k[0], kw = k[1], c = k[2], f = k[3], oh = o[1], ow = o[2];
  }
  /// The columns of a window that stand one after the other in a row.
  int64_t together() const { return dw == 1 ? kw : 1; }
  int64_t columns() const { return together() * c; }
  int64_t pieces() const { return kw / together(); }
};
} // namespace

/// The windows of output row (n, oh) at kernel row kh and column kw: a matrix
/// with a row a window.
static View windowRows(OpBuilder &b, Location loc, RowMath &math,
                       const View &input, const Window &w, Value n, Value oh,
                       Value kh, Value kw) {
  auto times = [&](Value v, int64_t factor) {
    return mulIndex(b, loc, v, b.getIndexAttr(factor));
  };
  View view = elementView(b, loc, math, input, 0, OpFoldResult(n));
  OpFoldResult row = addIndex(b, loc, times(oh, w.sh), times(kh, w.dh));
  view = elementView(b, loc, math, view, 0, row);
  Affine column = view.strides[0];
  view.offset =
      addIndex(b, loc, view.offset,
               mulIndex(b, loc, times(kw, w.dw), math.fold(b, column)));
  view.sizes = {Affine::of(w.ow), Affine::of(w.columns())};
  view.strides = {column * w.sw, Affine::of(1)};
  return view;
}

/// The rows of the kernel that belong to the same.
static View kernelRows(OpBuilder &b, Location loc, RowMath &math,
                       const View &kernel, const Window &w, Value kh,
                       Value kw) {
  View view = elementView(b, loc, math, kernel, 0, OpFoldResult(kh));
  view = elementView(b, loc, math, view, 0, OpFoldResult(kw));
  view.sizes = {Affine::of(w.columns()), Affine::of(w.f)};
  view.strides = {Affine::of(w.f), Affine::of(1)};
  return view;
}

static View outputRow(OpBuilder &b, Location loc, RowMath &math,
                      const View &output, Value n, Value oh) {
  View view = elementView(b, loc, math, output, 0, OpFoldResult(n));
  return elementView(b, loc, math, view, 0, OpFoldResult(oh));
}

void NnLowering::lowerConv(nn::Conv2DOp op) {
  Window w(op, op.getKernel(), op.getResult());
  View input = padded(viewOf(op.getInput()), op.getPadding());
  View kernel = dense(viewOf(op.getKernel()));
  View place = placeOf(op.getResult());
  View target = isTarget(place) ? place : allocate(place.sizes, place.element);
  plainLoops({input.sizes[0], Affine::of(w.oh)}, [&](ValueRange at) {
    markParallel(at);
    View row = outputRow(b, loc, math, target, at[0], at[1]);
    fill(row, zero(row.element));
    plainLoops({Affine::of(w.kh), Affine::of(w.pieces())}, [&](ValueRange k) {
      product(windowRows(b, loc, math, input, w, at[0], at[1], k[0], k[1]),
              kernelRows(b, loc, math, kernel, w, k[0], k[1]), row);
    });
  });
  if (!isTarget(place))
    copy(target, place);
  finish(op.getResult());
}

void NnLowering::lowerConvInputGrad(nn::Conv2DInputGradOp op) {
  Window w(op, op.getKernel(), op.getGrad());
  View grad = dense(viewOf(op.getGrad()));
  View kernel = dense(viewOf(op.getKernel()));
  View place = placeOf(op.getResult());
  ArrayRef<int64_t> padding = op.getPadding();
  SmallVector<Affine> sizes(place.sizes);
  sizes[1] = sizes[1] + Affine::of(padding[0] + padding[1]);
  sizes[2] = sizes[2] + Affine::of(padding[2] + padding[3]);
  bool direct = place.isDense() && ArrayRef(sizes) == ArrayRef(place.sizes);
  View target = direct ? place : allocate(sizes, place.element);
  fill(target, zero(target.element));
  // One column of the kernel at a time: windows of a row overlap, and a product
  // may not add to one place twice.
  Window single = w;
  plainLoops({place.sizes[0], Affine::of(w.oh)}, [&](ValueRange at) {
    // Windows of two rows of an image may overlap, those of two images do not.
    markParallel(at.take_front());
    View row = outputRow(b, loc, math, grad, at[0], at[1]);
    plainLoops({Affine::of(w.kh), Affine::of(w.kw)}, [&](ValueRange k) {
      View windows =
          windowRows(b, loc, math, target, single, at[0], at[1], k[0], k[1]);
      windows.sizes[1] = Affine::of(w.c);
      View rows = kernelRows(b, loc, math, kernel, single, k[0], k[1]);
      rows.sizes[0] = Affine::of(w.c);
      product(row, transposeView(rows, {1, 0}), windows);
    });
  });
  if (!direct)
    copy(sliceView(b, loc, math, target, {0, padding[0], padding[2], 0},
                   {1, 1, 1, 1}, place.sizes),
         place);
  finish(op.getResult());
}

void NnLowering::lowerConvKernelGrad(nn::Conv2DKernelGradOp op) {
  Window w(op, op.getResult(), op.getGrad());
  View input = padded(viewOf(op.getInput()), op.getPadding());
  View grad = dense(viewOf(op.getGrad()));
  View place = placeOf(op.getResult());
  View target = place.isDense() ? place : allocate(place.sizes, place.element);
  fill(target, zero(target.element));
  plainLoops({input.sizes[0], Affine::of(w.oh)}, [&](ValueRange at) {
    View row = outputRow(b, loc, math, grad, at[0], at[1]);
    plainLoops({Affine::of(w.kh), Affine::of(w.pieces())}, [&](ValueRange k) {
      View windows =
          windowRows(b, loc, math, input, w, at[0], at[1], k[0], k[1]);
      product(transposeView(windows, {1, 0}), row,
              kernelRows(b, loc, math, target, w, k[0], k[1]));
    });
  });
  if (!place.isDense())
    copy(target, place);
  finish(op.getResult());
}
