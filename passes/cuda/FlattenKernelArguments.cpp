//===- FlattenKernelArguments.cpp - pointers and numbers for memrefs ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref becomes the pointer to its first element, and those of its extents
// and strides that its type does not say.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/KernelTypes.h"
#include "passes/host/HostViews.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace belfry {
#define GEN_PASS_DEF_FLATTENKERNELARGUMENTS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {
struct FlattenKernelArgumentsPass
    : belfry::impl::FlattenKernelArgumentsBase<FlattenKernelArgumentsPass> {
  void runOnOperation() override;
};
} // namespace

/// The type with its first element at the pointer.
static MemRefType placedType(MemRefType type) {
  if (type.getLayout().isIdentity())
    return type;
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), 0, stridesOf(type)));
}

/// Calls `visit` for each use of an array, and of what is chosen among it and
/// others of its type.
static void forUses(Value array, function_ref<void(OpOperand &, Value)> visit) {
  for (OpOperand &use : array.getUses()) {
    Value chosen;
    if (isa<scf::YieldOp>(use.getOwner()))
      chosen = use.getOwner()->getParentOp()->getResult(use.getOperandNumber());
    else if (isa<arith::SelectOp>(use.getOwner()))
      chosen = use.getOwner()->getResult(0);
    visit(use, chosen);
    if (chosen)
      forUses(chosen, visit);
  }
}

/// Replaces the argument `number` of a kernel; gives the one after what stands
/// for it.
static unsigned flatten(gpu::GPUFuncOp kernel, unsigned number) {
  Block &body = kernel.getBody().front();
  BlockArgument argument = body.getArgument(number);
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type)
    return number + 1;
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = argument.getLoc();
  MemRefType placed = placedType(type);
  SmallVector<int64_t> strides = stridesOf(type);
  LLVMTypeConverter converter(b.getContext());
  auto descriptor =
      MemRefDescriptor::poison(b, loc, converter.convertType(placed));
  unsigned next = number + 1;
  auto add = [&](Type word) { return body.insertArgument(next++, word, loc); };
  Value pointer = add(LLVM::LLVMPointerType::get(b.getContext()));
  descriptor.setAllocatedPtr(b, loc, pointer);
  descriptor.setAlignedPtr(b, loc, pointer);
  descriptor.setConstantOffset(b, loc, 0);
  for (auto [d, extent] : llvm::enumerate(placed.getShape()))
    if (ShapedType::isDynamic(extent))
      descriptor.setSize(b, loc, d, add(b.getI64Type()));
    else
      descriptor.setConstantSize(b, loc, d, extent);
  for (auto [d, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      descriptor.setStride(b, loc, d, add(b.getI64Type()));
    else
      descriptor.setConstantStride(b, loc, d, stride);
  Value memref =
      UnrealizedConversionCastOp::create(b, loc, placed, Value(descriptor))
          .getResult(0);
  // A choice is among arguments that are all placed so, in the end.
  forUses(argument, [&](OpOperand &, Value chosen) {
    if (chosen)
      chosen.setType(placed);
  });
  argument.replaceAllUsesWith(memref);
  body.eraseArgument(number);
  return next - 1;
}

static LogicalResult flatten(gpu::GPUFuncOp kernel) {
  // A view of a view says its offset from where the buffer begins.
  for (BlockArgument argument : kernel.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType());
        type && !type.getLayout().isIdentity()) {
      bool viewed = false;
      forUses(argument, [&](OpOperand &use, Value) {
        viewed |= isa<memref::ReinterpretCastOp>(use.getOwner());
      });
      if (viewed)
        return kernel.emitError("makes a view of an argument that is a view");
    }
  Block &body = kernel.getBody().front();
  unsigned count = kernel.getNumArguments(), number = 0;
  for (unsigned i = 0; i < count; ++i)
    number = flatten(kernel, number);
  // What follows is the memory of the block.
  SmallVector<Type> types(body.getArgumentTypes());
  types.resize(number);
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  return success();
}

static LogicalResult flatten(gpu::LaunchFuncOp launch) {
  auto phase = launch->getParentOfType<func::FuncOp>();
  Value rows = phase ? rowsOf(phase) : Value();
  if (!rows)
    return launch.emitError(
        "stands in no phase that has its rows; --host-entry-points runs first");
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> words;
  for (Value operand : launch.getKernelOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      words.push_back(operand);
      continue;
    }
    FailureOr<View> view = describeMemref(operand, rows);
    if (failed(view))
      return failure();
    words.push_back(pointerTo(b, loc, *view));
    for (auto [extent, size] : llvm::zip(type.getShape(), view->sizes))
      if (ShapedType::isDynamic(extent))
        words.push_back(wordOf(b, loc, size, rows));
    for (auto [known, stride] : llvm::zip(stridesOf(type), view->strides))
      if (ShapedType::isDynamic(known))
        words.push_back(wordOf(b, loc, stride, rows));
  }
  launch.getKernelOperandsMutable().assign(words);
  return success();
}

void FlattenKernelArgumentsPass::runOnOperation() {
  WalkResult result = getOperation()->walk([](Operation *op) -> WalkResult {
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
      return flatten(kernel);
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      return flatten(launch);
    return success();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
