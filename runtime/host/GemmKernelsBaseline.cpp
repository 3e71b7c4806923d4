//===- GemmKernelsBaseline.cpp - products by vectors of 16 bytes --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For whatever the compiler's own target has. On an x86-64 without FMA each
// step calls the library's fma: slow, and the same bits.
//
//===----------------------------------------------------------------------===//

#define BELFRY_VECTOR_BYTES 16
#include "runtime/host/GemmKernelsImpl.h"

const KernelSet belfry::rt::gemm::baselineKernels = {
    "baseline", makeKernels<float>(), makeKernels<double>(),
    makeKernels<uint32_t>()};
