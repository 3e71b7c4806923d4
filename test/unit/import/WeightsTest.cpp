//===- WeightsTest.cpp - weight files, written and read -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Weights.h"
#include "ModelBuilder.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <hdf5.h>

#include <cstring>

using namespace belfry;
using namespace belfry::test;

static std::string model(llvm::StringRef units) {
  return sequential("[null, 3]",
                    layer("Dense", "hidden", ("\"units\": " + units).str()) +
                        ", " + layer("Dense", "out", "\"units\": 2"));
}

/// A block whose floats count up, with the gaps of its layout left zero.
static std::vector<uint8_t> countingBlock(mlir::ModuleOp module,
                                          std::initializer_list<size_t> sizes) {
  std::vector<uint8_t> block(llvm::cantFail(weightBytes(module)));
  float next = 1;
  size_t at = 0;
  for (size_t size : sizes) {
    at = (at + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
    for (size_t i = 0; i < size; ++i, next += 1, at += 4)
      std::memcpy(block.data() + at, &next, 4);
  }
  return block;
}

static std::string messageOf(llvm::Expected<std::vector<uint8_t>> result) {
  return result ? "no error" : llvm::toString(result.takeError());
}

TEST(Weights, BlockIsAligned) {
  Imported small(model("4"));
  // kernel 12 floats, bias 4, kernel 8, bias 2: at 0, 64, 128, 192.
  EXPECT_EQ(llvm::cantFail(weightBytes(*small.module)), 192u + 8);
}

TEST(Weights, RoundTrip) {
  Imported small(model("4"));
  TemporaryFile file("weights.h5");
  std::vector<uint8_t> block = countingBlock(*small.module, {12, 4, 8, 2});
  ASSERT_FALSE(bool(writeWeights(file.path, *small.module, block)));
  llvm::Expected<std::vector<uint8_t>> read =
      readWeights(file.path, *small.module);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(*read, block);
}

TEST(Weights, OfAnotherModel) {
  Imported small(model("4")), large(model("5"));
  TemporaryFile file("weights.h5");
  std::vector<uint8_t> block = countingBlock(*small.module, {12, 4, 8, 2});
  ASSERT_FALSE(bool(writeWeights(file.path, *small.module, block)));
  std::string text = messageOf(readWeights(file.path, *large.module));
  EXPECT_TRUE(llvm::StringRef(text).contains(
      "'hidden/kernel' has shape (3, 4), but the model has (3, 5)"))
      << text;
  Imported other(
      sequential("[null, 3]", layer("Dense", "out", "\"units\": 4")));
  text = messageOf(readWeights(file.path, *other.module));
  EXPECT_TRUE(llvm::StringRef(text).contains(
      "'layers/dense_1/vars/0' belongs to no layer"))
      << text;
  Imported more(
      sequential("[null, 3]", layer("Dense", "a", "\"units\": 4") + ", " +
                                  layer("Dense", "b", "\"units\": 2") + ", " +
                                  layer("Dense", "c", "\"units\": 2")));
  text = messageOf(readWeights(file.path, *more.module));
  EXPECT_TRUE(llvm::StringRef(text).contains(
      "no values for 'c/kernel' (expected at 'layers/dense_2/vars/0')"))
      << text;
}

TEST(Weights, DamagedFiles) {
  Imported small(model("4"));
  TemporaryFile file("weights.h5");
  std::vector<uint8_t> block = countingBlock(*small.module, {12, 4, 8, 2});
  ASSERT_FALSE(bool(writeWeights(file.path, *small.module, block)));
  auto whole = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(file.path)));
  TemporaryFile half("weights.h5", whole->getBuffer().take_front(512));
  EXPECT_TRUE(llvm::StringRef(messageOf(readWeights(half.path, *small.module)))
                  .contains("not a whole HDF5 file"));
  TemporaryFile text("weights.h5", "hello");
  EXPECT_TRUE(llvm::StringRef(messageOf(readWeights(text.path, *small.module)))
                  .contains("neither a .weights.h5 file nor a .keras archive"));
  EXPECT_TRUE(llvm::StringRef(
                  messageOf(readWeights("/nowhere.weights.h5", *small.module)))
                  .contains("/nowhere.weights.h5: No such file"));
}

TEST(Weights, ChunksThatTheFileCannotHold) {
  Imported wide(
      sequential("[null, 1000]", layer("Dense", "wide", "\"units\": 1000")));
  TemporaryFile file("weights.h5");
  hid_t made =
      H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t links = H5Pcreate(H5P_LINK_CREATE),
        plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hsize_t extents[] = {1000, 1000}, chunk[] = {1, 1};
  H5Pset_chunk(plist, 2, chunk);
  hid_t space = H5Screate_simple(2, extents, nullptr);
  hid_t dataset = H5Dcreate2(made, "layers/dense/vars/0", H5T_NATIVE_FLOAT,
                             space, links, plist, H5P_DEFAULT);
  EXPECT_GE(dataset, 0);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(plist);
  H5Pclose(links);
  ASSERT_GE(H5Fclose(made), 0);
  std::string text = messageOf(readWeights(file.path, *wide.module));
  EXPECT_TRUE(llvm::StringRef(text).contains(
      "'layers/dense/vars/0' has chunks that the file cannot hold"))
      << text;
}

TEST(Weights, APlaceThatCannotBeWritten) {
  Imported small(model("4"));
  std::vector<uint8_t> block = countingBlock(*small.module, {12, 4, 8, 2});
  llvm::Error error =
      writeWeights("/no/such/folder/w.weights.h5", *small.module, block);
  ASSERT_TRUE(bool(error));
  EXPECT_TRUE(llvm::StringRef(llvm::toString(std::move(error)))
                  .contains("/no/such/folder/w.weights.h5"));
}

TEST(Weights, NamedBesideTheModule) {
  Imported small(model("4"));
  EXPECT_EQ(weightsPath(*small.module, "a/m.mlir"), "");
  nameWeights(*small.module, "m.weights.h5");
  EXPECT_EQ(weightsPath(*small.module, "a/m.mlir"), "a/m.weights.h5");
  EXPECT_EQ(weightsPath(*small.module, "m.mlir"), "m.weights.h5");
  nameWeights(*small.module, "/w/m.weights.h5");
  EXPECT_EQ(weightsPath(*small.module, "a/m.mlir"), "/w/m.weights.h5");
}
