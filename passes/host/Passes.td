//===- host/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_TD
#define BELFRY_PASSES_HOST_TD

include "mlir/Pass/PassBase.td"

def HostEntryPoints : Pass<"host-entry-points", "::mlir::ModuleOp"> {
  let summary = "gives phase functions the signature that the runtime calls";
  let description = [{
    `func.func @phase(!llvm.ptr)` takes a belfry_phase_args: rows and offsets are
    loaded from it, each memref argument becomes a cast of the pointer in its
    row. Constant arrays become LLVM globals.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def LinalgToGemmCalls : Pass<"linalg-to-gemm-calls", "::mlir::ModuleOp"> {
  let summary = "turns products into calls of the runtime's library";
  let description = [{
    A `linalg.matmul` becomes a call of `belfry_gemm_*` with pointers and strides.
    Where the target has just been filled with zeros, the call overwrites it and
    the fill goes.
  }];
  let options = [
    Option<"describe", "describe", "bool", "false",
      "Notes at each call what it computes, for --instrument-ops">,
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of calls">,
    Statistic<"numPacked", "packed", "Number of matrices packed once for many products">,
    Statistic<"numFillsMerged", "fills-merged", "Number of fills that a call made needless">
  ];
}

def OutlineKernels : Pass<"outline-kernels", "::mlir::ModuleOp"> {
  let summary = "makes each loop nest a function on pointers";
  let description = [{
    Each linalg op and each loop nest that is a kernel becomes a call of an
    internal function whose pointers do not alias, so that LLVM's vectorizer
    needs no checks; equal kernels are one function. Dimensions that stand
    together in all operands become one loop. Reductions along rows keep a fixed
    number of accumulators, which depends on shapes only. Kernels with enough
    work are loops of a `belfry_parallel_for`, one for those that follow one
    another and do not depend on each other.
  }];
  let options = [
    Option<"describe", "describe", "bool", "false",
      "Notes at each call what it computes, for --instrument-ops">,
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernel functions">,
    Statistic<"numShared", "shared", "Number of kernels that had a function already">,
    Statistic<"numSplit", "split", "Number of kernel functions that threads share">,
    Statistic<"numRegions", "regions", "Number of calls of belfry_parallel_for">
  ];
}

def OutlineRowBlocks : Pass<"outline-row-blocks", "::mlir::ModuleOp"> {
  let summary = "makes loops over blocks of rows functions that threads share";
  let description = [{
    A loop over time that runs all its steps for a block of rows, then for the
    next block, becomes a function of the rows to do and a call of
    `belfry_parallel_rows`: threads meet once a loop. Equal loops are one
    function.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of functions">,
    Statistic<"numShared", "shared", "Number of loops that had a function already">
  ];
}

def InstrumentOps : Pass<"instrument-ops", "::mlir::ModuleOp"> {
  let summary = "measures each call of a phase";
  let description = [{
    Around each call that a phase makes, of a kernel or of the runtime, stands a
    pair of calls that give its time and its rows to the runtime, which counts
    them (belfry_profile_begin, belfry_profile_end). `belfry.ops` of the module
    says what the numbers stand for: layer, kind, extents, flops and bytes as far
    as the call's `belfry.op` has them (`describe` of the passes before).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numOps", "ops", "Number of calls that are measured">
  ];
}

def OutlineRepeats : Pass<"outline-repeats", "::mlir::ModuleOp"> {
  let summary = "makes what phases do again a function";
  let description = [{
    Runs of calls, loops and stores that stand in the phases more than once,
    equal but for integers and rows of the buffer table, become calls of one
    function. Integers that differ are words of a constant table, so that equal
    layers add words to a program and no code.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of functions">,
    Statistic<"numCalls", "calls", "Number of calls of them">
  ];
}

def FinalizeHost : Pass<"finalize-host", "::mlir::ModuleOp"> {
  let summary = "sets linkage and processor of the functions";
  let description = [{
    Kernels are internal, phases external; every function gets the processor's
    name and features. The list of parameters (nn.parameter) stays until the
    translation to LLVM IR: weights that the module names are read by it.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"", "LLVM's name of the processor">,
    Option<"features", "features", "std::string", "\"\"", "LLVM's feature string">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // BELFRY_PASSES_HOST_TD
