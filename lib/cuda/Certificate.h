//===- Certificate.h - which kernel each op has -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_CUDA_CERTIFICATE_H
#define BELFRY_LIB_CUDA_CERTIFICATE_H

#include "lib/cuda/Ptx.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace belfry {

/// The version of the certificate's form. It rises where a reader of an older
/// one would misread, not where fields are added.
constexpr int64_t kCertificateVersion = 2;

/// The coverage certificate of a module whose phases launch kernels: each op of
/// a phase with layer, role, tower, dtype, shape and kernel, and each kernel
/// with what it takes on the architectures that it was assembled for (none
/// where there are no cubins). docs/gpu-target.md has the fields.
llvm::json::Value certificateOf(mlir::ModuleOp module,
                                llvm::ArrayRef<Cubin> cubins);

/// A certificate as a document, which ends with a line break. `certificate` is
/// what certificateOf() gave.
std::string certificateJson(const llvm::json::Value &certificate);
/// The same as tables for people: equal ops are one line with their number.
std::string certificateText(const llvm::json::Value &certificate);
/// As the suffix of the file's name asks: .txt is text, anything else JSON.
std::string certificateFor(llvm::StringRef file,
                           const llvm::json::Value &certificate);

} // namespace belfry

#endif // BELFRY_LIB_CUDA_CERTIFICATE_H
