//===- interpreter/Passes.td - passes that run a program -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_PASSES_TD
#define BELFRY_INTERPRETER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"interpret", "::mlir::ModuleOp"> {
  let summary = "runs functions in the reference interpreter and prints what they return";
  let description = [{
    Runs every function of the module, or the one that is named, on arrays from
    .npy files and, for the other arguments, on generated data. Data depend on the seed, the
    argument's role and name only: integers stay below the argument's
    `nn.limit`, masks and masked rows (those that equal the value that the program
    compares them with) end early, start late, have holes and are missing altogether,
    parameters come from the module's weights file (`nn.weights`), else they are drawn
    about their initializers' values.

    The module goes on unchanged, but belfry-opt writes it only where `-o` is given.
  }];
  // The driver hands in where to report to.
  let constructor = "::belfry::createInterpretPass({})";
  let options = [
    Option<"precision", "precision", "::belfry::nn::Precision", "::belfry::nn::Precision::F32",
           "how floats are computed", [{::llvm::cl::values(
             clEnumValN(::belfry::nn::Precision::F32, "f32", "rounded to f32 after each op"),
             clEnumValN(::belfry::nn::Precision::F64, "f64", "as doubles throughout"))}]>,
    Option<"towers", "towers", "int64_t", "0", "number of towers (0: as the program says)">,
    Option<"batch", "batch", "int64_t", "-1",
           "rows of the global batch (default: those of the files, or 4)">,
    Option<"seed", "seed", "uint64_t", "0", "seed of the run and of generated data">,
    Option<"function", "function", "std::string", "", "the function to run (default: all)">,
    ListOption<"data", "data", "std::string",
               "NAME=FILE.npy for arguments, by name (strokes), role and name (target.label) or number">,
    ListOption<"inputs", "inputs", "std::string",
               "folders with .npy files for arguments, by role and name (parameter.dense%2Fkernel.npy)">,
    Option<"outputs", "outputs", "std::string", "", "folder for the results, as .npy files">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

def CheckAgainstSinglePass : Pass<"check-against-single", "::mlir::ModuleOp"> {
  let summary = "compares the program on N towers with the program on one, in the reference interpreter";
  let description = [{
    Works at every stage above lowering. From a model, training functions are built
    first; from single-device functions, replicated ones (--widen-narrow-floats, --make-parallel,
    --insert-all-reduce, --elide-all-reduce). Functions that are replicated already run
    with one tower for comparison.

    Each function runs for each batch and number of towers on the first rows of the user's
    arrays and on generated data (see --interpret). For each output, loss, metric, gradient and updated weight a table gives
    the largest difference over all runs, relative to the largest value of the tensor (of gradients and
    slots at least a thousandth of the largest of their kind, since one may be zero but for rounding), and where it was. If
    one is beyond the tolerance, belfry-opt exits with status 3.
  }];
  let options = [
    ListOption<"towers", "towers", "int64_t", "numbers of towers (default: 1,2,3,4,8)">,
    ListOption<"batch", "batch", "int64_t",
               "rows of the global batch (default: 1,5,7 and all rows of the files, or 32)">,
    ListOption<"data", "data", "std::string",
               "NAME=FILE.npy for arguments, by name (strokes), role and name (target.label) or number">,
    ListOption<"inputs", "inputs", "std::string",
               "folders with .npy files for arguments, by role and name (parameter.dense%2Fkernel.npy)">,
    Option<"precision", "precision", "::belfry::nn::Precision", "::belfry::nn::Precision::F64",
           "how floats are computed", [{::llvm::cl::values(
             clEnumValN(::belfry::nn::Precision::F32, "f32", "rounded to f32 after each op"),
             clEnumValN(::belfry::nn::Precision::F64, "f64", "as doubles throughout"))}]>,
    Option<"seed", "seed", "uint64_t", "0", "seed of the run and of generated data">,
    Option<"tolerance", "tolerance", "double", "-1.0",
           "largest relative difference (default: 1e-11 in f64, 1e-4 in f32)">,
    Option<"pipeline", "pipeline", "std::string", "",
           "what replicates single-device functions, in place of the default passes">
  ];
  // The driver hands in where to report to.
  let constructor = "::belfry::createCheckAgainstSinglePass({})";
  let dependentDialects = ["::belfry::nn::NnDialect", "::belfry::tower::TowerDialect"];
}

#endif // BELFRY_INTERPRETER_PASSES_TD
