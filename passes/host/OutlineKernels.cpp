//===- OutlineKernels.cpp - loop nests to functions on pointers -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Optimizations.h"
#include "passes/Passes.h"
#include "passes/host/LoopGroup.h"
#include "passes/host/OpFacts.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

namespace belfry {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// What the phase itself reads: numbers that kernels have counted.
static LogicalResult lowerLoads(func::FuncOp phase, Value rows) {
  SmallVector<memref::LoadOp> loads;
  phase.walk([&](memref::LoadOp op) { loads.push_back(op); });
  for (memref::LoadOp op : loads) {
    FailureOr<View> list = describeMemref(op.getMemRef(), rows);
    if (failed(list))
      return failure();
    OpBuilder b(op);
    Location loc = op.getLoc();
    View element = *list;
    for (auto [index, stride] : llvm::zip(op.getIndices(), list->strides)) {
      if (!stride.isFixed())
        return op.emitOpError("reads a list that is not dense");
      element.offset = addIndex(
          b, loc, element.offset,
          mulIndex(b, loc, OpFoldResult(index), b.getIndexAttr(stride.fixed)));
    }
    bool boolean = element.element.isInteger(1);
    Type memory = boolean ? b.getI8Type() : element.element;
    Value value =
        LLVM::LoadOp::create(b, loc, memory, pointerTo(b, loc, element));
    if (boolean)
      value = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne, value,
          arith::ConstantOp::create(b, loc, b.getZeroAttr(memory)));
    op.replaceAllUsesWith(value);
    op.erase();
  }
  return success();
}

namespace {

/// A kernel's functions.
struct Kernel {
  func::FuncOp function;
  func::FuncOp loop; ///< of belfry_loop's type; where the kernel is split
};

struct OutlineKernelsPass
    : belfry::impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDisabled(optimizations, disable, context);
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> phases;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr))
        phases.push_back(function);
    for (func::FuncOp phase : phases) {
      LoopGroup group(phase, rowsOf(phase));
      if (failed(outline(phase.getBody().front(), phase, group)) ||
          failed(lowerLoads(phase, rowsOf(phase))))
        return signalPassFailure();
    }
  }

  LogicalResult outline(Block &block, func::FuncOp phase, LoopGroup &group);
  LogicalResult outline(Operation *op, Value rows, LoopGroup &group);
  Kernel share(KernelBuilder &kernel);
  func::FuncOp buildLoop(func::FuncOp kernel);
  void flush(LoopGroup &group, Operation *op);

  llvm::StringMap<Kernel> known; ///< by the text of the function
  unsigned count = 0;            ///< of kernels
  Optimizations optimizations;
};

} // namespace

static bool isKernel(Operation *op) {
  return isa<linalg::LinalgOp>(op) || op->hasAttr(kKernelAttr);
}

/// The iterations of a loop between constants; of another one none.
static std::optional<int64_t> iterationsOf(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeil(*end - *first, *step));
}

/// Whether LLVM is to roll the loop out: one of few small steps that wait for
/// one another, a sum of ten numbers. LLVM leaves all others as they are
/// (belfryc says so), for it is vectors that shorten them.
static bool isRolledOut(scf::ForOp loop) {
  constexpr int64_t kMostIterations = 16, kMostOps = 256;
  std::optional<int64_t> iterations = iterationsOf(loop);
  return iterations && *iterations <= kMostIterations &&
         loop.getOps<scf::ForOp>().empty() &&
         *iterations * llvm::range_size(*loop.getBody()) <= kMostOps;
}

