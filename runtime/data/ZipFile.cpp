//===- ZipFile.cpp - members of a zip archive -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ZipFile.h"

#include <algorithm>
#include <filesystem>
#include <minizip/unzip.h>
#include <set>

using namespace belfry::rt;

namespace {

struct Close {
  void operator()(void *zip) const { unzClose(zip); }
};
using Zip = std::unique_ptr<void, Close>;

Expected<ZipMember> currentMember(void *zip) {
  unz_file_info64 info;
  char name[4096];
  if (unzGetCurrentFileInfo64(zip, &info, name, sizeof(name), nullptr, 0,
                              nullptr, 0) != UNZ_OK)
    return Status::user("the zip directory is damaged");
  name[sizeof(name) - 1] = 0;
  return ZipMember{name, info.compressed_size, info.uncompressed_size,
                   unsigned(info.compression_method), (info.flag & 1) != 0};
}

/// What PKWARE's APPNOTE.TXT, 4.4.5, calls a method.
std::string nameOfMethod(unsigned method) {
  switch (method) {
  case 1:
    return "shrink";
  case 6:
    return "implode";
  case 9:
    return "deflate64";
  case 12:
    return "bzip2";
  case 14:
    return "lzma";
  case 93:
    return "zstd";
  case 95:
    return "xz";
  case 98:
    return "ppmd";
  default:
    return "method " + std::to_string(method);
  }
}

} // namespace

Expected<std::vector<ZipMember>> belfry::rt::listZip(const std::string &file) {
  Zip zip(unzOpen64(file.c_str()));
  if (!zip)
    return Status::user("is a zip archive that is damaged or cut short");
  std::error_code error;
  uint64_t size = std::filesystem::file_size(file, error);
  std::vector<ZipMember> members;
  std::set<std::string> names;
  for (int result = unzGoToFirstFile(zip.get()); result == UNZ_OK;
       result = unzGoToNextFile(zip.get())) {
    Expected<ZipMember> member = currentMember(zip.get());
    if (!member.ok())
      return member.status();
    if (error || member->packed > size)
      return Status::user("the zip directory is damaged");
    if (!names.insert(member->name).second)
      return Status::user("holds two members named '" + member->name + "'");
    members.push_back(*member);
  }
  return members;
}

Expected<std::shared_ptr<Storage>>
belfry::rt::readZipMember(const std::string &file, const ZipMember &member,
                          uint64_t limit) {
  std::string name = "member '" + member.name + "'";
  if (member.isEncrypted)
    return Status::user(name + " is encrypted");
  if (member.method != 0 && member.method != Z_DEFLATED)
    return Status::user(name + " is compressed with " +
                        nameOfMethod(member.method) +
                        ", expected deflate or no compression");
  // Deflate packs at most 1032 bytes into one.
  if (member.unpacked > limit || member.unpacked / 1032 > member.packed + 1)
    return Status::user(name + " claims " + std::to_string(member.unpacked) +
                        " bytes, which is more than it can hold");
  Zip zip(unzOpen64(file.c_str()));
  if (!zip || unzLocateFile(zip.get(), member.name.c_str(), 1) != UNZ_OK ||
      unzOpenCurrentFile(zip.get()) != UNZ_OK)
    return Status::user(name + " cannot be read");
  auto storage = std::make_shared<Storage>(size_t(member.unpacked));
  size_t at = 0;
  while (at < storage->size()) {
    auto most = unsigned(std::min<size_t>(storage->size() - at, 1 << 30));
    int got = unzReadCurrentFile(zip.get(), storage->data() + at, most);
    if (got <= 0)
      return Status::user(name + " is damaged or cut short");
    at += size_t(got);
  }
  // Closing is what compares the checksum.
  if (unzCloseCurrentFile(zip.get()) != UNZ_OK)
    return Status::user(name + " is damaged: its checksum differs");
  return storage;
}
