//===- KernelTinyNumbers.cpp - updates of denormal numbers ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moments of an optimizer whose gradient stays zero, those of dead units, decay
// into denormals and stay there. Processors multiply and divide denormals by
// microcode, some hundred cycles a vector, but convert them at full speed. An
// update of slots therefore goes block by block: one in which a number is close
// to that range multiplies and divides in f64 and rounds to f32. The bits are
// the same:
//
//   - a product of two f32 has at most 48 bits, so f64 holds it exactly and it
//     is rounded once;
//   - a quotient of two f32 is nearer than 2⁻⁴⁸ of itself to no number at which
//     the rounding to f32 turns, unless it is that number, so that the rounding
//     to f64 in between leaves it on its side.
//
//===----------------------------------------------------------------------===//

#include "passes/host/KernelBuilder.h"

#include "passes/lowering/NnLowering.h"
#include "passes/lowering/PhaseAttrs.h"

using namespace mlir;
using namespace belfry;

/// Elements of a block: dead units stand in columns, which blocks of a row
/// share.
constexpr int64_t kBlock = 64;
/// The bits of 2⁻⁹⁶. Smaller numbers may become denormal by what an update does
/// with them.
constexpr int64_t kTinyBits = int64_t(127 - 96) << 23;

/// Whether the memref is a row of the buffer table that holds a slot.
static bool isSlot(Value memref, func::FuncOp phase) {
  Operation *cast = rowBehind(memref);
  auto row = cast ? cast->getAttrOfType<IntegerAttr>(kBufferAttr) : nullptr;
  ArrayAttr table = bufferTableOf(phase);
  if (!row || !table || row.getInt() >= static_cast<int64_t>(table.size()))
    return false;
  auto kind = cast_or_null<DictionaryAttr>(table[row.getInt()])
                  .getAs<StringAttr>("kind");
  return kind && kind.getValue() == "slot";
}

bool KernelBuilder::mayMeetTinyNumbers(const Nest &nest) const {
  if (!optimizations.has(Optimization::TinyNumbers) || nest.dims.size() != 1 ||
      !nest.body || nest.usesIndex)
    return false;
  for (auto [i, operand] : llvm::enumerate(nest.operands))
    if (operand.isArray() && !nest.dims[0].strides[i].is(1) &&
        (i >= nest.inputs || !nest.dims[0].strides[i].is(0)))
      return false; // neither walked in order nor a number of all
  auto phase = op->getParentOfType<func::FuncOp>();
  auto outputs = cast<linalg::LinalgOp>(op).getDpsInits();
  bool slots = llvm::any_of(outputs, [&](Value output) {
    return cast<MemRefType>(output.getType()).getElementType().isF32() &&
           isSlot(output, phase);
  });
  return slots && llvm::any_of(*nest.body, [](Operation &inner) {
           return isa<arith::MulFOp, arith::DivFOp>(inner);
         });
}

/// Whether one of the elements [first, end) that the nest reads is tiny, and
/// not zero.
Value KernelBuilder::anyTiny(Nest &nest, Value first, Value end) {
  Type word = b.getI32Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(
               b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)))
        .getResult();
  };
  Value most = constant(-1), magnitude = constant(0x7fffffff),
        one = constant(1);
  auto loop = scf::ForOp::create(b, loc, first, end, inside(Affine::of(1)),
                                 ValueRange{most});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value least = loop.getRegionIterArg(0);
    llvm::SmallDenseSet<int> seen;
    for (auto [i, operand] : llvm::enumerate(nest.operands)) {
      bool read = operand.isArray() && operand.element.isF32() &&
                  nest.dims[0].strides[i].is(1) &&
                  !nest.body->getArgument(i).use_empty();
      if (!read || !seen.insert(operand.pointer).second)
        continue;
      // Zero wraps to the largest number.
      Value bits = load(operand.pointer, word, loop.getInductionVar());
      bits = arith::AndIOp::create(b, loc, bits, magnitude);
      bits = arith::SubIOp::create(b, loc, bits, one);
      least = arith::MinUIOp::create(b, loc, least, bits);
    }
    scf::YieldOp::create(b, loc, least);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                               loop.getResult(0), constant(kTinyBits - 1));
}

/// A zero that LLVM knows nothing of: it takes a product in f64 of what was f32
/// for one in f32, as it may.
Value KernelBuilder::unknownZero() {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type word = b.getI64Type();
  Value place;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    place = LLVM::AllocaOp::create(b, loc, pointer, word, one);
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    LLVM::StoreOp::create(b, loc, zero, place);
  }
  return LLVM::LoadOp::create(b, loc, word, place, /*alignment=*/8,
                              /*isVolatile=*/true);
}

/// Products and quotients of f32 in `loop` become those of f64, rounded.
static void widen(scf::ForOp loop, Value zero) {
  SmallVector<Operation *> wide;
  loop.walk([&](Operation *inner) {
    if (isa<arith::MulFOp, arith::DivFOp>(inner) &&
        inner->getResult(0).getType().isF32())
      wide.push_back(inner);
  });
  for (Operation *inner : wide) {
    OpBuilder b(inner);
    Location loc = inner->getLoc();
    Type f64 = b.getF64Type(), word = b.getI64Type();
    Value x = arith::ExtFOp::create(b, loc, f64, inner->getOperand(0));
    Value y = arith::ExtFOp::create(b, loc, f64, inner->getOperand(1));
    Value bits = arith::BitcastOp::create(b, loc, word, x);
    bits = arith::XOrIOp::create(b, loc, bits, zero);
    x = arith::BitcastOp::create(b, loc, f64, bits);
    Value result = isa<arith::MulFOp>(inner)
                       ? arith::MulFOp::create(b, loc, x, y).getResult()
                       : arith::DivFOp::create(b, loc, x, y).getResult();
    inner->getResult(0).replaceAllUsesWith(
        arith::TruncFOp::create(b, loc, b.getF32Type(), result));
    inner->erase();
  }
}

/// The elements [first, last), each by itself.
scf::ForOp KernelBuilder::buildBlock(Nest &nest, Value first, Value last) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, first, last, inside(Affine::of(1)));
  loop->setAttr(kParallelAttr, b.getUnitAttr());
  b.setInsertionPointToStart(loop.getBody());
  buildElement(nest, advance(nest, 0, start(nest), loop.getInductionVar()));
  return loop;
}

void KernelBuilder::buildUpdate(Nest &nest) {
  auto [begin, end] = boundsOf(nest, 0);
  Value size = inside(Affine::of(kBlock));
  auto blocks = scf::ForOp::create(b, loc, begin, end, size);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(blocks.getBody());
  Value first = blocks.getInductionVar();
  Value last = arith::MinSIOp::create(
      b, loc, end, arith::AddIOp::create(b, loc, first, size));
  auto branch = scf::IfOp::create(b, loc, anyTiny(nest, first, last),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  Value zero = unknownZero();
  widen(buildBlock(nest, first, last), zero);
  b.setInsertionPointToStart(branch.elseBlock());
  buildBlock(nest, first, last);
}