/// Says LLVM which loops are parallel, so that its vectorizer asks for no
/// checks, and none at run time; and which are to be rolled out.
static void annotateLoops(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  auto annotate = [&](scf::ForOp loop, LLVM::LoopUnrollAttr unroll,
                      ArrayRef<LLVM::AccessGroupAttr> parallel) {
    loop->setAttr(LLVM::LoopAnnotationAttr::name,
                  LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                                {}, {}, {}, {}, {}, {}, {}, {},
                                                {}, parallel));
  };
  auto rollOut = LLVM::LoopUnrollAttr::get(
      context, {}, {}, {}, /*full=*/BoolAttr::get(context, true), {}, {}, {});
  function.walk([&](scf::ForOp loop) {
    if (!loop->removeAttr(KernelBuilder::kParallelAttr)) {
      if (isRolledOut(loop))
        annotate(loop, rollOut, {});
      return;
    }
    auto group = LLVM::AccessGroupAttr::get(context);
    auto groups = ArrayAttr::get(context, group);
    loop->walk([&](LLVM::AccessGroupOpInterface access) {
      access.setAccessGroups(groups);
    });
    annotate(loop, {}, group);
  });
}

/// `kernel` as a function of a pointer to its arguments, a word each, and the
/// bounds of the loop that threads share.
func::FuncOp OutlineKernelsPass::buildLoop(func::FuncOp kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(&getContext()),
       i64 = b.getI64Type();
  auto loop = func::FuncOp::create(b, loc, (kernel.getName() + "_loop").str(),
                                   b.getFunctionType({pointer, i64, i64}, {}));
  loop.setPrivate();
  Block *body = loop.addEntryBlock();
  b.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  for (unsigned i : {1, 2})
    arguments.push_back(arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                   body->getArgument(i)));
  for (auto [word, type] :
       llvm::enumerate(kernel.getArgumentTypes().drop_front(2))) {
    arguments.push_back(loadWord(b, loc, type, body->getArgument(0), word));
  }
  func::CallOp::create(b, loc, kernel, arguments);
  func::ReturnOp::create(b, loc);
  return loop;
}

/// Puts the function into the module, or takes the equal one that is there.
Kernel OutlineKernelsPass::share(KernelBuilder &kernel) {
  auto [it, fresh] = known.try_emplace(textOf(kernel.function));
  if (!fresh && optimizations.has(Optimization::ShareKernels)) {
    kernel.function.erase();
    ++numShared;
    return it->second;
  }
  OpBuilder at = OpBuilder::atBlockEnd(getOperation().getBody());
  at.insert(kernel.function);
  kernel.function.setName(("kernel_" + Twine(count++)).str());
  annotateLoops(kernel.function);
  it->second.function = kernel.function;
  if (kernel.split) {
    it->second.loop = buildLoop(kernel.function);
    ++numSplit;
  }
  ++numKernels;
  return it->second;
}

void OutlineKernelsPass::flush(LoopGroup &group, Operation *op) {
  if (group.empty())
    return;
  group.flush(op);
  ++numRegions;
}

LogicalResult OutlineKernelsPass::outline(Operation *op, Value rows,
                                          LoopGroup &group) {
  KernelBuilder kernel(op, rows, optimizations);
  // Blocks of rows are what threads share of such a loop.
  kernel.mayShare =
      optimizations.has(Optimization::SplitLoops) && !rowBlocksAround(op);
  if (failed(kernel.build()))
    return failure();
  Kernel functions = share(kernel);
  OpBuilder b(op);
  kernel.buildArguments(b);
  // The loops of the group move down to where it ends.
  if (!optimizations.has(Optimization::GroupLoops) ||
      !group.isApart(kernel.accesses()))
    flush(group, op);
  DictionaryAttr facts = describe ? describeNest(op, rows) : DictionaryAttr();
  if (kernel.split) {
    group.add(kernel, functions.loop, facts);
  } else {
    auto call = func::CallOp::create(b, op->getLoc(), functions.function,
                                     kernel.arguments);
    if (facts)
      call->setAttr(kOpAttr, facts);
  }
  op->erase();
  return success();
}

LogicalResult OutlineKernelsPass::outline(Block &block, func::FuncOp phase,
                                          LoopGroup &group) {
  Value rows = rowsOf(phase);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isKernel(&op)) {
      if (!rows)
        return phase.emitError(
            "has no rows yet; --host-entry-points runs first");
      if (failed(outline(&op, rows, group)))
        return failure();
      continue;
    }
    if (!op.hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(&op))
      continue;
    flush(group, &op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(outline(inner, phase, group)))
          return failure();
  }
  return success();
}
