//===- Jit.h - expansions compiled for this machine -------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a loop over an op, as the compiler does: expansion, conversion to
// LLVM, LLVM's default pipeline at -O3, machine code.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_MATH_JIT_H
#define BELFRY_TEST_UNIT_MATH_JIT_H

#include <cstdint>
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace belfry::test {

/// out[i] = f(x[i], y[i]) for i < count; functions of one argument ignore y.
/// Elements as the loop was made for.
using LoopFunction = void (*)(const void *x, const void *y, void *out,
                              int64_t count);

class CompiledLoop {
public:
  /// `body` computes %r from %x and %y, all of `type` (such as "f32" or
  /// "vector<8xf32>"), in MLIR's syntax. `cpu` is a name that LLVM knows, or
  /// empty for this machine. Throws std::runtime_error with the compiler's
  /// message.
  CompiledLoop(const std::string &body, const std::string &type,
               const std::string &cpu = "");
  ~CompiledLoop();

  LoopFunction function = nullptr;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace belfry::test

#endif // BELFRY_TEST_UNIT_MATH_JIT_H
