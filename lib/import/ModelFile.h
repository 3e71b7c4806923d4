//===- ModelFile.h - what stands in a model file ------------- -*- C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Reads a `.keras` archive or a `.json` file into memory. Nothing of an archive
// is ever unpacked to disk. Files of other kinds are told by their first bytes
// and refused by name; so are archives that are truncated, encrypted, hold
// names that lead out of a folder, or claim to be far larger than they are.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_MODELFILE_H
#define BELFRY_LIB_IMPORT_MODELFILE_H

#include "lib/import/Diagnostics.h"

#include <cstdint>
#include <optional>

namespace belfry {

struct ModelFile {
  std::string config;       ///< JSON of the model
  std::string configName;   ///< file and member as errors name them
  std::string kerasVersion; ///< empty where the file does not say
  /// Image of the HDF5 file with the weights, if there is one.
  std::optional<std::vector<uint8_t>> weights;
};

/// What a file is, by its first bytes.
enum class FileKind { Zip, Hdf5, Json, Unknown };
FileKind sniff(llvm::StringRef bytes);

/// Reads a whole file; an error names it.
llvm::FailureOr<std::string> readFile(llvm::StringRef path,
                                      ImportDiagnostics &diags);

/// Reads a model file.
llvm::FailureOr<ModelFile> readModelFile(llvm::StringRef path,
                                         ImportDiagnostics &diags);

/// Reads the weights member of a `.keras` archive.
llvm::FailureOr<std::vector<uint8_t>>
readArchiveWeights(llvm::StringRef path, ImportDiagnostics &diags);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_MODELFILE_H
