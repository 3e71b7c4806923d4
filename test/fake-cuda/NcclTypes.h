//===- NcclTypes.h - NCCL's types, as its binary has them ----- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and numbers of nccl.h 2.28; NcclAbiTest.cpp holds them against it.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_NCCLTYPES_H
#define BELFRY_TEST_FAKE_CUDA_NCCLTYPES_H

#include "test/fake-cuda/Types.h"

namespace belfry::fake {

using ncclComm_t = struct OpaqueComm *;
struct ncclUniqueId {
  char internal[128];
};

enum ncclResult_t : unsigned {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

enum ncclRedOp_t : unsigned {
  ncclSum = 0,
  ncclProd = 1,
  ncclMax = 2,
  ncclMin = 3,
  ncclAvg = 4,
};

enum ncclDataType_t : unsigned {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_NCCLTYPES_H
