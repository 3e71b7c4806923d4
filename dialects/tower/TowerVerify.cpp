//===- TowerVerify.cpp - verifiers of the tower dialect -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule that keeps towers from waiting for each other for ever stands here:
// a collective may only be where all towers get to equally often.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Verify.h"
#include "dialects/tower/Tower.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::tower;

//===----------------------------------------------------------------------===//
// What verifiers share
//===----------------------------------------------------------------------===//

static ReplicateOp replicateAround(Operation *op) {
  return op->getParentOfType<ReplicateOp>();
}

static LogicalResult verifyInside(Operation *op) {
  if (replicateAround(op))
    return success();
  return op->emitOpError("stands outside of tower.replicate");
}

/// Checks that every tower issues the collective `op` equally often.
static LogicalResult verifyUniform(Operation *op) {
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp()) {
    if (isa<ReplicateOp, FunctionOpInterface, ModuleOp>(around))
      return success();
    // The number of steps of a scan is a constant.
    if (isa<nn::ScanOp>(around))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError("stands inside of '")
        << around->getName()
        << "', which towers may run differently often: towers that do not "
           "meet in a collective wait for each other for ever";
    diag.attachNote(around->getLoc()) << "the control flow is here";
    return diag;
  }
  return success();
}

/// Checks that `dim` is the dynamic dimension of `value`.
static LogicalResult verifyDynamicDim(Operation *op, Value value, int64_t dim) {
  RankedTensorType type = tensorType(value);
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("dim is ")
           << dim << ", but the rank is " << type.getRank();
  if (!type.isDynamicDim(dim))
    return op->emitOpError("dim is ")
           << dim << ", but that dimension of " << type << " is not dynamic";
  return success();
}

static LogicalResult verifyKind(Operation *op, tower::ReduceKind kind,
                                Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  if (kind == tower::ReduceKind::Sum && isBool(element))
    return op->emitOpError("'sum' does not take elements of type ") << element;
  return success();
}

/// Checks `tower = index of n`.
static LogicalResult verifyIndex(Operation *op, std::optional<uint64_t> index,
                                 std::optional<uint64_t> of) {
  bool replicated = replicateAround(op) != nullptr;
  if (index.has_value() != of.has_value())
    return op->emitOpError(
        "has one of 'index' and 'of', expected both or none");
  if (replicated && index)
    return op->emitOpError("names a tower inside of tower.replicate, where it "
                           "is each tower's own");
  if (!replicated && !index)
    return op->emitOpError("names no tower outside of tower.replicate");
  if (!index)
    return success();
  auto tower = static_cast<int64_t>(*index), towers = static_cast<int64_t>(*of);
  if (tower < 0 || tower >= towers)
    return op->emitOpError("names tower ") << tower << " of " << towers;
  return success();
}

/// Checks that inside of tower.replicate `value` is a whole one.
static LogicalResult verifyFromOutside(Operation *op, Value value) {
  ReplicateOp replicate = replicateAround(op);
  if (!replicate || !replicate.getBody().isAncestor(value.getParentRegion()))
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("takes a value of the tower itself, expected one from "
                      "outside of the region");
  diag.attachNote(value.getLoc()) << "the value is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// tower.replicate, tower.yield
//===----------------------------------------------------------------------===//

LogicalResult ReplicateOp::verify() {
  if (static_cast<int64_t>(getTowers()) < 1)
    return emitOpError("has ") << static_cast<int64_t>(getTowers())
                               << " towers, expected at least 1";
  if (Operation *around = replicateAround(*this)) {
    InFlightDiagnostic diag = emitOpError("stands inside of another");
    diag.attachNote(around->getLoc()) << "the other is here";
    return diag;
  }
  Block &body = getBody().front();
  if (body.getNumArguments() != 0)
    return emitOpError("has a region with ")
           << body.getNumArguments() << " arguments, expected 0";
  auto yield = dyn_cast<tower::YieldOp>(body.back());
  if (!yield)
    return emitOpError("has a region that does not end with tower.yield");
  if (yield.getValues().size() != getNumResults())
    return yield.emitOpError("yields ")
           << yield.getValues().size() << " values, expected "
           << getNumResults();
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (failed(verifyType(*this, "result " + Twine(i), getResult(i).getType(),
                          value.getType())))
      return failure();
  return success();
}

LogicalResult tower::YieldOp::verify() {
  if (getConcat().size() != getValues().size())
    return emitOpError("concat has ")
           << getConcat().size() << " entries, but there are "
           << getValues().size() << " values";
  for (auto [value, dim] : llvm::zip_equal(getValues(), getConcat()))
    if (dim != -1 && failed(verifyDynamicDim(*this, value, dim)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Slices and positions
//===----------------------------------------------------------------------===//

LogicalResult tower::SliceOp::verify() {
  if (failed(verifyOneType(*this)) ||
      failed(verifyDynamicDim(*this, getOperand(), getDim())) ||
      failed(verifyIndex(*this, getIndex(), getOf())))
    return failure();
  // What the region gathered, or made of it, can be sliced; a slice cannot.
  if (!getOperand().getDefiningOp<SliceOp>())
    return success();
  return verifyFromOutside(*this, getOperand());
}

LogicalResult tower::ConcatOp::verify() {
  if (failed(verifyOneType(*this)) ||
      failed(verifyDynamicDim(*this, getOperands().front(), getDim())))
    return failure();
  if (replicateAround(*this))
    return emitOpError(
        "stands inside of tower.replicate, where tower.yield joins");
  return success();
}

LogicalResult IndexOp::verify() {
  return verifyIndex(*this, getIndex(), getOf());
}

LogicalResult RowOffsetOp::verify() {
  if (tensorType(getOfValue()).hasStaticShape())
    return emitOpError("is of a value of type ")
           << getOfValue().getType() << ", which has no dynamic dimension";
  if (failed(verifyIndex(*this, getIndex(), getOf())))
    return failure();
  return verifyFromOutside(*this, getOfValue());
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

LogicalResult AllReduceOp::verify() {
  size_t count = getOperands().size();
  if (count == 0 || (replicateAround(*this) && count != 1))
    return emitOpError("has ")
           << count << " operands, expected "
           << (count == 0 ? "at least 1" : "1 inside of tower.replicate");
  if (failed(verifyOneType(*this)) ||
      failed(verifyKind(*this, getKind(), getOperands().front().getType())))
    return failure();
  return verifyUniform(*this);
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyInside(*this)) || failed(verifyOneType(*this)) ||
      failed(verifyDynamicDim(*this, getOperand(), getDim())))
    return failure();
  return verifyUniform(*this);
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyInside(*this)) || failed(verifyOneType(*this)) ||
      failed(verifyDynamicDim(*this, getOperand(), getDim())) ||
      failed(verifyKind(*this, getKind(), getType())))
    return failure();
  return verifyUniform(*this);
}
