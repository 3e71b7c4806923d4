//===- Manifest.h - the manifest of a program -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_MANIFEST_H
#define BELFRY_LIB_DRIVER_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace belfry {

/// What the manifest says beyond the module.
struct ManifestOptions {
  std::string target = "host";
  std::string mcpu;
  std::string numerics;
  /// Names of the optimisations that were left out.
  std::vector<std::string> disabled;
  /// Name of the memory mode.
  std::string memory = "balanced";
  /// In place of what the module says.
  std::optional<int64_t> towers;
  std::optional<std::string> slicing;
  /// The ops that the program can measure (--instrument-ops); null for none.
  mlir::ArrayAttr ops;
  /// Facts for reports, under the key `report`; null for none.
  const llvm::json::Value *report = nullptr;
};

/// The manifest of docs/architecture.md as JSON, from the module's
/// `belfry.program` (--describe-program) and `belfry.functions` (lowering).
/// A buffer's index into a list of its function becomes one into the manifest's
/// list, by name. The error says what is missing or does not fit.
llvm::Expected<std::string> buildManifest(mlir::ModuleOp module,
                                          const ManifestOptions &options);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_MANIFEST_H
