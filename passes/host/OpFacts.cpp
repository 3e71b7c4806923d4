//===- OpFacts.cpp - what a call of a phase computes ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/host/OpFacts.h"

#include "passes/host/HostViews.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace belfry;

/// The product, or nothing where there would be a square of the rows.
static std::optional<Affine> times(std::optional<Affine> x,
                                   std::optional<Affine> y) {
  if (!x || !y || (!x->isFixed() && !y->isFixed()))
    return std::nullopt;
  return *x * *y;
}

static DictionaryAttr facts(MLIRContext *context, const Twine &kind,
                            ArrayRef<Affine> extents,
                            std::optional<Affine> flops,
                            std::optional<Affine> bytes,
                            StringAttr layer = {}) {
  Builder b(context);
  auto pair = [&](Affine a) {
    return b.getDenseI64ArrayAttr({a.perRow, a.fixed});
  };
  SmallVector<NamedAttribute> fields = {
      b.getNamedAttr("kind", b.getStringAttr(kind))};
  if (!extents.empty()) {
    SmallVector<Attribute> list;
    for (Affine extent : extents)
      list.push_back(pair(extent));
    fields.push_back(b.getNamedAttr("extents", b.getArrayAttr(list)));
  }
  if (flops)
    fields.push_back(b.getNamedAttr("flops", pair(*flops)));
  if (bytes)
    fields.push_back(b.getNamedAttr("bytes", pair(*bytes)));
  if (layer)
    fields.push_back(b.getNamedAttr("layer", layer));
  return b.getDictionaryAttr(fields);
}

DictionaryAttr belfry::describeProduct(MLIRContext *context, Affine m, Affine n,
                                       Affine k, Type element,
                                       bool accumulate) {
  std::optional<Affine> x = times(m, k), y = times(k, n), z = times(m, n),
                        flops = times(times(m, n), k);
  std::optional<Affine> bytes;
  if (x && y && z)
    bytes = (*x + *y + *z * (accumulate ? 2 : 1)) * elementBytes(element);
  if (flops)
    flops = *flops * 2;
  return facts(context, "product", {m, n, k}, flops, bytes);
}

/// What the body does to an element: how many flops, and the names of what is
/// more than arithmetic.
static int64_t countBody(Block &body, std::string &names, bool &isGather,
                         bool &isRandom) {
  int64_t flops = 0;
  llvm::StringSet<> known;
  for (Operation &op : body.without_terminator()) {
    isGather |= isa<memref::LoadOp>(op);
    isRandom |= isa<arith::MulUIExtendedOp>(op);
    bool isMath = isa<math::MathDialect>(op.getDialect());
    if (!isMath && !isa<arith::ArithDialect>(op.getDialect()))
      continue;
    if (op.getNumOperands() == 0 ||
        !isa<FloatType>(getElementTypeOrSelf(op.getOperand(0).getType())))
      continue;
    flops += isa<math::FmaOp>(op) ? 2 : 1;
    StringRef name = op.getName().stripDialect();
    if (isMath && !isa<math::FmaOp, math::AbsFOp>(op) &&
        known.insert(name).second)
      names += (" " + name).str();
  }
  return flops;
}

DictionaryAttr belfry::describeNest(Operation *op, Value rows) {
  MLIRContext *context = op->getContext();
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  StringAttr layer = name ? name.getName() : StringAttr();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    bool isRandom = op->walk([](arith::MulUIExtendedOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
    return facts(context, isRandom ? "random" : "loop", {}, std::nullopt,
                 std::nullopt, layer);
  }

  // 1. The extents of the loops, from those of the operands.
  SmallVector<Affine> extents(linalgOp.getNumLoops(), Affine::of(0));
  std::optional<Affine> bytes = Affine::of(0);
  Block &body = op->getRegion(0).front();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    FailureOr<View> view = describeMemref(operand.get(), rows);
    if (failed(view))
      return facts(context, "loop", {}, std::nullopt, std::nullopt, layer);
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    for (auto [r, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extents[dim.getPosition()] = view->sizes[r];
  }

  // 2. What is touched of each operand.
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    std::optional<Affine> elements = Affine::of(1);
    for (AffineExpr expr :
         linalgOp.getMatchingIndexingMap(&operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        elements = times(elements, extents[dim.getPosition()]);
    bool isUpdated = linalgOp.isDpsInit(&operand) &&
                     !body.getArgument(operand.getOperandNumber()).use_empty();
    if (bytes && elements)
      bytes = *bytes + *elements * (elementBytes(type.getElementType()) *
                                    (isUpdated ? 2 : 1));
    else
      bytes = std::nullopt;
  }

  // 3. What is computed.
  std::string names;
  bool isGather = false, isRandom = false;
  std::optional<Affine> flops =
      Affine::of(countBody(body, names, isGather, isRandom));
  for (Affine extent : extents)
    flops = times(flops, extent);
  bool reduces = linalgOp.getNumReductionLoops() > 0;
  StringRef kind = isa<linalg::FillOp>(op)             ? "fill"
                   : reduces                           ? "reduce"
                   : isRandom                          ? "random"
                   : isGather                          ? "gather"
                   : body.without_terminator().empty() ? "copy"
                                                       : "elementwise";
  return facts(context, kind + names, extents, flops, bytes, layer);
}

/// The words once each, in order; those beyond the first three as a number.
static std::string listed(ArrayRef<StringRef> words) {
  llvm::SmallSetVector<StringRef, 8> once(words.begin(), words.end());
  std::string text = llvm::join(once.getArrayRef().take_front(3), ", ");
  if (once.size() > 3)
    text += " and " + std::to_string(once.size() - 3) + " more";
  return text;
}

DictionaryAttr belfry::joinFacts(ArrayRef<DictionaryAttr> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<StringRef> kinds, layers;
  auto sum = [&](StringRef key) -> std::optional<Affine> {
    Affine total;
    for (DictionaryAttr part : parts) {
      auto pair = part.getAs<DenseI64ArrayAttr>(key);
      if (!pair)
        return std::nullopt;
      total = total + Affine{pair[0], pair[1]};
    }
    return total;
  };
  for (DictionaryAttr part : parts) {
    kinds.push_back(part.getAs<StringAttr>("kind").getValue());
    if (auto layer = part.getAs<StringAttr>("layer"))
      layers.push_back(layer.getValue());
  }
  MLIRContext *context = parts.front().getContext();
  return facts(
      context, std::to_string(parts.size()) + " loops: " + listed(kinds), {},
      sum("flops"), sum("bytes"), StringAttr::get(context, listed(layers)));
}
