//===- Link.h - from an object file to an executable ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_LINK_H
#define BELFRY_LIB_DRIVER_LINK_H

#include "llvm/Support/Error.h"

#include <string>

namespace belfry {

struct LinkOptions {
  /// Folder of the runtime's archives and of `belfry-runtime.link`; empty for
  /// the one beside the tool, or else the one of the build.
  std::string runtimeDir;
  /// Path of the running tool.
  std::string tool;
  /// The program opens libraries of CUDA when it runs: the C library is linked
  /// dynamically.
  bool cuda = false;
};

/// Links `object` with the runtime into an executable that needs no other file.
/// The error holds what the linker said.
llvm::Error linkExecutable(llvm::StringRef object, llvm::StringRef output,
                           const LinkOptions &options);

/// Links the object alone into a shared library.
llvm::Error linkLibrary(llvm::StringRef object, llvm::StringRef output);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_LINK_H
