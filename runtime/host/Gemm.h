//===- Gemm.h - matrix products on the host ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// belfry_gemm_f32, _f64 and _i32 are declared in belfry/Runtime.h, for
// generated code and for the runtime alike. What they promise:
//
//   C[m,n] = (accumulate ? C : 0) + A[m,k]·B[k,n]
//
// - Any strides of A and B (in elements, negative ones too); where one of a
//   matrix's strides is 1 it is fast. The columns of C are contiguous, its rows
//   must not overlap; C overlaps neither A nor B.
// - m or n ≤ 0: nothing is done. k ≤ 0: C becomes zero, or stays as it is where
//   it accumulates.
// - f32 and f64: each element of C is one chain of fused multiply-adds over k
//   in rising order, which starts at C, or at +0:
//     c = fma(a[i,0], b[0,j], c); c = fma(a[i,1], b[1,j], c); …
//   So its bits depend on row i of A, column j of B and the start alone: not on
//   m, n, strides, alignment, the instruction set, the context's threads or a
//   cut of the batch into towers. Denormals are kept, NaN and infinity go
//   through.
// - i32: sums and products wrap.
// - `context` gives the threads; null means the calling thread alone. Any
// number
//   of threads may call at once.
// - No memory beyond a few MiB of scratch a thread; where that is refused the
//   product is still computed, slowly. Nothing throws.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_GEMM_H
#define BELFRY_RUNTIME_HOST_GEMM_H

#include "belfry/Runtime.h"

extern "C" {

/// Chooses the kernels by the name of a processor as `-mcpu` takes it
/// ("skylake-avx512", "haswell", "x86-64-v3", "znver4", …); "native" and null
/// mean the best that this processor runs, which is also the default. A name
/// that is not known gets the best kernels up to AVX2. The choice changes
/// speed, never bits. Returns 0, or -1 where this processor can't run what was
/// asked for; the choice is then left as it was. May be called at any time;
/// products under way end with the kernels they started with.
int belfry_gemm_set_target(const char *mcpu);

/// The kernels in use: "avx512", "avx2" or "baseline".
const char *belfry_gemm_target(void);
}

#endif // BELFRY_RUNTIME_HOST_GEMM_H
