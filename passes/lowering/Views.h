//===- Views.h - strided parts of buffers -----------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a value is: a buffer, an offset, and for each dimension an extent and a
// stride. Extents and strides are a·rows + b with numbers a and b, so that
// whether a view can be reshaped, or two views are the same, is decided here
// and not at run time. Broadcasts, transposes, slices, reversals and most
// reshapes are views and cost nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_VIEWS_H
#define BELFRY_PASSES_LOWERING_VIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace belfry {

/// perRow·rows + fixed.
struct Affine {
  int64_t perRow = 0;
  int64_t fixed = 0;
  /// What stands in place of the phase's rows, an index value: the number of
  /// rows that are packed. Null for the rows themselves.
  mlir::Value count = {};

  static Affine of(int64_t fixed) { return {0, fixed}; }
  bool isFixed() const { return perRow == 0; }
  bool is(int64_t value) const { return perRow == 0 && fixed == value; }
  bool operator==(const Affine &o) const {
    return perRow == o.perRow && fixed == o.fixed &&
           (perRow == 0 || count == o.count);
  }
  bool operator!=(const Affine &o) const { return !(*this == o); }
  /// Of two that are not numbers, both are of the same count.
  Affine operator+(const Affine &o) const {
    return {perRow + o.perRow, fixed + o.fixed, perRow ? count : o.count};
  }
  Affine operator*(int64_t n) const { return {perRow * n, fixed * n, count}; }
  /// One side at least has to be a number: there is no rows².
  Affine operator*(const Affine &o) const {
    return o.isFixed() ? *this * o.fixed : o * fixed;
  }
};

/// The rows of a phase function, and numbers that follow from them, as values
/// at the function's entry.
class RowMath {
public:
  /// `rows` is an index value, an argument of the function.
  explicit RowMath(mlir::Value rows) : rows(rows) {}

  mlir::Value value(Affine affine);
  mlir::OpFoldResult fold(mlir::OpBuilder &b, Affine affine);
  mlir::Value getRows() const { return rows; }

private:
  mlir::Value rows;
  llvm::DenseMap<std::tuple<int64_t, int64_t, mlir::Value>, mlir::Value> values;
};

/// What `value` (of type index) is in terms of `rows`, if that can be seen.
std::optional<Affine> affineOf(mlir::Value value, mlir::Value rows);

struct View {
  mlir::Value base;          ///< a dense memref, or null
  mlir::Value scalar;        ///< where there is no base: one value everywhere
  mlir::Attribute splat;     ///< likewise, a constant
  mlir::OpFoldResult offset; ///< in elements
  llvm::SmallVector<Affine> sizes, strides;
  mlir::Type element;

  unsigned rank() const { return sizes.size(); }
  bool hasBase() const { return !!base; }
  explicit operator bool() const { return base || scalar || splat; }
  /// Whether the elements stand one after the other in row-major order.
  bool isDense() const;
  /// Whether the last dimension has stride 1 and the others follow in order.
  bool isNatural() const;
};

/// a − b where that is a number which can be seen, however the two index values
/// are written: sums and products are multiplied out.
std::optional<int64_t> constantDifference(mlir::OpFoldResult a,
                                          mlir::OpFoldResult b);

/// Whether both are the same elements of the same buffer, in the same order.
bool isSamePlace(const View &a, const View &b);

/// The strides of a dense array.
llvm::SmallVector<Affine> denseStrides(llvm::ArrayRef<Affine> sizes);

/// The view under another shape, or nothing where that needs a copy.
std::optional<View> reshapeView(const View &view, llvm::ArrayRef<Affine> sizes);
View transposeView(const View &view, llvm::ArrayRef<int64_t> perm);
/// New dimensions have stride 0.
View broadcastView(const View &view, llvm::ArrayRef<int64_t> dims,
                   llvm::ArrayRef<Affine> sizes);
View sliceView(mlir::OpBuilder &b, mlir::Location loc, RowMath &math,
               const View &view, llvm::ArrayRef<int64_t> start,
               llvm::ArrayRef<int64_t> stride, llvm::ArrayRef<Affine> sizes);
View reverseView(mlir::OpBuilder &b, mlir::Location loc, RowMath &math,
                 const View &view, llvm::ArrayRef<int64_t> dims);
/// Element `index` of dimension `dim`, which disappears.
View elementView(mlir::OpBuilder &b, mlir::Location loc, RowMath &math,
                 const View &view, unsigned dim, mlir::OpFoldResult index);

/// The view as a memref value.
mlir::Value memrefOf(mlir::OpBuilder &b, mlir::Location loc, RowMath &math,
                     const View &view);

/// Sum and product, folded where they are numbers.
mlir::OpFoldResult addIndex(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::OpFoldResult x, mlir::OpFoldResult y);
mlir::OpFoldResult mulIndex(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::OpFoldResult x, mlir::OpFoldResult y);
mlir::Value indexValue(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::OpFoldResult x);

} // namespace belfry

#endif // BELFRY_PASSES_LOWERING_VIEWS_H
