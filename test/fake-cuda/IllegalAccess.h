//===- IllegalAccess.h - kernels that touch what isn't there -- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_ILLEGALACCESS_H
#define BELFRY_TEST_FAKE_CUDA_ILLEGALACCESS_H

#include <cstdint>
#include <functional>

namespace belfry::fake {

/// Runs `work`, and gives it up where it touches an address that can't be
/// touched, which is put into `address`. False then. What `work` has on its
/// stack is not destroyed.
bool runGuarded(const std::function<void()> &work, uint64_t &address);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_ILLEGALACCESS_H
