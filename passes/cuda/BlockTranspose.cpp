//===- BlockTranspose.cpp - transposes by the threads of a block ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op on elements that reads along one of its loops and writes along another
// takes tiles of 32 × 32: threads next to each other load neighbours of the
// input, put them into workgroup memory, whose rows are one element longer so
// that a column lies in 32 banks, and store neighbours of the output.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/BlockCode.h"

#include "passes/lowering/Views.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace belfry;

SmallVector<OpFoldResult>
belfry::transposeTiles(OpBuilder &b, Location loc, const Transpose &transpose,
                       ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> tiles(extents);
  for (unsigned loop : {transpose.from, transpose.to})
    tiles[loop] = ceilDivIndex(b, loc, tiles[loop], Transpose::kSide);
  return tiles;
}

void BlockCode::transposeTile(linalg::LinalgOp op, const Transpose &transpose,
                              Value number) {
  constexpr int64_t kSide = Transpose::kSide, kRows = kBlockThreads / kSide;
  SmallVector<OpFoldResult> sizes = extents(op);
  SmallVector<Value> first =
      indices(number, transposeTiles(b, loc, transpose, sizes));
  for (unsigned loop : {transpose.from, transpose.to})
    first[loop] = mul(first[loop], index(kSide));
  Value ends[] = {indexValue(b, loc, sizes[transpose.from]),
                  indexValue(b, loc, sizes[transpose.to])};
  OpOperand *input = op.getDpsInputOperand(transpose.input);
  Type element = getElementTypeOrSelf(input->get().getType());
  Value memory = workgroup({kSide, kSide + 1}, element);
  Value x = arith::RemUIOp::create(b, loc, thread(), index(kSide)),
        y = arith::DivUIOp::create(b, loc, thread(), index(kSide));
  // For each of the tile's elements that a thread has, `fast` being the loop
  // along which threads are neighbours.
  auto forEach = [&](unsigned fast, unsigned slow,
                     function_ref<void(ValueRange, Value)> body) {
    for (int64_t row = 0; row < kSide; row += kRows) {
      Value own = add(y, index(row));
      SmallVector<Value> at(first);
      at[fast] = add(first[fast], x);
      at[slow] = add(first[slow], own);
      Value there =
          arith::AndIOp::create(b, loc, less(at[transpose.from], ends[0]),
                                less(at[transpose.to], ends[1]));
      guarded(there, [&] { body(at, own); });
    }
  };
  forEach(transpose.from, transpose.to, [&](ValueRange at, Value own) {
    memref::StoreOp::create(b, loc, operandAt(op, input, at), memory,
                            ValueRange{own, x});
  });
  barrier();
  forEach(transpose.to, transpose.from, [&](ValueRange at, Value own) {
    SmallVector<Value> arguments;
    for (OpOperand &operand : op->getOpOperands())
      if (&operand == input)
        arguments.push_back(
            memref::LoadOp::create(b, loc, memory, ValueRange{x, own}));
      else
        arguments.push_back(argumentAt(op, operand, at));
    storeResults(op, body(op, arguments, at), at);
  });
}
