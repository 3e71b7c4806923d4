/*===- belfry/Runtime.h - between generated code and the runtime --*- C -*-===*\
|*
|* Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The C interface between what the compiler emits and the runtime library.
|* docs/architecture.md, "The binary interface", says what the fields mean.
|* Every change of a layout here raises BELFRY_ABI_VERSION.
|*
\*===----------------------------------------------------------------------===*/

#ifndef BELFRY_RUNTIME_H
#define BELFRY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BELFRY_ABI_VERSION = 2 };

/// The thread context of a device: its pool of threads. Opaque to generated
/// code, which only hands it on to library calls.
typedef struct belfry_context belfry_context;

/// What one call of a phase function is given. `rows` is the number of batch
/// rows of this tower, `row_offset` the index of its first row in the global
/// batch, `global_rows` the rows of the global batch. A phase that runs once
/// for all towers gets rows = global_rows and row_offset = 0. Where a function
/// is one phase a tower, which writes nothing but rows of outputs, a tower may
/// get its rows in parts, a call for each.
typedef struct belfry_phase_args {
  int64_t rows;
  int64_t row_offset;
  int64_t global_rows;
  int32_t tower;
  int32_t towers;
  void *const *buffers; ///< one base pointer a row of the buffer table
  belfry_context *context;
} belfry_phase_args;

typedef void (*belfry_phase_fn)(const belfry_phase_args *);

/// What runs a program on devices other than the host's. Opaque to generated
/// code.
typedef struct belfry_backend belfry_backend;
struct belfry_program_v2;

/// A kernel of the device code. Its arguments are words of 8 bytes.
typedef struct belfry_kernel {
  const char *name;
  uint32_t threads; ///< of a block
  uint32_t num_words;
} belfry_kernel;

/// A launch that stands in a phase.
typedef struct belfry_launch_site {
  const char *layer; ///< "" for none
  uint32_t kernel;   ///< index into the list of kernels
  uint32_t reserved;
} belfry_launch_site;

/// All kernels for one architecture, as a cubin, or for it and later ones, as
/// PTX, which ends in a zero.
typedef struct belfry_image {
  const unsigned char *data;
  uint64_t size;   ///< the zero of PTX included
  uint32_t sm;     ///< 90 for sm_90
  uint32_t is_ptx; ///< 0 or 1
} belfry_image;

/// What a program for GPUs has beside its phases.
typedef struct belfry_device_code {
  /// Makes what runs the program; it can be asked what it needs where there
  /// is no GPU.
  belfry_backend *(*open)(const struct belfry_program_v2 *program);
  const belfry_kernel *kernels;
  const belfry_launch_site *launches;
  const belfry_image *images;
  const unsigned char *constants; ///< in the memory of each device
  uint64_t constants_size;
  const char *certificate; ///< JSON, not terminated
  uint64_t certificate_size;
  uint32_t num_kernels, num_launches, num_images, reserved;
} belfry_device_code;

/// What the object file that belfryc writes exports, under the name
/// `belfry_program`. All pointers are to constant data that lives as long as
/// the process.
typedef struct belfry_program_v2 {
  uint32_t abi_version; ///< BELFRY_ABI_VERSION
  uint32_t num_phases;
  const char *manifest; ///< JSON, not terminated
  uint64_t manifest_size;
  const belfry_phase_fn *phases;
  const unsigned char *weights; ///< null where the model file had none
  uint64_t weights_size;
  const belfry_device_code *device_code; ///< null for a program of the host
} belfry_program_v2;

extern const belfry_program_v2 belfry_program;

/* What generated code calls. C[m,n] = (accumulate ? C : 0) + A[m,k]·B[k,n];
   strides in elements; one stride of A and one of B is 1; C's columns are
   contiguous. k = 0 gives zeros, or leaves C where it accumulates. */
void belfry_gemm_f32(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const float *a, int64_t a_row, int64_t a_col,
                     const float *b, int64_t b_row, int64_t b_col, float *c,
                     int64_t c_row, int32_t accumulate);
void belfry_gemm_f64(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const double *a, int64_t a_row, int64_t a_col,
                     const double *b, int64_t b_row, int64_t b_col, double *c,
                     int64_t c_row, int32_t accumulate);
/* The product, and into sums[n] those of B's columns, each one chain of
   additions over k in rising order that starts at +0. B's rows are
   contiguous; `sums` overlaps nothing else. */
void belfry_gemm_sums_f32(belfry_context *context, int64_t m, int64_t n,
                          int64_t k, const float *a, int64_t a_row,
                          int64_t a_col, const float *b, int64_t b_row,
                          float *c, int64_t c_row, int32_t accumulate,
                          float *sums);
void belfry_gemm_sums_f64(belfry_context *context, int64_t m, int64_t n,
                          int64_t k, const double *a, int64_t a_row,
                          int64_t a_col, const double *b, int64_t b_row,
                          double *c, int64_t c_row, int32_t accumulate,
                          double *sums);
