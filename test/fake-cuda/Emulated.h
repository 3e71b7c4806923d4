//===- Emulated.h - kernels for the emulated driver -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A side library exports one object, `belfry_emulated`: the kernels of a
// program as functions of the host, and the hashes of the images (cubins, PTX)
// that hold the same kernels for a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_EMULATED_H
#define BELFRY_TEST_FAKE_CUDA_EMULATED_H

#include <stddef.h>
#include <stdint.h>

extern "C" {

typedef struct {
  const char *name;
  /// Runs blocks [firstBlock, lastBlock). `words` has 8 bytes for each
  /// parameter: its bytes, the lowest first, then zeros.
  void (*run)(const void *words, int64_t firstBlock, int64_t lastBlock);
  uint32_t threads; ///< of a block
  uint32_t num_params;
  const uint8_t *param_bytes; ///< 1, 2, 4 or 8 for each parameter
} belfry_emulated_kernel;

typedef struct belfry_emulated_v1 {
  uint32_t abi_version; ///< 1
  uint32_t num_kernels;
  const belfry_emulated_kernel *kernels;
  uint64_t num_images;
  /// FNV-1a, 64 bits, of the bytes of a cubin or of the text of PTX without
  /// its terminating zero.
  const uint64_t *image_hashes;
} belfry_emulated_v1;

} // extern "C"

static_assert(sizeof(belfry_emulated_kernel) == 32 &&
              sizeof(belfry_emulated_v1) == 32);

#endif // BELFRY_TEST_FAKE_CUDA_EMULATED_H
