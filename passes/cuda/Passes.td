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
    First every op of every phase is held against the registry of kernels, as by
    verify-gpu-coverage: an op that has no entry is no kernel by accident.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
               "families of kernels to go without, by name, to test what is refused">,
    Option<"tensorCores", "tensor-cores", "bool", "true",
           "products of f16 and bf16 in tiles are made by tensor cores">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::math::MathDialect",
      "::mlir::ub::UBDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernel functions">,
    Statistic<"numLaunches", "launches", "Number of launches">
  ];
}

def GroupGpuLaunches : Pass<"group-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "makes launches that need not wait for each other one";
  let description = [{
    Launches of a phase that touch nothing which another one of them writes
    become one launch of one kernel: its grid is all of theirs, and a block does
    what its number says. Launches of equal kernels have one body, which chooses
    its arguments. Launches move as far as what they read and write allows;
    launches of one block may follow one another in a block. Lifetimes of the
    buffer table are numbered anew. After outline-gpu-kernels, before
    host-entry-points.
  }];
  let options = [
    Option<"shareMemory", "share-memory", "bool", "true",
           "buffers live as long as launches touch them; else always">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numGroups", "groups", "Number of launches of several ops">,
    Statistic<"numJoined", "joined", "Number of launches that are in them">,
    Statistic<"numKernels", "kernels", "Number of kernels of groups">
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

def VerifyGpuCoverage : Pass<"verify-gpu-coverage", "::mlir::ModuleOp"> {
  let summary = "proves that every op has a kernel for GPUs";
  let description = [{
    Holds every core op and collective of training functions, or every op of
    phases, against the registry of kernels: its family, the element types of
    all that it touches, its shape class, and the arithmetic inside of it. What
    has no kernel is an error: one list of all such ops, by op and element type,
    with layers, counts, the types that have a kernel, and what to do. The module
    stays as it is.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
               "families of kernels to go without, by name, to test what is refused">
  ];
  let statistics = [
    Statistic<"numCovered", "covered", "ops that have a kernel">,
    Statistic<"numFamilies", "families", "families of kernels that they need">
  ];
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
      "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect"];
}

def ExpandMma : Pass<"expand-mma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "writes out matrix products that an architecture has not";
  let description = [{
    `nvvm.mma.sync` of the shape m16n8k16, on f16 or bf16 with sums in f32, for
    architectures before sm_80: f16 becomes two of m16n8k8, bf16 becomes
    multiply-adds on words that the lanes of a warp shuffle. After
    convert-kernels-to-nvvm.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
  let statistics = [
    Statistic<"numHalved", "halved", "Number of products that became two">,
    Statistic<"numExpanded", "expanded", "Number of products that became multiply-adds">
  ];
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

def AddTowerReductions : Pass<"add-tower-reductions", "::mlir::ModuleOp"> {
  let summary = "adds a kernel for each kind of sum over towers";
  let description = [{
    For each kind and element type of the all-reduces in `belfry.functions`, a
    kernel `towers_KIND_TYPE(from, towers, to, targets, first, count)`: elements `first`
    to `first` + `count` of the arrays that the list `from` points to are combined in the order
    of the fixed tree over towers, and stored to each array of the list `to`.
    After group-gpu-launches.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def LaunchGpuKernels : Pass<"launch-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "makes launches calls of the runtime";
  let description = [{
    A `gpu.launch_func` becomes a call of `belfry_launch` with the number of the
    launch in the program, blocks, and a list of arguments. Constants of phases go
    into one block, which devices hold. The module gets lists of its kernels and launches.
    After flatten-kernel-arguments, before convert-kernels-to-nvvm.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::func::FuncDialect"];
}

#endif // BELFRY_PASSES_CUDA_TD
