//===- InterpretScan.cpp - meaning of the loop over time ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

/// Row r of `next` where mask[r], else row r of `previous`, or zeros without
/// one.
static HostTensor keepMasked(const HostTensor &next, const HostTensor *previous,
                             ArrayRef<uint8_t> mask) {
  HostTensor result = next;
  int64_t rows = next.getDim(0);
  size_t bytes = rows ? next.sizeInBytes() / rows : 0;
  char *to = static_cast<char *>(result.mutableData());
  for (int64_t r = 0; r < rows; ++r) {
    if (mask[r])
      continue;
    if (previous)
      std::memcpy(to + r * bytes,
                  static_cast<const char *>(previous->data()) + r * bytes,
                  bytes);
    else
      std::memset(to + r * bytes, 0, bytes);
  }
  return result;
}

/// Element t of the leading dimension.
static HostTensor elementOf(const HostTensor &sequence, int64_t t) {
  return sequence.takeBlock(0, t, 1).reshape(sequence.getShape().drop_front());
}

static LogicalResult scanRule(ScanOp op, Operands operands,
                              InterpretContext &context, Results &results) {
  size_t carried = op.getInits().size();
  Operands sequences = operands.slice(carried, op.getSequences().size());
  Operands closed =
      operands.slice(carried + sequences.size(), op.getClosed().size());
  const HostTensor *mask = op.getMask() ? &operands.back() : nullptr;
  int64_t steps = op.getSteps();
  SmallVector<HostTensor> state(operands.take_front(carried));
  SmallVector<SmallVector<HostTensor>> outputs(op.getOutputs().size(),
                                               SmallVector<HostTensor>(steps));

  SmallVector<HostTensor> arguments, yielded;
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = op.getReverse() ? steps - 1 - i : i;
    arguments = state;
    for (const HostTensor &sequence : sequences)
      arguments.push_back(elementOf(sequence, t));
    llvm::append_range(arguments, closed);
    if (failed(
            interpretBlock(op.getBody().front(), arguments, context, yielded)))
      return failure();
    for (auto [k, value] : llvm::enumerate(yielded)) {
      bool isCarried = k < carried;
      if (mask) {
        ArrayRef<uint8_t> row =
            mask->values<uint8_t>().slice(t * mask->getDim(1), mask->getDim(1));
        if (value.getRank() == 0 ||
            value.getDim(0) != static_cast<int64_t>(row.size()))
          return context.fail(op, "has a mask of " + Twine(row.size()) +
                                      " rows, but yields " +
                                      value.typeString());
        value = keepMasked(value, isCarried ? &state[k] : nullptr, row);
      }
      if (!isCarried)
        outputs[k - carried][t] = value;
    }
    std::copy_n(yielded.begin(), carried, state.begin());
  }

  llvm::append_range(results, state);
  for (auto [k, parts] : llvm::enumerate(outputs)) {
    RankedTensorType type = tensorType(op.getOutputs()[k]);
    if (parts.empty()) {
      // No step says what a dynamic extent is; the result has no elements.
      results.push_back(HostTensor(context.getHostType(type.getElementType()),
                                   shapeLike(type, {}, nullptr)));
      continue;
    }
    for (HostTensor &part : parts) {
      Shape shape{1};
      llvm::append_range(shape, part.getShape());
      part = part.reshape(shape);
    }
    results.push_back(HostTensor::join(parts, 0));
  }
  return success();
}

/// How many rows `mask` selects.
static int64_t selectedRows(const HostTensor &mask) {
  return llvm::count_if(mask.values<uint8_t>(),
                        [](uint8_t selected) { return selected != 0; });
}

/// Copies between the rows of a sequence that `mask` selects and rows that
/// stand one after the other; `pack` says in which direction.
static LogicalResult copySelected(Operation *op, const HostTensor &from,
                                  const HostTensor &mask, bool pack,
                                  HostTensor result, InterpretContext &context,
                                  Results &results) {
  int64_t rows = pack ? mask.size() : selectedRows(mask);
  int64_t count = pack ? from.getDim(0) * from.getDim(1) : from.getDim(0);
  if (count != rows)
    return context.fail(op, "has a mask of " + Twine(rows) +
                                (pack ? " rows in all" : " selected rows") +
                                ", but " + from.typeString());
  size_t bytes = rows ? from.sizeInBytes() / rows : 0;
  const char *source = static_cast<const char *>(from.data());
  char *target = static_cast<char *>(result.mutableData());
  int64_t packed = 0;
  for (auto [row, selected] : llvm::enumerate(mask.values<uint8_t>())) {
    if (!selected)
      continue;
    int64_t at = static_cast<int64_t>(row);
    std::memcpy(target + (pack ? packed : at) * bytes,
                source + (pack ? at : packed) * bytes, bytes);
    ++packed;
  }
  results.push_back(std::move(result));
  return success();
}

static LogicalResult packStepsRule(PackStepsOp op, Operands operands,
                                   InterpretContext &context,
                                   Results &results) {
  const HostTensor &x = operands[0], &mask = operands[1];
  Shape shape(x.getShape().drop_front());
  shape[0] = selectedRows(mask);
  return copySelected(op, x, mask, /*pack=*/true,
                      HostTensor(x.getType(), shape), context, results);
}

static LogicalResult unpackStepsRule(UnpackStepsOp op, Operands operands,
                                     InterpretContext &context,
                                     Results &results) {
  const HostTensor &x = operands[0], &mask = operands[1];
  Shape shape(mask.getShape());
  llvm::append_range(shape, x.getShape().drop_front());
  return copySelected(op, x, mask, /*pack=*/false,
                      HostTensor(x.getType(), shape), context, results);
}

void interp::attachScanRules(MLIRContext &context) {
  attach<ScanOp, scanRule>(context);
  attach<PackStepsOp, packStepsRule>(context);
  attach<UnpackStepsOp, unpackStepsRule>(context);
}
