//===- cuda/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_TD
#define BELFRY_PASSES_CUDA_TD

include "mlir/Pass/PassBase.td"

def OutlineGpuKernels : Pass<"outline-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "makes each op of a phase a kernel that the phase launches";
  let description = [{
    Each outermost op of a phase function that touches memory becomes a
    `gpu.func` of the module `kernels` and a `gpu.launch_func`. Index arithmetic
    stays in the phase; what depends on memory is computed in the kernel. A loop
    over blocks of rows, which a recurrent layer is, becomes one launch with a
    block of threads for each of its iterations. Equal kernels are one function.
    docs/gpu-target.md says how elements, sums and tiles are dealt to threads.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::math::MathDialect",
      "::mlir::ub::UBDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernel functions">,
    Statistic<"numLaunches", "launches", "Number of launches">
  ];
}

def SplitLongSums : Pass<"split-long-sums", "::mlir::ModuleOp"> {
  let summary = "cuts long sums with few results into parts that blocks share";
  let description = [{
    A product or reduction of a phase whose target is static, and which few
    blocks of a kernel would do with much to add for each, is cut along the
    contracted dimension. A loop marked `belfry.parts` writes the sum of each
    part to a scratch array; a reduction adds them in order. The number of parts
    follows from shapes, with 128 rows assumed for a tower. Before plan-buffers,
    which gives the scratch array its place.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numSplit", "split", "Number of sums in parts">];
}

def FlattenKernelArguments : Pass<"flatten-kernel-arguments", "::mlir::ModuleOp"> {
  let summary = "makes kernels functions of pointers and numbers";
  let description = [{
    A memref that a kernel takes becomes the pointer to its first element,
    followed by those of its extents and strides that its type does not say;
    launches pass them. After host-entry-points.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def EmulateGpuKernels : Pass<"emulate-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "makes kernels functions of the host";
  let description = [{
    Each `gpu.func` becomes a function of a list of arguments and a range of
    blocks, which runs the threads of a block as loops between barriers; a
    `gpu.launch_func` is a `belfry_parallel_for` over the grid. Control flow around a barrier or
    a shuffle has to be the same for all threads of a block: an error otherwise.
    After flatten-kernel-arguments.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ConvertKernelsToNvvm : Pass<"convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "brings kernels to the NVVM and LLVM dialects";
  let description = [{
    As MLIR's convert-gpu-to-nvvm does, but for arithmetic: what expand-math
    leaves of the math dialect becomes LLVM's intrinsics, which are correctly
    rounded instructions, and not calls of libdevice. Kernels need nothing else
    to be linked. After flatten-kernel-arguments, convert-scf-to-cf and
    expand-math.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // BELFRY_PASSES_CUDA_TD
