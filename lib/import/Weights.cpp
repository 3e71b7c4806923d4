//===- Weights.cpp - values of parameters and Keras's weight files --------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Weights.h"

#include "belfry/NarrowFloats.h"
#include "lib/import/WriteFile.h"

#include "dialects/nn/Nn.h"
#include "lib/import/ModelFile.h"
#include "lib/support/Error.h"
#include "runtime/data/Hdf5Chunks.h"
#include "runtime/data/Hdf5Types.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"

#include <hdf5.h>

using namespace belfry;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// An HDF5 handle with the function that gives it back.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id(id), close(close) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() {
    if (id >= 0)
      close(id);
  }
  explicit operator bool() const { return id >= 0; }
  operator hid_t() const { return id; }

private:
  hid_t id;
  herr_t (*close)(hid_t);
};

/// HDF5 prints its own stack of errors unless it is told not to.
class QuietHdf5 {
public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietHdf5(const QuietHdf5 &) = delete;
  QuietHdf5 &operator=(const QuietHdf5 &) = delete;
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function, data); }

private:
  H5E_auto2_t function = nullptr;
  void *data = nullptr;
};

using Shape = std::vector<int64_t>;

} // namespace

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

static llvm::Expected<uint64_t> tensorBytes(nn::ParameterOp parameter) {
  auto type = llvm::cast<mlir::RankedTensorType>(parameter.getType());
  uint64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t extent : type.getShape()) {
    if (extent < 0)
      return makeError("parameter '" + parameter.getSymName() +
                       "' has an unknown extent");
    // 2^48 bytes are more than any machine addresses.
    if (extent && bytes > (uint64_t(1) << 48) / uint64_t(extent))
      return makeError("parameter '" + parameter.getSymName() + "' of shape " +
                       shapeText(type.getShape()) + " is too large");
    bytes *= uint64_t(extent);
  }
  return bytes;
}

llvm::Expected<uint64_t> belfry::weightBytes(mlir::ModuleOp module) {
  uint64_t total = 0;
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    llvm::Expected<uint64_t> bytes = tensorBytes(parameter);
    if (!bytes)
      return bytes.takeError();
    total = llvm::alignTo(total, kWeightAlignment) + *bytes;
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// The datasets of a file by path, without the optimizer's.
struct Inventory {
  explicit Inventory(uint64_t fileBytes) : fileBytes(fileBytes) {}

  uint64_t fileBytes;
  llvm::StringMap<Shape> datasets;
  std::string error;

  static herr_t visit(hid_t group, const char *name, const H5L_info_t *info,
                      void *self) {
    return static_cast<Inventory *>(self)->add(group, name, *info);
  }
  herr_t add(hid_t group, StringRef name, const H5L_info_t &info);
};

} // namespace

herr_t Inventory::add(hid_t group, StringRef name, const H5L_info_t &info) {
  if (info.type != H5L_TYPE_HARD) {
    error = ("'" + name +
             "' is a link into another place, which is not "
             "followed")
                .str();
    return -1;
  }
  Handle object(H5Oopen(group, name.str().c_str(), H5P_DEFAULT), H5Oclose);
  if (!object) {
    error = ("'" + name + "' cannot be opened").str();
    return -1;
  }
  if (H5Iget_type(object) != H5I_DATASET)
    return 0;
  Handle plist(H5Dget_create_plist(object), H5Pclose);
  if (!plist || H5Pget_layout(plist) == H5D_VIRTUAL ||
      H5Pget_external_count(plist) > 0) {
    error = ("'" + name +
             "' keeps its data in another file, which is not "
             "followed")
                .str();
    return -1;
  }
  if (name.starts_with("optimizer/") || name.starts_with("metrics/") ||
      name.contains("/seed_generator/"))
    return 0;
  Handle space(H5Dget_space(object), H5Sclose);
  int rank = space ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank < 0 || rank > 32) {
    error = ("'" + name + "' has no plain shape").str();
    return -1;
  }
  hsize_t extents[32];
  H5Sget_simple_extent_dims(space, extents, nullptr);
  if (!rt::hasSoundChunks(plist, extents, rank, fileBytes)) {
    error = ("'" + name + "' has chunks that the file cannot hold").str();
    return -1;
  }
  datasets[name].assign(extents, extents + rank);
  return 0;
}

static Handle elementType(mlir::Type element) {
  return Handle(rt::makeHdf5Type(nn::dtypeName(element)), H5Tclose);
}

/// Rounds to `element`, unless it is f32, and stores.
static void storeFloats(llvm::ArrayRef<float> values, mlir::Type element,
                        void *to) {
  for (auto [i, value] : llvm::enumerate(values))
    if (element.isF16())
      static_cast<Half *>(to)[i] = Half(value);
    else if (element.isBF16())
      static_cast<BFloat16 *>(to)[i] = BFloat16(value);
    else if (element.isF64())
      static_cast<double *>(to)[i] = value;
    else
      static_cast<float *>(to)[i] = value;
}

