//===- Arguments.h - arguments from files or generated ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_ARGUMENTS_H
#define BELFRY_INTERPRETER_ARGUMENTS_H

#include "lib/interpreter/GenerateData.h"

#include <map>

namespace belfry {

/// Where a function's arguments come from: files that the user names, values
/// that are generated for the rest. A file is found by the argument's name
/// ("strokes"), its role and name ("sample_weight.label"), its number, or lies
/// in one of the folders under the name of argumentFile().
class ArgumentSource {
public:
  /// `data` has items NAME=FILE.npy. An item without a name is an error.
  static mlir::FailureOr<ArgumentSource>
  create(mlir::Location loc, llvm::ArrayRef<std::string> data,
         llvm::ArrayRef<std::string> folders, uint64_t seed,
         ParameterValues weights);

  /// The rows of the global batch that the files of these functions hold, the
  /// fewest of all; none where no argument with rows comes from a file.
  mlir::FailureOr<std::optional<int64_t>>
  rowsOfFiles(llvm::ArrayRef<mlir::func::FuncOp> functions);

  /// One value an argument. Of a file, the first `rows` rows.
  mlir::LogicalResult make(mlir::func::FuncOp function, int64_t rows,
                           llvm::SmallVectorImpl<nn::HostTensor> &arguments);

  /// An error for each name of `data` that no argument of these functions has.
  mlir::LogicalResult
  checkNames(mlir::Location loc,
             llvm::ArrayRef<mlir::func::FuncOp> functions) const;

private:
  std::string fileOf(mlir::func::FuncOp function, unsigned index) const;
  mlir::FailureOr<nn::HostTensor> read(mlir::func::FuncOp function,
                                       unsigned index, const std::string &file);

  std::vector<std::pair<std::string, std::string>> named;
  std::vector<std::string> folders;
  uint64_t seed = 0;
  ParameterValues weights;
  /// Files that were read.
  std::map<std::string, nn::HostTensor> cache;
};

} // namespace belfry

#endif // BELFRY_INTERPRETER_ARGUMENTS_H
