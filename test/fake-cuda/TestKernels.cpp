//===- TestKernels.cpp - a side library that is written by hand -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Emulated.h"
#include "test/fake-cuda/TestImages.h"

#include <cstring>

using namespace belfry::fake::test;

template <typename T> static T word(const void *words, int i) {
  T value;
  std::memcpy(static_cast<void *>(&value),
              static_cast<const char *>(words) + 8 * i, sizeof(T));
  return value;
}

static constexpr int64_t kThreads = 64;

/// to[i] = from[i] + 1, for i < n.
static void increment(const void *words, int64_t first, int64_t last) {
  auto *to = word<float *>(words, 0);
  auto *from = word<const float *>(words, 1);
  auto n = word<int64_t>(words, 2);
  for (int64_t i = first * kThreads; i < last * kThreads && i < n; ++i)
    to[i] = from[i] + 1;
}

/// to[i] = a · from[i] + b, with parameters of 4, 2 and 1 bytes.
static void scale(const void *words, int64_t first, int64_t last) {
  auto *to = word<float *>(words, 0);
  auto a = word<float>(words, 1);
  auto b = word<int16_t>(words, 2);
  auto negate = word<uint64_t>(words, 3);
  auto n = word<int32_t>(words, 4);
  for (int64_t i = first * kThreads; i < last * kThreads && i < n; ++i)
    to[i] = (negate ? -1.0f : 1.0f) * (a * to[i] + float(b));
}

/// Writes into a list which block came when: what no kernel may ask.
static void order(const void *words, int64_t first, int64_t last) {
  auto *list = word<int64_t *>(words, 0);
  for (int64_t block = first; block < last; ++block)
    list[1 + list[0]++] = block;
}

static void nothing(const void *, int64_t, int64_t) {}

static const uint8_t kIncrement[] = {8, 8, 8};
static const uint8_t kScale[] = {8, 4, 2, 1, 4};
static const uint8_t kOrder[] = {8};

static const belfry_emulated_kernel kKernels[] = {
    {"increment", increment, kThreads, 3, kIncrement},
    {"scale", scale, kThreads, 5, kScale},
    {"order", order, kThreads, 1, kOrder},
    {"nothing", nothing, kThreads, 0, nullptr},
    {"wide", nothing, 1024, 0, nullptr},
};

static const std::string kCubin = makeCubinWithKernels();
static const uint64_t kImages[] = {
    fnv(kPtx, sizeof(kPtx) - 1),
    fnv(kPtxOf90a, sizeof(kPtxOf90a) - 1),
    fnv(kCubin80.data(), kCubin80.size()),
    fnv(kCubin90.data(), kCubin90.size()),
    fnv(kCubin.data(), kCubin.size()),
};

extern "C" __attribute__((visibility("default")))
const struct belfry_emulated_v1 belfry_emulated = {
    1, sizeof(kKernels) / sizeof(kKernels[0]), kKernels,
    sizeof(kImages) / sizeof(kImages[0]), kImages};
