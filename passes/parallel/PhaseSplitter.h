//===- PhaseSplitter.h - a training function in phases ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of --split-phases for one function. SplitPhases.cpp describes the
// steps; PhasePlacement.cpp decides where ops and values are, PhaseBuild.cpp
// writes the functions.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PARALLEL_PHASESPLITTER_H
#define BELFRY_PASSES_PARALLEL_PHASESPLITTER_H

#include "dialects/tower/Collectives.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowExtents.h"

#include "mlir/IR/IRMapping.h"

namespace belfry {

class PhaseSplitter {
public:
  /// With `recomputeSmall` small replicated values are made in each phase that
  /// reads them, rather than cross.
  PhaseSplitter(mlir::func::FuncOp function, bool recomputeSmall)
      : function(function), builder(function), recomputeSmall(recomputeSmall) {}

  llvm::LogicalResult run();

  llvm::SmallVector<mlir::func::FuncOp> phases;
  mlir::DictionaryAttr table(int64_t firstPhase);
  int64_t crossing = 0;

private:
  /// A row of the buffer table.
  struct Row {
    std::string kind, name, of;
    int64_t index = -1;
    bool shared = false;
    mlir::Type element;
    std::pair<int64_t, int64_t> bytes;
  };

  /// Where an op stands: stage and whether it runs once.
  struct Place {
    int64_t stage = -1;
    bool once = false;
    bool operator==(const Place &o) const {
      return stage == o.stage && once == o.once;
    }
  };

  llvm::LogicalResult flatten();
  llvm::LogicalResult classify();
  void placeOps();
  llvm::LogicalResult assignResults();
  llvm::LogicalResult buildPhases();
  llvm::LogicalResult buildPhase(Place place);
  llvm::LogicalResult buildCollectives(int64_t stage);
  llvm::SmallVector<mlir::Value> copiedForCollectives(Place place) const;

  bool isFree(mlir::Operation *op) const;
  mlir::FailureOr<mlir::Value> materialize(mlir::Value value,
                                           mlir::OpBuilder &b,
                                           mlir::IRMapping &map, Place place);
  mlir::Value phaseArgument(int64_t row, mlir::Value value);
  mlir::Value scalarTensor(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Type type, PhaseScalar which,
                           int64_t multiple);
  mlir::FailureOr<int64_t> addRow(Row row, mlir::Value like);
  mlir::FailureOr<int64_t> argumentRow(mlir::BlockArgument argument,
                                       bool shared);
  mlir::FailureOr<int64_t> crossRow(mlir::Value value);
  Place placeOf(mlir::Value value) const;

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  bool recomputeSmall;
  tower::ReplicateOp replicate;
  RowExtents extents;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> returned; ///< what the function returns
  llvm::SmallVector<int64_t> concatDims;   ///< −1: the same in every tower
  llvm::DenseMap<mlir::Value, bool> perTower;
  llvm::DenseMap<mlir::Value, int64_t> level;
  llvm::DenseMap<mlir::Operation *, Place> places;
  int64_t lastStage = 0;

  llvm::SmallVector<Row> rows;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, int64_t> argumentRows;
  llvm::DenseMap<mlir::Value, int64_t>
      valueRows; ///< canonical row of a computed value
  /// Further rows that a value is stored to, by its place.
  llvm::SmallVector<std::tuple<mlir::Value, int64_t, Place>> stores;
  llvm::SmallVector<mlir::Attribute> schedule;
  mlir::func::FuncOp current;
  llvm::SmallVector<std::pair<int64_t, mlir::Value>> phaseArguments;
};

} // namespace belfry

#endif // BELFRY_PASSES_PARALLEL_PHASESPLITTER_H
