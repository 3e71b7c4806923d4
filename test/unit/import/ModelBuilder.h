//===- ModelBuilder.h - small Keras configurations for tests - -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_IMPORT_MODELBUILDER_H
#define BELFRY_TEST_UNIT_IMPORT_MODELBUILDER_H

#include "lib/import/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace belfry::test {

/// A file that goes when the test ends.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix, llvm::StringRef text = "") {
    llvm::SmallString<128> name;
    llvm::sys::fs::createTemporaryFile("belfry", suffix, name);
    path = name.str().str();
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  std::string path;
};

/// {"module": "keras.layers", "class_name": …, "config": {"name": …, …}}
inline std::string layer(llvm::StringRef className, llvm::StringRef name,
                         llvm::StringRef config = "") {
  return llvm::formatv(R"({{"module": "keras.layers", "class_name": "{0}",
           "config": {{"name": "{1}"{2}{3}}})",
                       className, name, config.empty() ? "" : ", ", config)
      .str();
}

/// A Sequential named "m" of these layers over an input of this shape.
inline std::string sequential(llvm::StringRef shape, llvm::StringRef layers,
                              llvm::StringRef compiled = "null") {
  return llvm::formatv(
             R"({{"module": "keras", "class_name": "Sequential", "config": {{
               "name": "m", "layers": [{0}, {1}]}, "compile_config": {2}})",
             layer("InputLayer", "x", ("\"batch_shape\": " + shape).str()),
             layers, compiled)
      .str();
}

/// An import of a configuration, its errors and its module as text.
struct Imported {
  explicit Imported(llvm::StringRef json, const ImportOptions &options = {})
      : file("json", json),
        module(importModel(context, file.path, options, diags)) {
    if (module) {
      llvm::raw_string_ostream os(text);
      module->print(os);
    }
  }
  bool has(llvm::StringRef part) const {
    return llvm::StringRef(text).contains(part);
  }
  bool says(llvm::StringRef part) const {
    for (const std::string &error : diags.getErrors())
      if (llvm::StringRef(error).contains(part))
        return true;
    return false;
  }
  TemporaryFile file;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  ImportDiagnostics diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string text;
};

} // namespace belfry::test

#endif // BELFRY_TEST_UNIT_IMPORT_MODELBUILDER_H
