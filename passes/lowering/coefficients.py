#!/usr/bin/env python3
"""Derives the polynomial coefficients in MathCoefficients.h.

Each function is fitted by the Remez exchange algorithm (Cheney, Introduction
to Approximation Theory, ch. 3) in 60-digit arithmetic for the least maximum of
the *weighted* error, where the weight turns an error of the polynomial into a
relative error of the function that is built from it. Coefficients are then
rounded to the format, and the error is taken again with the rounded ones.

Needs mpmath. Usage, from the root of the tree:
  passes/lowering/coefficients.py | clang-format-22 --assume-filename=x.h > passes/lowering/MathCoefficients.h
  passes/lowering/coefficients.py NAME …      prints single polynomials
"""
import sys

from mpmath import cos, erf, erfc, exp, log, log1p, lu_solve, matrix, mp, mpf, pi, sin, sqrt, tanh

mp.dps = 60

HEADER = """\
//===- MathCoefficients.h - numbers of the math expansions ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials, lowest power first, and constants in parts, as
// passes/lowering/coefficients.py derives them. The errors are those of the
// function that is built with the polynomial, without the rounding of its steps.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H
#define BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H

#include <cstdint>

namespace belfry::expandmath {

"""
FOOTER = """
} // namespace belfry::expandmath

#endif // BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H
"""


def rounded(value, bits):
    """value in a binary format of that many significant bits."""
    if value == 0:
        return mpf(0)
    mantissa, exponent = mp.frexp(value)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)


def exchange(points, target, weight, count):
    """Minimax coefficients of a polynomial with count terms on the grid."""
    reference = [int(round((1 - cos(pi * k / count)) / 2 * (len(points) - 1))) for k in range(count + 1)]
    coefficients = []
    for _ in range(60):
        system, right = matrix(count + 1, count + 1), matrix(count + 1, 1)
        for row, i in enumerate(reference):
            for column in range(count):
                system[row, column] = points[i] ** column
            system[row, count] = (-1) ** row / weight[i]
            right[row] = target[i]
        solution = lu_solve(system, right)
        coefficients, level = [solution[j] for j in range(count)], abs(solution[count])
        errors = [w * (t - horner(coefficients, x)) for x, t, w in zip(points, target, weight)]
        # The largest error of every run of equal sign; then the best count+1 runs in a row.
        runs = []
        for i, value in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (value > 0):
                if abs(value) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > count + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < count + 1 or max(abs(e) for e in errors) <= level * mpf("1.001"):
            break
        reference = runs
    return coefficients


def horner(coefficients, x):
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def fit(function, low, high, degree, bits, weight):
    """Rounded coefficients of a polynomial for function(x) on [low, high], and the weighted error."""
    grid = 24 * (degree + 2)
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    points = [middle - half * cos(pi * (k + mpf("0.5")) / grid) for k in range(grid)]
    target = [function(x) for x in points]
    weights = [abs(weight(x)) for x in points]
    fixed = [rounded(c, bits) for c in exchange(points, target, weights, degree + 1)]
    return fixed, max(abs(w * (t - horner(fixed, x))) for x, t, w in zip(points, target, weights))


HALF_LN2 = log(2) / 2 * mpf("1.0001")
F_LOW, F_HIGH = sqrt(mpf("0.5")) - 1 - mpf("1e-3"), sqrt(mpf(2)) - 1 + mpf("1e-3")


def exp_rest(r):  # exp(r) = 1 + r + r^2 q(r)
    return (exp(r) - 1 - r) / r**2


def log_rest(f):  # log1p(f) = f - f^2/2 + f^3 q(f)
    return (log1p(f) - f + f**2 / 2) / f**3


def tanh_rest(u):  # tanh(x) = x + x^3 q(x^2)
    x = sqrt(u)
    return (tanh(x) - x) / x**3


def sin_rest(u):  # sin(x) = x + x^3 q(x^2)
    x = sqrt(u)
    return (sin(x) - x) / x**3


def cos_rest(u):  # cos(x) = 1 - x^2/2 + x^4 q(x^2)
    return (cos(sqrt(u)) - 1 + u / 2) / u**2


