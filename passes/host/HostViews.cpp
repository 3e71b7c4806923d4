//===- HostViews.cpp - memrefs of a phase as pointers and strides ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/host/HostViews.h"

#include "belfry/Runtime.h"

#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace belfry;

Value belfry::rowsOf(func::FuncOp phase) {
  for (Operation &op : phase.getBody().front())
    if (op.hasAttr("belfry.rows"))
      return op.getResult(0);
  return {};
}

FailureOr<View> belfry::describeMemref(Value memref, Value rows) {
  // A view whose strides turn out to be numbers is cast to the type before.
  if (auto same = memref.getDefiningOp<memref::CastOp>())
    return describeMemref(same.getSource(), rows);
  Operation *op = memref.getDefiningOp();
  auto type = cast<MemRefType>(memref.getType());
  View view;
  view.element = type.getElementType();
  Builder builder(memref.getContext());
  if (auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(op)) {
    view.base = cast.getOperand(0);
    view.offset = builder.getIndexAttr(0);
    auto multiple = cast->getAttrOfType<IntegerAttr>(kExtentAttr);
    for (int64_t extent : type.getShape())
      view.sizes.push_back(ShapedType::isDynamic(extent)
                               ? Affine{multiple ? multiple.getInt() : 1, 0}
                               : Affine::of(extent));
    view.strides = denseStrides(view.sizes);
    return view;
  }
  auto reinterpret = dyn_cast_or_null<memref::ReinterpretCastOp>(op);
  if (!reinterpret)
    return emitError(memref.getLoc()) << "a buffer of type " << type
                                      << " is neither a row of the buffer "
                                         "table nor a view of one";
  FailureOr<View> source = describeMemref(reinterpret.getSource(), rows);
  if (failed(source))
    return failure();
  view.base = source->base;
  view.offset = reinterpret.getMixedOffsets()[0];
  auto numbers = [&](ArrayRef<OpFoldResult> mixed,
                     SmallVectorImpl<Affine> &list) {
    for (OpFoldResult value : mixed) {
      if (auto constant = getConstantIntValue(value)) {
        list.push_back(Affine::of(*constant));
        continue;
      }
      auto affine = affineOf(cast<Value>(value), rows);
      // A number of packed rows is known when the program runs.
      if (!affine)
        affine = Affine{1, 0, cast<Value>(value)};
      list.push_back(*affine);
    }
  };
  numbers(reinterpret.getMixedSizes(), view.sizes);
  numbers(reinterpret.getMixedStrides(), view.strides);
  return view;
}

Value belfry::bufferBehind(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::ReinterpretCastOp, memref::CastOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

Operation *belfry::rowBehind(Value memref) {
  return bufferBehind(memref).getDefiningOp();
}

Value belfry::pointerTo(OpBuilder &b, Location loc, const View &view) {
  if (getConstantIntValue(view.offset) == 0)
    return view.base;
  Value offset = indexValue(b, loc, view.offset);
  offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), offset);
  // An i1 is a byte in memory.
  Type element = view.element.isInteger(1) ? b.getI8Type() : view.element;
  return LLVM::GEPOp::create(b, loc, view.base.getType(), element, view.base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value belfry::wordOf(OpBuilder &b, Location loc, Affine extent, Value rows) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
  };
  if (extent.isFixed())
    return constant(extent.fixed);
  Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                          extent.count ? extent.count : rows);
  if (extent.perRow != 1)
    word = arith::MulIOp::create(b, loc, word, constant(extent.perRow));
  if (extent.fixed)
    word = arith::AddIOp::create(b, loc, word, constant(extent.fixed));
  return word;
}

Value belfry::loadContext(func::FuncOp phase) {
  OpBuilder b = OpBuilder::atBlockBegin(&phase.getBody().front());
  Location loc = phase.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value field =
      LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), phase.getArgument(0),
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                              offsetof(belfry_phase_args, context))});
  return LLVM::LoadOp::create(b, loc, pointer, field);
}

Value belfry::wordAt(OpBuilder &b, Location loc, Value list, int64_t word) {
  return LLVM::GEPOp::create(
      b, loc, list.getType(), b.getI64Type(), list,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)});
}

Value belfry::loadWord(OpBuilder &b, Location loc, Type type, Value list,
                       int64_t word) {
  bool index = isa<IndexType>(type);
  Value value =
      LLVM::LoadOp::create(b, loc, index ? b.getI64Type() : type,
                           wordAt(b, loc, list, word), /*alignment=*/8);
  return index ? arith::IndexCastOp::create(b, loc, type, value).getResult()
               : value;
}

void belfry::storeWord(OpBuilder &b, Location loc, Value value, Value list,
                       int64_t word) {
  if (isa<IndexType>(value.getType()))
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  LLVM::StoreOp::create(b, loc, value, wordAt(b, loc, list, word),
                        /*alignment=*/8);
}

Value belfry::addressOf(OpBuilder &b, Location loc, func::FuncOp function) {
  Value constant = func::ConstantOp::create(b, loc, function.getFunctionType(),
                                            function.getName());
  return UnrealizedConversionCastOp::create(
             b, loc, LLVM::LLVMPointerType::get(b.getContext()), constant)
      .getResult(0);
}

std::string belfry::textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

func::FuncOp belfry::declareFunction(ModuleOp module, StringRef name,
                                     TypeRange arguments, TypeRange results) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), name,
                                       b.getFunctionType(arguments, results));
  function.setPrivate();
  return function;
}
