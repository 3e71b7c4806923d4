//===- KernelRegistry.h - which kernels there are ---------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels for GPUs, by family: what each takes, where it comes from, and
// the least architecture that runs it. An op has a kernel where an entry says
// so, and never because nothing objected (docs/gpu-target.md, "Coverage").
//
// Ops are looked up twice. Core ops and collectives, as --nn-place sees them,
// are those that a user's model has. The ops of a phase, as
// --outline-gpu-kernels sees them, are what kernels are made of.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_KERNELREGISTRY_H
#define BELFRY_PASSES_CUDA_KERNELREGISTRY_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

#include <string>

namespace belfry {

/// How an op of a phase is dealt to a grid: its shape class.
enum class KernelShape : unsigned {
  Elements,   ///< blocks of consecutive elements
  Transpose,  ///< tiles in the loops of input and output
  Reduction,  ///< outputs side by side, lanes that share what is reduced
  Tiles,      ///< tiles of a matrix
  Parts,      ///< parts of a sum, each as the sum itself
  Iterations, ///< iterations of a loop that are independent
  Scatter,    ///< places of the target of a scatter-add
  Nest,       ///< iterations of independent loops around a sequence of ops
  OneThread,  ///< all of a loop, whose iterations take turns
  RowBlocks,  ///< a sequence of ops for each block of rows
  OneBlock    ///< a sequence of ops
};

/// As certificates have it: `elements`, `row-blocks`, ….
llvm::StringRef kernelShapeName(KernelShape shape);
/// Of an outermost op of a phase, or of one in a sequence.
KernelShape kernelShapeOf(mlir::Operation *op);

enum class KernelSource : unsigned {
  Generated, ///< by the passes of passes/cuda
  Runtime    ///< a part of the runtime
};
llvm::StringRef kernelSourceName(KernelSource source);

struct KernelFamily {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  KernelSource source;
  unsigned leastArchitecture; ///< 75 is sm_75
  /// The core ops and collectives that become such a kernel, alone or with
  /// others.
  llvm::ArrayRef<llvm::StringLiteral> ops;
  /// The ops of phases that do.
  llvm::ArrayRef<KernelShape> shapes;
  /// Element types of arrays, as MLIR prints them.
  llvm::ArrayRef<llvm::StringLiteral> dtypes;
};

/// All families, in the order of the documentation.
llvm::ArrayRef<KernelFamily> kernelFamilies();

/// Whether a core op needs no kernel: constants are part of the program, sizes
/// are known when a phase starts.
bool needsNoKernel(llvm::StringRef coreOp);

/// Why programs for GPUs never have a core op that no family takes; empty where
/// there is no such reason.
llvm::StringRef whyHostOnly(llvm::StringRef coreOp);

/// The families that a program is built with: all, at first.
class KernelRegistry {
public:
  /// Takes families out, by name, to test what is then refused. The error of an
  /// unknown one names those that there are.
  llvm::Error remove(llvm::ArrayRef<std::string> names);
  bool has(const KernelFamily &family) const;

  /// The families for a core op or a collective, those that were taken out too.
  /// What only moves elements and is read in place has `elementwise`, which
  /// copies it where it has to be.
  llvm::SmallVector<const KernelFamily *> familiesOf(mlir::Operation *op) const;
  /// The family of an op of a phase: that of its shape class. A part of a sum
  /// has that of the sum, a nest of loops around products that of products.
  const KernelFamily &familyOf(mlir::Operation *op) const;

private:
  unsigned removed = 0; ///< a bit a family
};

/// Whether a kernel may hold the op in its code: arithmetic, loads and stores,
/// views, loops and conditions that the lowering to NVVM has a rule for that
/// calls nothing.
bool isKernelCode(mlir::Operation *op);
/// Whether numbers of the type can be computed with in a kernel.
bool isKernelNumber(mlir::Type type);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_KERNELREGISTRY_H
