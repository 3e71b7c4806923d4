//===- ThreadLoops.cpp - threads of a block as loops ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers cut the body of a kernel into pieces. A piece is a loop over the
// threads; control flow around a barrier stands around the loops, once for all
// threads. A value of a thread that another piece reads is computed there
// again, if it is arithmetic on indices, or kept in an array by thread. A
// product of a warp's threads is a piece of its own, of two such loops: they
// hand in what they have, and then add (Mma.h).
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/ThreadLoops.h"

#include "passes/cuda/Mma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace belfry;

namespace {

class ThreadLoops {
public:
  ThreadLoops(OpBuilder &b, gpu::GPUFuncOp kernel, IRMapping map)
      : b(b), kernel(kernel), loc(kernel.getLoc()), shared(std::move(map)) {}

  LogicalResult build(Value first, Value end);

private:
  // Before anything is built.
  LogicalResult analyze();
  LogicalResult checkOps();
  void number(Block &block);
  bool isShared(Value value, bool mayLoad);
  bool findShared(Value value, bool mayLoad);
  LogicalResult share(Value value, Operation *user);
  bool isAgain(Value value);
  void keepWhereNeeded(OpResult value);
  LogicalResult keepForMma(NVVM::MmaOp op);

  void buildBlock(Block &block, ArrayRef<Value> yields);
  void buildCut(Operation *op);
  void buildMma(NVVM::MmaOp op);
  bool isWork(Operation *op) const;
  void forThreads(llvm::function_ref<void(IRMapping &)> body);
  void flush();
  Value valueIn(IRMapping &local, Value value);
  void cloneInto(IRMapping &local, Operation *op);
  Value keep(Value value); ///< its array

  bool isCut(Operation *op) const { return cuts.contains(op); }
  /// The piece in which `op` is done.
  unsigned pieceOf(Operation *op) const {
    for (; op; op = op->getParentOp())
      if (auto it = pieces.find(op); it != pieces.end())
        return it->second;
    return ~0u;
  }

  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  Location loc;
  IRMapping shared; ///< values that are the same for all threads
  int64_t threads = 0;
  /// Barriers, products of warps, and what is around them.
  DenseSet<Operation *> cuts;
  DenseMap<Operation *, unsigned> pieces;
  unsigned numPieces = 0;
  DenseSet<Operation *> once;             ///< done once for all threads
  DenseSet<Value> kept;                   ///< values that have an array
  DenseMap<Value, bool> isSharedKnown[2]; ///< by whether loads count
  DenseMap<Value, Value> arrays;
  MmaFactors factors;         ///< of the product that is being made
  Operation *entry = nullptr; ///< arrays are made before it
  Value thread;
  SmallVector<Operation *> pending;
  ArrayRef<Value> pendingYields; ///< arrays for a yield among them
};

} // namespace

//===----------------------------------------------------------------------===//
// What is shared, kept or done again
//===----------------------------------------------------------------------===//

void ThreadLoops::number(Block &block) {
  for (Operation &op : block) {
    if (!isCut(&op)) {
      // What is loaded once for all threads is loaded between two pieces.
      if (once.contains(&op) && !isMemoryEffectFree(&op))
        ++numPieces;
      pieces[&op] = numPieces;
      continue;
    }
    pieces[&op] = ++numPieces;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    ++numPieces;
  }
}

/// What an op reads from outside of itself.
static llvm::SetVector<Value> inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

/// Whether all threads have the same value; `mayLoad` takes what they load at
/// the same place for that.
bool ThreadLoops::isShared(Value value, bool mayLoad) {
  auto [it, fresh] = isSharedKnown[mayLoad].try_emplace(value, false);
  if (!fresh)
    return it->second;
  bool result = findShared(value, mayLoad);
  isSharedKnown[mayLoad][value] = result;
  return result;
}

bool ThreadLoops::findShared(Value value, bool mayLoad) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(owner);
    return owner == kernel ||
           (loop && isCut(loop) && argument == loop.getInductionVar());
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::ThreadIdOp>(op) || isCut(op))
    return false;
  bool takes = isMemoryEffectFree(op) || (mayLoad && isa<memref::LoadOp>(op));
  return takes && llvm::all_of(inputsOf(op), [&](Value input) {
           return isShared(input, mayLoad);
         });
}

