//===- Idx.cpp - the IDX format of the MNIST files ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two zero bytes, an element type, the number of dimensions, each dimension as
// a big-endian 32-bit number, then the data in big-endian order
// (http://yann.lecun.com/exdb/mnist/).
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"

using namespace belfry::rt;

Expected<Array> belfry::rt::readIdx(const std::byte *bytes, size_t size,
                                    std::shared_ptr<void> owner) {
  static const struct {
    int code;
    RawType type;
  } types[] = {{0x08, RawType::U8},  {0x09, RawType::I8},
               {0x0b, RawType::I16}, {0x0c, RawType::I32},
               {0x0d, RawType::F32}, {0x0e, RawType::F64}};
  NpyHeader header;
  bool known = false;
  for (const auto &entry : types)
    if (int(bytes[2]) == entry.code) {
      header.type = entry.type;
      known = true;
    }
  auto rank = size_t(bytes[3]);
  if (!known || rank == 0 || rank > 16)
    return Status::user("is none of the array formats .npy, .npz, HDF5, IDX");
  header.dataOffset = 4 + 4 * rank;
  if (size < header.dataOffset)
    return Status::user("is cut short within its head");
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = 0;
    for (size_t k = 0; k < 4; ++k)
      dim = dim << 8 | int64_t(bytes[4 + 4 * i + k]);
    header.shape.push_back(dim);
  }
  Expected<int64_t> wanted = checkedBytes(header.shape, sizeOf(header.type));
  if (!wanted.ok())
    return wanted.status();
  size_t found = size - header.dataOffset;
  if (found < size_t(*wanted))
    return Status::user("is cut short: " + std::to_string(*wanted) +
                        " bytes of data expected, " + std::to_string(found) +
                        " found");
  header.swapped = sizeOf(header.type) > 1;
  const std::byte *data = bytes + header.dataOffset;
  if (header.swapped)
    return normalise(header, data);
  Array array;
  array.type = header.type;
  array.shape = header.shape;
  array.mapping = std::move(owner);
  array.data = data;
  return array;
}
