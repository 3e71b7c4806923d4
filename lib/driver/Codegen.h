//===- Codegen.h - from LLVM dialect to an object file ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_CODEGEN_H
#define BELFRY_LIB_DRIVER_CODEGEN_H

#include "lib/driver/DeviceCode.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <utility>

namespace belfry {

/// Sections of the object file, which a program without symbols keeps.
constexpr llvm::StringLiteral kManifestSection = ".belfry.manifest";
constexpr llvm::StringLiteral kWeightsSection = ".belfry.weights";

/// The module of stage `target`, which loses its nn.parameter ops, as LLVM IR
/// with `belfry_program`, the table of
/// phases and the manifest (include/belfry/Runtime.h). With `hasWeights` the
/// weights are an external constant, `belfry_weights`, of `weightBytes` bytes.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateProgram(mlir::ModuleOp module, llvm::LLVMContext &context,
                 llvm::TargetMachine &machine, llvm::StringRef manifest,
                 bool hasWeights, uint64_t weightBytes,
                 const DeviceCode *code = nullptr);

/// The kernels of a module of stage `target` for CUDA as functions of the host,
/// with their table; phases are left out. `hashes` are those of the images
/// that they are in place of.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateEmulated(mlir::ModuleOp module, llvm::LLVMContext &context,
                  llvm::TargetMachine &machine,
                  llvm::ArrayRef<uint64_t> hashes);

/// The kernels of a module of stage `target`, and the loop nests of its phases
/// that they are: a part of phases counts as often as it is called.
std::pair<unsigned, unsigned> countKernels(mlir::ModuleOp module);

/// LLVM's O3 for the machine. Nothing is reassociated or contracted.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Gives `belfry_weights` its content.
void defineWeights(llvm::Module &module, llvm::ArrayRef<uint8_t> weights);

/// Writes the object file.
llvm::Error emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::raw_pwrite_stream &os);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_CODEGEN_H
