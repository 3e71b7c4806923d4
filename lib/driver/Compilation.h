//===- Compilation.h - one run of the compiler ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver.cpp has the stages, Generate.cpp what comes behind the last of them.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_COMPILATION_H
#define BELFRY_LIB_DRIVER_COMPILATION_H

#include "belfry/Compiler.h"
#include "lib/driver/DeviceCode.h"
#include "lib/driver/Load.h"
#include "lib/driver/Settings.h"
#include "lib/import/Diagnostics.h"
#include "lib/import/WriteFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belfry {

/// From a model file or a module to what was asked for.
class Compilation : private Settings {
public:
  Compilation(llvm::StringRef path, const CompileOptions &options)
      : path(path), options(options) {}

  CompileResult run(bool onlyDescribe);

private:
  llvm::LogicalResult load();
  llvm::LogicalResult runStages(Stage last);
  llvm::LogicalResult runStage(Stage stage);
  llvm::LogicalResult prove();
  llvm::LogicalResult makeManifest();
  llvm::LogicalResult checkManifest();
  llvm::LogicalResult generate();
  llvm::LogicalResult generateFrom(llvm::LLVMContext &llvmContext,
                                   std::unique_ptr<llvm::Module> &module);
  llvm::LogicalResult generateText(llvm::Module &module);
  llvm::LogicalResult makeDeviceCode();
  llvm::LogicalResult generateKernels();
  llvm::LogicalResult generateEmulated();
  llvm::LogicalResult write(llvm::StringRef file, llvm::StringRef text);
  llvm::LogicalResult writeObject(llvm::Module &module, llvm::StringRef file);
  llvm::LogicalResult generateFile(llvm::Module &module);
  llvm::LogicalResult writeModule(llvm::StringRef output);
  llvm::LogicalResult writeOutputModule();
  llvm::LogicalResult keepWeights(llvm::StringRef folder, llvm::StringRef name);
  llvm::StringRef textOutput() const {
    return options.output.empty() ? llvm::StringRef("-")
                                  : llvm::StringRef(options.output);
  }
  llvm::LogicalResult writeReport();
  llvm::LogicalResult guarded(llvm::StringRef what,
                              llvm::function_ref<llvm::LogicalResult()> part);

  llvm::LogicalResult fail(const llvm::Twine &message) {
    return diags.error(message);
  }
  llvm::LogicalResult fail(llvm::Error error) {
    return diags.error(llvm::toString(std::move(error)));
  }
  /// An error that no input should be able to cause.
  llvm::LogicalResult failInternal(const llvm::Twine &message) {
    status = 2;
    return diags.error("internal: " + message);
  }

  /// An error of what the compilation made of the module: with a module that
  /// was given, the module's.
  llvm::LogicalResult failModule(const llvm::Twine &message) {
    if (!loaded.isModule)
      return failInternal(message);
    return diags.error(path + ": the module is inconsistent: " + message);
  }

  std::string path;
  const CompileOptions &options;
  ImportDiagnostics diags;
  CompileResult result;
  int status = 0;
  bool crashed = false;

  std::unique_ptr<mlir::MLIRContext> context;
  std::optional<OutputFile> output;
  LoadedModule loaded;
  std::optional<llvm::json::Value> facts;
  std::optional<DeviceCode> deviceCode; ///< of target cuda
  mlir::OwningOpRef<mlir::ModuleOp>
      beforeTarget; ///< for kernels that the host runs
  /// Those of the part that runs, with their seconds.
  std::vector<std::pair<std::string, double>> passes;
  std::string keptWeights; ///< the weight file that was written last
};

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_COMPILATION_H
