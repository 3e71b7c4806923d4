//===- WeightsWriter.cpp - writes Keras's weight files --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/WeightsFile.h"
#include "runtime/data/Hdf5.h"
#include "runtime/data/Hdf5Types.h"
#include "runtime/data/OutputFile.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace belfry::rt;

namespace {

/// Writes groups and datasets; remembers that something went wrong. The file is
/// built in memory: the HDF5 library does not survive a full disk.
class Writer {
public:
  Writer() {
    silenceHdf5();
    Hid access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_core(access.get(), size_t(1) << 20, /*backing_store=*/0);
    file =
        Hid(H5Fcreate("weights.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
    links = Hid(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links.get(), 1);
    // The same weights are the same bytes, whatever the hour.
    creation = Hid(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    failed = !file;
  }

  void dataset(const std::string &path, DType dtype, const Shape &shape,
               const void *data) {
    if (failed)
      return;
    std::vector<hsize_t> dims(shape.begin(), shape.end());
    Hid space(dims.empty()
                  ? H5Screate(H5S_SCALAR)
                  : H5Screate_simple(int(dims.size()), dims.data(), nullptr));
    Hid type(makeHdf5Type(nameOf(dtype)));
    Hid set(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(),
                       links.get(), creation.get(), H5P_DEFAULT));
    failed |= !set || H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL,
                               H5P_DEFAULT, data) < 0;
    if (dtype == DType::BF16)
      attribute(set.get(), kHdf5TypeAttribute, "bfloat16");
  }

  /// A `vars` group with the name of what it belongs to.
  void vars(const std::string &path, const std::string &name) {
    if (failed || !named.insert(path).second)
      return;
    Hid group(H5Lexists(file.get(), path.c_str(), H5P_DEFAULT) > 0
                  ? H5Gopen2(file.get(), path.c_str(), H5P_DEFAULT)
                  : H5Gcreate2(file.get(), path.c_str(), links.get(),
                               H5P_DEFAULT, H5P_DEFAULT));
    attribute(group.get(), "name", name);
  }

  /// An attribute of the file itself, of a fixed length: unlike Keras's own
  /// strings it is read again, and should be wherever the file is damaged.
  void note(const char *key, const std::string &value) {
    if (failed || value.empty())
      return;
    Hid type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), value.size());
    H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    write(file.get(), key, type.get(), value.data());
  }

  /// Hands the file's bytes to `output`.
  Status close(OutputFile &output) {
    failed |= file && H5Fflush(file.get(), H5F_SCOPE_LOCAL) < 0;
    ssize_t size =
        failed ? -1 : H5Fget_file_image(file.get(), nullptr, size_t(0));
    std::string image(size > 0 ? size_t(size) : 0, '\0');
    failed |= size <= 0 ||
              H5Fget_file_image(file.get(), image.data(), image.size()) < 0;
    file = Hid();
    return failed ? Status::user("the HDF5 library cannot build it")
                  : output.write(image);
  }

private:
  void attribute(hid_t owner, const char *key, const std::string &value) {
    Hid type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    const char *text = value.c_str();
    write(owner, key, type.get(), static_cast<const void *>(&text));
  }

