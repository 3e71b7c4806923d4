//===- NcclFunctions.h - what libnccl.so.2 exports ------------ -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_NCCLFUNCTIONS_H
#define BELFRY_TEST_FAKE_CUDA_NCCLFUNCTIONS_H

#include "test/fake-cuda/NcclTypes.h"

namespace belfry::fake {

#define NCCL_FUNCTION(result, name, parameters)                                \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "test/fake-cuda/NcclFunctions.def"

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_NCCLFUNCTIONS_H
