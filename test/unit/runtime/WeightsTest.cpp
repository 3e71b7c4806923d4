//===- WeightsTest.cpp - Keras's weight files -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/WeightsFile.h"
#include "runtime/data/Hdf5.h"
#include "runtime/training/Session.h"
#include "test/unit/runtime/FakeProgram.h"
#include "test/unit/runtime/TestFolder.h"

#include <gtest/gtest.h>
#include <minizip/zip.h>

#include <filesystem>
#include <fstream>

using namespace belfry::rt;
namespace fs = std::filesystem;

namespace {

class Weights : public test::TestFolder {
protected:
  std::unique_ptr<Session> open(int64_t features = 3, uint64_t seed = 0) {
    test::FakeOptions options;
    options.features = features;
    auto session = Session::open(test::fakeProgram(options));
    EXPECT_TRUE(session.ok());
    (*session)->setSeed(seed);
    EXPECT_TRUE((*session)->initializeWeights().ok());
    return std::move(*session);
  }
  static std::vector<float> kernel(const Session &session) {
    auto *at = static_cast<const float *>(session.modelValues().parameters[0]);
    return {at, at + numElements(session.manifest().parameters[0].shape)};
  }
};

TEST_F(Weights, RoundTripWithOptimizer) {
  auto one = open(3, 1), two = open(3, 2);
  one->finishUpdate();
  static_cast<float *>(one->modelValues().slots[1])[0] = 0.75f;
  ASSERT_NE(kernel(*one), kernel(*two));
  std::string file = path("w.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, one->manifest(), one->modelValues(), false).ok());
  ASSERT_TRUE(two->loadWeights(file).ok());
  EXPECT_EQ(kernel(*one), kernel(*two));
  auto loaded = two->loadOptimizer(file);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(*loaded);
  EXPECT_EQ(two->modelValues().iterations, 1);
  EXPECT_EQ(static_cast<float *>(two->modelValues().slots[1])[0], 0.75f);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(Weights, LayoutIsThatOfKeras) {
  auto session = open();
  std::string file = path("w.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, session->manifest(), session->modelValues(), true)
          .ok());
  Hid handle = openHdf5(file);
  auto nameOf = [&](const char *group) -> std::string {
    Hid attribute(
        H5Aopen_by_name(handle.get(), group, "name", H5P_DEFAULT, H5P_DEFAULT));
    Hid type(H5Aget_type(attribute.get()));
    char *text = nullptr;
    if (!attribute ||
        H5Aread(attribute.get(), type.get(), static_cast<void *>(&text)) < 0)
      return "?";
    std::string name = text;
    H5free_memory(text);
    return name;
  };
  EXPECT_EQ(nameOf("vars"), "linear");
  EXPECT_EQ(nameOf("layers/dense/vars"), "dense");
  EXPECT_EQ(nameOf("optimizer/vars"), "sgd");
  EXPECT_EQ(readNumerics(file), "host/x86-64/1");
  auto dataset = [&](const std::string &name) {
    return *readDataset(handle.get(), name, 1 << 20);
  };
  EXPECT_EQ(dataset("layers/dense/vars/0").shape, (Shape{3, 1}));
  EXPECT_EQ(dataset("optimizer/vars/0").type, RawType::I64);
  EXPECT_EQ(dataset("optimizer/vars/1").type, RawType::F32);
  EXPECT_EQ(dataset("optimizer/vars/2").shape, (Shape{3, 1}));
  EXPECT_EQ(dataset("optimizer/vars/3").shape, (Shape{1}));
  EXPECT_FALSE(readDataset(handle.get(), "optimizer/vars/4", 1 << 20).ok());
}

TEST_F(Weights, EveryTypeOfElements) {
  Manifest manifest;
  std::vector<std::vector<std::byte>> data;
  std::vector<std::pair<size_t, const void *>> arrays;
  for (DType dtype : {DType::I8, DType::I32, DType::I64, DType::F16,
                      DType::BF16, DType::F32, DType::F64}) {
    ParameterInfo info;
    info.name = nameOf(dtype);
    info.dtype = dtype;
    info.shape = {2};
    manifest.parameters.push_back(info);
    auto &values = data.emplace_back(2 * sizeOf(dtype));
    storeElement(dtype, values.data(), 0, 3);
    storeElement(dtype, values.data(), 1, -2);
  }
  for (size_t i = 0; i < data.size(); ++i)
    arrays.emplace_back(i, data[i].data());
  std::string file = path("types.h5");
  ASSERT_TRUE(writeArrays(file, manifest, arrays).ok());
  Hid handle = openHdf5(file);
  for (size_t i = 0; i < data.size(); ++i) {
    const ParameterInfo &info = manifest.parameters[i];
    Expected<Array> array = readDataset(handle.get(), info.name, 1 << 20);
    ASSERT_TRUE(array.ok()) << info.name << array.status().message();
    std::vector<std::byte> again(data[i].size());
    convertElements(array->type, array->data, info.dtype, again.data(), 2, {});
    EXPECT_EQ(again, data[i]) << info.name;
  }
  // As Keras writes it; the others have types of HDF5's own.
  EXPECT_GT(H5Aexists_by_name(handle.get(), "bf16", "dtype", H5P_DEFAULT), 0);
  EXPECT_EQ(H5Aexists_by_name(handle.get(), "f16", "dtype", H5P_DEFAULT), 0);
  Hid half(H5Dopen2(handle.get(), "f16", H5P_DEFAULT));
  Hid type(H5Dget_type(half.get()));
  EXPECT_EQ(H5Tget_class(type.get()), H5T_FLOAT);
  EXPECT_EQ(H5Tget_size(type.get()), 2u);
}

TEST_F(Weights, NewFilesTakeNoPlaceThatIsTaken) {
  auto session = open();
  std::string file = path("w.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, session->manifest(), session->modelValues(), true)
          .ok());
  EXPECT_FALSE(
      writeWeights(file, session->manifest(), session->modelValues(), true)
          .ok());
  EXPECT_TRUE(
      writeWeights(file, session->manifest(), session->modelValues(), false)
          .ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(Weights, OtherModelIsNamedTensorByTensor) {
  auto other = open(5), session = open(3);
  std::vector<float> before = kernel(*session);
  std::string file = path("other.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, other->manifest(), other->modelValues(), false).ok());
  Status status = session->loadWeights(file);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "'" + file +
                "' holds the weights of another model:\n"
                "  'dense/kernel' (layer 'dense', layers/dense/vars/0) has "
                "shape (5, 1) in the file, (3, 1) in the model");
  EXPECT_EQ(kernel(*session), before);
  {
    Hid handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Lmove(handle.get(), "layers/dense", handle.get(),
                      "layers/dense_1", H5P_DEFAULT, H5P_DEFAULT),
              0);
  }
  status = session->loadWeights(file);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find(
                "'dense/bias' (layer 'dense', layers/dense/vars/1) is missing"),
            std::string::npos);
  EXPECT_NE(status.message().find(
                "'layers/dense_1/vars/0' has no place in the model"),
            std::string::npos);
}

TEST_F(Weights, ReadsTheOneInAnArchive) {
  auto one = open(3, 1), two = open(3, 2);
  std::string file = path("w.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, one->manifest(), one->modelValues(), false).ok());
  std::ifstream stream(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  for (int method : {0, 8}) {
    std::string archive = path("m.keras");
    zipFile zip = zipOpen64(archive.c_str(), APPEND_STATUS_CREATE);
    zip_fileinfo info = {};
    zipOpenNewFileInZip64(zip, "model.weights.h5", &info, nullptr, 0, nullptr,
                          0, nullptr, method, -1, 1);
    zipWriteInFileInZip(zip, bytes.data(), unsigned(bytes.size()));
    zipCloseFileInZip(zip);
    zipClose(zip, nullptr);
    ASSERT_TRUE(two->initializeWeights().ok());
    Status status = two->loadWeights(archive);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(kernel(*one), kernel(*two));
  }
}

TEST_F(Weights, RefusesWhatIsNoWeightsFile) {
  auto session = open();
  auto refused = [&](const std::string &file, const std::string &mention) {
    Status status = session->loadWeights(file);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find(mention), std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find(file), std::string::npos);
  };
  refused(path("gone.weights.h5"), "cannot open");
  std::ofstream(path("text.h5")) << "hello, world";
  refused(path("text.h5"), "is no Keras weights file");
  std::string file = path("w.weights.h5");
  ASSERT_TRUE(
      writeWeights(file, session->manifest(), session->modelValues(), false)
          .ok());
  fs::resize_file(file, fs::file_size(file) / 3);
  refused(file, "damaged or cut short");
  EXPECT_TRUE(checkWeightsSuffix("a.weights.h5").ok());
  EXPECT_FALSE(checkWeightsSuffix("a.h5").ok());
  EXPECT_FALSE(checkWeightsSuffix("a.keras").ok());
}

OptimizerInfo optimizer(const std::string &name,
                        const std::vector<std::string> &kinds) {
  OptimizerInfo info;
  info.name = name;
  for (const std::string &kind : kinds)
    for (int64_t parameter = 0; parameter < 2; ++parameter)
      info.slots.push_back({kind, parameter, DType::F32, {}, 0});
  return info;
}

// Orders seen in files that Keras 3.15.1 wrote.
TEST(SlotOrder, IsThatOfKeras) {
  EXPECT_EQ(kerasSlotOrder(optimizer("adam", {"momentum", "velocity"})),
            (std::vector<size_t>{0, 2, 1, 3}));
  EXPECT_EQ(kerasSlotOrder(
                optimizer("adamw", {"momentum", "velocity", "velocity_hat"})),
            (std::vector<size_t>{0, 2, 1, 3, 4, 5}));
  EXPECT_EQ(kerasSlotOrder(optimizer(
                "rmsprop", {"velocity", "momentum", "average_gradient"})),
            (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
  OptimizerInfo nadam = optimizer("nadam", {"momentum", "velocity"});
  nadam.slots.insert(nadam.slots.begin(), {"product", -1, DType::F32, {}, 1});
  EXPECT_EQ(kerasSlotOrder(nadam), (std::vector<size_t>{1, 3, 2, 4, 0}));
}

} // namespace
