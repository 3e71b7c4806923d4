//===- LoopGroup.cpp - loops that one parallel region runs ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/host/LoopGroup.h"

#include "belfry/Runtime.h"
#include "passes/host/OpFacts.h"
#include "passes/lowering/PhaseAttrs.h"

#include <limits>

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Whether the runtime keeps buffers of this kind in its arenas.
static bool isPlanned(StringRef kind) {
  return llvm::is_contained({"scratch", "cross", "loss", "metric_total",
                             "metric_count", "gradient", "gradient_scale"},
                            kind);
}

PhaseArrays::PhaseArrays(func::FuncOp phase) {
  ArrayAttr table = bufferTableOf(phase);
  phase.walk([&](UnrealizedConversionCastOp op) {
    if (op.getNumOperands() != 1 || !isa<MemRefType>(op.getType(0)))
      return;
    Row &row = rows[op.getOperand(0)];
    auto number = op->getAttrOfType<IntegerAttr>(kBufferAttr);
    if (!number) {
      // A constant: nobody writes it.
      row.known = row.external = true;
      return;
    }
    if (!table || number.getInt() >= static_cast<int64_t>(table.size()))
      return;
    auto facts = cast<DictionaryAttr>(table[number.getInt()]);
    row.known = true;
    row.kind = facts.get("kind");
    row.index = facts.get("index");
    StringRef kind = cast<StringAttr>(row.kind).getValue();
    row.external = !isPlanned(kind);
    row.last = std::numeric_limits<int64_t>::max();
    if (auto live = facts.getAs<ArrayAttr>("live")) {
      row.first = cast<IntegerAttr>(live[0]).getInt();
      // The runtime reads results after the last phase.
      if (kind == "scratch" || kind == "cross")
        row.last = cast<IntegerAttr>(live[1]).getInt();
    }
  });
}

bool PhaseArrays::mayOverlap(Value a, Value b) const {
  if (a == b)
    return true;
  const Row x = rows.lookup(a), y = rows.lookup(b);
  if (!x.known || !y.known)
    return true;
  if (x.external || y.external)
    return x.external && y.external && x.kind && x.kind == y.kind &&
           x.index == y.index;
  return x.last < y.first || y.last < x.first;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool LoopGroup::isApart(ArrayRef<KernelBuilder::Access> accesses) const {
  for (const Loop &loop : loops)
    for (const KernelBuilder::Access &mine : loop.accesses)
      for (const KernelBuilder::Access &other : accesses)
        if ((mine.written || other.written) &&
            arrays.mayOverlap(mine.base, other.base))
          return false;
  return true;
}

void LoopGroup::add(const KernelBuilder &kernel, func::FuncOp function,
                    DictionaryAttr facts) {
  loops.push_back({function, *kernel.split, kernel.arguments,
                   SmallVector<KernelBuilder::Access>(kernel.accesses()),
                   facts});
}

/// At least `words` words on the stack, the same for each call of the phase.
Value LoopGroup::frameOf(int64_t words) {
  OpBuilder b = OpBuilder::atBlockBegin(&phase.getBody().front());
  frameWords = std::max(frameWords, words);
  auto size = b.getI64IntegerAttr(frameWords);
  if (frame) {
    frame.getArraySize().getDefiningOp<LLVM::ConstantOp>().setValueAttr(size);
    return frame;
  }
  Value count = LLVM::ConstantOp::create(b, phase.getLoc(), size);
  return frame = LLVM::AllocaOp::create(
             b, phase.getLoc(), LLVM::LLVMPointerType::get(b.getContext()),
             b.getI64Type(), count, /*alignment=*/16);
}

void LoopGroup::flush(Operation *op) {
  if (loops.empty())
    return;
  constexpr int64_t kLoopWords = sizeof(belfry_loop) / sizeof(int64_t);
  int64_t words = static_cast<int64_t>(loops.size()) * kLoopWords;
  int64_t argumentsAt = words;
  for (const Loop &loop : loops)
    words += static_cast<int64_t>(loop.arguments.size());
  Value memory = frameOf(words);

  OpBuilder b(op);
  Location loc = op->getLoc();
  Type pointer = memory.getType(), i64 = b.getI64Type();
  auto store = [&](Value value, int64_t word) {
    storeWord(b, loc, value, memory, word);
  };
  auto number = [&](Affine affine) { return wordOf(b, loc, affine, rows); };
  if (!context)
    context = loadContext(phase);

  int64_t at = 0;
  for (Loop &loop : loops) {
    Value function = addressOf(b, loc, loop.function);
    Value cost = number(Affine::of(loop.split.cost));
    for (Affine factor : loop.split.costFactors)
      cost = arith::MulIOp::create(b, loc, cost, number(factor));
    static_assert(offsetof(belfry_loop, fn) == 0 &&
                  offsetof(belfry_loop, arg) == 8 &&
                  offsetof(belfry_loop, count) == 16 &&
                  offsetof(belfry_loop, cost) == 24 &&
                  offsetof(belfry_loop, multiple) == 32);
    store(function, at);
    store(wordAt(b, loc, memory, argumentsAt), at + 1);
    store(number(loop.split.count), at + 2);
    store(cost, at + 3);
    store(number(Affine::of(loop.split.multiple)), at + 4);
    at += kLoopWords;
    for (Value argument : loop.arguments)
      store(argument, argumentsAt++);
  }
  Value count = number(Affine::of(static_cast<int64_t>(loops.size())));
  SmallVector<DictionaryAttr> facts;
  for (const Loop &loop : loops)
    if (loop.facts)
      facts.push_back(loop.facts);
  auto call = func::CallOp::create(
      b, loc,
      declareFunction(phase->getParentOfType<ModuleOp>(), "belfry_parallel_for",
                      {pointer, i64, pointer}),
      ValueRange{context, count, memory});
  if (!facts.empty())
    call->setAttr(kOpAttr, joinFacts(facts));
  loops.clear();
}
