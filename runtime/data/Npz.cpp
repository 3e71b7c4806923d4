//===- Npz.cpp - archives of .npy files -----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"
#include "runtime/data/ZipFile.h"

#include <algorithm>

using namespace belfry::rt;

namespace {

std::string withoutSuffix(const std::string &name) {
  return name.size() > 4 && name.ends_with(".npy")
             ? name.substr(0, name.size() - 4)
             : name;
}

std::string listNames(const std::vector<ZipMember> &members) {
  std::string text;
  for (size_t i = 0; i < members.size() && i < 20; ++i)
    text += (i ? ", " : "") + withoutSuffix(members[i].name);
  return members.size() > 20 ? text + ", …" : text;
}

} // namespace

Expected<Array> belfry::rt::readNpz(const std::string &file,
                                    const std::string &member) {
  Expected<std::vector<ZipMember>> members = listZip(file);
  if (!members.ok())
    return members.status();
  std::erase_if(*members, [](const ZipMember &entry) {
    return !entry.name.ends_with(".npy");
  });
  if (members->empty())
    return Status::user("holds no .npy member");
  const ZipMember *chosen = nullptr;
  if (member.empty()) {
    if (members->size() > 1)
      return Status::user("holds several arrays, name one as FILE:MEMBER: " +
                          listNames(*members));
    chosen = &members->front();
  }
  // The whole name of a member goes before another's name without its suffix.
  for (const ZipMember &entry : *members)
    if (!member.empty() && entry.name == member)
      chosen = &entry;
  for (const ZipMember &entry : *members)
    if (!chosen && !member.empty() && withoutSuffix(entry.name) == member)
      chosen = &entry;
  if (!chosen)
    return Status::user("has no member '" + member +
                        "'; it holds: " + listNames(*members));
  Expected<std::shared_ptr<Storage>> storage =
      readZipMember(file, *chosen, uint64_t(kMaxArrayBytes));
  if (!storage.ok())
    return storage.status();
  Expected<Array> array =
      readNpy((*storage)->data(), (*storage)->size(), *storage, file);
  if (!array.ok())
    return array.status().withPrefix("member '" + chosen->name + "'");
  return array;
}
