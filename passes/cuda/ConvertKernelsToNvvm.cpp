//===- ConvertKernelsToNvvm.cpp - kernels in LLVM's dialects --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own convert-gpu-to-nvvm makes calls of libdevice of what math ops are
// left, fused multiply-adds and square roots among them, whose bits are
// libdevice's. LLVM's intrinsics are instructions that round correctly.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace belfry {
#define GEN_PASS_DEF_CONVERTKERNELSTONVVM
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;

namespace {
struct ConvertKernelsToNvvmPass
    : belfry::impl::ConvertKernelsToNvvmBase<ConvertKernelsToNvvmPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    bool calls =
        kernels
            .walk([](arith::RemFOp op) {
              op.emitOpError("has no kernel for GPUs: the remainder of "
                             "floats would be a call of libdevice");
              return WalkResult::interrupt();
            })
            .wasInterrupted();
    if (calls)
      return signalPassFailure();
    // First, before the GPU's patterns make calls of it.
    RewritePatternSet math(context);
    populateMathToLLVMConversionPatterns(converter, math);
    LLVMConversionTarget noMath(*context);
    noMath.addIllegalDialect<math::MathDialect>();
    noMath.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(kernels, noMath, std::move(math))))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    if (failed(applyPartialConversion(kernels, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
