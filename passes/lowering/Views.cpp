//===- Views.cpp - strided parts of buffers -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value RowMath::value(Affine affine) {
  Value count = affine.isFixed() ? Value() : affine.count;
  Value &known = values[{affine.perRow, affine.fixed, count}];
  if (known)
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(cast<BlockArgument>(rows).getOwner());
  Location loc = rows.getLoc();
  if (affine.isFixed())
    return known = arith::ConstantIndexOp::create(b, loc, affine.fixed);
  Value result = rows;
  if (count) {
    b.setInsertionPointAfterValue(count);
    result = count;
  }
  if (affine.perRow != 1)
    result = arith::MulIOp::create(
        b, loc, result, arith::ConstantIndexOp::create(b, loc, affine.perRow));
  if (affine.fixed)
    result = arith::AddIOp::create(
        b, loc, result, arith::ConstantIndexOp::create(b, loc, affine.fixed));
  return known = result;
}

OpFoldResult RowMath::fold(OpBuilder &b, Affine affine) {
  if (affine.isFixed())
    return b.getIndexAttr(affine.fixed);
  return value(affine);
}

std::optional<Affine> belfry::affineOf(Value value, Value rows) {
  if (value == rows)
    return Affine{1, 0};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Affine::of(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp, arith::AddIOp>(op))
    return std::nullopt;
  auto lhs = affineOf(op->getOperand(0), rows),
       rhs = affineOf(op->getOperand(1), rows);
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  if (!lhs->isFixed() && !rhs->isFixed())
    return std::nullopt;
  return *lhs * *rhs;
}

OpFoldResult belfry::addIndex(OpBuilder &b, Location loc, OpFoldResult x,
                              OpFoldResult y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return b.getIndexAttr(*cx + *cy);
  if (cx && *cx == 0)
    return y;
  if (cy && *cy == 0)
    return x;
  return arith::AddIOp::create(b, loc, indexValue(b, loc, x),
                               indexValue(b, loc, y))
      .getResult();
}

OpFoldResult belfry::mulIndex(OpBuilder &b, Location loc, OpFoldResult x,
                              OpFoldResult y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return b.getIndexAttr(*cx * *cy);
  if ((cx && *cx == 0) || (cy && *cy == 0))
    return b.getIndexAttr(0);
  if (cx && *cx == 1)
    return y;
  if (cy && *cy == 1)
    return x;
  return arith::MulIOp::create(b, loc, indexValue(b, loc, x),
                               indexValue(b, loc, y))
      .getResult();
}

Value belfry::indexValue(OpBuilder &b, Location loc, OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(b, loc, x);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

SmallVector<Affine> belfry::denseStrides(ArrayRef<Affine> sizes) {
  SmallVector<Affine> strides(sizes.size(), Affine::of(1));
  for (size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * sizes[d];
  return strides;
}

bool View::isDense() const {
  if (!base)
    return false;
  SmallVector<Affine> dense = denseStrides(sizes);
  for (unsigned d = 0; d < rank(); ++d)
    if (!sizes[d].is(1) && strides[d] != dense[d])
      return false;
  return true;
}

namespace {
/// A sum of products: the factors of each in a fixed order, and its number.
using Polynomial = std::map<SmallVector<const void *>, int64_t>;
} // namespace

/// More products than an offset has make a value one that is not looked into.
static constexpr size_t kMostProducts = 16;

static Polynomial polynomialOf(OpFoldResult index);

/// What the op that makes `value` computes, if it is a sum or a product.
static std::optional<Polynomial> insideOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  Polynomial a = polynomialOf(op->getOperand(0)),
             b = polynomialOf(op->getOperand(1)), result;
  if (a.size() * b.size() > kMostProducts)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    for (auto &[left, x] : a)
      for (auto &[right, y] : b) {
        SmallVector<const void *> factors(left);
        llvm::append_range(factors, right);
        llvm::sort(factors);
        result[factors] += x * y;
      }
    return result;
  }
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  result = a;
  for (auto &[factors, y] : b)
    result[factors] += sign * y;
  return result;
}

