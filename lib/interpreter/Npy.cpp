//===- Npy.cpp - arrays in NumPy's file format ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html A
// magic string, two bytes of version, the length of the header (two bytes, or
// four from version 2 on), and a Python dictionary as text.
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Npy.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace llvm;
using namespace belfry;
using namespace belfry::nn;

static constexpr StringLiteral kMagic = "\x93NUMPY";

static Error failNpy(StringRef path, const Twine &message) {
  return createStringError("'" + path + "' " + message);
}

/// What follows `'key':` in the header.
static StringRef entryOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  return header.drop_front(at + key.size() + 2).ltrim(" :");
}

template <typename From, typename To>
static bool readElements(StringRef bytes, HostTensor &tensor) {
  const char *from = bytes.data();
  bool inRange = true;
  for (To &to : tensor.mutableValues<To>()) {
    From value;
    std::memcpy(&value, from, sizeof(From));
    from += sizeof(From);
    if constexpr (std::is_integral_v<From>)
      inRange &= std::in_range<To>(value);
    if constexpr (std::is_same_v<To, uint8_t>)
      to = value != 0;
    else
      to = static_cast<To>(value); // NOLINT(bugprone-signed-char-misuse)
  }
  return inRange;
}

namespace {

/// How an element type of a file is read.
struct Reader {
  StringLiteral descr; ///< without the byte order
  size_t size;
  HostType type;
  bool (*read)(StringRef, HostTensor &);
};

} // namespace

static constexpr Reader kReaders[] = {
    {"b1", 1, HostType::Bool, readElements<uint8_t, uint8_t>},
    {"i1", 1, HostType::I8, readElements<int8_t, int8_t>},
    {"u1", 1, HostType::I32, readElements<uint8_t, int32_t>},
    {"i2", 2, HostType::I32, readElements<int16_t, int32_t>},
    {"u2", 2, HostType::I32, readElements<uint16_t, int32_t>},
    {"i4", 4, HostType::I32, readElements<int32_t, int32_t>},
    {"u4", 4, HostType::I64, readElements<uint32_t, int64_t>},
    {"i8", 8, HostType::I64, readElements<int64_t, int64_t>},
    {"u8", 8, HostType::I64, readElements<uint64_t, int64_t>},
    {"f2", 2, HostType::F16, readElements<Half, Half>},
    // What ml_dtypes calls bfloat16: NumPy knows it as two bytes.
    {"V2", 2, HostType::BF16, readElements<BFloat16, BFloat16>},
    {"f4", 4, HostType::F32, readElements<float, float>},
    {"f8", 8, HostType::F64, readElements<double, double>},
};

Expected<HostTensor> belfry::readNpy(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!file)
    return failNpy(path, "cannot be read: " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < 12 || !bytes.starts_with(kMagic))
    return failNpy(path, "is no .npy file");
  bool isFirst = bytes[6] == 1;
  size_t start = isFirst ? 10 : 12;
  size_t length = isFirst ? support::endian::read16le(bytes.data() + 8)
                          : support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - start < length)
    return failNpy(path, "ends within its header");
  StringRef header = bytes.substr(start, length);
  bytes = bytes.drop_front(start + length);

  if (!entryOf(header, "fortran_order").starts_with("False"))
    return failNpy(path, "is in column-major order");
  StringRef descr = entryOf(header, "descr");
  descr = descr.drop_front(descr.starts_with("'") ? 1 : 0);
  descr = descr.take_until([](char c) { return c == '\''; });
  const Reader *reader = nullptr;
  for (const Reader &r : kReaders)
    if (descr.size() == 3 && descr.drop_front() == r.descr &&
        (descr[0] == '<' || descr[0] == '|' || descr[0] == '='))
      reader = &r;
  if (!reader)
    return failNpy(path, "has elements of type '" + descr +
                             "'; readable are little-endian b1, i1 to i8, u1 "
                             "to u8, f2 to f8, and V2 for bf16");

  StringRef list = entryOf(header, "shape");
  if (!list.consume_front("("))
    return failNpy(path, "has no shape in its header");
  list = list.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> items;
  list.split(items, ',', -1, /*KeepEmpty=*/false);
  SmallVector<int64_t> shape;
  uint64_t limit = bytes.size() / reader->size;
  // An array without elements may still have extents; none is taken that could
  // overflow in a product.
  uint64_t product = 1, most = std::max<uint64_t>(limit, uint64_t(1) << 32);
  bool fits = true;
  for (StringRef item : items) {
    item = item.trim();
    uint64_t extent = 0;
    if (item.empty())
      continue;
    if (item.getAsInteger(10, extent) || extent > most / product) {
      fits = false;
      break;
    }
    product *= std::max<uint64_t>(extent, 1);
    shape.push_back(static_cast<int64_t>(extent));
  }
  uint64_t elements = llvm::is_contained(shape, 0) ? 0 : product;
  if (!fits || elements > limit)
    return failNpy(path, "has a shape (" + list + ") that its " +
                             Twine(bytes.size()) + " bytes cannot hold");
  HostTensor result(reader->type, shape);
  if (!reader->read(bytes, result))
    return failNpy(path, "has an integer that does not fit into 64 bits");
  return result;
}

Error belfry::writeNpy(StringRef path, const HostTensor &tensor) {
  constexpr StringLiteral descr[] = {"|b1", "|i1", "<i4", "<i8",
                                     "<f2", "<V2", "<f4", "<f8"};
  std::string header;
  raw_string_ostream text(header);
  text << "{'descr': '" << descr[static_cast<size_t>(tensor.getType())]
       << "', 'fortran_order': False, 'shape': (";
  for (int64_t d : tensor.getShape())
    text << d << ", ";
  text << "), }";
  // Data start at a multiple of 64 bytes; the header ends with a line feed.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::error_code error;
  raw_fd_ostream out(path, error);
  if (error)
    return failNpy(path, "cannot be written: " + error.message());
  char length[2];
  support::endian::write16le(length, static_cast<uint16_t>(header.size()));
  out << kMagic << '\x01' << '\0' << StringRef(length, 2) << header;
  out.write(static_cast<const char *>(tensor.data()), tensor.sizeInBytes());
  out.flush();
  if (out.has_error()) {
    std::string message = out.error().message();
    out.clear_error();
    return failNpy(path, "cannot be written: " + message);
  }
  return Error::success();
}