LogicalResult ThreadLoops::share(Value value, Operation *user) {
  if (!isShared(value, /*mayLoad=*/true))
    return user->emitError(
        "is around a barrier and depends on the thread: threads of a block "
        "would not meet");
  Operation *op = value.getDefiningOp();
  if (!op || !once.insert(op).second)
    return success();
  for (Value input : inputsOf(op))
    if (failed(share(input, user)))
      return failure();
  return success();
}

/// Whether a value of a thread is cheap to compute wherever it is read.
bool ThreadLoops::isAgain(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isCut(op))
    return false;
  if (isa<gpu::ThreadIdOp>(op))
    return true;
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op) ||
      !isa<IndexType, IntegerType>(value.getType()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isShared(operand, false) || isAgain(operand);
  });
}

void ThreadLoops::keepWhereNeeded(OpResult value) {
  Operation *op = value.getOwner();
  if (isShared(value, false) || isAgain(value) || once.contains(op))
    return;
  for (OpOperand &use : value.getUses())
    if (pieceOf(use.getOwner()) != pieceOf(op))
      kept.insert(value);
}

/// Keeps the words that threads hand in, and the sums that they get.
LogicalResult ThreadLoops::keepForMma(NVVM::MmaOp op) {
  if (!isMma(op) || threads % kWarpLanes != 0)
    return op.emitError("is not emulated: it is no product of shape m16n8k16 "
                        "of f16 or bf16 by whole warps");
  for (ValueRange operands : {op.getOperandA(), op.getOperandB()})
    for (Value operand : operands) {
      kept.erase(operand);
      if (Value word = wordOf(operand); !isShared(word, false))
        kept.insert(word);
    }
  for (Operation *user : op->getUsers()) {
    if (!isa<LLVM::ExtractValueOp>(user))
      return user->emitError("takes the sums of a product as a whole");
    kept.insert(user->getResult(0));
  }
  return success();
}

/// That all ops of the GPU dialect are those that a kernel may have.
LogicalResult ThreadLoops::checkOps() {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (op == kernel || op->getDialect()->getNamespace() != "gpu" ||
        isa<gpu::ReturnOp, gpu::BarrierOp>(op))
      return success();
    if (isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp>(op)) {
      auto dimension = op->getAttrOfType<gpu::DimensionAttr>("dimension");
      if (dimension.getValue() != gpu::Dimension::x)
        return op->emitError("is of another dimension than x");
      if (!pieces.contains(op))
        return op->emitError("stands in a loop or branch; kernels take their "
                             "ids at the start");
      return success();
    }
    return op->emitError("is not emulated");
  });
  return failure(result.wasInterrupted());
}

LogicalResult ThreadLoops::analyze() {
  if (std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
      size && size->size() == 3 && (*size)[1] == 1 && (*size)[2] == 1)
    threads = (*size)[0];
  else
    return kernel.emitError("has no known block size of one dimension");
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("has branches in place of structured loops");
  kernel.walk([&](Operation *op) {
    if (isa<gpu::BarrierOp, NVVM::MmaOp>(op))
      for (Operation *at = op; at != kernel; at = at->getParentOp())
        cuts.insert(at);
  });
  for (Operation *op : cuts) {
    if (isa<NVVM::MmaOp>(op))
      continue;
    if (!isa<gpu::BarrierOp, scf::ForOp, scf::IfOp>(op))
      return op->emitError("has a barrier in it; only scf.for and scf.if may");
    ValueRange controls = op->getOperands();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      controls = controls.take_front(3); // what follows are values of threads
    for (Value control : controls)
      if (failed(share(control, op)))
        return failure();
  }
  number(kernel.getBody().front());
  if (failed(checkOps()))
    return failure();
  kernel.walk([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && isCut(loop)) {
      for (Value value : loop.getRegionIterArgs())
        kept.insert(value);
      for (Value value : loop.getResults())
        kept.insert(value);
    } else if (isa<scf::IfOp>(op) && isCut(op)) {
      kept.insert(op->result_begin(), op->result_end());
    } else if (pieces.contains(op) && !isa<NVVM::MmaOp>(op)) {
      for (OpResult value : op->getResults())
        keepWhereNeeded(value);
    }
  });
  WalkResult products =
      kernel.walk([&](NVVM::MmaOp op) -> WalkResult { return keepForMma(op); });
  return failure(products.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value ThreadLoops::keep(Value value) {
  Value &array = arrays[value];
  if (!array) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entry);
    array = memref::AllocaOp::create(
        b, loc, MemRefType::get({threads}, value.getType()), ValueRange(),
        b.getI64IntegerAttr(64));
  }
  return array;
}

