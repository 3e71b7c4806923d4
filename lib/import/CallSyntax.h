//===- CallSyntax.h - losses and optimizers as words of a command line - -*- C++
//-*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
//   list = item ("," item)*          item = [output "="] name ["(" args ")"]
//   args = key "=" value ("," …)*    value = number | true | false | none |
//   word
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_CALLSYNTAX_H
#define BELFRY_LIB_IMPORT_CALLSYNTAX_H

#include "lib/import/Diagnostics.h"

#include "llvm/Support/JSON.h"

namespace belfry {

/// One item: the output that it is for, empty for any, and the object in the
/// form that Keras writes: a string, or {"class_name", "config"}.
struct CallItem {
  std::string output;
  llvm::json::Value object = nullptr;
};

/// Parses a list of items; errors begin with `option`.
llvm::FailureOr<std::vector<CallItem>> parseCallList(llvm::StringRef text,
                                                     llvm::StringRef option,
                                                     ImportDiagnostics &diags);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_CALLSYNTAX_H
