//===- TowerDialect.cpp - the tower dialect -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tower/Tower.h"

#include "dialects/nn/BareEnum.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::tower;

#include "dialects/tower/TowerDialect.cpp.inc"
#include "dialects/tower/TowerEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tower/TowerAttrs.cpp.inc"

void TowerDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tower/TowerOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tower/TowerAttrs.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tower/TowerOps.cpp.inc"
