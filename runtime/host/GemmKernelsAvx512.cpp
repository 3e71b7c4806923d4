//===- GemmKernelsAvx512.cpp - products by vectors of 64 bytes ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For AVX-512.
//
//===----------------------------------------------------------------------===//

#define BELFRY_VECTOR_BYTES 64
#include "runtime/host/GemmKernelsImpl.h"

#if !defined(__AVX512F__)
#error "this file needs its instruction set's flags"
#endif

const KernelSet belfry::rt::gemm::avx512Kernels = {
    "avx512", makeKernels<float>(), makeKernels<double>(),
    makeKernels<uint32_t>()};
