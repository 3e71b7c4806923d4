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
#include <cstring>
#include <string>
#include <vector>

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

/// A cubin for sm_90 that says what its kernels take: `increment` has 40
/// registers, 16 bytes of stack and 2 KiB of shared memory, beside the one that
/// the system has; `wide` has 255 registers.
inline std::string makeCubinWithKernels() {
  std::string image(kCubin90.data(), kCubin90.size());
  auto put = [&](auto value) {
    image.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  struct Section {
    uint32_t name, type;
    uint64_t offset, bytes;
    uint32_t link;
  };
  std::vector<Section> sections = {{}};
  auto begin = [&](uint32_t name, uint32_t type, uint32_t link = 0) {
    sections.push_back({name, type, image.size(), 0, link});
  };
  auto end = [&] {
    sections.back().bytes = image.size() - sections.back().offset;
  };

  const char names[] = "\0.names\0.symtab\0.nv.info\0.nv.shared.increment";
  begin(1, 3);
  image.append(names, sizeof(names));
  end();
  const char strings[] = "\0increment\0wide";
  begin(1, 3);
  image.append(strings, sizeof(strings));
  end();
  begin(8, 2, /*link=*/2);
  for (uint32_t name : {0, 1, 11}) {
    put(name);
    put(uint32_t(0x12)); // a global function
    put(uint64_t(0));
    put(uint64_t(0));
  }
  end();
  begin(16, 0x70000000, /*link=*/3);
  put(uint32_t(0x00004101)); // an entry without a value, to be passed over
  for (auto [attribute, symbol, value] :
       {std::array<uint32_t, 3>{0x2f, 1, 40}, {0x11, 1, 16}, {0x2f, 2, 255}}) {
    put(uint32_t(0x00080004 | attribute << 8));
    put(symbol);
    put(value);
  }
  end();
  begin(25, 8);
  sections.back().bytes = 1024 + 2048;

  uint64_t at = image.size();
  std::memcpy(image.data() + 40, &at, sizeof(at));
  for (const Section &section : sections) {
    put(section.name);
    put(section.type);
    put(uint64_t(0));
    put(uint64_t(0));
    put(section.offset);
    put(section.bytes);
    put(section.link);
    put(uint32_t(0));
    put(uint64_t(1));
    put(uint64_t(0));
  }
  auto counts = std::array<uint16_t, 3>{64, uint16_t(sections.size()), 1};
  std::memcpy(image.data() + 58, counts.data(), sizeof(counts));
  return image;
}

} // namespace belfry::fake::test

#endif // BELFRY_TEST_FAKE_CUDA_TESTIMAGES_H