static Polynomial polynomialOf(OpFoldResult index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return {{{}, *number}};
  Value value = cast<Value>(index);
  if (std::optional<Polynomial> inside = insideOf(value))
    return *inside;
  return {{{value.getAsOpaquePointer()}, 1}};
}

std::optional<int64_t> belfry::constantDifference(OpFoldResult a,
                                                  OpFoldResult b) {
  if (a == b)
    return 0;
  Polynomial difference = polynomialOf(a);
  for (auto &[factors, number] : polynomialOf(b))
    difference[factors] -= number;
  int64_t constant = 0;
  for (auto &[factors, number] : difference) {
    if (number == 0)
      continue;
    if (!factors.empty())
      return std::nullopt;
    constant = number;
  }
  return constant;
}

bool belfry::isSamePlace(const View &a, const View &b) {
  return a.base == b.base && constantDifference(a.offset, b.offset) == 0 &&
         a.sizes == b.sizes && a.strides == b.strides;
}

bool View::isNatural() const {
  if (!base)
    return false;
  Affine last = Affine::of(1);
  bool innermost = true;
  for (unsigned d = rank(); d-- > 0;) {
    if (sizes[d].is(1))
      continue;
    if (innermost && !strides[d].is(1))
      return false;
    innermost = false;
    // A larger stride for each dimension further out.
    if (strides[d].perRow < last.perRow ||
        (strides[d].perRow == last.perRow && strides[d].fixed < last.fixed))
      return false;
    last = strides[d];
  }
  return true;
}

std::optional<View> belfry::reshapeView(const View &view,
                                        ArrayRef<Affine> sizes) {
  View result = view;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(sizes.size(), Affine::of(0));
  if (!view.base)
    return result;
  auto isZero = [](ArrayRef<Affine> list) {
    return llvm::any_of(list, [](Affine a) { return a.is(0); });
  };
  if (isZero(sizes) || isZero(view.sizes) || view.isDense()) {
    result.strides = denseStrides(sizes);
    return result;
  }
  // Extents of 1 do not matter; the others are matched group by group, from
  // the left, where the products agree.
  SmallVector<unsigned> from, to;
  for (unsigned d = 0; d < view.rank(); ++d)
    if (!view.sizes[d].is(1))
      from.push_back(d);
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (!sizes[d].is(1))
      to.push_back(d);
  size_t i = 0, k = 0;
  while (i < from.size() && k < to.size()) {
    size_t iEnd = i + 1, kEnd = k + 1;
    Affine old = view.sizes[from[i]], fresh = sizes[to[k]];
    while (old != fresh) {
      bool growOld;
      if (old.isFixed() != fresh.isFixed())
        growOld = old.isFixed();
      else
        growOld =
            old.isFixed() ? old.fixed < fresh.fixed : old.perRow < fresh.perRow;
      if (growOld) {
        if (iEnd == from.size())
          return std::nullopt;
        old = old * view.sizes[from[iEnd++]];
      } else {
        if (kEnd == to.size())
          return std::nullopt;
        fresh = fresh * sizes[to[kEnd++]];
      }
    }
    for (size_t j = i; j + 1 < iEnd; ++j)
      if (view.strides[from[j]] !=
          view.sizes[from[j + 1]] * view.strides[from[j + 1]])
        return std::nullopt;
    Affine stride = view.strides[from[iEnd - 1]];
    for (size_t j = kEnd; j-- > k;) {
      result.strides[to[j]] = stride;
      if (j > k) {
        if (!stride.isFixed() && !sizes[to[j]].isFixed())
          return std::nullopt;
        stride = stride * sizes[to[j]];
      }
    }
    i = iEnd;
    k = kEnd;
  }
  if (i != from.size() || k != to.size())
    return std::nullopt;
  return result;
}