Value ThreadLoops::valueIn(IRMapping &local, Value value) {
  if (Value known = local.lookupOrNull(value))
    return known;
  if (Value known = shared.lookupOrNull(value))
    return known;
  Value result;
  if (kept.contains(value)) {
    result = memref::LoadOp::create(b, loc, keep(value), thread);
  } else {
    Operation *op = value.getDefiningOp();
    if (isa<gpu::ThreadIdOp>(op)) {
      result = thread;
    } else {
      for (Value operand : op->getOperands())
        local.map(operand, valueIn(local, operand));
      return b.clone(*op, local)
          ->getResult(cast<OpResult>(value).getResultNumber());
    }
  }
  local.map(value, result);
  return result;
}

void ThreadLoops::cloneInto(IRMapping &local, Operation *op) {
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    SmallVector<Value> values;
    for (Value value : yield.getOperands())
      values.push_back(valueIn(local, value));
    for (auto [value, array] : llvm::zip(values, pendingYields))
      memref::StoreOp::create(b, loc, value, array, thread);
    return;
  }
  for (Value value : inputsOf(op))
    local.map(value, valueIn(local, value));
  b.clone(*op, local);
  for (Value result : op->getResults())
    if (kept.contains(result))
      memref::StoreOp::create(b, loc, local.lookup(result), keep(result),
                              thread);
}

/// Whether an op of a piece has to be done, whoever reads its results.
bool ThreadLoops::isWork(Operation *op) const {
  return isa<scf::YieldOp>(op) || !isMemoryEffectFree(op) ||
         llvm::any_of(op->getResults(),
                      [&](Value value) { return kept.contains(value); });
}

/// A loop over the threads; `body` gets the values of the piece.
void ThreadLoops::forThreads(function_ref<void(IRMapping &)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto index = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  auto loop = scf::ForOp::create(b, loc, index(0), index(threads), index(1));
  b.setInsertionPointToStart(loop.getBody());
  thread = loop.getInductionVar();
  IRMapping local;
  body(local);
}

void ThreadLoops::flush() {
  if (llvm::any_of(pending, [&](Operation *op) { return isWork(op); }))
    forThreads([&](IRMapping &local) {
      for (Operation *op : pending)
        if (isWork(op) || op->getNumRegions() > 0)
          cloneInto(local, op);
    });
  pending.clear();
}

void ThreadLoops::buildMma(NVVM::MmaOp op) {
  if (!factors.a) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entry);
    auto [a, own] = mmaFactorTypes(b.getContext(), threads);
    auto place = [&](MemRefType type) -> Value {
      return memref::AllocaOp::create(b, loc, type, ValueRange(),
                                      b.getI64IntegerAttr(64));
    };
    factors = {place(a), place(own)};
  }
  forThreads([&](IRMapping &local) {
    SmallVector<Value> words;
    for (ValueRange operands : {op.getOperandA(), op.getOperandB()})
      for (Value operand : operands)
        words.push_back(valueIn(local, wordOf(operand)));
    storeMmaFactors(b, loc, factorOf(op), factors, thread, words);
  });
  forThreads([&](IRMapping &local) {
    SmallVector<Value> sums;
    for (Value sum : op.getOperandC())
      sums.push_back(valueIn(local, sum));
    sums = addMmaProducts(b, loc, factors, thread, sums);
    for (Operation *user : op->getUsers()) {
      int64_t position = cast<LLVM::ExtractValueOp>(user).getPosition()[0];
      memref::StoreOp::create(b, loc, sums[position], keep(user->getResult(0)),
                              thread);
    }
  });
}

