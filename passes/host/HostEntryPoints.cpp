//===- HostEntryPoints.cpp - the signature that the runtime calls ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/Runtime.h"
#include "passes/Passes.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"

namespace belfry {
#define GEN_PASS_DEF_HOSTENTRYPOINTS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// Loads a field of belfry_phase_args.
static Value loadField(OpBuilder &b, Location loc, Value arguments,
                       size_t offset, Type type) {
  Value address =
      LLVM::GEPOp::create(b, loc, arguments.getType(), b.getI8Type(), arguments,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(b, loc, type, address);
}

static void rewritePhase(func::FuncOp phase) {
  OpBuilder b(phase.getContext());
  Location loc = phase.getLoc();
  Block &body = phase.getBody().front();
  auto pointer = LLVM::LLVMPointerType::get(phase.getContext());
  Value arguments = body.insertArgument(0u, pointer, loc);
  b.setInsertionPointToStart(&body);

  static_assert(kNumPhaseScalars == 5);
  struct Field {
    size_t offset;
    bool wide;
  };
  const Field fields[kNumPhaseScalars] = {
      {offsetof(belfry_phase_args, rows), true},
      {offsetof(belfry_phase_args, row_offset), true},
      {offsetof(belfry_phase_args, global_rows), true},
      {offsetof(belfry_phase_args, tower), false},
      {offsetof(belfry_phase_args, towers), false}};
  for (unsigned i = 0; i < kNumPhaseScalars; ++i) {
    Type type = fields[i].wide ? b.getI64Type() : b.getI32Type();
    Value field = loadField(b, loc, arguments, fields[i].offset, type);
    auto index = arith::IndexCastOp::create(b, loc, b.getIndexType(), field);
    if (i == kRows)
      index->setAttr("belfry.rows", b.getUnitAttr());
    body.getArgument(1 + i).replaceAllUsesWith(index);
  }
  Value buffers = loadField(b, loc, arguments,
                            offsetof(belfry_phase_args, buffers), pointer);
  for (unsigned i = kNumPhaseScalars; i + 1 < body.getNumArguments(); ++i) {
    BlockArgument argument = body.getArgument(1 + i);
    int64_t row = phase.getArgAttrOfType<IntegerAttr>(i, kBufferAttr).getInt();
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, pointer, buffers,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(row)});
    Value base = LLVM::LoadOp::create(b, loc, pointer, address);
    auto cast = UnrealizedConversionCastOp::create(
        b, loc, TypeRange{argument.getType()}, ValueRange{base});
    cast->setAttr(kBufferAttr, b.getI64IntegerAttr(row));
    if (Attribute extent = phase.getArgAttr(i, kExtentAttr))
      cast->setAttr(kExtentAttr, extent);
    argument.replaceAllUsesWith(cast.getResult(0));
  }
  unsigned count = body.getNumArguments();
  body.eraseArguments(1, count - 1);
  phase.setAllArgAttrs(ArrayRef<DictionaryAttr>{});
  phase.setType(b.getFunctionType({pointer}, {}));
}

static void rewriteGlobal(ModuleOp module, memref::GlobalOp global) {
  OpBuilder b(global);
  auto elements = cast<DenseElementsAttr>(*global.getInitialValue());
  MemRefType type = global.getType();
  Type element = type.getElementType();
  if (element.isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool bit : elements.getValues<bool>())
      bytes.push_back(bit);
    element = b.getI8Type();
    elements = DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(bytes.size())}, element),
        ArrayRef<int8_t>(bytes));
  } else {
    elements = elements.reshape(
        RankedTensorType::get({type.getNumElements()}, element));
  }
  auto array = LLVM::LLVMArrayType::get(element, type.getNumElements());
  auto replacement = LLVM::GlobalOp::create(
      b, global.getLoc(), array, /*isConstant=*/true, LLVM::Linkage::Internal,
      global.getName(), elements, /*alignment=*/64);
  module.walk([&](memref::GetGlobalOp get) {
    if (get.getName() != global.getName())
      return;
    OpBuilder at(get);
    Value address = LLVM::AddressOfOp::create(at, get.getLoc(), replacement);
    auto cast = UnrealizedConversionCastOp::create(
        at, get.getLoc(), TypeRange{get.getType()}, ValueRange{address});
    get.replaceAllUsesWith(cast.getResult(0));
    get.erase();
  });
  global.erase();
}

namespace {
struct HostEntryPointsPass
    : belfry::impl::HostEntryPointsBase<HostEntryPointsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kFunctionAttr)) {
        if (failed(verifyPhase<MemRefType>(function)))
          return signalPassFailure();
        rewritePhase(function);
      }
    SmallVector<memref::GlobalOp> globals(module.getOps<memref::GlobalOp>());
    for (memref::GlobalOp global : globals)
      rewriteGlobal(module, global);
  }
};
} // namespace
