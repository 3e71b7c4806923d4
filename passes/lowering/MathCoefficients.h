//===- MathCoefficients.h - numbers of the math expansions ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials, lowest power first, and constants in parts, as
// passes/lowering/coefficients.py derives them. The errors are those of the
// function that is built with the polynomial, without the rounding of its
// steps.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H
#define BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H

#include <cstdint>

namespace belfry::expandmath {

/// (exp(r) - 1 - r) / r^2, |r| <= ln2/2; greatest relative error 2^-27.98.
inline constexpr double expF32[] = {
    0x1.fffffc0000000p-2, 0x1.5554920000000p-3,  0x1.5558f20000000p-5,
    0x1.1239dc0000000p-7, 0x1.6a236a0000000p-10,
};

/// the same; greatest relative error 2^-56.38.
inline constexpr double expF64[] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.5555555550885p-5,
    0x1.1111111127ca5p-7,  0x1.6c16c184285e4p-10, 0x1.a01a012a10395p-13,
    0x1.a0199a10a3afbp-16, 0x1.71df25fa097d5p-19, 0x1.28ad6f2171b37p-22,
    0x1.ad7e5e218a1efp-26,
};

/// the same, to 2^-38, for powers of f32 in f64; greatest relative error
/// 2^-34.17.
inline constexpr double expPow[] = {
    0x1.0000003a1cdbbp-1, 0x1.5555544395981p-3,  0x1.55548dcd77014p-5,
    0x1.1112702f68171p-7, 0x1.6d8d0078cbe5bp-10, 0x1.9f0944323146ap-13,
};

/// (log1p(f) - f + f^2/2) / f^3, sqrt(1/2) <= 1+f <= sqrt(2); greatest relative
/// error 2^-27.2.
inline constexpr double logF32[] = {
    0x1.5555540000000p-2,  -0x1.0002320000000p-2, 0x1.99a05e0000000p-3,
    -0x1.546f320000000p-3, 0x1.22cf960000000p-3,  -0x1.0d9a3e0000000p-3,
    0x1.05b5700000000p-3,  -0x1.392a800000000p-4,
};

/// the same; greatest relative error 2^-57.67.
inline constexpr double logF64[] = {
    0x1.555555555556cp-2,  -0x1.ffffffffffe6dp-3, 0x1.99999999948fap-3,
    -0x1.555555556b9c8p-3, 0x1.249249278491ep-3,  -0x1.fffffff3a07ffp-4,
    0x1.c71c701b0cfc9p-4,  -0x1.99999a8d2588bp-4, 0x1.745d5b52de3b5p-4,
    -0x1.55557b8131a27p-4, 0x1.3b0d499355b4ep-4,  -0x1.2488c9b9995aep-4,
    0x1.116bd1e79b027p-4,  -0x1.00d6cc8ab343ep-4, 0x1.dc8b173014b22p-5,
    -0x1.b3fa5ec3d1654p-5, 0x1.bb7437691ddbbp-5,  -0x1.0187042faa20cp-4,
    0x1.d45631726281ep-5,  -0x1.8f2a8b55fbed2p-6,
};

/// the same, to 2^-40, for powers of f32 in f64; greatest relative error
/// 2^-40.77.
inline constexpr double logPow[] = {
    0x1.55555553010bbp-2,  -0x1.000000211a025p-2, 0x1.99999dc599994p-3,
    -0x1.5555388ad6925p-3, 0x1.249114791abb1p-3,  -0x1.0003ed1796d82p-3,
    0x1.c76dd38dd2514p-4,  -0x1.9941bdb55b606p-4, 0x1.6f087644bcc19p-4,
    -0x1.5386225af83f8p-4, 0x1.649358247f0d1p-4,  -0x1.5e0020123b70cp-4,
    0x1.68df9f8e74fafp-5,
};

/// (2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2, s = f / (2 + f); greatest relative
/// error 2^-66.62.
inline constexpr double logPair64[] = {
    0x1.9999999999995p-2, 0x1.24924924930a3p-2, 0x1.c71c71c57353cp-3,
    0x1.745d18389dd13p-3, 0x1.3b13610752556p-3, 0x1.1120f68a16184p-3,
    0x1.de291f37a0429p-4, 0x1.eb673d9bf4ba5p-4,
};

