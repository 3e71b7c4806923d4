//===- Compile.h - losses, metrics and the optimizer --------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Resolves what Keras's compile() was told into an nn.compile with every
// default written out. Names, defaults and rules are Keras 3.15.1's
// (keras/src/trainers/compile_utils.py, losses, metrics, optimizers).
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_COMPILE_H
#define BELFRY_LIB_IMPORT_COMPILE_H

#include "dialects/nn/Nn.h"
#include "lib/import/Import.h"
#include "lib/import/Json.h"

namespace belfry {

/// Adds an nn.compile behind the model, from the file's compile section
/// (`compiled`, null where there is none) and the options, which go before it.
/// Without a loss there is none, and nothing is added. A loss in the file that
/// is not known is a warning; in the options it is an error, as all else is.
llvm::LogicalResult emitCompile(nn::ModelOp model, JsonView compiled,
                                const ImportOptions &options,
                                ImportDiagnostics &diags);

/// A loss, metric or optimizer as Keras's files write it.
struct ObjectSpec {
  std::string name; ///< class name, or the string that the user gave
  bool isString = false;
  JsonView config; ///< its arguments; null where there are none
  JsonView json;
};
ObjectSpec readObject(JsonView json);

/// The kinds of losses and metrics, by any of Keras's names for them.
struct LossKind {
  llvm::StringRef kind;
  bool isCrossEntropy, isSparse;
};
std::optional<LossKind> findLoss(llvm::StringRef name);
/// What an unknown name is held against, by suggest().
std::string suggestLoss(llvm::StringRef name);
std::optional<llvm::StringRef> findMetric(llvm::StringRef name);
std::string suggestMetric(llvm::StringRef name);

/// "accuracy" stands for one of three by the shapes of prediction and target
/// (compile_utils.py, get_metric).
llvm::StringRef resolveAccuracy(mlir::RankedTensorType prediction,
                                mlir::RankedTensorType target);

/// Builds the nn.optimizer at the builder's insertion point.
llvm::LogicalResult emitOptimizer(mlir::OpBuilder &builder, mlir::Location loc,
                                  const ObjectSpec &spec);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_COMPILE_H