def pair_rest(u):  # 2 atanh(s) = 2 s + s^3 (2/3 + s^2 q(s^2))
    s = sqrt(u)
    return (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5


def erf_rest(u):  # erf(x) = x + x q(x^2)
    x = sqrt(u)
    return erf(x) / x - 1


def log_erfc(x):  # erf(x) = 1 - exp(q(x))
    return log(erfc(x))


QUARTER = (pi / 4) ** 2 * mpf("1.0001")
exp_weight = lambda r: r**2 / exp(r)
log_weight = lambda f: f**3 / log1p(f)
tanh_weight = lambda u: sqrt(u) ** 3 / tanh(sqrt(u))
pair_weight = lambda u: sqrt(u) ** 5 / (2 * mp.atanh(sqrt(u)))
sin_weight = lambda u: sqrt(u) ** 3 / sin(sqrt(u))
cos_weight = lambda u: u**2 / cos(sqrt(u))
erf_weight = lambda u: sqrt(u) / erf(sqrt(u))
erfc_weight = lambda x: erfc(x) / erf(x)

TABLES = {
    # name: (comment, function, low, high, degree, bits, weight)
    "expF32": ("(exp(r) - 1 - r) / r^2, |r| <= ln2/2", exp_rest, -HALF_LN2, HALF_LN2, 4, 24, exp_weight),
    "expF64": ("the same", exp_rest, -HALF_LN2, HALF_LN2, 9, 53, exp_weight),
    "expPow": ("the same, to 2^-38, for powers of f32 in f64", exp_rest, -HALF_LN2, HALF_LN2, 5, 53, exp_weight),
    "logF32": ("(log1p(f) - f + f^2/2) / f^3, sqrt(1/2) <= 1+f <= sqrt(2)", log_rest, F_LOW, F_HIGH, 7, 24, log_weight),
    "logF64": ("the same", log_rest, F_LOW, F_HIGH, 19, 53, log_weight),
    "logPow": ("the same, to 2^-40, for powers of f32 in f64", log_rest, F_LOW, F_HIGH, 12, 53, log_weight),
    "logPair64": ("(2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2, s = f / (2 + f)", pair_rest, 0, mpf("0.0296"), 7, 53, pair_weight),
    "tanhF32": ("(tanh(x) - x) / x^3 in x^2, |x| <= 0.625", tanh_rest, 0, mpf("0.625") ** 2, 4, 24, tanh_weight),
    "tanhF64": ("the same", tanh_rest, 0, mpf("0.625") ** 2, 10, 53, tanh_weight),
    "sinF32": ("(sin(x) - x) / x^3 in x^2, |x| <= pi/4", sin_rest, 0, QUARTER, 2, 24, sin_weight),
    "sinF64": ("the same", sin_rest, 0, QUARTER, 5, 53, sin_weight),
    "cosF32": ("(cos(x) - 1 + x^2/2) / x^4 in x^2, |x| <= pi/4", cos_rest, 0, QUARTER, 2, 24, cos_weight),
    "cosF64": ("the same", cos_rest, 0, QUARTER, 5, 53, cos_weight),
    "erfF32": ("erf(x)/x - 1 in x^2, |x| <= 1", erf_rest, 0, 1, 6, 24, erf_weight),
    "erfF64": ("the same", erf_rest, 0, 1, 13, 53, erf_weight),
    "erfcF32": ("log(erfc(x)), 1 <= x <= 4", log_erfc, 1, 4, 7, 24, erfc_weight),
    "erfcF64": ("the same, 1 <= x <= 6", log_erfc, 1, 6, 20, 53, erfc_weight),
}


def truncated(value, unit):
    """The largest multiple of 2^unit that is not above value, and what is left."""
    whole = mp.ldexp(mp.floor(mp.ldexp(value, -unit)), unit)
    return whole, value - whole


def constants():
    """Constants in several parts, as lines of C++."""
    mp.dps = 500
    ln2, half_pi, two_over_pi = log(mpf(2)), pi / 2, 2 / pi

    def define(name, value, bits=53):
        value = rounded(value, bits)
        print(f"inline constexpr double {name} = {float(value).hex()};")
        return value

    print("/// log2(e), rounded to the format in use.")
    define("log2OfE", 1 / ln2)
    print("/// ln2 as a sum of two numbers of the format.")
    define("ln2LowF32", ln2 - define("ln2HighF32", ln2, 24), 24)
    define("ln2LowF64", ln2 - define("ln2HighF64", ln2))
    print("/// ln2 as a sum, the first with so few bits that its product with an exponent is exact.")
    head, tail = truncated(ln2, -42)
    define("ln2Head", head)
    define("ln2Tail", tail)
    define("twoThirdsLow", mpf(2) / 3 - define("twoThirdsHigh", mpf(2) / 3))
    define("halfPiLow", half_pi - define("halfPiHigh", half_pi))
    print("/// Bit patterns of sqrt(1/2).")
    print(f"inline constexpr uint64_t sqrtHalfBitsF32 = {hex(int(mp.nint(mp.ldexp(sqrt(mpf(0.5)), 24))) - (1 << 23) + (126 << 23))};")
    print(f"inline constexpr uint64_t sqrtHalfBitsF64 = {hex(int(mp.nint(mp.ldexp(sqrt(mpf(0.5)), 53))) - (1 << 52) + (1022 << 52))};")
    print("/// Where tanh changes formula.")
    define("tanhSplit", mpf("0.625"))
    print()
    print("/// 2/pi for 2^(32k) <= x < 2^(32(k+1)), with x in f32: bits of weight 2^(25-32k) and above give multiples of 4 and are")
    print("/// left out; then 29 bits, 29 bits and 53 bits.")
    print("inline constexpr double twoOverPiSingle[4][3] = {")
    for k in range(4):
        _, rest = truncated(two_over_pi, 25 - 32 * k)
        first, rest = truncated(rest, -4 - 32 * k)
        second, rest = truncated(rest, -33 - 32 * k)
        print("    {" + ", ".join(float(rounded(v, 53)).hex() for v in (first, second, rest)) + "},")
    print("};")
    print("/// 2/pi = sum of word i * 2^(-48(i+1)).")
    print("inline constexpr double twoOverPiWords[] = {")
    rest = two_over_pi
    for i in range(25):
        word, rest = truncated(rest, -48 * (i + 1))
        print(f"    {float(mp.ldexp(word, 48 * (i + 1))).hex()},")
    print("};")
    print("/// How many words a reduction uses.")
    print("inline constexpr int usedWords = 5;")


def main():
    names = sys.argv[1:] or list(TABLES)
    if not sys.argv[1:]:
        print(HEADER, end="")
    for name in names:
        comment, function, low, high, degree, bits, weight = TABLES[name]
        coefficients, error = fit(function, low, high, degree, bits, weight)
        power = mp.nstr(log(error, 2), 4)
        print(f"/// {comment}; greatest relative error 2^{power}.")
        print(f"inline constexpr double {name}[] = {{")
        for c in coefficients:
            print(f"    {float(c).hex()},")
        print("};\n", flush=True)
    if not sys.argv[1:]:
        constants()
        print(FOOTER, end="")


if __name__ == "__main__":
    main()
