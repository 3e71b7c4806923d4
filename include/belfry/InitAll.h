//===- belfry/InitAll.h - register what Belfry has --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INITALL_H
#define BELFRY_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace belfry {

/// Inserts Belfry's dialects, the upstream ones that they lower to, and all
/// external models of their ops.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers Belfry's passes and pipelines, and MLIR's own, with the pass
/// registry of the process.
void registerAllPasses();

} // namespace belfry

#endif // BELFRY_INITALL_H
