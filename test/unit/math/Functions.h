//===- Functions.h - what the math tests know of each function --*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_MATH_FUNCTIONS_H
#define BELFRY_TEST_UNIT_MATH_FUNCTIONS_H

#include <cmath>
#include <string>

namespace belfry::test {

/// A function of one argument: the op, and the C library's function in the next
/// wider format as reference.
struct UnaryFunction {
  const char *name;
  double (*wide)(double);
  long double (*widest)(long double);
  /// Greatest error allowed, in units of the last place of the exact result, in
  /// f32 over all arguments and in f64 over samples.
  double limitF32, limitF64;
};

inline const UnaryFunction unaryFunctions[] = {
    {"exp", std::exp, std::exp, 1.25, 1.25},
    {"exp2", std::exp2, std::exp2, 1.25, 1.25},
    {"expm1", std::expm1, std::expm1, 1.5, 2.5},
    {"log", std::log, std::log, 1, 1},
    {"log1p", std::log1p, std::log1p, 1.75, 1.75},
    {"tanh", std::tanh, std::tanh, 1.85, 1.5},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); },
     [](long double x) { return 1 / (1 + std::exp(-x)); }, 1.5, 1.75},
    {"erf", std::erf, std::erf, 1.5, 1.5},
    {"sin", std::sin, std::sin, 1.75, 1},
    {"cos", std::cos, std::cos, 1.75, 1},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); },
     [](long double x) { return 1 / std::sqrt(x); }, 1.5, 1.5},
};

/// %r = f(%x) in MLIR's syntax.
inline std::string unaryBody(const std::string &name, const std::string &type) {
  if (name != "sigmoid")
    return "%r = math." + name + " %x : " + type;
  std::string one = type.find("vector") == 0 ? "dense<1.0>" : "1.0";
  return "%c = arith.constant " + one + " : " + type +
         "\n%n = arith.negf %x : " + type + "\n%e = math.exp %n : " + type +
         "\n%s = arith.addf %c, %e : " + type +
         "\n%r = arith.divf %c, %s : " + type;
}

} // namespace belfry::test

#endif // BELFRY_TEST_UNIT_MATH_FUNCTIONS_H
