//===- LaunchLives.h - lifetimes of buffers by launches ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_LAUNCHLIVES_H
#define BELFRY_PASSES_CUDA_LAUNCHLIVES_H

#include "mlir/IR/BuiltinOps.h"

namespace belfry {

/// Numbers the lifetimes of the buffer tables anew, where the module has any:
/// a position is a launch or a collective, in the order of the schedule. With
/// `shareMemory` false everything lives through all of them. The table's form
/// has been checked; fails with an error where a phase of the schedule is not
/// there.
llvm::LogicalResult numberLives(mlir::ModuleOp module, bool shareMemory);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_LAUNCHLIVES_H
