//===- TestImages.h - images of kernels for the tests --------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library of kernels knows them by their hashes, the tests load them.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_TESTIMAGES_H
#define BELFRY_TEST_FAKE_CUDA_TESTIMAGES_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace belfry::fake::test {

/// FNV-1a of 64 bits, written apart from the library's.
constexpr uint64_t fnv(const char *at, size_t count) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < count; ++i) {
    hash ^= static_cast<unsigned char>(at[i]);
    hash *= 1099511628211u;
  }
  return hash;
}

inline constexpr char kPtx[] = "//\n// by hand\n//\n\n"
                               ".version 6.3\n.target sm_75\n"
                               ".address_size 64\n";
inline constexpr char kPtxOf90a[] = ".version 8.0\n.target sm_90a\n";
inline constexpr char kUnknownPtx[] = ".version 6.3\n.target sm_75\n";

/// A cubin of nothing but its header.
constexpr std::array<char, 64> makeCubin(int architecture) {
  std::array<char, 64> image{};
  image[0] = 0x7f;
  image[1] = 'E';
  image[2] = 'L';
  image[3] = 'F';
  image[4] = 2; // 64 bits
  image[5] = 1; // the lowest byte first
  image[6] = 1;
  image[7] = 41;
  image[8] = 8; // that of CUDA 13
  image[16] = 2;
  image[18] = char(190); // for CUDA
  image[20] = 1;
  image[48] = 4;
  image[49] = char(architecture); // in e_flags
  image[51] = 6;
  image[52] = 64; // bytes of this header
  return image;
}
inline constexpr auto kCubin80 = makeCubin(80);
inline constexpr auto kCubin90 = makeCubin(90);

} // namespace belfry::fake::test

#endif // BELFRY_TEST_FAKE_CUDA_TESTIMAGES_H
