//===- Spin.h - how long a thread waits awake -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The next piece of a training step usually follows within microseconds, less
// than it takes to wake a thread up; so threads spin for a while before they
// sleep. With more threads than cores spinning takes time from the work.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_SPIN_H
#define BELFRY_RUNTIME_HOST_SPIN_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace belfry::rt {

/// Pauses before a thread sleeps: some 40 to 200 µs, by processor.
constexpr int kSpinPauses = 4000;

inline int spinPauses(bool crowded) { return crowded ? 0 : kSpinPauses; }

inline void pauseThread() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_SPIN_H
