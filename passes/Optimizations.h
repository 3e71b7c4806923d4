//===- Optimizations.h - what can be switched off ---------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimisations of a program, by name, so that a program can be built
// without any of them: to find out which one is at fault, and to test that they
// change nothing (docs/optimizations.md). Passes that have some take the names
// of those to leave out as their option `disable`; what is a pass by itself is
// left out of the pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_OPTIMIZATIONS_H
#define BELFRY_PASSES_OPTIMIZATIONS_H

#include "passes/Stage.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace belfry {

/// In the order in which they are applied.
enum class Optimization : unsigned {
  ElideAllReduce,
  GatherRows,
  RecomputeSmall,
  DropOutputs,
  SinkIntoLoops,
  ProductsFirst,
  PackMaskedSteps,
  PrepareFusion,
  NarrowProducts,
  FuseElementwise,
  FuseRandom,
  RandomBlocks,
  OrderUnits,
  WriteInPlace,
  UpdateInPlace,
  ReuseSequences,
  AddInPlace,
  RowBlocks,
  PackWeights,
  LookAhead,
  ShareMemory,
  ProductCalls,
  MergeFills,
  MergeSums,
  MergeLoops,
  ShareKernels,
  SplitLoops,
  GroupLoops,
  TinyNumbers,
  OutlineRepeats,
  TensorCores,
  GroupLaunches,
  Llvm,
};

struct OptimizationInfo {
  llvm::StringLiteral name;
  /// Flag of the pass that has it; empty where none has.
  llvm::StringLiteral pass;
  llvm::StringLiteral summary;
  Optimization kind;
  /// The stage that the pass belongs to; none after the last stage.
  std::optional<Stage> stage;
  /// Whether a program without it has the same bits. The others agree to
  /// rounding.
  bool exact;
};

/// All of them, in the order of the enumeration.
llvm::ArrayRef<OptimizationInfo> allOptimizations();

/// Those that a program is built with: all, at first.
class Optimizations {
public:
  bool has(Optimization kind) const {
    return !(off & (uint64_t(1) << static_cast<unsigned>(kind)));
  }
  void disable(Optimization kind) {
    off |= uint64_t(1) << static_cast<unsigned>(kind);
  }
  /// Takes out those of a list of names; `all` stands for every one. An unknown
  /// name is an error that names the nearest.
  llvm::Error disable(llvm::ArrayRef<std::string> names);
  /// The names of what is taken out, in order; with `pass` of that pass.
  llvm::SmallVector<std::string> disabled(llvm::StringRef pass = {}) const;
  /// The names of what is taken out and was part of the bits.
  llvm::SmallVector<std::string> disabledInexact() const;

private:
  friend llvm::Expected<Optimizations>
  noteDisabled(mlir::ModuleOp module, Stage stage, const Optimizations &wanted);

  uint64_t off = 0;
};

/// Writes what `wanted` lacks into the module, which is at `stage` and may lack
/// something already, and gives what it lacks then. An error where `wanted`
/// lacks by name what has been applied.
llvm::Expected<Optimizations> noteDisabled(mlir::ModuleOp module, Stage stage,
                                           const Optimizations &wanted);

/// Reads the option `disable` of a pass; an error goes to `context`.
llvm::LogicalResult readDisabled(Optimizations &optimizations,
                                 llvm::ArrayRef<std::string> names,
                                 mlir::MLIRContext *context);

} // namespace belfry

#endif // BELFRY_PASSES_OPTIMIZATIONS_H
