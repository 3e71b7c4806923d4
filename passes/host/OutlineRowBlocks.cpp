//===- OutlineRowBlocks.cpp - loops over blocks of rows as functions ------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each loop over blocks of rows (lowering/RowBlocks.h) of a phase:
//
//   1. The loop becomes a function of what it reads from outside, a word each,
//      and of the rows to do. Functions whose text is the same are one.
//   2. The phase writes the words to its stack, where one frame serves all such
//      loops, and calls belfry_parallel_rows.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/host/HostViews.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

namespace belfry {
#define GEN_PASS_DEF_OUTLINEROWBLOCKS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct OutlineRowBlocksPass
    : belfry::impl::OutlineRowBlocksBase<OutlineRowBlocksPass> {
  void runOnOperation() override {
    for (auto phase :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (phase->hasAttr(kFunctionAttr) && failed(outline(phase)))
        return signalPassFailure();
  }

private:
  LogicalResult outline(func::FuncOp phase);
  func::FuncOp build(Location loc, scf::ForOp loop, ArrayRef<Value> read);
  void call(scf::ForOp loop, func::FuncOp function, ArrayRef<Value> read,
            Value context, Value frame);

  llvm::StringMap<func::FuncOp> known; ///< by text
};

} // namespace

/// Whether each function can have a value of its own in place of this one.
static bool isConstant(Value value) {
  return matchPattern(value, m_Constant()) ||
         isa_and_present<LLVM::ConstantOp, LLVM::ZeroOp, LLVM::AddressOfOp,
                         func::ConstantOp>(value.getDefiningOp());
}

static LogicalResult verify(scf::ForOp loop) {
  if (!loop->getAttrOfType<IntegerAttr>(kRowBlocksAttr))
    return loop.emitOpError("has no integer as ") << kRowBlocksAttr;
  if (loop.getNumResults() != 0 ||
      !matchPattern(loop.getLowerBound(), m_Zero()))
    return loop.emitOpError("over blocks of rows does not begin at row 0, or "
                            "has a result");
  if (!matchPattern(loop.getStep(), m_Constant()))
    return loop.emitOpError("has blocks of rows whose size is no constant");
  Operation *rows = blockRowsOf(loop);
  if (!rows || rows->getNumResults() != 1 ||
      !rows->getResult(0).getType().isIndex())
    return loop.emitOpError("over blocks of rows does not say how many rows a "
                            "block has, by an op with ")
           << kBlockRowsAttr;
  return success();
}

/// What the loop reads from outside, constants apart, in the order in which it
/// does, so that equal loops have equal functions.
static FailureOr<SetVector<Value>> readsOf(scf::ForOp loop) {
  SetVector<Value> read;
  WalkResult walked = loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (loop.getRegion().isAncestor(operand.getParentRegion()) ||
          isConstant(operand))
        continue;
      Type type = operand.getType();
      bool isWord = isa<IndexType, LLVM::LLVMPointerType>(type) ||
                    (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
      if (!isWord) {
        op->emitOpError("in a loop over blocks of rows reads a value of type ")
            << type << " from outside of it";
        return WalkResult::interrupt();
      }
      read.insert(operand);
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return read;
}

func::FuncOp OutlineRowBlocksPass::build(Location loc, scf::ForOp loop,
                                         ArrayRef<Value> read) {
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Type pointer = LLVM::LLVMPointerType::get(&getContext()),
       i64 = b.getI64Type(), index = b.getIndexType();
  auto function = func::FuncOp::create(
      b, loc, "rows", b.getFunctionType({pointer, i64, i64}, {}));
  function.setPrivate();
  function->setAttr(kPartAttr, b.getUnitAttr());
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping map;
  for (auto [word, value] : llvm::enumerate(read))
    map.map(value,
            loadWord(b, loc, value.getType(), body->getArgument(0), word));
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!loop.getRegion().isAncestor(operand.getParentRegion()) &&
          isConstant(operand) && !map.contains(operand))
        b.clone(*operand.getDefiningOp(), map);
  });
  Value begin = arith::IndexCastOp::create(b, loc, index, body->getArgument(1));
  Value end = arith::IndexCastOp::create(b, loc, index, body->getArgument(2));
  auto clone = cast<scf::ForOp>(b.clone(*loop, map));
  clone->removeAttr(kRowBlocksAttr);
  clone.setLowerBound(begin);
  clone.setUpperBound(end);
  // The last block ends where the rows do that the call is for.
  Operation *rows = blockRowsOf(clone);
  b.setInsertionPoint(rows);
  Value left = arith::SubIOp::create(b, loc, end, clone.getInductionVar());
  rows->replaceAllUsesWith(
      arith::MinSIOp::create(b, loc, left, clone.getStep()));
  rows->erase();
  b.setInsertionPointToEnd(body);
  func::ReturnOp::create(b, loc);

  auto [it, fresh] = known.try_emplace(textOf(function), function);
  if (!fresh) {
    function.erase();
    ++numShared;
    return it->second;
  }
  function.setName(("rows_" + Twine(known.size() - 1)).str());
  ++numFunctions;
  return function;
}

void OutlineRowBlocksPass::call(scf::ForOp loop, func::FuncOp function,
                                ArrayRef<Value> read, Value context,
                                Value frame) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type pointer = frame.getType(), i64 = b.getI64Type();
  for (auto [word, value] : llvm::enumerate(read))
    storeWord(b, loc, value, frame, word);
  Value address = addressOf(b, loc, function);
  Value rows = arith::IndexCastOp::create(b, loc, i64, loop.getUpperBound());
  auto costOfRow = loop->getAttrOfType<IntegerAttr>(kRowBlocksAttr);
  Value cost = arith::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(costOfRow.getInt()));
  func::CallOp::create(b, loc,
                       declareFunction(getOperation(), "belfry_parallel_rows",
                                       {pointer, pointer, pointer, i64, i64}),
                       ValueRange{context, address, frame, rows, cost});
  loop.erase();
}

LogicalResult OutlineRowBlocksPass::outline(func::FuncOp phase) {
  // Loops within such a loop are done by the thread that has its rows.
  SmallVector<scf::ForOp> loops;
  phase->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!loop->hasAttr(kRowBlocksAttr))
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip();
  });
  if (loops.empty())
    return success();
  SmallVector<SetVector<Value>> reads;
  size_t words = 0;
  for (scf::ForOp loop : loops) {
    if (failed(verify(loop)))
      return failure();
    FailureOr<SetVector<Value>> read = readsOf(loop);
    if (failed(read))
      return failure();
    words = std::max(words, read->size());
    reads.push_back(std::move(*read));
  }
  Location loc = phase.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&phase.getBody().front());
  Value count = LLVM::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(static_cast<int64_t>(words)));
  Value frame =
      LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(&getContext()),
                             b.getI64Type(), count, /*alignment=*/8);
  Value context = loadContext(phase);
  for (auto [loop, read] : llvm::zip_equal(loops, reads))
    call(loop, build(loc, loop, read.getArrayRef()), read.getArrayRef(),
         context, frame);
  return success();
}
