//===- Diagnostics.h - what an import has to say ------------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Errors and warnings of an import, collected so that a user sees all of them
// at once, and printed in Belfry's form: `error: …` on lines of their own.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_DIAGNOSTICS_H
#define BELFRY_LIB_IMPORT_DIAGNOSTICS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace belfry {

class ImportDiagnostics {
public:
  /// Most lines that print() writes unless it is asked for all.
  static constexpr size_t kMaxLines = 20;

  /// Notes an error. Always fails, so that `return diags.error(…)` works.
  llvm::LogicalResult error(const llvm::Twine &message);
  void warning(const llvm::Twine &message);

  bool hasErrors() const { return !errors.empty(); }
  llvm::ArrayRef<std::string> getErrors() const { return errors; }
  llvm::ArrayRef<std::string> getWarnings() const { return warnings; }

  /// Writes errors first, then warnings, a line each. Where there are more than
  /// kMaxLines the rest is counted, unless `all`.
  void print(llvm::raw_ostream &os, bool all = false) const;

private:
  std::vector<std::string> errors, warnings;
};

/// The names in `known` that are closest to `name` by edit distance, as
/// "did you mean 'a' or 'b'?"; where none is close, those of `listed` (`known`
/// if it is empty) as "known: 'a', 'b', …".
std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known,
                    llvm::ArrayRef<llvm::StringRef> listed = {});

/// `'a', 'b', 'c'`.
std::string quotedList(llvm::ArrayRef<std::string> names);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_DIAGNOSTICS_H
