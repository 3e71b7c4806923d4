//===- ModelFile.cpp - what stands in a model file ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/ModelFile.h"

#include "lib/import/Json.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <zip.h>

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;

/// Largest config.json or metadata.json: Keras writes about 1 KB a layer.
static constexpr uint64_t kMaxTextBytes = uint64_t(64) << 20;
/// A compressed member over 16 MiB may unpack to at most this many times its
/// size. Trained weights hardly compress at all.
static constexpr uint64_t kMaxRatio = 100;
static constexpr uint64_t kFreeBytes = uint64_t(16) << 20;

FileKind belfry::sniff(StringRef bytes) {
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"))
    return FileKind::Zip;
  if (bytes.starts_with("\x89HDF\r\n\x1a\n"))
    return FileKind::Hdf5;
  // A byte order mark is not JSON, but Windows editors write one.
  bytes.consume_front("\xEF\xBB\xBF");
  StringRef text = bytes.ltrim();
  if (text.starts_with("{") || text.starts_with("["))
    return FileKind::Json;
  return FileKind::Unknown;
}

llvm::FailureOr<std::string> belfry::readFile(StringRef path,
                                              ImportDiagnostics &diags) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return diags.error(path + ": " + code.message());
  if (llvm::sys::fs::is_directory(status))
    return diags.error(path + ": is a directory, expected a .keras archive or "
                              "a .json file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return diags.error(path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

namespace {

/// An open zip archive whose member names have been checked.
class Archive {
public:
  Archive(StringRef path, ImportDiagnostics &diags)
      : path(path.str()), diags(diags) {}
  Archive(const Archive &) = delete;
  Archive &operator=(const Archive &) = delete;
  ~Archive() {
    if (zip)
      zip_discard(zip);
  }

  llvm::LogicalResult open();
  bool has(const char *name) const {
    return zip_name_locate(zip, name, ZIP_FL_ENC_RAW) >= 0;
  }
  /// The content of a member, which is not larger than `limit`.
  template <typename Bytes>
  llvm::FailureOr<Bytes> read(const char *name, uint64_t limit);

private:
  std::string path;
  ImportDiagnostics &diags;
  zip_t *zip = nullptr;
};

} // namespace

llvm::LogicalResult Archive::open() {
  int code = 0;
  zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!zip) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return diags.error(path + ": not a whole .keras archive (" +
                       llvm::StringRef(text).lower() +
                       "): truncated, or of another kind");
  }
  zip_int64_t members = zip_get_num_entries(zip, 0);
  for (zip_int64_t i = 0; i < members; ++i) {
    const char *raw = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
    if (!raw)
      return diags.error(path + ": a member of the archive has no name");
    StringRef name = raw;
    llvm::SmallVector<StringRef> parts;
    name.split(parts, '/');
    if (name.starts_with("/") || name.contains('\\') ||
        llvm::is_contained(parts, ".."))
      return diags.error(path + ": the name of member '" + name +
                         "' leads out of the archive");
  }
  return llvm::success();
}

template <typename Bytes>
llvm::FailureOr<Bytes> Archive::read(const char *name, uint64_t limit) {
  std::string where = path + ": " + name;
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(zip, name, ZIP_FL_ENC_RAW, &stat))
    return diags.error(where + ": the archive has no such member");
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat.valid & needed) != needed)
    return diags.error(where + ": the archive does not give its size");
  if (stat.encryption_method != ZIP_EM_NONE)
    return diags.error(where + ": is encrypted");
  if (stat.size > limit)
    return diags.error(where + ": holds " + Twine(stat.size) +
                       " bytes, more than the limit of " + Twine(limit));
  if (stat.size > kFreeBytes && stat.size / kMaxRatio > stat.comp_size)
    return diags.error(where + ": unpacks to " + Twine(stat.size) +
                       " bytes from " + Twine(stat.comp_size) +
                       ", more than the limit of " + Twine(kMaxRatio) +
                       " times");
  zip_file_t *file = zip_fopen(zip, name, ZIP_FL_ENC_RAW);
  if (!file)
    return diags.error(where + ": " + StringRef(zip_strerror(zip)).lower());
  auto close = llvm::scope_exit([&] { zip_fclose(file); });
  // Grows with what is really there: a stored member may claim any size.
  Bytes bytes;
  constexpr uint64_t piece = uint64_t(1) << 20;
  while (bytes.size() <= stat.size) {
    size_t have = bytes.size();
    bytes.resize(have + std::min(piece, stat.size - have + 1));
    zip_int64_t got = zip_fread(file, bytes.data() + have, bytes.size() - have);
    if (got < 0)
      return diags.error(where + ": damaged (" +
                         StringRef(zip_file_strerror(file)).lower() + ")");
    bytes.resize(have + size_t(got));
    if (got == 0)
      break;
  }
  if (bytes.size() != stat.size)
    return diags.error(where + ": damaged (" + Twine(bytes.size()) +
                       " bytes, expected " + Twine(stat.size) + ")");
  return bytes;
}

