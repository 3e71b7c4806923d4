//===- NpyWriter.cpp - writes NumPy's array files -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/NpyWriter.h"

#include "runtime/data/OutputFile.h"

using namespace belfry::rt;

namespace {

std::string_view descrOf(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return "|b1";
  case DType::I8:
    return "|i1";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "<V2"; // as ml_dtypes has it
  case DType::F32:
    return "<f4";
  case DType::F64:
    break;
  }
  return "<f8";
}

} // namespace

Status belfry::rt::writeNpy(const std::string &path, DType dtype,
                            const Shape &shape, const void *data) {
  std::string dims;
  for (int64_t dim : shape)
    dims += std::to_string(dim) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    dims.resize(dims.size() - 2);
  std::string head = "{'descr': '" + std::string(descrOf(dtype)) +
                     "', 'fortran_order': False, 'shape': (" + dims + "), }";
  // The data begins at a multiple of 64; the head ends with a new line.
  constexpr size_t prefix = 10;
  while ((prefix + head.size() + 1) % 64 != 0)
    head += ' ';
  head += '\n';
  std::string start = "\x93NUMPY";
  start += '\x01';
  start += '\x00';
  start += char(head.size() & 0xff);
  start += char(head.size() >> 8);
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  BELFRY_RETURN_IF_ERROR(file->write(start + head));
  BELFRY_RETURN_IF_ERROR(
      file->write({static_cast<const char *>(data),
                   size_t(numElements(shape)) * sizeOf(dtype)}));
  return file->commit();
}
