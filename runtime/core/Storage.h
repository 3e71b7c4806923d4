//===- Storage.h - aligned memory -------------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_STORAGE_H
#define BELFRY_RUNTIME_CORE_STORAGE_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>

namespace belfry::rt {

/// Bytes aligned to a cache line, for tensors and arenas. Large blocks are
/// left untouched, so that the device that writes a page first has it near,
/// and may use large pages.
class Storage {
public:
  Storage() = default;
  explicit Storage(size_t size) : size_(size) {
    if (size == 0)
      return;
    size_t alignment = size >= kLarge ? kLarge : 64;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    bytes.reset(
        static_cast<std::byte *>(std::aligned_alloc(alignment, rounded)));
    if (!bytes)
      throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (size >= 4 * kLarge)
      madvise(bytes.get(), rounded, MADV_HUGEPAGE);
#endif
  }

  std::byte *data() const { return bytes.get(); }
  size_t size() const { return size_; }
  template <typename T> T *as() const {
    return reinterpret_cast<T *>(bytes.get());
  }
  void zero() {
    if (size_)
      std::memset(bytes.get(), 0, size_);
  }

private:
  static constexpr size_t kLarge = size_t(1) << 21;
  struct Free {
    void operator()(std::byte *block) const { std::free(block); }
  };
  std::unique_ptr<std::byte, Free> bytes;
  size_t size_ = 0;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_STORAGE_H
