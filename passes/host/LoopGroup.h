//===- LoopGroup.h - loops that one parallel region runs --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that follow one another and touch nothing that another one of them
// writes are one call of belfry_parallel_for: one meeting of the threads.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_LOOPGROUP_H
#define BELFRY_PASSES_HOST_LOOPGROUP_H

#include "passes/host/KernelBuilder.h"

namespace belfry {

/// What is known of the arrays of a phase: which of them may be one place. The
/// runtime gives arrays that are never live together the same place, so two
/// rows of the buffer table are apart only where their lives meet.
class PhaseArrays {
public:
  explicit PhaseArrays(mlir::func::FuncOp phase);
  bool mayOverlap(mlir::Value a, mlir::Value b) const;

private:
  struct Row {
    bool known = false;
    bool external = false; ///< has a place of its own
    mlir::Attribute kind, index;
    int64_t first = 0, last = 0;
  };
  llvm::DenseMap<mlir::Value, Row> rows; ///< by the pointer
};

class LoopGroup {
public:
  LoopGroup(mlir::func::FuncOp phase, mlir::Value rows)
      : phase(phase), rows(rows), arrays(phase) {}

  bool empty() const { return loops.empty(); }
  unsigned size() const { return loops.size(); }
  /// Whether a kernel with these accesses may run before, after or beside all
  /// loops of the group.
  bool isApart(llvm::ArrayRef<KernelBuilder::Access> accesses) const;
  /// `kernel` is split; `loop` is its function of type belfry_loop's fn. Its
  /// arguments have been built. `facts` are noted at the call, if given.
  void add(const KernelBuilder &kernel, mlir::func::FuncOp loop,
           mlir::DictionaryAttr facts = {});
  /// Builds the call in front of `op`, and empties the group.
  void flush(mlir::Operation *op);

private:
  struct Loop {
    mlir::func::FuncOp function;
    KernelBuilder::Split split;
    llvm::SmallVector<mlir::Value> arguments;
    llvm::SmallVector<KernelBuilder::Access> accesses;
    mlir::DictionaryAttr facts;
  };
  mlir::Value frameOf(int64_t words);

  mlir::func::FuncOp phase;
  mlir::Value rows;
  PhaseArrays arrays;
  llvm::SmallVector<Loop> loops;
  mlir::Value context;        ///< of belfry_phase_args; null until it is wanted
  mlir::LLVM::AllocaOp frame; ///< one for all calls of the phase
  int64_t frameWords = 0;
};

} // namespace belfry

#endif // BELFRY_PASSES_HOST_LOOPGROUP_H