/* A matrix B[k,n] that many products read is packed once, for the processor
   at hand. `packed` has BELFRY_GEMM_PACKED_HEADER bytes and then k rows of n
   elements, each row rounded up to a multiple of 64 bytes. */
#define BELFRY_GEMM_PACKED_HEADER 64
void belfry_gemm_pack_f32(int64_t n, int64_t k, const float *b, int64_t b_row,
                          int64_t b_col, float *packed);
void belfry_gemm_packed_f32(belfry_context *context, int64_t m, int64_t n,
                            int64_t k, const float *a, int64_t a_row,
                            int64_t a_col, const float *packed, float *c,
                            int64_t c_row, int32_t accumulate);
void belfry_gemm_pack_f64(int64_t n, int64_t k, const double *b, int64_t b_row,
                          int64_t b_col, double *packed);
void belfry_gemm_packed_f64(belfry_context *context, int64_t m, int64_t n,
                            int64_t k, const double *a, int64_t a_row,
                            int64_t a_col, const double *packed, double *c,
                            int64_t c_row, int32_t accumulate);
void belfry_gemm_i32(belfry_context *context, int64_t m, int64_t n, int64_t k,
                     const int32_t *a, int64_t a_row, int64_t a_col,
                     const int32_t *b, int64_t b_row, int64_t b_col, int32_t *c,
                     int64_t c_row, int32_t accumulate);

/// Says what the calling thread touches soon after its next product: `bytes`
/// from `at` on. The product asks for them while it computes, so that they are
/// in the second-level cache by then. This is a hint that no result depends on;
/// the product leaves out what is too much, and one that threads share leaves
/// out all of it. What it has left out is forgotten.
void belfry_look_ahead(const void *at, int64_t bytes);

/// A loop of `count` iterations that depend neither on each other nor on those
/// of the loops beside it: `fn` runs those in [begin, end), in whatever order
/// and on whatever thread. Its results must not depend on how it is cut.
typedef struct belfry_loop {
  void (*fn)(const void *arg, int64_t begin, int64_t end);
  const void *arg;
  int64_t count;
  int64_t cost;     ///< of an iteration; BELFRY_LOOP_COST_OF_MICROSECOND a µs
  int64_t multiple; ///< at least 1; cuts stand at multiples of it
} belfry_loop;

/// About the cost of 1 µs of one thread: a vectorized load or store of an
/// element costs 4, simple arithmetic on one 1.
enum { BELFRY_LOOP_COST_OF_MICROSECOND = 24000 };

/// Runs `loops` loops on the threads of `context` and returns when all of it is
/// done. Where the whole is too little to be worth a second thread, and in a
/// context of one, they run one after the other on the calling thread.
void belfry_parallel_for(belfry_context *context, int64_t loops,
                         const belfry_loop *list);

/// Runs `fn` for rows [begin, end) that cover [0, rows), on the threads of
/// `context`, and returns when all of it is done. Rows depend on no other rows,
/// and the results must not depend on how they are cut; a call has at least 8
/// rows where there are as many, and begins at a multiple of 8. `cost` is that
/// of a row. What `fn` hands to other threads itself runs on its own one,
/// unless it does all rows.
void belfry_parallel_rows(belfry_context *context,
                          void (*fn)(const void *arg, int64_t begin,
                                     int64_t end),
                          const void *arg, int64_t rows, int64_t cost);

/* In phases of programs for GPUs; the context is that of a device. A launch is
   enqueued: `site` is its number among the program's launches, `blocks` those
   of its grid, 0 for none, `words` the arguments, which are copied. */
void belfry_launch(belfry_context *context, int32_t site, int64_t blocks,
                   const void *words);
/* The program's constants, in the device's memory. */
void *belfry_device_constants(belfry_context *context);
/* The backend of the target `cuda`. */
belfry_backend *belfry_cuda_open(const struct belfry_program_v2 *program);

/* Around each op of a program that was compiled with --profile-ops. `begin` is
   the time, and 0 where the run is not measured; `op` is an index of the
   manifest's "ops"; `rows` are those that the op worked on. */
int64_t belfry_profile_begin(belfry_context *context);
void belfry_profile_end(belfry_context *context, int32_t op, int64_t begin,
                        int64_t rows);

#ifdef __cplusplus
}

static_assert(sizeof(belfry_phase_args) == 48, "layout is part of the ABI");
static_assert(sizeof(belfry_program_v2) == 56, "layout is part of the ABI");
static_assert(sizeof(belfry_kernel) == 16, "layout is part of the ABI");
static_assert(sizeof(belfry_launch_site) == 16, "layout is part of the ABI");
static_assert(sizeof(belfry_image) == 24, "layout is part of the ABI");
static_assert(sizeof(belfry_device_code) == 80, "layout is part of the ABI");
static_assert(sizeof(belfry_loop) == 40, "layout is part of the ABI");
#endif

#endif /* BELFRY_RUNTIME_H */