static llvm::FailureOr<std::string>
kerasVersionOf(StringRef metadata, StringRef where, ImportDiagnostics &diags) {
  llvm::FailureOr<llvm::json::Value> json = parseJson(metadata, where, diags);
  if (failed(json))
    return llvm::failure();
  JsonView view(*json, where.str(), diags);
  return view.getString("keras_version", "");
}

llvm::FailureOr<ModelFile> belfry::readModelFile(StringRef path,
                                                 ImportDiagnostics &diags) {
  llvm::FailureOr<std::string> bytes = readFile(path, diags);
  if (failed(bytes))
    return llvm::failure();
  ModelFile model;
  switch (sniff(*bytes)) {
  case FileKind::Hdf5:
    if (path.ends_with(".weights.h5"))
      return diags.error(path + ": holds weights only; the model itself is in "
                                "a .keras archive or a .json file");
    return diags.error(
        path + ": is an HDF5 file; whole-model HDF5 files are not supported, "
               "save the model as .keras with Keras 3");
  case FileKind::Json:
    model.config = StringRef(*bytes).starts_with("\xEF\xBB\xBF")
                       ? bytes->substr(3)
                       : std::move(*bytes);
    model.configName = path.str();
    return model;
  case FileKind::Unknown:
    return diags.error(path + ": neither a .keras archive nor a .json file" +
                       (bytes->empty() ? " (empty)" : ""));
  case FileKind::Zip:
    break;
  }
  bytes = std::string();

  Archive archive(path, diags);
  if (failed(archive.open()))
    return llvm::failure();
  if (!archive.has("config.json"))
    return diags.error(path + ": no config.json in the archive, so it is not "
                              "a .keras file");
  if (archive.has("metadata.json")) {
    llvm::FailureOr<std::string> metadata =
        archive.read<std::string>("metadata.json", kMaxTextBytes);
    if (failed(metadata))
      return llvm::failure();
    llvm::FailureOr<std::string> version =
        kerasVersionOf(*metadata, (path + ": metadata.json").str(), diags);
    if (failed(version) || diags.hasErrors())
      return llvm::failure();
    model.kerasVersion = *version;
  }
  llvm::FailureOr<std::string> config =
      archive.read<std::string>("config.json", kMaxTextBytes);
  if (failed(config))
    return llvm::failure();
  model.config = std::move(*config);
  model.configName = (path + ": config.json").str();
  if (archive.has("model.weights.npz"))
    return diags.error(path + ": weights in model.weights.npz are not "
                              "supported, only in model.weights.h5");
  if (archive.has("model.weights.json"))
    return diags.error(path + ": sharded weights are not supported");
  if (archive.has("model.weights.h5")) {
    auto weights =
        archive.read<std::vector<uint8_t>>("model.weights.h5", UINT64_MAX / 2);
    if (failed(weights))
      return llvm::failure();
    model.weights = std::move(*weights);
  }
  return model;
}

llvm::FailureOr<std::vector<uint8_t>>
belfry::readArchiveWeights(StringRef path, ImportDiagnostics &diags) {
  Archive archive(path, diags);
  if (failed(archive.open()))
    return llvm::failure();
  return archive.read<std::vector<uint8_t>>("model.weights.h5", UINT64_MAX / 2);
}
