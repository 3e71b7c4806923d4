//===- Hdf5Types.h - element types in HDF5 files ----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the compiler and the runtime, which both write weights.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_HDF5TYPES_H
#define BELFRY_RUNTIME_DATA_HDF5TYPES_H

#include <hdf5.h>

#include <string_view>

namespace belfry::rt {

/// Of a dataset of bf16, which NumPy has no type for and Keras writes as two
/// opaque bytes: this attribute says `bfloat16`.
inline constexpr const char *kHdf5TypeAttribute = "dtype";

/// The type of elements in a file and in memory, which are the same on every
/// machine that programs run on; `dtype` is a manifest's name. The caller
/// closes it.
inline hid_t makeHdf5Type(std::string_view dtype) {
  if (dtype == "bf16")
    return H5Tcreate(H5T_OPAQUE, 2);
  if (dtype == "f16") {
    // The library has no name for it.
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
  }
  return H5Tcopy(dtype == "i1"    ? H5T_STD_U8LE
                 : dtype == "i8"  ? H5T_STD_I8LE
                 : dtype == "i32" ? H5T_STD_I32LE
                 : dtype == "i64" ? H5T_STD_I64LE
                 : dtype == "f32" ? H5T_IEEE_F32LE
                                  : H5T_IEEE_F64LE);
}

/// Whether elements are the two opaque bytes of a bf16.
inline bool isBFloat16(hid_t type) {
  return H5Tget_class(type) == H5T_OPAQUE && H5Tget_size(type) == 2;
}

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_HDF5TYPES_H
