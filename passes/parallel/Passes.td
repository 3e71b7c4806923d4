//===- parallel/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PARALLEL_TD
#define BELFRY_PASSES_PARALLEL_TD

include "mlir/Pass/PassBase.td"

def MakeParallel : Pass<"make-parallel", "::mlir::ModuleOp"> {
  let summary = "runs training functions in towers: slices of the batch, one program, outputs joined";
  let description = [{
    The body of every function whose arguments have roles moves into a
    `tower.replicate`. Inputs, targets and sample weights are sliced along the
    rows of the batch, outputs joined; random numbers count rows from the
    tower's first one. What is computed over the whole batch (loss, metrics,
    gradients) is a tower's own part until --insert-all-reduce has run.

    `slicing`: `balanced` gives the first B mod N towers a row more than the
    others (a tower may get none); `drop-remainder` gives B/N rows to each and
    drops the rest; `last-takes-rest` gives the rest to the last tower; `strict`
    is an error where N does not divide B.

    ```mlir
    func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> … {
      %y = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32> {
        %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
        …
    ```
  }];
  let options = [
    Option<"towers", "towers", "int64_t", /*default=*/"1", "number of towers">,
    Option<"slicing", "slicing", "::belfry::tower::Slicing",
           /*default=*/"::belfry::tower::Slicing::Balanced", "how the batch is cut into towers",
           [{::llvm::cl::values(
              clEnumValN(::belfry::tower::Slicing::Balanced, "balanced", "sizes differ by one at most"),
              clEnumValN(::belfry::tower::Slicing::DropRemainder, "drop-remainder", "rows beyond a multiple of N are dropped"),
              clEnumValN(::belfry::tower::Slicing::LastTakesRest, "last-takes-rest", "the last tower gets what is left"),
              clEnumValN(::belfry::tower::Slicing::Strict, "strict", "the rows have to be a multiple of N"))}]>
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def InsertAllReduce : Pass<"insert-all-reduce", "::mlir::ModuleOp"> {
  let summary = "makes what towers compute in parts whole, by the distribution analysis";
  let description = [{
    Follows how each value inside of a `tower.replicate` is spread over the
    towers (replicated, sharded, partial) by the ops' transfer functions. Every
    partial value gets a `tower.all_reduce` where it is made; a sharded one gets
    a `tower.all_gather`, with a remark, where an op needs all rows and nothing
    better is known. Always right, and naive: --elide-all-reduce merges and
    removes.
  }];
  let statistics = [
    Statistic<"numAllReduces", "all-reduces", "all-reduces inserted">,
    Statistic<"numAllGathers", "all-gathers", "all-gathers inserted">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def ElideAllReduce : Pass<"elide-all-reduce", "::mlir::ModuleOp"> {
  let summary = "merges and removes all-reduces";
  let description = [{
    Moves an all-reduce behind an op that is linear in what it makes whole,
    where that merges two or makes it smaller: the gradients of a shared layer
    are added first, then reduced. The number of rows of the global batch is
    known without an exchange. Unused and equal all-reduces go.
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "all-reduces saved by reducing a sum of terms">,
    Statistic<"numRows", "rows", "all-reduces of a number of rows replaced by the global number">,
    Statistic<"numRemoved", "removed", "unused or equal all-reduces removed">,
    Statistic<"numLeft", "left", "all-reduces that remain">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def GatherRows : Pass<"gather-rows", "::mlir::ModuleOp"> {
  let summary = "computes gradients of dense weights from the rows of all towers";
  let description = [{
    For towers that share a memory: where an all-reduce sums a product that
    contracts nothing but the rows of the batch, its operands are gathered and
    the product is computed once. Gradients of fewer than 16384 elements stay as
    they are, and so do those of sequences, whose matrices have several rows for
    one of the batch.
  }];
  let statistics = [
    Statistic<"numGradients", "gradients", "products that are computed once">,
    Statistic<"numGathers", "gathers", "all-gathers inserted">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def UnrollTowers : Pass<"unroll-towers", "::mlir::ModuleOp"> {
  let summary = "writes the towers of tower.replicate out, for reading";
  let description = [{
    Each tower becomes a copy of the region, whose ops have `tower` attributes
    and locations `tower_0`, `tower_1`, …. Slices name their tower, a collective
    has an operand and a result a tower, `tower.concat` joins the outputs. Values
    that are the same in every tower are tower 0's after the region.
  }];
  let options = [
    Option<"towers", "towers", "int64_t", /*default=*/"0", "number of towers (default: the op's)">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def SplitPhases : Pass<"split-phases", "::mlir::ModuleOp"> {
  let summary = "cuts training functions at their collectives";
  let description = [{
    Replaces each function that has a `tower.replicate` by phase functions: what
    stands between two collectives, split into ops whose values are the same in
    every tower, which run once, and the others, which run for each tower. A
    function without towers becomes one phase that runs once. Arguments and
    results of a phase function name their row of the buffer table. The module
    gets `belfry.phases` and `belfry.functions` (docs/host-target.md).

    Cheap ops (constants, broadcasts, views, small replicated values) are made
    anew in each phase that needs them.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numPhases", "phases", "Number of phase functions">,
    Statistic<"numCrossing", "crossing", "Number of values that cross phases">
  ];
}

#endif // BELFRY_PASSES_PARALLEL_TD
