//===- NcclAbiTest.cpp - the functions have the types that nccl.h says ----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/NcclTypes.h"
#include "test/fake-cuda/SameAbi.h"

#include <nccl.h>

static_assert(NCCL_MAJOR == 2);

namespace belfry::fake::types {
#define NCCL_FUNCTION(result, name, parameters)                                \
  using name##Type = result parameters;
#include "test/fake-cuda/NcclFunctions.def"
} // namespace belfry::fake::types

#define NCCL_FUNCTION(result, name, parameters)                                \
  static_assert(                                                               \
      SameAbi<belfry::fake::types::name##Type, decltype(::name)>::holds(),     \
      #name " is not as in nccl.h");
#include "test/fake-cuda/NcclFunctions.def"

#define SAME(name)                                                             \
  static_assert(unsigned(belfry::fake::name) == unsigned(::name), #name)
SAME(ncclSuccess);
SAME(ncclUnhandledCudaError);
SAME(ncclSystemError);
SAME(ncclInternalError);
SAME(ncclInvalidArgument);
SAME(ncclInvalidUsage);
SAME(ncclRemoteError);
SAME(ncclInProgress);
SAME(ncclSum);
SAME(ncclProd);
SAME(ncclMax);
SAME(ncclMin);
SAME(ncclAvg);
SAME(ncclInt8);
SAME(ncclUint8);
SAME(ncclInt32);
SAME(ncclUint32);
SAME(ncclInt64);
SAME(ncclUint64);
SAME(ncclFloat16);
SAME(ncclFloat32);
SAME(ncclFloat64);
SAME(ncclBfloat16);
