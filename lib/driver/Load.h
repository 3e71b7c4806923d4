//===- Load.h - from a file to a module -------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_LOAD_H
#define BELFRY_LIB_DRIVER_LOAD_H

#include "lib/import/Import.h"
#include "passes/Stage.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace belfry {

/// A program before it is compiled.
struct LoadedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Read from a module's text or bytecode, so that anything may stand in it.
  bool isModule = false;
  Stage stage = Stage::Import;
  /// Values of the parameters, laid out as lib/import/Weights.h says.
  std::optional<std::vector<uint8_t>> weights;
};

/// Reads a module (.mlir, .mlirbc) or imports a model file. `options` go before
/// what the file says of losses, optimizer and metrics; a module has to be of
/// stage `import` for them. The weights are those of the model file, or of the
/// file that the module names.
llvm::FailureOr<LoadedModule> loadModule(mlir::MLIRContext &context,
                                         llvm::StringRef path,
                                         const ImportOptions &options,
                                         ImportDiagnostics &diags);

/// Makes the values of layers outputs of the model too, each under the layer's
/// name. The errors list the layers that there are.
llvm::LogicalResult exposeOutputs(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> layers,
                                  ImportDiagnostics &diags);

/// A diagnostic of MLIR as one line that names file, line or layer. `path` is
/// the file of the compilation.
std::string describe(const mlir::Diagnostic &diagnostic, llvm::StringRef path);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_LOAD_H
