//===- Hdf5.h - handles of the HDF5 library ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_HDF5_H
#define BELFRY_RUNTIME_DATA_HDF5_H

#include "runtime/core/Status.h"
#include "runtime/data/Array.h"

#include <hdf5.h>
#include <string>

namespace belfry::rt {

/// Owns an HDF5 identifier of any kind.
class Hid {
public:
  Hid() = default;
  explicit Hid(hid_t id) : id(id) {}
  Hid(Hid &&other) noexcept : id(other.id) { other.id = -1; }
  Hid &operator=(Hid &&other) noexcept {
    std::swap(id, other.id);
    return *this;
  }
  ~Hid() {
    if (id >= 0)
      H5Idec_ref(id);
  }
  hid_t get() const { return id; }
  explicit operator bool() const { return id >= 0; }

private:
  hid_t id = -1;
};

/// While one lives, the HDF5 library is at work on `file`, a string that
/// outlives it. HDF5 1.10 has bugs that a damaged file can reach, and a crash
/// in there is best told by the name of the file.
class Hdf5Work {
public:
  explicit Hdf5Work(const std::string &file);
  Hdf5Work(const Hdf5Work &) = delete;
  Hdf5Work &operator=(const Hdf5Work &) = delete;
  ~Hdf5Work();

private:
  const char *outer;
};

/// The file of the innermost Hdf5Work, null where there is none. May be called
/// from a signal handler.
const char *fileInHdf5();

/// Keeps the library from printing its own errors. Called before its first use.
void silenceHdf5();

/// Opens a file for reading, or an image of one in memory.
Hid openHdf5(const std::string &file);
Hid openHdf5Image(const std::byte *data, size_t size);

/// Reads a dataset of numbers as it is stored, in native byte order. `fileSize`
/// bounds what it may claim. Refuses data that lives in other files.
Expected<Array> readDataset(hid_t location, const std::string &path,
                            uint64_t fileSize);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_HDF5_H
