//===- Memory.cpp - memory of devices, and pinned memory ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Memory.h"

#include "test/fake-cuda/Driver.h"
#include "test/fake-cuda/Settings.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace belfry::fake;

static constexpr uint64_t kPage = 4096;
static constexpr int kFresh = 0xff;  // a NaN of every type
static constexpr int kBeside = 0xa5; // before and after an allocation

static uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

static uint64_t reserve(uint64_t bytes) {
  void *at = mmap(nullptr, bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    fatal("the host gives no " + std::to_string(bytes) + " bytes of addresses");
  return uint64_t(uintptr_t(at));
}

/// Addresses for pages and one behind them that stays out of reach.
uint64_t Memory::place(Device *device, uint64_t pageBytes) {
  if (!device)
    return reserve(pageBytes + kPage);
  if (!device->rangeBegin) {
    // Enough for programs that allocate again and again.
    device->rangeBytes = 4 * device->memory + (uint64_t(16) << 30);
    device->rangeBegin = reserve(device->rangeBytes);
    device->rangeUsed = kPage;
  }
  if (pageBytes + kPage > device->rangeBytes - device->rangeUsed)
    fatal("the addresses of device " + std::to_string(device->ordinal) +
          " are used up");
  uint64_t at = device->rangeBegin + device->rangeUsed;
  device->rangeUsed += pageBytes + kPage;
  return at;
}

uint64_t Memory::allocate(Device *device, uint64_t bytes) {
  if (device && bytes > device->memory - device->used)
    return 0;
  Allocation a;
  a.bytes = bytes;
  a.device = device;
  uint64_t padded = roundUp(bytes, kAlignment);
  a.pageBytes = roundUp(padded, kPage);
  a.pages = place(device, a.pageBytes);
  // Aligned as promised and not more, and close to the end of the pages.
  a.begin = a.pages + a.pageBytes - padded;
  void *pages = reinterpret_cast<void *>(uintptr_t(a.pages));
  if (mprotect(pages, a.pageBytes, PROT_READ | PROT_WRITE) != 0)
    fatal("the host gives no " + std::to_string(bytes) + " bytes of memory");
  auto *first = static_cast<unsigned char *>(pages);
  std::memset(first, kBeside, a.begin - a.pages);
  std::memset(first + (a.begin - a.pages), kFresh, bytes);
  std::memset(first + (a.end() - a.pages), kBeside, padded - bytes);
  if (device) {
    device->used += bytes;
    device->peak = std::max(device->peak, device->used);
  }
  released.erase(a.begin);
  live.emplace(a.begin, a);
  return a.begin;
}

static bool isUntouched(uint64_t begin, uint64_t end) {
  auto *at = reinterpret_cast<const unsigned char *>(uintptr_t(begin));
  return std::all_of(at, at + (end - begin),
                     [](unsigned char c) { return c == kBeside; });
}

void Memory::release(const Allocation &allocation) {
  Allocation a = allocation;
  if (!isUntouched(a.pages, a.begin) ||
      !isUntouched(a.end(), a.pages + a.pageBytes))
    fatal("something wrote beside the " + std::to_string(a.bytes) +
          " bytes at " + hex(a.begin));
  live.erase(a.begin);
  void *pages = reinterpret_cast<void *>(uintptr_t(a.pages));
  if (a.device) {
    a.device->used -= a.bytes;
    released.insert(a.begin);
    // The addresses stay taken, the memory goes back.
    if (mmap(pages, a.pageBytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
      fatal("the memory at " + hex(a.begin) + " can't be given back");
  } else {
    released.insert(a.begin);
    munmap(pages, a.pageBytes + kPage);
  }
}

const Allocation *Memory::find(uint64_t address) const {
  auto after = live.upper_bound(address);
  if (after == live.begin())
    return nullptr;
  const Allocation &a = std::prev(after)->second;
  return address < a.end() ? &a : nullptr;
}
