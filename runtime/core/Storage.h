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
#include <new>
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
    // What goes beyond the last whole large page is on small ones.
    size_t alignment = size >= kLarge ? kLarge : 64;
    size_t page = size >= kLarge ? kSmall : 64;
    size_t rounded = (size + page - 1) / page * page;
    void *block = nullptr;
    if (posix_memalign(&block, alignment, rounded) != 0)
      throw std::bad_alloc();
    bytes.reset(static_cast<std::byte *>(block));
#if defined(MADV_HUGEPAGE)
    if (size >= kLarge)
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
  static constexpr size_t kSmall = size_t(1) << 12;
  struct Free {
    void operator()(std::byte *block) const { std::free(block); }
  };
  std::unique_ptr<std::byte, Free> bytes;
  size_t size_ = 0;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_STORAGE_H
