//===- ArrayFile.cpp - reads arrays of every known format -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace belfry::rt;

namespace {

bool isFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

/// An integer of Python's slice syntax; empty text is none.
bool parseBound(const std::string &text, std::optional<int64_t> &bound) {
  if (text.empty())
    return true;
  size_t digits = text[0] == '-' ? 1 : 0;
  if (digits == text.size() || text.size() > 18 ||
      text.find_first_not_of("0123456789", digits) != std::string::npos)
    return false;
  bound = std::stoll(text);
  return true;
}

/// Takes `[a:b]` off the end of `text`, if it is there.
bool takeRange(std::string &text, ArraySpec &spec) {
  size_t open = text.rfind('[');
  if (text.empty() || text.back() != ']' || open == std::string::npos)
    return true;
  std::string inside = text.substr(open + 1, text.size() - open - 2);
  size_t colon = inside.find(':');
  if (colon == std::string::npos ||
      !parseBound(inside.substr(0, colon), spec.first) ||
      !parseBound(inside.substr(colon + 1), spec.last))
    return false;
  text.resize(open);
  return true;
}

/// A file in memory, mapped where it can be.
struct FileBytes {
  std::shared_ptr<void> owner;
  const std::byte *data = nullptr;
  size_t size = 0;
};

std::string systemError() { return std::strerror(errno); }

Expected<FileBytes> mapFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Status::user("cannot open: " + systemError());
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(file);
    return Status::user("is not a regular file");
  }
  FileBytes bytes;
  bytes.size = size_t(info.st_size);
  if (bytes.size > 0) {
    void *map = mmap(nullptr, bytes.size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) {
      close(file);
      return Status::user("cannot read: " + systemError());
    }
    bytes.data = static_cast<const std::byte *>(map);
    size_t size = bytes.size;
    bytes.owner =
        std::shared_ptr<void>(map, [size](void *at) { munmap(at, size); });
  }
  close(file);
  return bytes;
}

bool startsWith(const FileBytes &bytes, std::string_view magic) {
  return bytes.data && bytes.size >= magic.size() &&
         std::memcmp(bytes.data, magic.data(), magic.size()) == 0;
}

Expected<Array> readPlain(const FileBytes &bytes, const std::string &name) {
  if (startsWith(bytes, "\x93NUMPY"))
    return readNpy(bytes.data, bytes.size, bytes.owner, name);
  if (bytes.size >= 4 && startsWith(bytes, std::string_view("\0\0", 2)))
    return readIdx(bytes.data, bytes.size, bytes.owner);
  if (bytes.size == 0)
    return Status::user("is empty");
  return Status::user("is none of the array formats .npy, .npz, HDF5, IDX");
}

Expected<Array> readAny(const ArraySpec &spec) {
  Expected<FileBytes> bytes = mapFile(spec.file);
  if (!bytes.ok())
    return bytes.status();
  if (startsWith(*bytes, "PK"))
    return readNpz(spec.file, spec.member);
  if (startsWith(*bytes, "\x89HDF\r\n\x1a\n"))
    return readHdf5(spec.file, spec.member);
  if (!spec.member.empty())
    return Status::user("has no members, but '" + spec.member +
                        "' is asked for");
  if (!startsWith(*bytes, "\x1f\x8b"))
    return readPlain(*bytes, spec.file);
  FileBytes unpacked;
  Expected<std::shared_ptr<Storage>> storage =
      gunzip(bytes->data, bytes->size, unpacked.size);
  if (!storage.ok())
    return storage.status();
  unpacked.data = (*storage)->data();
  unpacked.owner = *storage;
  return readPlain(unpacked, spec.file);
}

/// A bound of a Python slice on `rows` rows.
int64_t resolveBound(int64_t bound, int64_t rows) {
  return std::clamp(bound < 0 ? bound + rows : bound, int64_t(0), rows);
}

} // namespace

Expected<ArraySpec> belfry::rt::parseArraySpec(const std::string &text) {
  ArraySpec spec;
  spec.text = text;
  spec.file = text;
  if (text.empty())
    return Status::user("an array has no name");
  if (isFile(text))
    return spec;
  std::string rest = text;
  if (!takeRange(rest, spec))
    return Status::user("'" + text +
                        "': a range of rows is written [a:b], with integers");
  spec.file = rest;
  // The longest prefix before a colon that is a file.
  for (size_t colon = rest.size(); !isFile(spec.file);) {
    colon = colon == 0 ? std::string::npos : rest.rfind(':', colon - 1);
    if (colon == std::string::npos)
      return Status::user("'" + rest.substr(0, rest.rfind(':')) +
                          "': no such file");
    spec.file = rest.substr(0, colon);
    spec.member = rest.substr(colon + 1);
  }
  return spec;
}

Expected<Array> belfry::rt::readArray(const ArraySpec &spec) {
  Expected<Array> array = readAny(spec);
  if (!array.ok())
    return array.status().withPrefix("'" + spec.file + "'");
  array->source = spec.text;
  if (array->shape.empty())
    return Status::user("'" + spec.file +
                        "': holds a single number, expected rows");
  if (spec.first || spec.last) {
    int64_t rows = array->rows();
    int64_t first = resolveBound(spec.first.value_or(0), rows);
    int64_t last = resolveBound(spec.last.value_or(rows), rows);
    *array = array->slice(first, std::max(first, last));
  }
  return array;
}

Expected<std::shared_ptr<Storage>>
belfry::rt::gunzip(const std::byte *bytes, size_t size, size_t &unpacked) {
  // Deflate packs at most 1032 bytes into one, so that bounds the growth.
  size_t limit = size * 1032 + 1024;
  size_t capacity = std::min(limit, size * 4 + 4096);
  auto storage = std::make_shared<Storage>(capacity);
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return Status::internal("zlib does not start");
  size_t taken = 0;
  unpacked = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    if (unpacked == storage->size()) {
      auto larger =
          std::make_shared<Storage>(std::min(limit, storage->size() * 2));
      if (larger->size() == storage->size())
        break;
      std::memcpy(larger->data(), storage->data(), unpacked);
      storage = std::move(larger);
    }
    constexpr size_t most = size_t(1) << 30;
    size_t in = std::min(most, size - taken);
    size_t out = std::min(most, storage->size() - unpacked);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<std::byte *>(bytes)) + taken;
    stream.avail_in = uInt(in);
    stream.next_out = storage->as<Bytef>() + unpacked;
    stream.avail_out = uInt(out);
    result = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    unpacked += out - stream.avail_out;
    if (result == Z_BUF_ERROR && taken < size)
      result = Z_OK;
    // Members of a gzip file follow each other.
    if (result == Z_STREAM_END && taken + 1 < size &&
        bytes[taken] == std::byte(0x1f) && bytes[taken + 1] == std::byte(0x8b))
      result = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END)
    return Status::user("the gzip data is damaged or cut short");
  return storage;
}
