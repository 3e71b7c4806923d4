//===- LaunchGraph.h - which launches of a phase wait for others -*- C++
//-*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the launches of a phase read and write, and so which of them have to
// keep their order.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_LAUNCHGRAPH_H
#define BELFRY_PASSES_CUDA_LAUNCHGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace belfry {

/// What is done with an array.
struct Effect {
  bool reads = false, writes = false;
  Effect &operator|=(Effect other) {
    reads |= other.reads;
    writes |= other.writes;
    return *this;
  }
};

/// What a kernel does with the array that is its argument `number`: all that is
/// loaded or stored through it and through views of it. Both, where something
/// is done with it that is not understood.
Effect effectOf(mlir::gpu::GPUFuncOp kernel, unsigned number);

/// The row of the buffer table that an argument of a phase stands for.
std::optional<int64_t> rowOf(mlir::Value buffer);

/// The launches of a phase, by their numbers in its order.
class LaunchGraph {
public:
  /// `kernels` are those of the module by name; a launch of another one is not
  /// allowed. Launches stand in the phase's only block.
  LaunchGraph(
      mlir::func::FuncOp phase,
      const llvm::DenseMap<mlir::StringAttr, mlir::gpu::GPUFuncOp> &kernels);

  unsigned size() const { return launches.size(); }
  mlir::gpu::LaunchFuncOp launch(unsigned i) const { return launches[i]; }
  /// The launches before `i` that it has to follow, and those behind it that
  /// have to follow it: one of the two writes what the other one may touch.
  llvm::ArrayRef<unsigned> before(unsigned i) const { return earlier[i]; }
  llvm::ArrayRef<unsigned> behind(unsigned i) const { return later[i]; }

private:
  llvm::SmallVector<mlir::gpu::LaunchFuncOp> launches;
  llvm::SmallVector<llvm::SmallVector<unsigned>> earlier, later;
};

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_LAUNCHGRAPH_H
