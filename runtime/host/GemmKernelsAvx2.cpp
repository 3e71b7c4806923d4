//===- GemmKernelsAvx2.cpp - products by vectors of 32 bytes ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For AVX2 with FMA.
//
//===----------------------------------------------------------------------===//

#define BELFRY_VECTOR_BYTES 32
#include "runtime/host/GemmKernelsImpl.h"

#if !defined(__AVX2__)
#error "this file needs its instruction set's flags"
#endif

const KernelSet belfry::rt::gemm::avx2Kernels = {"avx2", makeKernels<float>(),
                                                 makeKernels<double>(),
                                                 makeKernels<uint32_t>()};
