//===- Pipelines.h - the stages, as functions -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PIPELINES_H
#define BELFRY_PASSES_PIPELINES_H

#include "passes/Optimizations.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace belfry {

/// What memory may cost.
enum class MemoryMode {
  Low,      ///< what is cheap to make again is not kept
  Balanced, ///< what costs no time to save is saved
  Fast      ///< memory is no reason to compute more, or in another order
};

llvm::StringRef memoryModeName(MemoryMode mode);
/// None where there is no mode of this name; low, balanced and fast are.
std::optional<MemoryMode> parseMemoryMode(llvm::StringRef name);

/// Of the module: the name of the mode, where it is another one than balanced.
constexpr llvm::StringLiteral kMemoryAttr = "belfry.memory";

/// Writes the mode into the module where it is `given`, else takes the one that
/// the module says.
llvm::Error noteMemory(mlir::ModuleOp module, MemoryMode &mode, bool given);

struct HostOptions {
  std::string cpu = "x86-64-v3"; ///< LLVM's name of the processor
  std::string features;          ///< LLVM's feature string, may be empty
  bool profileOps = false;       ///< measure each op while the program runs
  Optimizations optimizations;   ///< what the program is built with
  MemoryMode memory = MemoryMode::Balanced;
  /// Families of kernels for GPUs to go without, by name, to test what is
  /// refused.
  std::vector<std::string> disabledKernels;
  bool forGpu = false; ///< what is lowered is for kernels of a GPU
};

/// parallel or placed → lowered.
void buildLowerStage(mlir::OpPassManager &pm, const HostOptions &options);
/// lowered → bufferized.
void buildBufferizeStage(mlir::OpPassManager &pm, const HostOptions &options);
/// bufferized → target, for the host.
void buildHostTargetStage(mlir::OpPassManager &pm, const HostOptions &options);
/// bufferized → phases that launch kernels, a gpu.module of functions of
/// pointers and numbers.
void buildGpuKernels(mlir::OpPassManager &pm, const HostOptions &options);
/// bufferized → target, for NVIDIA GPUs: phases that call the runtime, and the
/// kernels in a gpu.module, in the NVVM dialect.
void buildCudaTargetStage(mlir::OpPassManager &pm, const HostOptions &options);
/// The kernels of such a module as functions of the host, and its phases as
/// there.
void buildEmulatedKernels(mlir::OpPassManager &pm, const HostOptions &options);
/// bufferized → target, with the kernels of a GPU run by the host.
void buildEmulatedTargetStage(mlir::OpPassManager &pm,
                              const HostOptions &options);
/// The three.
void buildHostLoweringPipeline(mlir::OpPassManager &pm,
                               const HostOptions &options);

/// Makes the stages flags of belfry-opt; and --place, the name of --nn-place
/// in a pipeline that a user writes.
void registerHostPipelines();

} // namespace belfry

#endif // BELFRY_PASSES_PIPELINES_H