/// (tanh(x) - x) / x^3 in x^2, |x| <= 0.625; greatest relative error 2^-26.48.
inline constexpr double tanhF32[] = {
    -0x1.5555320000000p-2, 0x1.1107280000000p-3,  -0x1.b83c600000000p-5,
    0x1.5226c80000000p-6,  -0x1.75e2980000000p-8,
};

/// the same; greatest relative error 2^-56.05.
inline constexpr double tanhF64[] = {
    -0x1.55555555554ffp-2,  0x1.111111110acd0p-3,   -0x1.ba1ba1b506655p-5,
    0x1.664f477adeafcp-6,   -0x1.226e162c57916p-7,  0x1.d6cf281b0f995p-9,
    -0x1.7d68a3b45d151p-10, 0x1.3366167fea4c9p-11,  -0x1.df5598b48f311p-13,
    0x1.43916bf268ef2p-14,  -0x1.0da7c11eeaa3dp-16,
};

/// (sin(x) - x) / x^3 in x^2, |x| <= pi/4; greatest relative error 2^-26.85.
inline constexpr double sinF32[] = {
    -0x1.5555460000000p-3,
    0x1.11073a0000000p-7,
    -0x1.9943c60000000p-13,
};

/// the same; greatest relative error 2^-56.4.
inline constexpr double sinF64[] = {
    -0x1.5555555555548p-3, 0x1.111111110f7cdp-7,   -0x1.a01a019bfd9d9p-13,
    0x1.71de35679047ep-19, -0x1.ae5e5a5dceceep-26, 0x1.5d8fc28a9874cp-33,
};

/// (cos(x) - 1 + x^2/2) / x^4 in x^2, |x| <= pi/4; greatest relative error
/// 2^-32.46.
inline constexpr double cosF32[] = {
    0x1.55554a0000000p-5,
    -0x1.6c0c340000000p-10,
    0x1.99ebc00000000p-16,
};

/// the same; greatest relative error 2^-59.69.
inline constexpr double cosF64[] = {
    0x1.555555555554bp-5,   -0x1.6c16c16c14f90p-10, 0x1.a01a019c84219p-16,
    -0x1.27e4f7ea9ec18p-22, 0x1.1ee9d7983abb2p-29,  -0x1.8fa489efd0611p-37,
};

/// erf(x)/x - 1 in x^2, |x| <= 1; greatest relative error 2^-27.71.
inline constexpr double erfF32[] = {
    0x1.06eba80000000p-3,  -0x1.81273e0000000p-2, 0x1.ce2cf80000000p-4,
    -0x1.b7f90c0000000p-6, 0x1.5405b20000000p-8,  -0x1.a3f7080000000p-11,
    0x1.496a5e0000000p-14,
};

/// the same; greatest relative error 2^-56.33.
inline constexpr double erfF64[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042bddp-4,
    -0x1.b82ce3128899bp-6,  0x1.565bcd0e64ab2p-8,   -0x1.c02db3fed8e88p-11,
    0x1.f9a326bfb57c2p-14,  -0x1.f4d255e1267d5p-17, 0x1.b9e64d0608371p-20,
    -0x1.5f6d6b40a6d68p-23, 0x1.fc411637cf742p-27,  -0x1.4e55c8deabce4p-30,
    0x1.7ecbe4807b893p-34,  -0x1.2928c8259c77bp-38,
};

/// log(erfc(x)), 1 <= x <= 4; greatest relative error 2^-26.19.
inline constexpr double erfcF32[] = {
    0x1.8b333a0000000p-13, -0x1.212c2c0000000p+0,  -0x1.4434f80000000p-1,
    -0x1.bc18960000000p-4, 0x1.9d0b460000000p-6,   -0x1.1398280000000p-8,
    0x1.cee8540000000p-12, -0x1.6c031c0000000p-16,
};

