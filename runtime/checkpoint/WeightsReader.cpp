//===- WeightsReader.cpp - reads Keras's weight files ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/WeightsFile.h"
#include "runtime/data/Hdf5.h"
#include "runtime/data/ZipFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

using namespace belfry::rt;

namespace {

/// An open weights file; for an archive its image in memory too.
struct WeightsHandle {
  std::shared_ptr<Storage> image;
  Hid file;
  uint64_t size = 0;
};

uint64_t totalBytes(const Manifest &manifest) {
  uint64_t bytes = 0;
  for (const ParameterInfo &parameter : manifest.parameters)
    bytes += parameter.bytes();
  return bytes;
}

Expected<WeightsHandle> openArchive(const std::string &file,
                                    const Manifest &manifest) {
  Expected<std::vector<ZipMember>> members = listZip(file);
  if (!members.ok())
    return members.status();
  for (const ZipMember &member : *members) {
    if (member.name != "model.weights.h5")
      continue;
    // Room for an optimizer's state in double precision and HDF5's own.
    uint64_t limit = 16 * totalBytes(manifest) + (uint64_t(256) << 20);
    Expected<std::shared_ptr<Storage>> image =
        readZipMember(file, member, limit);
    if (!image.ok())
      return image.status();
    WeightsHandle handle;
    handle.image = *image;
    handle.size = handle.image->size();
    handle.file = openHdf5Image(handle.image->data(), handle.size);
    if (!handle.file)
      return Status::user("its model.weights.h5 is damaged or cut short");
    return handle;
  }
  return Status::user("is a zip archive without model.weights.h5");
}

Expected<WeightsHandle> openWeights(const std::string &file,
                                    const Manifest &manifest) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return Status::user("cannot open: " + std::string(std::strerror(errno)));
  char magic[8] = {};
  stream.read(magic, sizeof(magic));
  if (std::memcmp(magic, "PK", 2) == 0)
    return openArchive(file, manifest);
  if (std::memcmp(magic, "\x89HDF\r\n\x1a\n", 8) != 0)
    return Status::user("is no Keras weights file (.weights.h5, .keras)");
  stream.clear();
  stream.seekg(0, std::ios::end);
  WeightsHandle handle;
  handle.size = uint64_t(stream.tellg());
  handle.file = openHdf5(file);
  if (!handle.file)
    return Status::user("is an HDF5 file that is damaged or cut short");
  if (H5Aexists(handle.file.get(), "layer_names") > 0 ||
      H5Lexists(handle.file.get(), "model_weights", H5P_DEFAULT) > 0)
    return Status::user("is in the older .h5 layout of Keras; save it as "
                        ".weights.h5 or .keras with Keras 3");
  return handle;
}

struct Found {
  std::vector<std::string> datasets;
};

herr_t collect(hid_t, const char *name, const H5O_info_t *info, void *data) {
  if (info->type == H5O_TYPE_DATASET)
    static_cast<Found *>(data)->datasets.emplace_back(name);
  return 0;
}

/// Keras 2.12 to 2.14 wrote another name for the list of layers.
std::string olderPath(const std::string &path) {
  std::string text = path;
  for (size_t at = text.find("layers/"); at != std::string::npos;
       at = text.find("layers/", at + 36)) {
    if (at == 0 || text[at - 1] == '/')
      text.replace(at, 7, "_layer_checkpoint_dependencies/");
  }
  return text;
}

/// What Keras saves beside the model's parameters.
bool isOtherState(const std::string &path) {
  return path.starts_with("optimizer/") || path.starts_with("metrics/") ||
         path.find("seed_generator") != std::string::npos;
}

/// At most eight lines of differences.
Status otherModel(std::vector<std::string> lines) {
  std::string text = "holds the weights of another model:";
  constexpr size_t most = 8;
  for (size_t i = 0; i < lines.size() && i < most; ++i)
    text += "\n  " + lines[i];
  if (lines.size() > most)
    text += "\n  and " + std::to_string(lines.size() - most) + " more";
  return Status::user(text);
}

