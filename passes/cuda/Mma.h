//===- Mma.h - the products of tensor cores ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `nvvm.mma.sync` of the shape m16n8k16: the 32 threads of a warp add the
// product of 16 × 16 elements A and 16 × 8 elements B, of f16 or bf16, to
// 16 × 8 sums C of f32. A thread hands in four words of A, two of B, each of
// two elements, and four of the sums (BlockMma.cpp says which).
//
// What it means here, on the emulated device and where an architecture has no
// such instruction: products are exact, and a sum is one chain of fused
// multiply-adds from C on, the contracted index rising.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_MMA_H
#define BELFRY_PASSES_CUDA_MMA_H

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace belfry {

constexpr int64_t kWarpLanes = 32;
/// The shape, and the sums that a thread has of it.
constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kMmaDepth = 16, kMmaSums = 4;

/// The sums after the product of these words, i32, of elements of type
/// `element`, which is f16 or bf16.
llvm::SmallVector<mlir::Value> createMma(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::Type element, mlir::ValueRange a,
                                         mlir::ValueRange own,
                                         mlir::ValueRange sums);

/// Whether the op is one that createMma() makes.
bool isMma(mlir::NVVM::MmaOp op);
/// The type of the factors' elements of such an op.
mlir::Type factorOf(mlir::NVVM::MmaOp op);
/// The word behind an operand that is a factor.
mlir::Value wordOf(mlir::Value factor);

/// The places of the factors of a block, in memory that is as well [warp] of 16
/// × 16 or 16 × 8 elements of f32.
struct MmaFactors {
  mlir::Value a, b;
};
/// The types of the two, for a block of `threads`.
std::pair<mlir::MemRefType, mlir::MemRefType>
mmaFactorTypes(mlir::MLIRContext *context, int64_t threads);
/// Stores what a thread hands in, widened.
void storeMmaFactors(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element,
                     const MmaFactors &to, mlir::Value thread,
                     mlir::ValueRange words);
/// The sums of a thread, when all threads have stored their factors.
llvm::SmallVector<mlir::Value>
addMmaProducts(mlir::OpBuilder &b, mlir::Location loc, const MmaFactors &from,
               mlir::Value thread, mlir::ValueRange sums);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_MMA_H