/// the same, 1 <= x <= 6; greatest relative error 2^-56.43.
inline constexpr double erfcF64[] = {
    0x1.cd33efc346dfbp-26,  -0x1.20dd7ac2aa1c5p+0,  -0x1.45f2c19308725p-1,
    -0x1.a4fd1a0d27485p-4,  0x1.39be96d93da88p-6,   0x1.5e16c75c2b010p-13,
    -0x1.ab43c82c3d547p-10, 0x1.09d02c5e638f9p-11,  0x1.eb9eccdea47c2p-15,
    -0x1.1a75a5f721674p-13, 0x1.44ecec2d70f47p-14,  -0x1.f3c0907764fe1p-16,
    0x1.24d0d7a6ae775p-17,  -0x1.0faeca5bbc96cp-19, 0x1.92a50e22e8223p-22,
    -0x1.d942bea3b359cp-25, 0x1.b083227c0607ap-28,  -0x1.28afe6338c322p-31,
    0x1.1f8c1236236d5p-35,  -0x1.5f0a4f5f6557ep-40, 0x1.95cd7995956ffp-46,
};

/// log2(e), rounded to the format in use.
inline constexpr double log2OfE = 0x1.71547652b82fep+0;
/// ln2 as a sum of two numbers of the format.
inline constexpr double ln2HighF32 = 0x1.62e4300000000p-1;
inline constexpr double ln2LowF32 = -0x1.05c6100000000p-29;
inline constexpr double ln2HighF64 = 0x1.62e42fefa39efp-1;
inline constexpr double ln2LowF64 = 0x1.abc9e3b39803fp-56;
/// ln2 as a sum, the first with so few bits that its product with an exponent
/// is exact.
inline constexpr double ln2Head = 0x1.62e42fefa3800p-1;
inline constexpr double ln2Tail = 0x1.ef35793c76730p-45;
inline constexpr double twoThirdsHigh = 0x1.5555555555555p-1;
inline constexpr double twoThirdsLow = 0x1.5555555555555p-55;
inline constexpr double halfPiHigh = 0x1.921fb54442d18p+0;
inline constexpr double halfPiLow = 0x1.1a62633145c07p-54;
/// Bit patterns of sqrt(1/2).
inline constexpr uint64_t sqrtHalfBitsF32 = 0x3f3504f3;
inline constexpr uint64_t sqrtHalfBitsF64 = 0x3fe6a09e667f3bcd;
/// Where tanh changes formula.
inline constexpr double tanhSplit = 0x1.4000000000000p-1;

/// 2/pi for 2^(32k) <= x < 2^(32(k+1)), with x in f32: bits of weight
/// 2^(25-32k) and above give multiples of 4 and are left out; then 29 bits, 29
/// bits and 53 bits.
inline constexpr double twoOverPiSingle[4][3] = {
    {0x1.4000000000000p-1, 0x1.7cc1b70000000p-7, 0x1.391054a7f09d6p-34},
    {0x1.f306dc8000000p-9, 0x1.c882a53000000p-37, 0x1.f09d5f47d4d37p-66},
    {0x1.1054a7c000000p-42, 0x1.84eafa3000000p-69, 0x1.d4d377036d8a5p-98},
    {0x1.3abe8f8000000p-75, 0x1.4d37702000000p-102, 0x1.6d8a5664f10e4p-130},
};
/// 2/pi = sum of word i * 2^(-48(i+1)).
inline constexpr double twoOverPiWords[] = {
    0x1.45f306dc9c880p+47, 0x1.529fc2757d100p+44, 0x1.ea69bb81b6c40p+47,
    0x1.2b32788720820p+47, 0x1.fca2c757bd760p+47, 0x1.8ac36e48dc740p+47,
    0x1.09374b8019240p+46, 0x1.77504e8c90e00p+45, 0x1.fc3bd63962520p+47,
    0x1.4e7dd1046bea0p+47, 0x1.75da24274ce00p+45, 0x1.c09ad17df9040p+46,
    0x1.cc8eb1cc1a980p+45, 0x1.cfa4e422fc580p+45, 0x1.7bf250763ff00p+47,
    0x1.2fffbc0b301e0p+47, 0x1.de5e2316b4140p+47, 0x1.b47db4d9fb3c0p+46,
    0x1.3e584dba7a300p+45, 0x1.fb34f2ff51680p+45, 0x1.d49eeb1faf940p+46,
    0x1.e2f67a0e73ee0p+47, 0x1.14a525d4d7f60p+47, 0x1.7ec47e3574200p+46,
    0x1.580cc11bf1ec0p+46,
};
/// How many words a reduction uses.
inline constexpr int usedWords = 5;

} // namespace belfry::expandmath

#endif // BELFRY_PASSES_LOWERING_MATHCOEFFICIENTS_H