View belfry::transposeView(const View &view, ArrayRef<int64_t> perm) {
  View result = view;
  for (auto [k, d] : llvm::enumerate(perm)) {
    result.sizes[k] = view.sizes[d];
    result.strides[k] = view.strides[d];
  }
  return result;
}

View belfry::broadcastView(const View &view, ArrayRef<int64_t> dims,
                           ArrayRef<Affine> sizes) {
  View result = view;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(sizes.size(), Affine::of(0));
  for (auto [k, d] : llvm::enumerate(dims))
    result.strides[d] = view.strides[k];
  return result;
}

View belfry::sliceView(OpBuilder &b, Location loc, RowMath &math,
                       const View &view, ArrayRef<int64_t> start,
                       ArrayRef<int64_t> stride, ArrayRef<Affine> sizes) {
  View result = view;
  result.sizes.assign(sizes.begin(), sizes.end());
  if (!view.base)
    return result;
  for (unsigned d = 0; d < view.rank(); ++d) {
    if (start[d] != 0)
      result.offset = addIndex(b, loc, result.offset,
                               math.fold(b, view.strides[d] * start[d]));
    result.strides[d] = view.strides[d] * stride[d];
  }
  return result;
}

View belfry::reverseView(OpBuilder &b, Location loc, RowMath &math,
                         const View &view, ArrayRef<int64_t> dims) {
  View result = view;
  if (!view.base)
    return result;
  for (int64_t d : dims) {
    OpFoldResult last = math.fold(b, view.sizes[d] + Affine::of(-1));
    OpFoldResult stride = math.fold(b, view.strides[d]);
    result.offset =
        addIndex(b, loc, result.offset, mulIndex(b, loc, last, stride));
    result.strides[d] = view.strides[d] * -1;
  }
  return result;
}

View belfry::elementView(OpBuilder &b, Location loc, RowMath &math,
                         const View &view, unsigned dim, OpFoldResult index) {
  View result = view;
  if (view.base)
    result.offset =
        addIndex(b, loc, view.offset,
                 mulIndex(b, loc, index, math.fold(b, view.strides[dim])));
  result.sizes.erase(result.sizes.begin() + dim);
  result.strides.erase(result.strides.begin() + dim);
  return result;
}

Value belfry::memrefOf(OpBuilder &b, Location loc, RowMath &math,
                       const View &view) {
  auto baseType = cast<MemRefType>(view.base.getType());
  // The whole of the buffer in its own shape is the buffer.
  bool whole = view.isDense() && getConstantIntValue(view.offset) == 0 &&
               baseType.getRank() == static_cast<int64_t>(view.rank());
  for (unsigned d = 0; whole && d < view.rank(); ++d)
    whole = view.sizes[d].isFixed()
                ? baseType.getDimSize(d) == view.sizes[d].fixed
                : baseType.isDynamicDim(d) && !view.sizes[d].count;
  if (whole)
    return view.base;
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<int64_t> shape, layout;
  for (unsigned d = 0; d < view.rank(); ++d) {
    sizes.push_back(math.fold(b, view.sizes[d]));
    shape.push_back(view.sizes[d].isFixed() ? view.sizes[d].fixed
                                            : ShapedType::kDynamic);
    bool fixed = view.strides[d].isFixed() && view.strides[d].fixed > 0;
    strides.push_back(fixed
                          ? OpFoldResult(b.getIndexAttr(view.strides[d].fixed))
                          : OpFoldResult(math.value(view.strides[d])));
    layout.push_back(fixed ? view.strides[d].fixed : ShapedType::kDynamic);
  }
  auto offset = getConstantIntValue(view.offset);
  auto type = MemRefType::get(
      shape, view.element,
      StridedLayoutAttr::get(b.getContext(),
                             offset ? *offset : ShapedType::kDynamic, layout));
  return memref::ReinterpretCastOp::create(b, loc, type, view.base, view.offset,
                                           sizes, strides);
}
