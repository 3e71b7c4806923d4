//===- InterpretIndex.cpp - meaning of gather, scatter, indices -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include <algorithm>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

namespace {

/// A table (b…, N, r…) and ids (b…, i…): each pair of the slice's place in the
/// table and in the list of ids.
struct Rows {
  int64_t batch, entries, ids, slice;

  Rows(ArrayRef<int64_t> table, ArrayRef<int64_t> idShape, int64_t batchDims)
      : batch(product(table.take_front(batchDims))), entries(table[batchDims]),
        ids(product(idShape.drop_front(batchDims))),
        slice(product(table.drop_front(batchDims + 1))) {}

  /// f(first element in the table, first element in the list); an id outside
  /// of the table takes the nearest entry.
  template <typename F> void forEach(ArrayRef<int32_t> values, F &&f) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < ids; ++i) {
        int64_t id = std::clamp<int64_t>(values[b * ids + i], 0, entries - 1);
        f((b * entries + id) * slice, (b * ids + i) * slice);
      }
  }
};

} // namespace

/// Fails where an id has no entry that it could take.
static LogicalResult checkTable(Operation *op, const HostTensor &table,
                                const HostTensor &ids, int64_t batchDims,
                                InterpretContext &context) {
  if (ids.getShape().take_front(batchDims) !=
      table.getShape().take_front(batchDims))
    return context.fail(op, "has a table " + table.typeString() + " and ids " +
                                ids.typeString() +
                                ", whose batch dimensions differ");
  if (table.getDim(batchDims) == 0 && ids.size() != 0)
    return context.fail(op, "indexes a table that has no entries");
  return success();
}

static LogicalResult gatherRule(GatherOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  const HostTensor &table = operands[0], &ids = operands[1];
  int64_t batchDims = op.getBatchDims();
  if (failed(checkTable(op, table, ids, batchDims, context)))
    return failure();
  Shape shape(ids.getShape());
  llvm::append_range(shape, table.getShape().drop_front(batchDims + 1));
  HostTensor result(table.getType(), shape);
  Rows rows(table.getShape(), ids.getShape(), batchDims);
  dispatch(table.getType(), [&]<typename T>() {
    const T *from = table.values<T>().data();
    T *to = result.mutableValues<T>().data();
    rows.forEach(ids.values<int32_t>(), [&](int64_t entry, int64_t place) {
      std::copy_n(from + entry, rows.slice, to + place);
    });
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult scatterAddRule(ScatterAddOp op, Operands operands,
                                    InterpretContext &context,
                                    Results &results) {
  const HostTensor &init = operands[0], &ids = operands[1],
                   &updates = operands[2];
  int64_t batchDims = op.getBatchDims();
  if (failed(checkTable(op, init, ids, batchDims, context)))
    return failure();
  Rows rows(init.getShape(), ids.getShape(), batchDims);
  if (updates.size() != rows.batch * rows.ids * rows.slice)
    return context.fail(op, "has updates " + updates.typeString() +
                                " for ids " + ids.typeString() +
                                " and a table " + init.typeString());
  HostTensor result = init;
  dispatchComputed(init.getType(), [&]<typename T>() {
    const T *from = updates.values<T>().data();
    T *to = result.mutableValues<T>().data();
    rows.forEach(ids.values<int32_t>(), [&](int64_t entry, int64_t place) {
      for (int64_t j = 0; j < rows.slice; ++j)
        to[entry + j] = addOf(to[entry + j], from[place + j]);
    });
  });
  results.push_back(std::move(result));
  return success();
}

static LogicalResult iotaRule(IotaOp op, Operands operands,
                              InterpretContext &context, Results &results) {
  RankedTensorType type = tensorType(op);
  int64_t dim = op.getDim();
  Shape shape =
      shapeLike(type, op.getLike(), op.getLike() ? &operands[0] : nullptr);
  HostTensor result(HostType::I32, shape);
  // Only dimension `dim` counts.
  Shape strides(shape.size(), 0);
  strides[dim] = 1;
  int32_t *to = result.mutableValues<int32_t>().data();
  forEachOffset(shape, strides,
                [&](int64_t index) { *to++ = static_cast<int32_t>(index); });
  results.push_back(
      result.convertTo(context.getHostType(type.getElementType())));
  return success();
}

static LogicalResult dimSizeRule(DimSizeOp op, Operands operands,
                                 InterpretContext &, Results &results) {
  results.push_back(HostTensor::scalar(
      static_cast<int32_t>(operands[0].getDim(op.getDim()))));
  return success();
}

void interp::attachIndexRules(MLIRContext &context) {
  attach<GatherOp, gatherRule>(context);
  attach<ScatterAddOp, scatterAddRule>(context);
  attach<IotaOp, iotaRule>(context);
  attach<DimSizeOp, dimSizeRule>(context);
}
