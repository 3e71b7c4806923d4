//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in NumPy's documentation, numpy.lib.format: a magic
// string, a version, the length of the head, and a head that is the text of a
// Python dictionary with 'descr', 'fortran_order' and 'shape'.
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"

#include <algorithm>
#include <bit>

using namespace belfry::rt;

namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are used where they stand in a file");

constexpr size_t kLongestHead = size_t(1) << 20;

/// Reads the dictionary, which has three keys with a string, a truth value and
/// a tuple of integers; anything else is refused.
class HeadParser {
public:
  explicit HeadParser(std::string_view text) : text(text) {}

  Status parse(std::string &descr, bool &fortran, Shape &shape) {
    bool seen[3] = {};
    if (!take('{'))
      return bad();
    while (!take('}')) {
      std::string key;
      if (!takeString(key) || !take(':'))
        return bad();
      if (key == "descr") {
        seen[0] = true;
        skipSpace();
        if (at < text.size() && text[at] == '[')
          return Status::user("holds records, expected numbers");
        if (!takeString(descr))
          return bad();
      } else if (key == "fortran_order") {
        seen[1] = true;
        if (takeWord("True"))
          fortran = true;
        else if (!takeWord("False"))
          return bad();
      } else if (key == "shape") {
        seen[2] = true;
        if (!takeTuple(shape))
          return bad();
      } else {
        return bad();
      }
      if (!take(',')) {
        if (!take('}'))
          return bad();
        break;
      }
    }
    return seen[0] && seen[1] && seen[2] ? Status::success() : bad();
  }

private:
  static Status bad() {
    return Status::user("the head of the .npy data is malformed");
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }
  bool takeString(std::string &value) {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool takeTuple(Shape &shape) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      size_t begin = at;
      if (at < text.size() && text[at] == '-')
        ++at;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9')
        ++at;
      if (at == begin || at - begin > 18 || text[at - 1] == '-')
        return false;
      shape.push_back(std::stoll(std::string(text.substr(begin, at - begin))));
      // Python 2 wrote long integers with a suffix.
      if (at < text.size() && text[at] == 'L')
        ++at;
      if (!take(',')) {
        if (!take(')'))
          return false;
        break;
      }
    }
    return shape.size() <= 64;
  }

  std::string_view text;
  size_t at = 0;
};

Status parseDescr(const std::string &descr, NpyHeader &header) {
  if (descr.find('O') != std::string::npos)
    return Status::user("holds pickled Python objects, which are refused");
  static const struct {
    const char *code;
    RawType type;
  } codes[] = {{"b1", RawType::Bool},
               {"i1", RawType::I8},
               {"u1", RawType::U8},
               {"i2", RawType::I16},
               {"u2", RawType::U16},
               {"i4", RawType::I32},
               {"u4", RawType::U32},
               {"i8", RawType::I64},
               {"u8", RawType::U64},
               {"f2", RawType::F16},
               {"f4", RawType::F32},
               {"f8", RawType::F64},
               // What ml_dtypes calls bfloat16: NumPy knows it as two bytes.
               {"V2", RawType::BF16}};
  std::string code = descr;
  char order = '<';
  if (!code.empty() && std::string("<>|=").find(code[0]) != std::string::npos) {
    order = code[0];
    code.erase(0, 1);
  }
  if (code == "?")
    code = "b1";
  for (const auto &known : codes)
    if (code == known.code) {
      header.type = known.type;
      header.swapped = order == '>' && sizeOf(known.type) > 1;
      return Status::success();
    }
  return Status::user("dtype '" + descr +
                      "' is not supported; there are bool, int8 to int64, "
                      "uint8 to uint64, float16, bfloat16 (V2), float32, "
                      "float64");
}

void swapBytes(std::byte *data, size_t size, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::reverse(data + size_t(i) * size, data + size_t(i + 1) * size);
}

/// Copies column-major `from` into row-major `to`, both of `shape`.
void transpose(const std::byte *from, std::byte *to, const Shape &shape,
               size_t size) {
  size_t rank = shape.size();
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t i = 1; i < rank; ++i)
    stride[i] = stride[i - 1] * shape[i - 1];
  int64_t count = numElements(shape), source = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + size_t(i) * size, from + size_t(source) * size, size);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d])
        break;
      source -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

} // namespace

Expected<NpyHeader> belfry::rt::parseNpyHeader(const std::byte *bytes,
                                               size_t size) {
  if (size < 10 || std::memcmp(bytes, "\x93NUMPY", 6) != 0)
    return Status::user("is not a .npy file");
  auto byte = [&](size_t at) { return size_t(bytes[at]); };
  size_t version = byte(6);
  if (version < 1 || version > 3)
    return Status::user(".npy version " + std::to_string(version) +
                        ", expected 1 to 3");
  size_t begin = version == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) {
    if (size < begin)
      return Status::user("is cut short within its head");
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > kLongestHead)
    return Status::user("a .npy head of " + std::to_string(length) +
                        " bytes, expected at most " +
                        std::to_string(kLongestHead));
  if (begin + length > size)
    return Status::user("is cut short within its head");
  NpyHeader header;
  std::string descr;
  HeadParser parser(
      std::string_view(reinterpret_cast<const char *>(bytes) + begin, length));
  BELFRY_RETURN_IF_ERROR(parser.parse(descr, header.fortran, header.shape));
  BELFRY_RETURN_IF_ERROR(parseDescr(descr, header));
  header.dataOffset = begin + length;
  return header;
}

Array belfry::rt::normalise(const NpyHeader &header, const std::byte *data) {
  Array array = makeArray(header.type, header.shape);
  size_t size = sizeOf(header.type);
  std::byte *target = array.storage->data();
  if (header.fortran)
    transpose(data, target, header.shape, size);
  else if (array.storage->size())
    std::memcpy(target, data, array.storage->size());
  if (header.swapped)
    swapBytes(target, size, numElements(header.shape));
  return array;
}

Expected<Array> belfry::rt::readNpy(const std::byte *bytes, size_t size,
                                    std::shared_ptr<void> owner,
                                    const std::string &name) {
  Expected<NpyHeader> header = parseNpyHeader(bytes, size);
  if (!header.ok())
    return header.status();
  Expected<int64_t> wanted = checkedBytes(header->shape, sizeOf(header->type));
  if (!wanted.ok())
    return wanted.status();
  size_t found = size - header->dataOffset;
  if (found < size_t(*wanted))
    return Status::user("is cut short: " + std::to_string(*wanted) +
                        " bytes of data expected, " + std::to_string(found) +
                        " found");
  const std::byte *data = bytes + header->dataOffset;
  bool fortran = header->fortran && header->shape.size() > 1;
  if (fortran || header->swapped)
    return normalise(*header, data);
  Array array;
  array.type = header->type;
  array.shape = header->shape;
  array.mapping = std::move(owner);
  array.data = data;
  array.source = name;
  return array;
}
