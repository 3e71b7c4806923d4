//===- ArrayFile.h - reads arrays of every known format ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_ARRAYFILE_H
#define BELFRY_RUNTIME_DATA_ARRAYFILE_H

#include "runtime/data/Array.h"

#include <optional>
#include <string>

namespace belfry::rt {

/// What stands on the command line for an array: `FILE[:MEMBER][[a:b]]`.
struct ArraySpec {
  std::string file, member;
  std::optional<int64_t> first, last; ///< as in a Python slice
  std::string text;                   ///< as written
};

/// Takes `text` apart. A file whose name is the whole text, or holds a colon,
/// wins over other readings. Fails where no file is there.
Expected<ArraySpec> parseArraySpec(const std::string &text);

/// Reads the array that `spec` names. Formats are told by their first bytes:
/// .npy (versions 1 to 3), .npz (stored or deflated), HDF5, IDX; .npy and IDX
/// also gzipped. Refuses Python objects, truncated files, and headers that
/// claim more than the file can hold before anything is allocated. Messages
/// begin with the file.
Expected<Array> readArray(const ArraySpec &spec);

// The formats, each in its file. `name` is what messages call the array.

/// A whole .npy file in memory at `bytes`, `owner` keeps it alive. Plain data
/// is used where it stands.
Expected<Array> readNpy(const std::byte *bytes, size_t size,
                        std::shared_ptr<void> owner, const std::string &name);
/// The head of a .npy file: what it says, and where the data begins.
struct NpyHeader {
  RawType type = RawType::F32;
  bool swapped = false, fortran = false;
  Shape shape;
  size_t dataOffset = 0;
};
Expected<NpyHeader> parseNpyHeader(const std::byte *bytes, size_t size);
/// Puts data as a .npy file has it into row-major order, native bytes.
Array normalise(const NpyHeader &header, const std::byte *data);

Expected<Array> readNpz(const std::string &file, const std::string &member);
Expected<Array> readHdf5(const std::string &file, const std::string &member);
Expected<Array> readIdx(const std::byte *bytes, size_t size,
                        std::shared_ptr<void> owner);

/// Unpacks gzip data of `size` bytes; fails where it is damaged or grows
/// beyond what gzip can reach.
Expected<std::shared_ptr<Storage>> gunzip(const std::byte *bytes, size_t size,
                                          size_t &unpacked);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_ARRAYFILE_H
