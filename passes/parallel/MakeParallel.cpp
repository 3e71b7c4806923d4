//===- MakeParallel.cpp - from one device to towers -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function whose arguments have roles:
//
//   1. Put a tower.replicate in front of the return and move the body into it.
//   2. Slice inputs, targets and sample weights; the region uses the slices.
//   3. Give each random op that draws for the batch the offset of its rows.
//   4. Yield what the function returned: outputs joined along the batch.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/nn/Builders.h"
#include "dialects/nn/RowMultiple.h"

namespace belfry {
#define GEN_PASS_DEF_MAKEPARALLEL
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::tower;

static bool isBatch(Role role) {
  return role == Role::Input || role == Role::Target ||
         role == Role::SampleWeight;
}

static std::optional<Role> roleOf(Attribute attr) {
  auto role = dyn_cast_or_null<RoleAttr>(attr);
  return role ? std::optional<Role>(role.getValue()) : std::nullopt;
}

/// Makes random numbers of the batch those of the tower's rows.
static LogicalResult offsetRandom(RandomOp op, Value batch) {
  if (dynamicDim(op.getType()) < 0)
    return success(); // no part of the batch: the same in every tower
  std::optional<int64_t> multiple = rowMultiple(op.getResult());
  if (!multiple)
    return op.emitOpError(
        "draws a number of rows that is no multiple of the batch's");
  OpBuilder builder(op);
  Value offset = RowOffsetOp::create(builder, op.getLoc(), batch);
  CoreBuilder b(builder, op.getLoc());
  if (*multiple != 1)
    offset = b.mul(offset, static_cast<double>(*multiple));
  if (op.getRowOffset())
    offset = b.add(offset, op.getRowOffset());
  op.getRowOffsetMutable().assign(offset);
  return success();
}

namespace {

struct MakeParallel : belfry::impl::MakeParallelBase<MakeParallel> {
  using MakeParallelBase::MakeParallelBase;

  void runOnOperation() override {
    if (towers < 1) {
      getOperation().emitError("expected at least 1 tower, got ") << towers;
      return signalPassFailure();
    }
    bool any = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isTrainingFunction(function))
        continue;
      any = true;
      if (failed(replicate(function)))
        return signalPassFailure();
    }
    if (!any)
      for (auto model : getOperation().getOps<ModelOp>())
        model.emitWarning("model '")
            << model.getSymName()
            << "' has no functions to replicate; --nn-build-train-step makes "
               "them";
  }

  static bool isTrainingFunction(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, kRoleAttr))
        return true;
    return false;
  }

  LogicalResult replicate(func::FuncOp function) {
    Block &body = function.getBody().front();
    auto ret = cast<func::ReturnOp>(body.getTerminator());
    if (!body.getOps<ReplicateOp>().empty())
      return function.emitError("function '")
             << function.getSymName() << "' runs in towers already";
    OpBuilder builder(ret);
    auto op = ReplicateOp::create(builder, function.getLoc(),
                                  ret.getOperandTypes(), towers, slicing);
    Block *region = builder.createBlock(&op.getBody());
    region->getOperations().splice(region->end(), body.getOperations(),
                                   body.begin(), Block::iterator(op));

    // Slices.
    builder.setInsertionPointToStart(region);
    Value batch;
    for (BlockArgument arg : body.getArguments()) {
      std::optional<Role> role =
          roleOf(function.getArgAttr(arg.getArgNumber(), kRoleAttr));
      if (!role || !isBatch(*role))
        continue;
      int64_t dim = dynamicDim(arg.getType());
      if (dim != 0)
        return function.emitError("argument ")
               << arg.getArgNumber() << " of '" << function.getSymName()
               << "' has type " << arg.getType()
               << ", but its first dimension has to be the batch's";
      if (!batch)
        batch = arg;
      Value slice =
          tower::SliceOp::create(builder, arg.getLoc(), arg.getType(), arg, dim,
                                 IntegerAttr(), IntegerAttr(), SlicingAttr());
      arg.replaceAllUsesExcept(slice, slice.getDefiningOp());
    }

    WalkResult walk = op.walk([&](RandomOp random) {
      if (dynamicDim(random.getType()) >= 0 && !batch) {
        random.emitOpError("draws numbers for a batch that no argument has");
        return WalkResult::interrupt();
      }
      return failed(offsetRandom(random, batch)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();

    // Results.
    SmallVector<int64_t> concat;
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      bool joined =
          roleOf(function.getResultAttr(i, kRoleAttr)) == Role::Output &&
          dynamicDim(function.getResultTypes()[i]) >= 0;
      concat.push_back(joined ? dynamicDim(function.getResultTypes()[i]) : -1);
    }
    builder.setInsertionPointToEnd(region);
    tower::YieldOp::create(builder, ret.getLoc(), ret.getOperands(), concat);
    ret->setOperands(op.getResults());
    return success();
  }
};

} // namespace
