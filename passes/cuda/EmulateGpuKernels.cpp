//===- EmulateGpuKernels.cpp - kernels as functions of the host -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel becomes a function that belfry_parallel_for calls: its arguments are
// a list of words, and the range is one of blocks. ThreadLoops.cpp makes loops
// of what the threads of a block do.
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Passes.h"
#include "passes/cuda/ThreadLoops.h"
#include "passes/host/HostViews.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace belfry {
#define GEN_PASS_DEF_EMULATEGPUKERNELS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct EmulateGpuKernelsPass
    : belfry::impl::EmulateGpuKernelsBase<EmulateGpuKernelsPass> {
  void runOnOperation() override;
  FailureOr<func::FuncOp> emulate(gpu::GPUFuncOp kernel);
  LogicalResult launch(gpu::LaunchFuncOp launch);

  DenseMap<StringAttr, func::FuncOp> functions; ///< by kernel
  DenseMap<func::FuncOp, Value> contexts;       ///< of phases
};

} // namespace

/// Whether a value is one word of a list.
static LogicalResult isWord(Operation *op, Type type) {
  if (isa<LLVM::LLVMPointerType, IndexType, FloatType>(type) ||
      (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64))
    return success();
  return op->emitError("has an argument of type ")
         << type << "; --flatten-kernel-arguments runs first";
}

FailureOr<func::FuncOp> EmulateGpuKernelsPass::emulate(gpu::GPUFuncOp kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, loc, kernel.getName(), b.getFunctionType({pointer, i64, i64}, {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping map;
  for (BlockArgument argument :
       kernel.getArguments().take_front(kernel.getNumArguments())) {
    if (failed(isWord(kernel, argument.getType())))
      return failure();
    map.map(argument, loadWord(b, loc, argument.getType(), body->getArgument(0),
                               argument.getArgNumber()));
  }
  auto number = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  Value first = number(body->getArgument(1)),
        end = number(body->getArgument(2));
  if (failed(buildThreadLoops(b, kernel, map, first, end)))
    return failure();
  func::ReturnOp::create(b, loc);
  return function;
}

LogicalResult EmulateGpuKernelsPass::launch(gpu::LaunchFuncOp launch) {
  auto phase = launch->getParentOfType<func::FuncOp>();
  func::FuncOp function = functions.lookup(launch.getKernelName());
  if (!phase || !function)
    return launch.emitError("launches a kernel that is not there");
  if (phase.getNumArguments() == 0 ||
      !isa<LLVM::LLVMPointerType>(phase.getArgumentTypes()[0]))
    return launch.emitError("stands in a function that is no phase of the "
                            "runtime's form; --host-entry-points runs first");
  Value &context = contexts[phase];
  if (!context)
    context = loadContext(phase);
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(&getContext()),
       i64 = b.getI64Type();
  OpBuilder entry = OpBuilder::atBlockBegin(&phase.getBody().front());
  auto constant = [&](OpBuilder &at, int64_t n) -> Value {
    return arith::ConstantOp::create(at, loc, at.getI64IntegerAttr(n));
  };
  // The arguments, and behind them a belfry_loop: what to call, with what, how
  // often, at what cost, and where it may be cut.
  constexpr int64_t kLoopWords = sizeof(belfry_loop) / sizeof(int64_t);
  static_assert(kLoopWords == 5);
  int64_t count = launch.getNumKernelOperands();
  Value list = LLVM::AllocaOp::create(entry, loc, pointer, i64,
                                      constant(entry, count + kLoopWords));
  int64_t next = 0;
  for (Value operand : launch.getKernelOperands()) {
    if (failed(isWord(launch, operand.getType())))
      return failure();
    storeWord(b, loc, operand, list, next++);
  }
  for (Value word :
       {addressOf(b, loc, function), list, launch.getGridSizeX(),
        constant(b, BELFRY_LOOP_COST_OF_MICROSECOND), constant(b, 1)})
    storeWord(b, loc, word, list, next++);
  func::FuncOp parallel = declareFunction(getOperation(), "belfry_parallel_for",
                                          {pointer, i64, pointer});
  func::CallOp::create(
      b, loc, parallel,
      ValueRange{context, constant(b, 1), wordAt(b, loc, list, count)});
  launch.erase();
  return success();
}

void EmulateGpuKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<gpu::GPUModuleOp> modules(module.getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp kernels : modules)
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
      FailureOr<func::FuncOp> function = emulate(kernel);
      if (failed(function))
        return signalPassFailure();
      functions[kernel.getNameAttr()] = *function;
    }
  SmallVector<gpu::LaunchFuncOp> launches;
  module.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  for (gpu::LaunchFuncOp op : launches)
    if (failed(launch(op)))
      return signalPassFailure();
  for (gpu::GPUModuleOp kernels : modules)
    kernels.erase();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
}
