//===- Import.cpp - from a Keras file to a module -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Import.h"

#include "lib/import/Compile.h"
#include "lib/import/Emitter.h"
#include "lib/import/ModelFile.h"
#include "lib/import/Weights.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace belfry;
using llvm::StringRef;

/// Keras 3's files say which version wrote them; 2.x wrote other ones under the
/// same suffix.
static llvm::LogicalResult checkVersion(StringRef path, StringRef version,
                                        ImportDiagnostics &diags) {
  if (version.empty() || version.starts_with("3."))
    return llvm::success();
  return diags.error(path + ": written by Keras " + version +
                     "; only models of Keras 3 are supported");
}

mlir::OwningOpRef<mlir::ModuleOp>
belfry::importModel(mlir::MLIRContext &context, StringRef path,
                    const ImportOptions &options, ImportDiagnostics &diags,
                    std::optional<std::vector<uint8_t>> *weights) {
  context.loadDialect<nn::NnDialect>();
  llvm::FailureOr<ModelFile> file = readModelFile(path, diags);
  if (failed(file) || failed(checkVersion(path, file->kerasVersion, diags)))
    return {};
  llvm::FailureOr<llvm::json::Value> json =
      parseJson(file->config, file->configName, diags);
  if (failed(json))
    return {};
  JsonView config(*json, file->configName, diags);
  llvm::FailureOr<std::unique_ptr<ModelConfig>> model = readModelConfig(config);
  if (failed(model))
    return {};
  Emitter emitter(context, path, diags);
  bool supported = succeeded(checkSupported(**model, path, diags));
  if (failed(emitter.checkLayers(**model)) || !supported)
    return {};

  // What the verifier says is an error of this import too.
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          (void)diags.error(path + ": " + diagnostic.str());
        return llvm::success();
      });
  llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module =
      emitter.emit(**model);
  if (failed(module) ||
      failed(emitCompile(emitter.getModel(), config["compile_config"], options,
                         diags)) ||
      diags.hasErrors())
    return {};
  mlir::Builder builder(&context);
  module->get()->setAttr("nn.keras_version",
                         builder.getStringAttr(file->kerasVersion.empty()
                                                   ? "3"
                                                   : file->kerasVersion));
  if (failed(mlir::verify(**module))) {
    if (!diags.hasErrors())
      (void)diags.error(path + ": the imported model is not valid");
    return {};
  }
  if (file->weights) {
    llvm::Expected<std::vector<uint8_t>> block = readWeightsImage(
        *file->weights, (path + ": model.weights.h5").str(), **module);
    if (!block) {
      std::string text = llvm::toString(block.takeError());
      std::string sharing = emitter.describeLostSharing(text);
      (void)diags.error(sharing.empty() ? text : path + ": " + sharing);
      return {};
    }
    if (weights)
      *weights = std::move(*block);
  }
  return std::move(*module);
}

void belfry::nameWeights(mlir::ModuleOp module, StringRef path) {
  module->setAttr(nn::kWeightsAttr,
                  mlir::StringAttr::get(module.getContext(), path));
}

std::string belfry::weightsPath(mlir::ModuleOp module, StringRef modulePath) {
  auto name = module->getAttrOfType<mlir::StringAttr>(nn::kWeightsAttr);
  if (!name)
    return "";
  if (llvm::sys::path::is_absolute(name.getValue()))
    return name.str();
  llvm::SmallString<256> path = llvm::sys::path::parent_path(modulePath);
  llvm::sys::path::append(path, name.getValue());
  return path.str().str();
}