/// Reads one dataset into its place.
static llvm::Error readDataset(hid_t file, const std::string &path,
                               nn::ParameterOp parameter, void *to,
                               uint64_t bytes) {
  Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  Handle type(dataset ? H5Dget_type(dataset) : -1, H5Tclose);
  if (!type)
    return makeError("'" + path + "' cannot be opened");
  H5T_class_t kind = H5Tget_class(type);
  bool isOpaque = rt::isBFloat16(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER && !isOpaque)
    return makeError("'" + path + "' does not hold numbers");
  // Ratio as for the members of an archive: a file of a few kilobytes cannot
  // ask for gigabytes.
  hsize_t stored = H5Dget_storage_size(dataset);
  if (bytes > (uint64_t(16) << 20) && stored && bytes / 1000 > stored)
    return makeError("'" + path + "' unpacks to " + Twine(bytes) +
                     " bytes from " + Twine(uint64_t(stored)) +
                     ", more than the limit of 1000 times");
  auto tensor = llvm::cast<mlir::RankedTensorType>(parameter.getType());
  mlir::Type element = tensor.getElementType();
  auto read = [&](hid_t memory, void *into) {
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) >= 0;
  };
  bool good = false;
  if (isOpaque || nn::isNarrow(element)) {
    // By way of f32, which HDF5 need not round to.
    std::vector<float> values(size_t(tensor.getNumElements()));
    if (isOpaque) {
      std::vector<BFloat16> raw(values.size());
      good = read(type, raw.data());
      std::copy(raw.begin(), raw.end(), values.begin());
    } else {
      good = read(H5T_NATIVE_FLOAT, values.data());
    }
    storeFloats(values, element, to);
  } else {
    good = read(elementType(element), to);
  }
  return good ? llvm::Error::success()
              : makeError("'" + path + "' cannot be read");
}

/// The parts of an error about many tensors: at most some, then a count.
static void appendLimited(std::string &text, std::vector<std::string> &parts) {
  constexpr size_t limit = 6;
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (i == limit) {
      text += "; and " + std::to_string(parts.size() - limit) + " more";
      break;
    }
    text += (i ? "; " : "") + part;
  }
}

static llvm::Expected<std::vector<uint8_t>>
readImage(llvm::ArrayRef<uint8_t> image, StringRef where,
          mlir::ModuleOp module) {
  QuietHdf5 quiet;
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!access || H5Pset_fapl_core(access, 1 << 20, /*backing_store=*/0) < 0 ||
      H5Pset_file_image(access, const_cast<uint8_t *>(image.data()),
                        image.size()) < 0)
    return makeError(where + ": not enough memory for HDF5");
  // The name is never opened: the file is the image.
  Handle file(H5Fopen("belfry-weights", H5F_ACC_RDONLY, access), H5Fclose);
  if (!file)
    return makeError(where +
                     ": not a whole HDF5 file (truncated, or of another "
                     "kind)");
  Inventory found(image.size());
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, &Inventory::visit, &found) < 0)
    return makeError(where + ": " +
                     (found.error.empty() ? "damaged HDF5 file" : found.error));

  std::vector<std::string> wrong;
  uint64_t total = 0;
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    llvm::Expected<uint64_t> bytes = tensorBytes(parameter);
    if (!bytes)
      return bytes.takeError();
    total = llvm::alignTo(total, kWeightAlignment) + *bytes;
    auto dataset = found.datasets.find(parameter.getPath());
    auto type = llvm::cast<mlir::RankedTensorType>(parameter.getType());
    if (dataset == found.datasets.end())
      wrong.push_back(("no values for '" + parameter.getSymName() +
                       "' (expected at '" + parameter.getPath() + "')")
                          .str());
    else if (llvm::ArrayRef<int64_t>(dataset->second) != type.getShape())
      wrong.push_back(("'" + parameter.getSymName() + "' has shape " +
                       shapeText(dataset->second) + ", but the model has " +
                       shapeText(type.getShape()))
                          .str());
    if (dataset != found.datasets.end())
      found.datasets.erase(dataset);
  }
  std::vector<std::string> surplus;
  for (const auto &entry : found.datasets)
    surplus.push_back(("'" + entry.first() + "' belongs to no layer").str());
  llvm::sort(surplus);
  wrong.insert(wrong.end(), surplus.begin(), surplus.end());
  if (!wrong.empty()) {
    std::string text = (where + ": weights of another model: ").str();
    appendLimited(text, wrong);
    return makeError(text);
  }

  std::vector<uint8_t> block(total);
  uint64_t at = 0;
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    at = llvm::alignTo(at, kWeightAlignment);
    uint64_t bytes = llvm::cantFail(tensorBytes(parameter));
    if (llvm::Error error = readDataset(file, parameter.getPath().str(),
                                        parameter, block.data() + at, bytes))
      return makeError(where + ": " + llvm::toString(std::move(error)));
    at += bytes;
  }
  return block;
}

