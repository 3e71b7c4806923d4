//===- Ptx.h - kernels as PTX and as cubins --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_CUDA_PTX_H
#define BELFRY_LIB_CUDA_PTX_H

#include "lib/cuda/Architectures.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace belfry {

/// The least architecture with tensor cores for all that kernels multiply by
/// them: 80 is sm_80. PTX for lesser ones has those products written out.
constexpr unsigned kTensorCoreArchitecture = 80;
/// Whether any of the kernels has products for tensor cores.
bool hasTensorCoreProducts(mlir::gpu::GPUModuleOp kernels);

/// PTX of kernels that are in the LLVM and NVVM dialects. It is for the least
/// architecture that the kernels need, or where that is less for `atLeast`, 80
/// is sm_80, in the first version of PTX that knows what it has, so that every
/// later one, and every driver that knows it, can assemble it. The kernels stay
/// as they are.
llvm::Expected<std::string>
emitPtx(mlir::gpu::GPUModuleOp kernels,
        unsigned atLeast = gpuArchitectures().front().sm);

struct Cubin {
  unsigned sm = 0;
  std::string bytes;
  std::map<std::string, KernelResources> kernels; ///< as ptxas says
};

/// The path of ptxas: in `cudaPath`/bin where that is given, else as CUDA_HOME
/// or CUDA_PATH say, in PATH, or where the build found it. Fails with an error
/// that says where it was looked for.
llvm::Expected<std::string> findPtxas(llvm::StringRef cudaPath);

/// Assembles PTX for each architecture, some at a time. ptxas may prefer blocks
/// that run at once to registers: a kernel that spills on any architecture is
/// given all registers of a multiprocessor's one block (.minnctapersm 1), in
/// `ptx` and where something spilled. On failure the error has the
/// architecture, the first line that ptxas wrote, and the path of the PTX,
/// which is kept.
llvm::Expected<std::vector<Cubin>>
assemble(std::string &ptx, llvm::ArrayRef<unsigned> architectures,
         llvm::StringRef ptxas);

} // namespace belfry

#endif // BELFRY_LIB_CUDA_PTX_H
