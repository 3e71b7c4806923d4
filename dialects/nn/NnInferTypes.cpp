//===- NnInferTypes.cpp - result types of core ops ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Result types follow from operands and attributes. What cannot be right (an
// index out of range, extents that differ) is reported here, since inference
// runs before the verifier.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace belfry::nn;

static RankedTensorType tensorOf(Value v) {
  return cast<RankedTensorType>(v.getType());
}

/// Checks that `dims` are distinct and within the rank.
static LogicalResult checkDims(std::optional<Location> loc, StringRef op,
                               StringRef what, ArrayRef<int64_t> dims,
                               int64_t rank, bool increasing = false) {
  llvm::SmallSet<int64_t, 8> seen;
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d < 0 || d >= rank)
      return emitOptionalError(loc, "'", op, "' op ", what, " has dimension ",
                               d, ", but the rank is ", rank);
    if (!seen.insert(d).second)
      return emitOptionalError(loc, "'", op, "' op ", what, " has dimension ",
                               d, " twice");
    if (increasing && d < last)
      return emitOptionalError(loc, "'", op, "' op ", what,
                               " is not increasing");
    last = d;
  }
  return success();
}

/// Checks that a list has an entry a dimension.
static LogicalResult checkLength(std::optional<Location> loc, StringRef op,
                                 StringRef what, ArrayRef<int64_t> list,
                                 int64_t rank) {
  if (static_cast<int64_t>(list.size()) == rank)
    return success();
  return emitOptionalError(loc, "'", op, "' op ", what, " has ", list.size(),
                           " entries, but the rank is ", rank);
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (failed(checkDims(loc, getOperationName(), "dims", adaptor.getDims(),
                       type.getRank(), /*increasing=*/true)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(adaptor.getDims(), d))
      shape.push_back(type.getDimSize(d));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ArgMaxOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  int64_t dim = adaptor.getDim();
  if (failed(checkDims(loc, getOperationName(), "dim", dim, type.getRank())))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  if (failed(
          checkLength(loc, getOperationName(), "perm", perm, type.getRank())) ||
      failed(checkDims(loc, getOperationName(), "perm", perm, type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d : perm)
    shape.push_back(type.getDimSize(d));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  StringRef name = getOperationName();
  ArrayRef<int64_t> start = adaptor.getStart(), limit = adaptor.getLimit(),
                    stride = adaptor.getStride();
  if (failed(checkLength(loc, name, "start", start, type.getRank())) ||
      failed(checkLength(loc, name, "limit", limit, type.getRank())) ||
      failed(checkLength(loc, name, "stride", stride, type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = type.getDimSize(d);
    if (ShapedType::isDynamic(size)) {
      if (start[d] != 0 || limit[d] != -1 || stride[d] != 1)
        return emitOptionalError(
            loc, "'", name, "' op takes a part of dimension ", d,
            ", which is dynamic and can only be taken whole");
      shape.push_back(size);
      continue;
    }
    if (start[d] < 0 || limit[d] > size || start[d] > limit[d] || stride[d] < 1)
      return emitOptionalError(loc, "'", name, "' op takes elements ", start[d],
                               " to ", limit[d], " by ", stride[d],
                               " of dimension ", d, ", which has ", size);
    shape.push_back((limit[d] - start[d] + stride[d] - 1) / stride[d]);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  StringRef name = getOperationName();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  if (failed(checkLength(loc, name, "low", low, type.getRank())) ||
      failed(checkLength(loc, name, "high", high, type.getRank())) ||
      failed(checkLength(loc, name, "interior", interior, type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = type.getDimSize(d);
    if (low[d] < 0 || high[d] < 0 || interior[d] < 0)
      return emitOptionalError(loc, "'", name,
                               "' op has a negative width at dimension ", d);
    if (ShapedType::isDynamic(size)) {
      if (low[d] || high[d] || interior[d])
        return emitOptionalError(loc, "'", name, "' op pads dimension ", d,
                                 ", which is dynamic");
      shape.push_back(size);
      continue;
    }
    int64_t gaps = size > 0 ? (size - 1) * interior[d] : 0;
    shape.push_back(low[d] + size + gaps + high[d]);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  if (adaptor.getOperands().empty())
    return emitOptionalError(loc, "'", name, "' op has no operands");
  RankedTensorType first = tensorOf(adaptor.getOperands().front());
  int64_t dim = adaptor.getDim();
  if (failed(checkDims(loc, name, "dim", dim, first.getRank())))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value v : adaptor.getOperands()) {
    RankedTensorType type = tensorOf(v);
    bool same = type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    for (int64_t d = 0; same && d < type.getRank(); ++d)
      same = d == dim || type.getDimSize(d) == first.getDimSize(d);
    if (!same)
      return emitOptionalError(loc, "'", name, "' op joins ", first, " and ",
                               type, ", which differ beyond dimension ", dim);
    if (type.isDynamicDim(dim))
      return emitOptionalError(loc, "'", name, "' op joins along dimension ",
                               dim, ", which is dynamic");
    shape[dim] += type.getDimSize(dim);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType lhs = tensorOf(adaptor.getLhs()),
                   rhs = tensorOf(adaptor.getRhs());
  ArrayRef<int64_t> lb = adaptor.getLhsBatch(), rb = adaptor.getRhsBatch(),
                    lc = adaptor.getLhsContract(),
                    rc = adaptor.getRhsContract();
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "'", name, "' op multiplies ",
                             lhs.getElementType(), " by ",
                             rhs.getElementType());
  if (lb.size() != rb.size() || lc.size() != rc.size())
    return emitOptionalError(loc, "'", name,
                             "' op has lists of different lengths");
  SmallVector<int64_t> left(lb), right(rb);
  llvm::append_range(left, lc);
  llvm::append_range(right, rc);
  if (failed(checkDims(loc, name, "left side", left, lhs.getRank())) ||
      failed(checkDims(loc, name, "right side", right, rhs.getRank())))
    return failure();
  for (auto [l, r] : llvm::zip_equal(left, right))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return emitOptionalError(loc, "'", name, "' op matches dimension ", l,
                               " of ", lhs, " with dimension ", r, " of ", rhs);
  SmallVector<int64_t> shape;
  for (int64_t d : lb)
    shape.push_back(lhs.getDimSize(d));
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!llvm::is_contained(left, d))
      shape.push_back(lhs.getDimSize(d));
  for (int64_t d = 0; d < rhs.getRank(); ++d)
    if (!llvm::is_contained(right, d))
      shape.push_back(rhs.getDimSize(d));
  if (llvm::count(shape, ShapedType::kDynamic) > 1)
    return emitOptionalError(loc, "'", name,
                             "' op has a result with two dynamic dimensions");
  types.push_back(RankedTensorType::get(shape, lhs.getElementType()));
  return success();
}

bool DotOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  auto own = cast<RankedTensorType>(inferred.front()),
       given = cast<RankedTensorType>(actual.front());
  return own == given ||
         (isNarrow(own.getElementType()) &&
          given == own.clone(Float32Type::get(own.getContext())));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType table = tensorOf(adaptor.getTable()),
                   ids = tensorOf(adaptor.getIds());
  int64_t batch = adaptor.getBatchDims();
  if (batch < 0 || batch >= table.getRank() || batch > ids.getRank())
    return emitOptionalError(loc, "'", name, "' op has ", batch,
                             " batch dimensions, but a table of rank ",
                             table.getRank(), " and ids of rank ",
                             ids.getRank());
  for (int64_t d = 0; d < batch; ++d)
    if (table.getDimSize(d) != ids.getDimSize(d))
      return emitOptionalError(loc, "'", name, "' op has batch dimension ", d,
                               " of ", table, " and ", ids);
  SmallVector<int64_t> shape(ids.getShape());
  llvm::append_range(shape, table.getShape().drop_front(batch + 1));
  types.push_back(RankedTensorType::get(shape, table.getElementType()));
  return success();
}