llvm::Expected<std::vector<uint8_t>>
belfry::readWeightsImage(llvm::ArrayRef<uint8_t> image, StringRef where,
                         mlir::ModuleOp module) {
  // A damaged file may crash the library, which must not end in a crash of its
  // own when the process ends.
  static const herr_t once = H5dont_atexit();
  (void)once;
  llvm::CrashRecoveryContext::Enable();
  std::optional<llvm::Expected<std::vector<uint8_t>>> result;
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely(
          [&] { result.emplace(readImage(image, where, module)); }))
    return std::move(*result);
  return makeError(where +
                   ": damaged HDF5 file (the HDF5 library failed on it)");
}

llvm::Expected<std::vector<uint8_t>>
belfry::readWeights(StringRef path, mlir::ModuleOp module) {
  ImportDiagnostics diags;
  auto failed = [&] { return makeError(diags.getErrors().front()); };
  llvm::FailureOr<std::string> bytes = readFile(path, diags);
  if (mlir::failed(bytes))
    return failed();
  switch (sniff(*bytes)) {
  case FileKind::Hdf5:
    return readWeightsImage(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes->data()),
                       bytes->size()),
        path, module);
  case FileKind::Zip: {
    auto image = readArchiveWeights(path, diags);
    if (mlir::failed(image))
      return failed();
    return readWeightsImage(*image, (path + ": model.weights.h5").str(),
                            module);
  }
  case FileKind::Json:
  case FileKind::Unknown:
    break;
  }
  return makeError(path + ": neither a .weights.h5 file nor a .keras archive");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool setText(hid_t owner, const char *key, const std::string &text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle attribute(
      H5Acreate2(owner, key, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char *pointer = text.c_str();
  return attribute &&
         H5Awrite(attribute, type, static_cast<const void *>(&pointer)) >= 0;
}

/// The layer's name on its `vars` group, where Keras looks for it in errors.
static bool nameGroup(hid_t file, const std::string &group, StringRef layer) {
  if (H5Aexists_by_name(file, group.c_str(), "name", H5P_DEFAULT) > 0)
    return true;
  Handle opened(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose);
  return opened && setText(opened, "name", layer.str());
}

llvm::Error belfry::writeWeights(StringRef path, mlir::ModuleOp module,
                                 llvm::ArrayRef<uint8_t> block) {
  QuietHdf5 quiet;
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, 1 << 20, /*backing_store=*/0);
  Handle file(H5Fcreate("belfry-weights", H5F_ACC_TRUNC, H5P_DEFAULT, access),
              H5Fclose);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  bool good = file && links;
  uint64_t at = 0;
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    llvm::Expected<uint64_t> bytes = tensorBytes(parameter);
    if (!bytes)
      return bytes.takeError();
    at = llvm::alignTo(at, kWeightAlignment);
    if (at + *bytes > block.size())
      return makeError(path + ": the weights are not those of the module");
    auto type = llvm::cast<mlir::RankedTensorType>(parameter.getType());
    llvm::SmallVector<hsize_t> extents(type.getShape().begin(),
                                       type.getShape().end());
    Handle space(extents.empty() ? H5Screate(H5S_SCALAR)
                                 : H5Screate_simple(int(extents.size()),
                                                    extents.data(), nullptr),
                 H5Sclose);
    std::string name = parameter.getPath().str();
    Handle stored = elementType(type.getElementType());
    Handle dataset(H5Dcreate2(file, name.c_str(), stored, space, links,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
    good = good && dataset &&
           H5Dwrite(dataset, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    block.data() + at) >= 0;
    if (good && type.getElementType().isBF16())
      good = setText(dataset, rt::kHdf5TypeAttribute, "bfloat16");
    if (StringRef group = StringRef(name).rsplit('/').first;
        good && group.ends_with("vars"))
      good = nameGroup(file, group.str(), parameter.getLayer());
    at += *bytes;
  }
  good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
  ssize_t size = good ? H5Fget_file_image(file, nullptr, 0) : -1;
  if (size < 0)
    return makeError(path + ": HDF5 could not build the file");
  std::vector<char> image(static_cast<size_t>(size));
  if (H5Fget_file_image(file, image.data(), image.size()) < 0)
    return makeError(path + ": HDF5 could not build the file");
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os.write(image.data(), image.size());
  });
}
