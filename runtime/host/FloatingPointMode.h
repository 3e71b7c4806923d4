//===- FloatingPointMode.h - the mode kernels compute in --------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every entry into the runtime's kernels computes in the default mode: round to
// nearest even, denormals kept, exceptions masked. The embedding program may
// have set another one (libraries built with -ffast-math do so behind its
// back), so entries set the mode and restore it.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_FLOATINGPOINTMODE_H
#define BELFRY_RUNTIME_HOST_FLOATINGPOINTMODE_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace belfry::rt {

/// The default floating-point mode from construction to destruction, in the
/// thread that constructs it.
class FloatingPointScope {
public:
#if defined(__x86_64__)
  FloatingPointScope() : saved(_mm_getcsr()) {
    if ((saved & ModeBits) != DefaultMode)
      _mm_setcsr((saved & ~ModeBits) | DefaultMode);
  }
  ~FloatingPointScope() {
    // Only the mode is put back: status flags stay as the kernels left them.
    if ((saved & ModeBits) != DefaultMode)
      _mm_setcsr((_mm_getcsr() & ~ModeBits) | (saved & ModeBits));
  }

private:
  // MXCSR: bit 6 denormals are zeros, 7-12 exception masks, 13-14 rounding,
  // 15 flush to zero; the rest are status flags.
  static constexpr uint32_t ModeBits = 0xffc0;
  static constexpr uint32_t DefaultMode = 0x1f80;
  uint32_t saved;
#elif defined(__aarch64__)
  FloatingPointScope() {
    asm volatile("mrs %0, fpcr" : "=r"(saved));
    asm volatile("msr fpcr, %0" ::"r"(uint64_t(0)));
  }
  ~FloatingPointScope() { asm volatile("msr fpcr, %0" ::"r"(saved)); }

private:
  uint64_t saved;
#else
#error "no floating-point control is known for this architecture"
#endif

public:
  FloatingPointScope(const FloatingPointScope &) = delete;
  FloatingPointScope &operator=(const FloatingPointScope &) = delete;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_FLOATINGPOINTMODE_H
