//===- Import.h - from a Keras file to a module -------------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What belfry-import and belfryc call. docs/import.md says what is read and how
// names, masks and losses are resolved.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_IMPORT_H
#define BELFRY_LIB_IMPORT_IMPORT_H

#include "lib/import/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace belfry {

/// What stands in place of the file's compile section, as the command line
/// gives it: `mse`, `huber(delta=2)`, `a=mse,b=binary_crossentropy`.
struct ImportOptions {
  std::optional<std::string> loss, optimizer, metrics;
};

/// What the warning says that a loss of the file gives which is not known.
inline constexpr llvm::StringLiteral kNotCompiled =
    "the model is not compiled for training";

/// Imports a `.keras` or `.json` file of Keras 3. On failure the result is null
/// and `diags` has the reasons; on success it may have warnings. The context
/// has the nn dialect loaded. Where the file has weights, they are checked
/// against the model and put into `*weights`, laid out as Weights.h says;
/// otherwise that is left empty. `nn.weights` is not set: see nameWeights().
mlir::OwningOpRef<mlir::ModuleOp>
importModel(mlir::MLIRContext &context, llvm::StringRef path,
            const ImportOptions &options, ImportDiagnostics &diags,
            std::optional<std::vector<uint8_t>> *weights = nullptr);

/// Notes in the module where its weights are, as a path beside the module.
void nameWeights(mlir::ModuleOp module, llvm::StringRef path);

/// The path of the weights that a module names, which is relative to the
/// folder of `modulePath`; empty where it names none.
std::string weightsPath(mlir::ModuleOp module, llvm::StringRef modulePath);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_IMPORT_H
