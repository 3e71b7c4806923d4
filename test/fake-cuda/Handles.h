//===- Handles.h - opaque values for objects ------------------ -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_HANDLES_H
#define BELFRY_TEST_FAKE_CUDA_HANDLES_H

#include "test/fake-cuda/Settings.h"
#include "test/fake-cuda/Types.h"

#include <map>
#include <memory>
#include <string>

namespace belfry::fake {

/// Leaves a call with an error that a real driver gives as well.
struct Failure {
  CUresult code;
};
inline void require(bool holds, CUresult otherwise) {
  if (!holds)
    throw Failure{otherwise};
}

/// Handles are numbers that are no addresses and that are given out once, so
/// that one which has been destroyed is known as such: 16 bits that mark them,
/// 8 bits of their kind, a number.
inline constexpr uint64_t kHandleMark = 0xfacade;

template <typename Object, typename Handle> class Handles {
public:
  /// `noun` is for messages; `kind` is unique among tables.
  Handles(const char *noun, unsigned kind) : noun(noun), kind(kind) {}

  Handle add(std::shared_ptr<Object> object) {
    uint64_t value =
        kHandleMark << 40 | uint64_t(kind) << 32 | (uint64_t(++last) << 4);
    objects.emplace(value, std::move(object));
    return reinterpret_cast<Handle>(uintptr_t(value));
  }

  /// Fails for null, and aborts for what is no handle of an object that there
  /// is: a real driver may do anything then.
  std::shared_ptr<Object> get(Handle handle) const {
    require(handle != nullptr, CUDA_ERROR_INVALID_HANDLE);
    uint64_t value = uint64_t(reinterpret_cast<uintptr_t>(handle));
    if (auto found = objects.find(value); found != objects.end())
      return found->second;
    if (value >> 40 != kHandleMark)
      fatal(hex(value) + " is no handle that the driver gave out, and so no " +
            noun);
    if ((value >> 32 & 0xff) != kind)
      fatal("the handle " + hex(value) + " is no " + noun);
    fatal("the " + std::string(noun) + " " + hex(value) + " is destroyed");
  }
  void remove(Handle handle) {
    objects.erase(uint64_t(reinterpret_cast<uintptr_t>(handle)));
  }

  const std::map<uint64_t, std::shared_ptr<Object>> &all() const {
    return objects;
  }

private:
  const char *noun;
  unsigned kind;
  uint32_t last = 0;
  std::map<uint64_t, std::shared_ptr<Object>> objects;
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_HANDLES_H
