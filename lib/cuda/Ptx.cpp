//===- Ptx.cpp - kernels as PTX -------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Ptx.h"

#include "lib/support/Error.h"
#include "lib/support/Optimize.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace belfry;

/// A machine for the architecture, which takes a version of PTX, 63 for 6.3.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
machineFor(const GpuArchitecture &arch, unsigned ptx) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return makeError("LLVM has no code generator for NVIDIA GPUs: " + problem);
  llvm::TargetOptions options;
  // Multiplications and additions stay two operations, each rounded.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch.name(), "+ptx" + std::to_string(ptx), options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static llvm::Expected<std::string> translate(mlir::gpu::GPUModuleOp kernels,
                                             const GpuArchitecture &arch,
                                             unsigned version) {
  mlir::MLIRContext &context = *kernels.getContext();
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerGPUDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
  mlir::registerNVVMDialectTranslation(context);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(kernels, llvmContext, "kernels");
  if (!module)
    return makeError("translation of the kernels to LLVM IR failed");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      machineFor(arch, version);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  optimize(*module, **machine, llvm::PipelineTuningOptions());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return makeError("LLVM's code generator writes no PTX");
  passes.run(*module);
  return text.str().str();
}

bool belfry::hasTensorCoreProducts(mlir::gpu::GPUModuleOp kernels) {
  return kernels
      .walk([](mlir::NVVM::MmaOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

llvm::Expected<std::string> belfry::emitPtx(mlir::gpu::GPUModuleOp all,
                                            unsigned atLeast) {
  bool multiplies = hasTensorCoreProducts(all);
  const GpuArchitecture &least =
      multiplies && atLeast >= kTensorCoreArchitecture
          ? *findArchitecture(kTensorCoreArchitecture)
          : gpuArchitectures().front();
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> kernels = all.clone();
  unsigned version = least.ptx;
  if (multiplies && least.sm < kTensorCoreArchitecture) {
    mlir::PassManager pm(all.getContext(),
                         mlir::gpu::GPUModuleOp::getOperationName());
    pm.addPass(createExpandMma());
    if (mlir::failed(pm.run(*kernels)))
      return makeError("products for tensor cores can't be written out");
    // What is left, m16n8k8 of f16, came with PTX 6.5.
    if (hasTensorCoreProducts(*kernels))
      version = std::max(version, 65u);
  }
  return translate(*kernels, least, version);
}
