//===- Tower.h - the tower dialect ------------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TOWER_TOWER_H
#define BELFRY_TOWER_TOWER_H

#include "dialects/nn/Nn.h"

#include "dialects/tower/TowerDialect.h.inc"
#include "dialects/tower/TowerEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tower/TowerAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/tower/TowerOps.h.inc"

namespace belfry::tower {
/// Attaches the transfer functions of slices and collectives.
void registerDistributionModels(mlir::DialectRegistry &registry);
} // namespace belfry::tower

namespace belfry {
/// Of a core op or collective, a #tower.placement: --nn-place writes it.
constexpr llvm::StringLiteral kPlacementAttr = "tower.placement";
} // namespace belfry

#endif // BELFRY_TOWER_TOWER_H