  void write(hid_t owner, const char *key, hid_t type, const void *value) {
    Hid space(H5Screate(H5S_SCALAR));
    Hid made(
        H5Acreate2(owner, key, type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
    failed |= !made || H5Awrite(made.get(), type, value) < 0;
  }

  Hid file, links, creation;
  std::set<std::string> named;
  bool failed = false;
};

std::string lastPart(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// The folder of the innermost layer in a path: `layers/lstm` of
/// `layers/lstm/cell/vars/0`.
std::string layerFolder(const std::string &path) {
  size_t at = path.rfind("layers/");
  while (at != std::string::npos && at > 0 && path[at - 1] != '/')
    at = path.rfind("layers/", at - 1);
  if (at == std::string::npos)
    return {};
  return path.substr(0, path.find('/', at + 7));
}

/// Keras's automatic name of an optimizer's class.
std::string optimizerName(const std::string &name) {
  if (name == "rmsprop")
    return "rm_sprop";
  if (name == "adamw")
    return "adam_w";
  return name.empty() ? "optimizer" : name;
}

void writeOptimizer(Writer &writer, const OptimizerInfo &optimizer,
                    const ModelValues &values) {
  if (optimizer.name.empty())
    return;
  size_t next = 0;
  auto path = [&] { return "optimizer/vars/" + std::to_string(next++); };
  writer.dataset(path(), DType::I64, {}, &values.iterations);
  for (size_t i = 0; i < optimizer.hypers.size(); ++i)
    if (optimizer.hypers[i].first == "learning_rate") {
      auto rate = float(values.hypers[i]);
      writer.dataset(path(), DType::F32, {}, &rate);
    }
  for (size_t slot : kerasSlotOrder(optimizer))
    writer.dataset(path(), optimizer.slots[slot].dtype,
                   optimizer.slots[slot].shape, values.slots[slot]);
  writer.vars("optimizer/vars", optimizerName(optimizer.name));
}

Status writeAll(OutputFile &output, const Manifest &manifest,
                const ModelValues &values) {
  Writer writer;
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const ParameterInfo &parameter = manifest.parameters[i];
    writer.dataset(parameter.path, parameter.dtype, parameter.shape,
                   values.parameters[i]);
  }
  for (const ParameterInfo &parameter : manifest.parameters) {
    std::string folder = layerFolder(parameter.path);
    if (!folder.empty())
      writer.vars(folder + "/vars", lastPart(parameter.layer));
  }
  writeOptimizer(writer, manifest.optimizer, values);
  writer.vars("vars", manifest.model);
  writer.note(kNumericsAttribute, manifest.numerics);
  return writer.close(output);
}

} // namespace

std::vector<size_t> belfry::rt::kerasSlotOrder(const OptimizerInfo &optimizer) {
  static const std::set<std::string> interleaved = {"adam", "adamw", "adamax",
                                                    "nadam", "lamb"};
  bool mixed = interleaved.contains(optimizer.name);
  // Rank of the kinds by first appearance; what belongs to no parameter and
  // amsgrad's maxima come after the interleaved ones.
  std::vector<std::string> kinds;
  for (const SlotInfo &slot : optimizer.slots)
    if (std::find(kinds.begin(), kinds.end(), slot.name) == kinds.end())
      kinds.push_back(slot.name);
  auto rank = [&](size_t i) {
    return std::find(kinds.begin(), kinds.end(), optimizer.slots[i].name) -
           kinds.begin();
  };
  auto group = [&](size_t i) {
    const SlotInfo &slot = optimizer.slots[i];
    if (slot.parameter < 0)
      return 2;
    return mixed && slot.name == "velocity_hat" ? 1 : 0;
  };
  std::vector<size_t> order(optimizer.slots.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (group(a) != group(b))
      return group(a) < group(b);
    int64_t pa = optimizer.slots[a].parameter,
            pb = optimizer.slots[b].parameter;
    auto ra = rank(a), rb = rank(b);
    if (mixed)
      return std::tie(pa, ra, a) < std::tie(pb, rb, b);
    return std::tie(ra, pa, a) < std::tie(rb, pb, b);
  });
  return order;
}

Status belfry::rt::checkWeightsSuffix(const std::string &file) {
  if (file.ends_with(".weights.h5"))
    return Status::success();
  return Status::user("'--save " + file +
                      "': weights are saved as .weights.h5, and the name has "
                      "to end so");
}

Status belfry::rt::writeWeights(const std::string &file,
                                const Manifest &manifest,
                                const ModelValues &values, bool isNew) {
  Expected<OutputFile> output = OutputFile::create(file);
  if (!output.ok())
    return output.status();
  Status written = writeAll(*output, manifest, values);
  if (!written.ok())
    return written.withPrefix("'" + file + "'");
  return isNew ? output->commitNew() : output->commit();
}

Status belfry::rt::writeArrays(
    const std::string &file, const Manifest &manifest,
    const std::vector<std::pair<size_t, const void *>> &arrays) {
  Expected<OutputFile> output = OutputFile::create(file);
  if (!output.ok())
    return output.status();
  Writer writer;
  for (const auto &[index, data] : arrays) {
    const ParameterInfo &parameter = manifest.parameters[index];
    writer.dataset(parameter.name, parameter.dtype, parameter.shape, data);
  }
  Status written = writer.close(*output);
  if (!written.ok())
    return written.withPrefix("'" + file + "'");
  return output->commit();
}
