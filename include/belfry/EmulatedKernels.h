/*===- belfry/EmulatedKernels.h - kernels for GPUs, on the host ---*- C -*-===*\
|*
|* Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* What `belfryc --emit emulated` writes is a shared library that exports
|* `belfry_emulated`: the kernels of a program for CUDA as functions of the
|* host, which a driver that is not one can run in their place.
|*
\*===----------------------------------------------------------------------===*/

#ifndef BELFRY_EMULATEDKERNELS_H
#define BELFRY_EMULATEDKERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BELFRY_EMULATED_VERSION = 1 };

typedef struct belfry_emulated_kernel {
  const char *name;
  /// Runs the blocks [first, last) of the grid. `words` has an argument in each
  /// 8 bytes.
  void (*run)(const void *words, int64_t first, int64_t last);
  uint32_t threads; ///< of a block
  uint32_t num_params;
  const uint8_t *param_bytes; ///< of each argument
} belfry_emulated_kernel;

typedef struct belfry_emulated_v1 {
  uint32_t abi_version; ///< BELFRY_EMULATED_VERSION
  uint32_t num_kernels;
  const belfry_emulated_kernel *kernels;
  /// Of each image of the program whose kernels these are: FNV-1a of 64 bits.
  uint64_t num_images;
  const uint64_t *image_hashes;
} belfry_emulated_v1;

extern const belfry_emulated_v1 belfry_emulated;

#ifdef __cplusplus
}

static_assert(sizeof(belfry_emulated_kernel) == 32, "part of the ABI");
static_assert(sizeof(belfry_emulated_v1) == 32, "part of the ABI");
#endif

#endif /* BELFRY_EMULATEDKERNELS_H */
