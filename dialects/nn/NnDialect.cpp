//===- NnDialect.cpp - the nn dialect -------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry::nn;

#include "dialects/nn/NnDialect.cpp.inc"
#include "dialects/nn/NnEnums.cpp.inc"
#include "dialects/nn/NnInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.cpp.inc"

void NnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NnAttrs.cpp.inc"
      >();
}

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
