//===- belfry-import.cpp - a Keras file as a module of nn ops -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "lib/import/Import.h"
#include "lib/import/Weights.h"
#include "lib/import/WriteFile.h"
#include "lib/support/CommandLine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace belfry;
using llvm::StringRef;

namespace {
struct Options {
  std::string model, output = "-", weightsOut;
  ImportOptions import;
  bool allErrors = false;
};
} // namespace

/// Where the weights go: where the user says, or beside the module.
static std::string weightsPathFor(const Options &options) {
  if (!options.weightsOut.empty())
    return options.weightsOut;
  if (options.output == "-")
    return "";
  llvm::SmallString<256> path(options.output);
  llvm::sys::path::replace_extension(path, "weights.h5");
  return path.str().str();
}

/// The weights file as the module names it: beside the module if it is there.
static std::string nameBeside(StringRef weights, StringRef module) {
  if (module == "-" || llvm::sys::path::parent_path(weights) ==
                           llvm::sys::path::parent_path(module))
    return module == "-" ? weights.str()
                         : llvm::sys::path::filename(weights).str();
  llvm::SmallString<256> path(weights);
  if (llvm::sys::fs::make_absolute(path))
    return weights.str();
  return path.str().str();
}

static bool isSameFile(StringRef a, StringRef b) {
  bool same = false;
  return !llvm::sys::fs::equivalent(a, b, same) && same;
}

static void write(const Options &options, ImportDiagnostics &diags) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::optional<std::vector<uint8_t>> weights;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      importModel(context, options.model, options.import, diags, &weights);
  if (!module)
    return;
  std::string weightsPath = weightsPathFor(options);
  for (StringRef path : {StringRef(weightsPath), StringRef(options.output)})
    if (!path.empty() && path != "-" && isSameFile(path, options.model)) {
      (void)diags.error(path + ": is the model file itself");
      return;
    }
  bool writesWeights = weights && !weightsPath.empty();
  if (weights && !writesWeights)
    diags.warning(options.model + ": its weights are not written; -o or "
                                  "--weights-out says where they go");
  if (!weights && !options.weightsOut.empty())
    diags.warning(options.model +
                  ": has no weights, so --weights-out writes nothing");
  if (writesWeights) {
    nameWeights(*module, nameBeside(weightsPath, options.output));
    if (llvm::Error error = writeWeights(weightsPath, *module, *weights)) {
      (void)diags.error(llvm::toString(std::move(error)));
      return;
    }
  }
  llvm::Error error =
      belfry::writeFile(options.output, [&](llvm::raw_ostream &os) {
        // Layers live on in the locations, so those are printed.
        mlir::OpPrintingFlags flags;
        flags.enableDebugInfo().useLocalScope().printNameLocAsPrefix();
        module->print(os, flags);
        os << '\n';
      });
  if (error) {
    (void)diags.error(llvm::toString(std::move(error)));
    if (writesWeights)
      (void)llvm::sys::fs::remove(weightsPath);
  }
}

int main(int argc, char **argv) {
  CLI::App app("Imports a model that Keras 3 saved as a module of nn ops.",
               "belfry-import");
  Options options;
  app.add_option("model", options.model, "a .keras archive or a .json file")
      ->required()
      ->type_name("MODEL");
  app.add_option("-o,--output", options.output,
                 "the module (default: standard output)")
      ->type_name("FILE");
  app.add_option("--weights-out", options.weightsOut,
                 "the weights (default: beside the module, as "
                 "NAME.weights.h5)")
      ->type_name("FILE");
  app.add_option("--loss", options.import.loss,
                 "NAME, NAME(key=value, …) or OUTPUT=NAME,…, in place of the "
                 "file's")
      ->type_name("LOSS");
  app.add_option("--optimizer", options.import.optimizer,
                 "NAME or NAME(key=value, …), in place of the file's")
      ->type_name("OPTIMIZER");
  app.add_option("--metrics", options.import.metrics,
                 "NAME,… or OUTPUT=NAME,…, in place of the file's")
      ->type_name("METRICS");
  app.add_flag("--all-errors", options.allErrors,
               "print every error, not only the first 20 lines");
  if (std::optional<int> status = belfry::parseCommandLine(app, argc, argv))
    return *status;
  ImportDiagnostics diags;
  write(options, diags);
  llvm::outs().flush();
  diags.print(llvm::errs(), options.allErrors);
  return diags.hasErrors() ? 1 : 0;
}
