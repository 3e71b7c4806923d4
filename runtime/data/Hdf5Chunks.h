//===- Hdf5Chunks.h - chunks that can be read -------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For whatever reads HDF5, the importer included, which links another build of
// the library: hence all of it is in the header.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_HDF5CHUNKS_H
#define BELFRY_RUNTIME_DATA_HDF5CHUNKS_H

#include <hdf5.h>

#include <cstdint>

namespace belfry::rt {

/// Whether the library can walk a dataset's chunks in sensible time: of the
/// dataset's rank, none empty, and not more of them than the file has bytes.
/// `properties` are those that the dataset was created with, `dims` its `rank`
/// extents. True where it is not in chunks.
inline bool hasSoundChunks(hid_t properties, const hsize_t *dims, int rank,
                           uint64_t fileBytes) {
  if (H5Pget_layout(properties) != H5D_CHUNKED)
    return true;
  hsize_t chunk[H5S_MAX_RANK + 1] = {};
  if (H5Pget_chunk(properties, H5S_MAX_RANK + 1, chunk) != rank)
    return false;
  hsize_t count = 1;
  for (int i = 0; i < rank; ++i) {
    if (chunk[i] == 0)
      return false;
    hsize_t along = dims[i] / chunk[i] + (dims[i] % chunk[i] != 0);
    if (along != 0 && count > fileBytes / along)
      return false;
    count *= along;
  }
  return true;
}

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_HDF5CHUNKS_H
