//===- Functions.h - what libcuda.so.1 exports ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_FUNCTIONS_H
#define BELFRY_TEST_FAKE_CUDA_FUNCTIONS_H

#include "test/fake-cuda/Types.h"

namespace belfry::fake {

#define DRIVER_FUNCTION(name, parameters)                                      \
  extern "C" __attribute__((visibility("default"))) CUresult name parameters;
#include "test/fake-cuda/Functions.def"

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_FUNCTIONS_H
