//===- Context.h - the context of a host device -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind the `belfry_context` that generated code hands on.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_CONTEXT_H
#define BELFRY_RUNTIME_HOST_CONTEXT_H

#include "runtime/host/OpProfile.h"
#include "runtime/host/ParallelFor.h"

struct belfry_context {
  /// A context in which `threads` threads work, the calling one included.
  /// `crowded`: there are more such threads in the process than cores.
  /// `mostGuests`: how many threads of other contexts may be lent to this one.
  explicit belfry_context(int threads, bool crowded = false, int mostGuests = 0)
      : threadPool(threads, crowded, mostGuests) {}

  belfry::rt::ParallelFor *pool() { return &threadPool; }

  /// Null where nothing is measured.
  std::unique_ptr<belfry::rt::OpProfile> profile;

private:
  belfry::rt::ParallelFor threadPool;
};

#endif // BELFRY_RUNTIME_HOST_CONTEXT_H
