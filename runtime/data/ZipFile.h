//===- ZipFile.h - members of a zip archive ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_ZIPFILE_H
#define BELFRY_RUNTIME_DATA_ZIPFILE_H

#include "runtime/core/Status.h"
#include "runtime/core/Storage.h"

#include <memory>
#include <string>
#include <vector>

namespace belfry::rt {

struct ZipMember {
  std::string name;
  uint64_t packed = 0, unpacked = 0; ///< bytes
  unsigned method = 0;               ///< of compression, as zip numbers them
  bool isEncrypted = false;
};

/// The members of the archive, in its order. Fails where two have one name:
/// readers of such an archive differ in which they take.
Expected<std::vector<ZipMember>> listZip(const std::string &file);

/// The content of a member, stored or deflated. Refuses a size that deflate
/// can't reach from the packed one, and one over `limit`, before allocating.
Expected<std::shared_ptr<Storage>>
readZipMember(const std::string &file, const ZipMember &member, uint64_t limit);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_ZIPFILE_H
