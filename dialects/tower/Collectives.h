//===- Collectives.h - ops in which towers meet -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TOWER_COLLECTIVES_H
#define BELFRY_TOWER_COLLECTIVES_H

#include "dialects/tower/Tower.h"

namespace belfry::tower {

/// Whether all towers take part in `op`.
inline bool isCollective(mlir::Operation *op) {
  return llvm::isa<AllReduceOp, AllGatherOp, ReduceScatterOp>(op);
}

} // namespace belfry::tower

#endif // BELFRY_TOWER_COLLECTIVES_H
