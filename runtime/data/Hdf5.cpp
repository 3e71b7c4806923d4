//===- Hdf5.cpp - arrays of HDF5 files ------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/Hdf5.h"

#include "runtime/data/ArrayFile.h"
#include "runtime/data/Hdf5Chunks.h"
#include "runtime/data/Hdf5Types.h"

#include <atomic>
#include <filesystem>

using namespace belfry::rt;

namespace {

std::atomic<const char *> workFile{nullptr};
static_assert(std::atomic<const char *>::is_always_lock_free);

/// The element type and the HDF5 type to read it with.
bool rawTypeOf(hid_t type, RawType &raw, hid_t &native) {
  size_t size = H5Tget_size(type);
  H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT && (size == 4 || size == 8 || size == 2)) {
    // There is no native half precision; the library widens it.
    raw = size == 8 ? RawType::F64 : RawType::F32;
    native = size == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    return true;
  }
  if (kind == H5T_INTEGER) {
    bool isSigned = H5Tget_sign(type) != H5T_SGN_NONE;
    switch (size) {
    case 1:
      raw = isSigned ? RawType::I8 : RawType::U8;
      native = isSigned ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
      return true;
    case 2:
      raw = isSigned ? RawType::I16 : RawType::U16;
      native = isSigned ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
      return true;
    case 4:
      raw = isSigned ? RawType::I32 : RawType::U32;
      native = isSigned ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
      return true;
    case 8:
      raw = isSigned ? RawType::I64 : RawType::U64;
      native = isSigned ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
      return true;
    default:
      return false;
    }
  }
  if (isBFloat16(type)) {
    raw = RawType::BF16;
    native = type;
    return true;
  }
  // What h5py writes for truth values.
  if (kind == H5T_ENUM && size == 1) {
    raw = RawType::Bool;
    native = type;
    return true;
  }
  return false;
}

/// Whether a dataset's bytes are in this file.
bool isSelfContained(hid_t dataset) {
  Hid properties(H5Dget_create_plist(dataset));
  return properties && H5Pget_external_count(properties.get()) == 0 &&
         H5Pget_layout(properties.get()) != H5D_VIRTUAL;
}

/// Follows `path` link by link, so that none leads into another file.
bool hasOnlyHardLinks(hid_t location, const std::string &path) {
  std::string walked;
  size_t at = 0;
  while (at < path.size()) {
    size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) {
      walked += (walked.empty() ? "" : "/") + path.substr(at, slash - at);
      H5L_info_t info;
      if (H5Lget_info(location, walked.c_str(), &info, H5P_DEFAULT) < 0 ||
          info.type == H5L_TYPE_EXTERNAL)
        return false;
    }
    at = slash + 1;
  }
  return true;
}

herr_t collectDataset(hid_t, const char *name, const H5O_info_t *info,
                      void *data) {
  if (info->type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string> *>(data)->push_back(name);
  return 0;
}

} // namespace

Hdf5Work::Hdf5Work(const std::string &file)
    : outer(workFile.exchange(file.c_str())) {}

Hdf5Work::~Hdf5Work() { workFile.store(outer); }

const char *belfry::rt::fileInHdf5() { return workFile.load(); }

void belfry::rt::silenceHdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Hid belfry::rt::openHdf5(const std::string &file) {
  silenceHdf5();
  return Hid(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

Hid belfry::rt::openHdf5Image(const std::byte *data, size_t size) {
  silenceHdf5();
  Hid access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.get(), 1 << 20, 0);
  H5Pset_file_image(access.get(), const_cast<std::byte *>(data), size);
  return Hid(H5Fopen("model.weights.h5", H5F_ACC_RDONLY, access.get()));
}

Expected<Array> belfry::rt::readDataset(hid_t location, const std::string &path,
                                        uint64_t fileSize) {
  if (!hasOnlyHardLinks(location, path))
    return Status::user("has no dataset '" + path + "'");
  Hid dataset(H5Dopen2(location, path.c_str(), H5P_DEFAULT));
  if (!dataset)
    return Status::user("has no dataset '" + path + "'");
  if (!isSelfContained(dataset.get()))
    return Status::user("dataset '" + path +
                        "' lies in another file, which is refused");
  Hid type(H5Dget_type(dataset.get()));
  RawType raw = RawType::F32;
  hid_t native = -1;
  if (!rawTypeOf(type.get(), raw, native))
    return Status::user("dataset '" + path + "' does not hold numbers");
  Hid space(H5Dget_space(dataset.get()));
  int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0)
    return Status::user("dataset '" + path + "' has no shape");
  std::vector<hsize_t> dims(size_t(rank), 0);
  H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
  Shape shape;
  for (hsize_t dim : dims)
    shape.push_back(dim > hsize_t(kMaxArrayBytes) ? kMaxArrayBytes + 1
                                                  : int64_t(dim));
  Expected<int64_t> bytes = checkedBytes(shape, sizeOf(raw));
  if (!bytes.ok())
    return bytes.status().withPrefix("dataset '" + path + "'");
  // Deflate packs at most 1032 bytes into one; fill values take no room at all.
  if (uint64_t(*bytes) / 1032 > fileSize + 1)
    return Status::user("dataset '" + path + "' claims " +
                        std::to_string(*bytes) +
                        " bytes, which is more than the file can hold");
  if (Hid properties(H5Dget_create_plist(dataset.get())); !hasSoundChunks(
          properties.get(), dims.data(), int(dims.size()), fileSize))
    return Status::user("dataset '" + path +
                        "' is in chunks that the file cannot hold");
  Array array = makeArray(raw, shape);
  if (*bytes > 0 && H5Dread(dataset.get(), native, H5S_ALL, H5S_ALL,
                            H5P_DEFAULT, array.storage->data()) < 0)
    return Status::user("dataset '" + path + "' is damaged or cut short");
  return array;
}

Expected<Array> belfry::rt::readHdf5(const std::string &file,
                                     const std::string &member) {
  Hdf5Work work(file);
  Hid handle = openHdf5(file);
  if (!handle)
    return Status::user("is an HDF5 file that is damaged or cut short");
  std::string path = member;
  if (path.empty()) {
    std::vector<std::string> names;
    H5Ovisit(handle.get(), H5_INDEX_NAME, H5_ITER_INC, collectDataset, &names);
    if (names.size() != 1) {
      std::string list;
      for (size_t i = 0; i < names.size() && i < 20; ++i)
        list += (i ? ", /" : "/") + names[i];
      return Status::user(names.empty() ? "holds no dataset"
                                        : "holds several datasets, name one as "
                                          "FILE:/DATASET: " +
                                              list);
    }
    path = names.front();
  }
  std::error_code error;
  uint64_t size = std::filesystem::file_size(file, error);
  return readDataset(handle.get(), path, error ? 0 : size);
}