Status readInto(const WeightsHandle &handle, const Manifest &manifest,
                const std::vector<void *> &parameters) {
  Found found;
  H5Ovisit(handle.file.get(), H5_INDEX_NAME, H5_ITER_INC, collect, &found);
  std::set<std::string> left(found.datasets.begin(), found.datasets.end());
  std::vector<std::string> differences;
  std::vector<Array> arrays;
  for (const ParameterInfo &parameter : manifest.parameters) {
    std::string path = parameter.path;
    if (!left.contains(path) && left.contains(olderPath(path)))
      path = olderPath(path);
    std::string name = "'" + parameter.name + "' (layer '" + parameter.layer +
                       "', " + path + ")";
    if (!left.contains(path)) {
      differences.push_back(name + " is missing");
      continue;
    }
    Expected<Array> array = readDataset(handle.file.get(), path, handle.size);
    if (!array.ok())
      return array.status();
    left.erase(path);
    bool toFloat = isFloat(parameter.dtype);
    if (array->shape != parameter.shape)
      differences.push_back(name + " has shape " + toString(array->shape) +
                            " in the file, " + toString(parameter.shape) +
                            " in the model");
    else if (isFloat(array->type) != toFloat)
      differences.push_back(
          name + " has dtype " + std::string(nameOf(array->type)) +
          " in the file, " + std::string(nameOf(parameter.dtype)) +
          " in the model");
    else
      arrays.push_back(std::move(*array));
  }
  for (const std::string &path : left)
    if (!isOtherState(path))
      differences.push_back("'" + path + "' has no place in the model");
  if (!differences.empty())
    return otherModel(std::move(differences));
  for (size_t i = 0; i < arrays.size(); ++i)
    convertElements(arrays[i].type, arrays[i].data,
                    manifest.parameters[i].dtype,
                    static_cast<std::byte *>(parameters[i]),
                    numElements(arrays[i].shape), {});
  return Status::success();
}

} // namespace

Status belfry::rt::readWeights(const std::string &file,
                               const Manifest &manifest,
                               const std::vector<void *> &parameters) {
  Hdf5Work work(file);
  Expected<WeightsHandle> handle = openWeights(file, manifest);
  Status status =
      handle.ok() ? readInto(*handle, manifest, parameters) : handle.status();
  return status.ok() ? status
                     : Status::user("'" + file + "' " + status.message());
}

Expected<bool> belfry::rt::readOptimizer(const std::string &file,
                                         const Manifest &manifest,
                                         ModelValues &values) {
  Hdf5Work work(file);
  Expected<WeightsHandle> handle = openWeights(file, manifest);
  if (!handle.ok())
    return handle.status().withPrefix("'" + file + "'");
  const OptimizerInfo &optimizer = manifest.optimizer;
  auto path = [](size_t i) { return "optimizer/vars/" + std::to_string(i); };
  Expected<Array> iterations =
      readDataset(handle->file.get(), path(0), handle->size);
  if (!iterations.ok() || isFloat(iterations->type) ||
      numElements(iterations->shape) != 1)
    return false;
  // A plain learning rate stands before the slots.
  std::vector<size_t> order = kerasSlotOrder(optimizer);
  size_t next = 1;
  Expected<Array> rate = readDataset(handle->file.get(), path(1), handle->size);
  bool scalarSlot = !order.empty() && optimizer.slots[order[0]].shape.empty();
  if (rate.ok() && rate->shape.empty() && !scalarSlot)
    next = 2;
  std::vector<Array> arrays;
  for (size_t slot : order) {
    Expected<Array> array =
        readDataset(handle->file.get(), path(next++), handle->size);
    if (!array.ok() || array->shape != optimizer.slots[slot].shape)
      return false;
    arrays.push_back(std::move(*array));
  }
  if (readDataset(handle->file.get(), path(next), handle->size).ok())
    return false;
  convertElements(iterations->type, iterations->data, DType::I64,
                  reinterpret_cast<std::byte *>(&values.iterations), 1, {});
  if (values.iterations < 0 || values.iterations > INT32_MAX)
    return false;
  if (next > 1 + order.size())
    for (size_t i = 0; i < optimizer.hypers.size(); ++i)
      if (optimizer.hypers[i].first == "learning_rate")
        convertElements(rate->type, rate->data, DType::F64,
                        reinterpret_cast<std::byte *>(&values.hypers[i]), 1,
                        {});
  for (size_t i = 0; i < order.size(); ++i)
    convertElements(arrays[i].type, arrays[i].data,
                    optimizer.slots[order[i]].dtype,
                    static_cast<std::byte *>(values.slots[order[i]]),
                    numElements(arrays[i].shape), {});
  return true;
}

std::string belfry::rt::readNumerics(const std::string &file) {
  Hdf5Work work(file);
  Hid handle = openHdf5(file);
  Hid attribute(handle ? H5Aopen(handle.get(), kNumericsAttribute, H5P_DEFAULT)
                       : -1);
  if (!attribute)
    return {};
  Hid type(H5Aget_type(attribute.get()));
  // A string of variable length would lie in the file's global heap, in which
  // the library does not end where the file is damaged.
  constexpr size_t most = 4096;
  size_t size = H5Tget_size(type.get());
  Hid space(H5Aget_space(attribute.get()));
  if (H5Tget_class(type.get()) != H5T_STRING ||
      H5Tis_variable_str(type.get()) != 0 || size > most ||
      H5Sget_simple_extent_npoints(space.get()) != 1)
    return {};
  std::string numerics(size, '\0');
  if (H5Aread(attribute.get(), type.get(), numerics.data()) < 0)
    return {};
  return numerics.substr(0, numerics.find('\0'));
}