void ThreadLoops::buildCut(Operation *op) {
  if (isa<gpu::BarrierOp>(op))
    return;
  if (auto product = dyn_cast<NVVM::MmaOp>(op))
    return buildMma(product);
  SmallVector<Value> places;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // Carried values and results are in one array, which the body writes when
    // it has read all.
    for (auto [result, argument, init] : llvm::zip(
             loop.getResults(), loop.getRegionIterArgs(), loop.getInits())) {
      places.push_back(keep(result));
      arrays[argument] = places.back();
    }
    if (!places.empty())
      forThreads([&](IRMapping &local) {
        for (auto [init, place] : llvm::zip(loop.getInits(), places))
          memref::StoreOp::create(b, loc, valueIn(local, init), place, thread);
      });
    auto copy = scf::ForOp::create(b, loc, shared.lookup(loop.getLowerBound()),
                                   shared.lookup(loop.getUpperBound()),
                                   shared.lookup(loop.getStep()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(copy.getBody());
    shared.map(loop.getInductionVar(), copy.getInductionVar());
    buildBlock(*loop.getBody(), places);
    return;
  }
  auto branch = cast<scf::IfOp>(op);
  for (Value result : branch.getResults())
    places.push_back(keep(result));
  auto copy =
      scf::IfOp::create(b, loc, shared.lookup(branch.getCondition()),
                        /*withElseRegion=*/branch.elseBlock() != nullptr);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&to.front());
    buildBlock(from.front(), places);
  }
}

void ThreadLoops::buildBlock(Block &block, ArrayRef<Value> yields) {
  for (Operation &op : block.without_terminator()) {
    if (isCut(&op)) {
      flush();
      buildCut(&op);
      continue;
    }
    // Sums are kept where the product is.
    if (isa<LLVM::ExtractValueOp>(op))
      continue;
    bool same = op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
                llvm::all_of(op.getResults(), [&](Value value) {
                  return isShared(value, false);
                });
    if (same || once.contains(&op)) {
      // What is loaded may have been stored just before.
      if (!same)
        flush();
      if (!isa<gpu::BlockIdOp, gpu::BlockDimOp>(op))
        b.clone(op, shared);
      else if (isa<gpu::BlockDimOp>(op))
        shared.map(op.getResult(0),
                   arith::ConstantIndexOp::create(b, loc, threads).getResult());
      continue;
    }
    pending.push_back(&op);
  }
  if (!yields.empty())
    pending.push_back(block.getTerminator());
  pendingYields = yields;
  flush();
}

LogicalResult ThreadLoops::build(Value first, Value end) {
  if (failed(analyze()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  // Memory of a block is on the stack.
  for (BlockArgument memory : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(memory.getType());
    shared.map(memory,
               memref::AllocaOp::create(
                   b, loc,
                   MemRefType::get(type.getShape(), type.getElementType()),
                   ValueRange(), b.getI64IntegerAttr(64))
                   .getResult());
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto blocks = scf::ForOp::create(b, loc, first, end, one);
  entry = blocks;
  b.setInsertionPointToStart(blocks.getBody());
  kernel.walk([&](gpu::BlockIdOp id) {
    shared.map(id.getResult(), blocks.getInductionVar());
  });
  buildBlock(kernel.getBody().front(), {});
  // Views of it are on the stack too.
  blocks->walk([](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<MemRefType>(result.getType()))
        if (isa_and_nonnull<gpu::AddressSpaceAttr>(type.getMemorySpace()))
          result.setType(MemRefType::Builder(type).setMemorySpace({}));
  });
  return success();
}

LogicalResult belfry::buildThreadLoops(OpBuilder &b, gpu::GPUFuncOp kernel,
                                       IRMapping map, Value first, Value end) {
  return ThreadLoops(b, kernel, std::move(map)).build(first, end);
}
