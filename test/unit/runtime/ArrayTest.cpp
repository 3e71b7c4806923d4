//===- ArrayTest.cpp - array files ----------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"
#include "runtime/data/Feed.h"
#include "runtime/data/Hdf5.h"
#include "runtime/data/NpyWriter.h"
#include "test/unit/runtime/TestFolder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <minizip/zip.h>
#include <random>
#include <zlib.h>

using namespace belfry;
using namespace belfry::rt;
namespace fs = std::filesystem;

namespace {

class ArrayFiles : public test::TestFolder {
protected:
  Expected<Array> read(const std::string &text) const {
    Expected<ArraySpec> spec = parseArraySpec(path(text));
    return spec.ok() ? readArray(*spec) : spec.status();
  }
  void expectRefused(const std::string &text,
                     const std::string &mention) const {
    Expected<Array> array = read(text);
    ASSERT_FALSE(array.ok()) << text;
    EXPECT_NE(array.status().message().find(mention), std::string::npos)
        << array.status().message();
    EXPECT_EQ(array.status().kind(), ErrorKind::User);
  }
};

std::string npy(const std::string &head, const std::string &data,
                int version = 1) {
  std::string file = "\x93NUMPY";
  file += char(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(head.size() >> (8 * i) & 0xff);
  return file + head + data;
}

std::string head(const std::string &descr, const std::string &shape,
                 bool fortran = false) {
  return "{'descr': '" + descr +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }          \n";
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

std::vector<double> doubles(const Array &array) {
  std::vector<double> values(size_t(numElements(array.shape)));
  convertElements(array.type, array.data, DType::F64,
                  reinterpret_cast<std::byte *>(values.data()),
                  int64_t(values.size()), {});
  return values;
}

std::string gzip(const std::string &data) {
  std::string packed(compressBound(uLong(data.size())) + 64, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
  stream.avail_in = uInt(data.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = uInt(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void putZip(const std::string &path,
            const std::vector<std::pair<std::string, std::string>> &members,
            int method) {
  zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto &[name, data] : members) {
    zip_fileinfo info = {};
    zipOpenNewFileInZip64(zip, name.c_str(), &info, nullptr, 0, nullptr, 0,
                          nullptr, method, Z_DEFAULT_COMPRESSION, 1);
    zipWriteInFileInZip(zip, data.data(), unsigned(data.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
}

TEST_F(ArrayFiles, EveryNumericTypeOfNumPy) {
  const std::vector<double> wanted = {0, 1, 2, 3, 100, 5};
  auto check = [&](const std::string &descr, const std::string &data) {
    put("a.npy", npy(head(descr, "(2, 3)"), data));
    Expected<Array> array = read("a.npy");
    ASSERT_TRUE(array.ok()) << descr << ": " << array.status().message();
    EXPECT_EQ(array->shape, (Shape{2, 3}));
    EXPECT_EQ(doubles(*array), wanted) << descr;
  };
  check("|i1", bytesOf<int8_t>({0, 1, 2, 3, 100, 5}));
  check("|u1", bytesOf<uint8_t>({0, 1, 2, 3, 100, 5}));
  check("<i2", bytesOf<int16_t>({0, 1, 2, 3, 100, 5}));
  check("<u2", bytesOf<uint16_t>({0, 1, 2, 3, 100, 5}));
  check("<i4", bytesOf<int32_t>({0, 1, 2, 3, 100, 5}));
  check("<u4", bytesOf<uint32_t>({0, 1, 2, 3, 100, 5}));
  check("<i8", bytesOf<int64_t>({0, 1, 2, 3, 100, 5}));
  check("<u8", bytesOf<uint64_t>({0, 1, 2, 3, 100, 5}));
  check("<f4", bytesOf<float>({0, 1, 2, 3, 100, 5}));
  check("<f8", bytesOf<double>({0, 1, 2, 3, 100, 5}));
  check("<f2", bytesOf<uint16_t>({0, 0x3c00, 0x4000, 0x4200, 0x5640, 0x4500}));
  check(">i4", bytesOf<uint32_t>({0, 0x01000000, 0x02000000, 0x03000000,
                                  0x64000000, 0x05000000}));
  check(">u2", bytesOf<uint16_t>({0, 0x0100, 0x0200, 0x0300, 0x6400, 0x0500}));
}

TEST_F(ArrayFiles, HalfPrecisionValues) {
  put("h.npy",
      npy(head("<f2", "(6,)"),
          bytesOf<uint16_t>({0x0001, 0x03ff, 0x0400, 0xbc00, 0x7bff, 0x7c00})));
  Expected<Array> array = read("h.npy");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(doubles(*array),
            (std::vector<double>{std::ldexp(1.0, -24), std::ldexp(1023.0, -24),
                                 std::ldexp(1.0, -14), -1, 65504, INFINITY}));
}

TEST_F(ArrayFiles, FortranOrderAndVersions) {
  put("f.npy",
      npy(head("<f4", "(2, 3)", true), bytesOf<float>({0, 3, 1, 4, 2, 5}), 2));
  Expected<Array> array = read("f.npy");
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_EQ(doubles(*array), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  std::vector<int32_t> values;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        values.push_back(i * 12 + j * 4 + k);
  put("g.npy", npy(head("<i4", "(2, 3, 4)", true), bytesOf(values), 3));
  array = read("g.npy");
  ASSERT_TRUE(array.ok());
  std::vector<double> got = doubles(*array);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], double(i));
}

TEST_F(ArrayFiles, RefusesBadNpy) {
  std::string data = bytesOf<float>({1, 2, 3, 4, 5, 6});
  put("short.npy", npy(head("<f4", "(2, 4)"), data));
  expectRefused("short.npy",
                "is cut short: 32 bytes of data expected, 24 found");
  put("negative.npy", npy(head("<f4", "(-7, 3)"), data));
  expectRefused("negative.npy", "negative dimension in shape");
  put("object.npy", npy(head("|O", "(2,)"), data));
  expectRefused("object.npy", "pickled Python objects");
  put("record.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                        "'shape': (2,), }\n",
                        data));
  expectRefused("record.npy", "holds records");
  put("complex.npy", npy(head("<c8", "(3,)"), data));
  expectRefused("complex.npy", "dtype '<c8' is not supported");
  put("text.npy", "1.0 2.0\n");
  expectRefused("text.npy", "none of the array formats");
  put("empty.npy", "");
  expectRefused("empty.npy", "is empty");
  put("huge.npy", npy(head("<f4", "(99999999999, 99999999999)"), data));
  expectRefused("huge.npy", "is too large");
  put("large.npy", npy(head("<f4", "(1000000000, 1000)"), data));
  expectRefused("large.npy", "is cut short");
  put("head.npy", std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12));
  expectRefused("head.npy", "bytes, expected at most");
  put("version.npy", npy(head("<f4", "(2, 3)"), data, 9));
  expectRefused("version.npy", ".npy version 9");
  put("words.npy", npy("{'descr': '<f4', 'shape': (2, 3)}\n", data));
  expectRefused("words.npy", "malformed");
  put("scalar.npy", npy(head("<f4", "()"), data));
  expectRefused("scalar.npy", "holds a single number");
  expectRefused("gone.npy", "no such file");
  expectRefused("gone.npz:x", "no such file");
}

// Every prefix of a file is refused, whatever the cut.
TEST_F(ArrayFiles, RefusesEveryPrefix) {
  std::string whole =
      npy(head("<f4", "(2, 3)"), bytesOf<float>({1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < whole.size(); ++size) {
    put("p.npy", whole.substr(0, size));
    EXPECT_FALSE(read("p.npy").ok()) << size;
  }
  std::string packed = gzip(whole);
  put("p.npy.gz", packed);
  EXPECT_TRUE(read("p.npy.gz").ok());
  for (size_t size = 0; size + 1 < packed.size(); ++size) {
    put("p.npy.gz", packed.substr(0, size));
    EXPECT_FALSE(read("p.npy.gz").ok()) << size;
  }
}

// Whatever a few damaged bytes make of a file, it is read or refused, and
// nothing that it claims is allocated unseen.
TEST_F(ArrayFiles, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(1);
  std::string values = bytesOf<float>({1, 2, 3, 4, 5, 6});
  putZip(path("z.npz"), {{"a.npy", npy(head("<f4", "(2, 3)"), values)}},
         Z_DEFLATED);
  std::ifstream stream(path("z.npz"), std::ios::binary);
  std::string zip((std::istreambuf_iterator<char>(stream)), {});
  std::string idx("\0\0\x0d\x02\0\0\0\x02\0\0\0\x03", 12);
  for (const std::string &whole :
       {npy(head("<f4", "(2, 3)", true), values),
        gzip(npy(head(">f8", "(3, 1)"), values)), idx + values, zip})
    for (int round = 0; round < 400; ++round) {
      std::string damaged = whole;
      for (unsigned i = 0; i <= random() % 4; ++i)
        damaged[random() % damaged.size()] = char(random());
      put("damaged", damaged);
      Expected<Array> array = read("damaged");
      if (array.ok()) {
        EXPECT_LE(array->rows() * int64_t(array->rowBytes()), 1 << 20);
        doubles(*array);
      } else {
        EXPECT_FALSE(array.status().message().empty());
      }
    }
}

TEST_F(ArrayFiles, RowRangesAreAsInPython) {
  put("a.npy", npy(head("<i4", "(6,)"), bytesOf<int32_t>({0, 1, 2, 3, 4, 5})));
  auto rows = [&](const std::string &range) {
    Expected<Array> array = read("a.npy" + range);
    EXPECT_TRUE(array.ok()) << array.status().message();
    return doubles(*array);
  };
  EXPECT_EQ(rows("[1:3]"), (std::vector<double>{1, 2}));
  EXPECT_EQ(rows("[:-4]"), (std::vector<double>{0, 1}));
  EXPECT_EQ(rows("[-2:]"), (std::vector<double>{4, 5}));
  EXPECT_EQ(rows("[4:99]"), (std::vector<double>{4, 5}));
  EXPECT_EQ(rows("[4:2]"), (std::vector<double>{}));
  EXPECT_EQ(rows("[:]").size(), 6u);
  expectRefused("a.npy[1]", "a range of rows is written [a:b]");
  expectRefused("a.npy[a:b]", "a range of rows is written [a:b]");
  put("odd[1:2]", npy(head("<i4", "(1,)"), bytesOf<int32_t>({7})));
  EXPECT_EQ(doubles(*read("odd[1:2]")), (std::vector<double>{7}));
}

TEST_F(ArrayFiles, NpzMembers) {
  std::string a = npy(head("<f4", "(2,)"), bytesOf<float>({1, 2}));
  std::string b = npy(head("<f4", "(3,)"), bytesOf<float>({3, 4, 5}));
  for (int method : {0, Z_DEFLATED}) {
    putZip(path("two.npz"), {{"a.npy", a}, {"b.npy", b}}, method);
    EXPECT_EQ(doubles(*read("two.npz:b")), (std::vector<double>{3, 4, 5}));
    EXPECT_EQ(doubles(*read("two.npz:a.npy[1:]")), (std::vector<double>{2}));
    expectRefused("two.npz",
                  "holds several arrays, name one as FILE:MEMBER: a, b");
    expectRefused("two.npz:c", "has no member 'c'; it holds: a, b");
    putZip(path("one.npz"), {{"only.npy", a}}, method);
    EXPECT_EQ(doubles(*read("one.npz")), (std::vector<double>{1, 2}));
  }
  putZip(path("twice.npz"), {{"a.npy", a}, {"b.npy", b}, {"a.npy", b}}, 8);
  expectRefused("twice.npz:b", "holds two members named 'a.npy'");
  putZip(path("suffix.npz"), {{"a.npy.npy", b}, {"a.npy", a}}, 8);
  EXPECT_EQ(doubles(*read("suffix.npz:a.npy")), (std::vector<double>{1, 2}));
  // The method stands in the local head and in the directory.
  putZip(path("method.npz"), {{"a.npy", a}}, 8);
  std::ifstream packed(path("method.npz"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(packed)), {});
  size_t entry = bytes.find("PK\1\2");
  ASSERT_NE(entry, std::string::npos);
  for (const auto &[method, name] : {std::pair(12, "bzip2"),
                                     {14, "lzma"},
                                     {93, "zstd"},
                                     {77, "method 77"}}) {
    bytes[8] = bytes[entry + 10] = char(method);
    put("method.npz", bytes);
    expectRefused("method.npz", "member 'a.npy' is compressed with " +
                                    std::string(name) +
                                    ", expected deflate or no compression");
  }
  bytes[8] = bytes[entry + 10] = 8;
  bytes[6] = bytes[entry + 8] = 1;
  put("method.npz", bytes);
  expectRefused("method.npz", "member 'a.npy' is encrypted");
  putZip(path("none.npz"), {{"readme.txt", "hello"}}, 0);
  expectRefused("none.npz", "holds no .npy member");
  std::ifstream stream(path("two.npz"), std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(stream)), {});
  put("cut.npz", whole.substr(0, whole.size() / 2));
  expectRefused("cut.npz", "damaged or cut short");
  put("broken.npz", whole.substr(0, 60) + "XXXX" + whole.substr(64));
  EXPECT_FALSE(read("broken.npz:a").ok());
  put("plain.npy", a);
  expectRefused("plain.npy:x", "has no members");
}

TEST_F(ArrayFiles, IdxPlainAndGzipped) {
  std::string idx("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12);
  idx += bytesOf<uint8_t>({1, 2, 3, 4, 5, 6});
  put("i.idx", idx);
  EXPECT_EQ(doubles(*read("i.idx")), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  put("i.gz", gzip(idx));
  EXPECT_EQ(read("i.gz")->shape, (Shape{2, 3}));
  put("w.idx", std::string("\0\0\x0c\x01\0\0\0\x01\0\0\x01\x02", 12));
  EXPECT_EQ(doubles(*read("w.idx")), (std::vector<double>{258}));
  put("cut.idx", idx.substr(0, 15));
  expectRefused("cut.idx", "is cut short: 6 bytes of data expected, 3 found");
}

TEST_F(ArrayFiles, Hdf5Datasets) {
  {
    Hid file(H5Fcreate(path("d.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                       H5P_DEFAULT));
    hsize_t dims[2] = {2, 2};
    Hid space(H5Screate_simple(2, dims, nullptr));
    Hid group(
        H5Gcreate2(file.get(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    Hid set(H5Dcreate2(group.get(), "x", H5T_STD_I16BE, space.get(),
                       H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    int values[4] = {1, -2, 3, 4};
    H5Dwrite(set.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Lcreate_external("/etc/passwd", "/", file.get(), "outside", H5P_DEFAULT,
                       H5P_DEFAULT);
    hsize_t huge[1] = {hsize_t(1) << 40};
    Hid hugeSpace(H5Screate_simple(1, huge, nullptr));
    Hid properties(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t chunk[1] = {1024};
    H5Pset_chunk(properties.get(), 1, chunk);
    Hid bomb(H5Dcreate2(file.get(), "bomb", H5T_NATIVE_FLOAT, hugeSpace.get(),
                        H5P_DEFAULT, properties.get(), H5P_DEFAULT));
    hsize_t many[1] = {1 << 20}, single[1] = {1};
    Hid manySpace(H5Screate_simple(1, many, nullptr));
    H5Pset_chunk(properties.get(), 1, single);
    Hid crumbs(H5Dcreate2(file.get(), "crumbs", H5T_NATIVE_INT8,
                          manySpace.get(), H5P_DEFAULT, properties.get(),
                          H5P_DEFAULT));
  }
  EXPECT_EQ(doubles(*read("d.h5:/g/x")), (std::vector<double>{1, -2, 3, 4}));
  EXPECT_EQ(doubles(*read("d.h5:g/x[1:]")), (std::vector<double>{3, 4}));
  expectRefused("d.h5:/g/y", "has no dataset '/g/y'");
  expectRefused("d.h5:/outside/x", "has no dataset");
  expectRefused("d.h5:/bomb", "more than the file can hold");
  expectRefused("d.h5:/crumbs", "is in chunks that the file cannot hold");
  expectRefused("d.h5", "holds several datasets");
  put("cut.h5", "\x89HDF\r\n\x1a\n1234");
  expectRefused("cut.h5", "damaged or cut short");
}

TEST_F(ArrayFiles, WritesWhatItReads) {
  std::vector<float> values = {1.5, -2, 3};
  ASSERT_TRUE(writeNpy(path("w.npy"), DType::F32, {3, 1}, values.data()).ok());
  Expected<Array> array = read("w.npy");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->shape, (Shape{3, 1}));
  EXPECT_EQ(doubles(*array), (std::vector<double>{1.5, -2, 3}));
  ASSERT_TRUE(writeNpy(path("w.npy"), DType::F32, {3}, values.data()).ok());
  EXPECT_EQ(read("w.npy")->shape, (Shape{3}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

// ------------------------------------------------------------- conversion

Array values(const std::vector<double> &list, Shape shape = {}) {
  Array array = makeArray(RawType::F64,
                          shape.empty() ? Shape{int64_t(list.size())} : shape);
  std::memcpy(array.storage->data(), list.data(), list.size() * 8);
  array.source = "v.npy";
  return array;
}

TEST(Convert, ChecksNameRowValueAndBounds) {
  auto message = [](const Array &array, DType type,
                    std::optional<int64_t> limit,
                    std::optional<int64_t> ignore = {}) {
    Status status = checkConvertible(array, type, limit, ignore);
    return status.ok() ? std::string() : status.message();
  };
  EXPECT_EQ(message(values({0, 8}), DType::I32, 9), "");
  EXPECT_EQ(message(values({0, 9}), DType::I32, 9),
            "row 1 of 'v.npy' holds 9, expected a value from 0 to 8");
  EXPECT_EQ(message(values({0, -1}), DType::I32, 9),
            "row 1 of 'v.npy' holds -1, expected a value from 0 to 8");
  EXPECT_EQ(message(values({0, -1}), DType::I32, 9, -1), "");
  EXPECT_EQ(message(values({1, 2.5}), DType::I32, {}),
            "row 1 of 'v.npy' holds 2.5, expected an integer");
  EXPECT_EQ(message(values({1, NAN}), DType::I32, {}),
            "row 1 of 'v.npy' holds nan, expected an integer");
  EXPECT_EQ(message(values({3e9}), DType::I32, {}),
            "row 0 of 'v.npy' holds 3e+09, which does not fit into i32");
  EXPECT_EQ(message(values({0, 1, 2}), DType::I1, {}),
            "row 2 of 'v.npy' holds 2, expected 0 or 1");
  EXPECT_EQ(message(values({1, NAN, INFINITY}), DType::F32, {}), "");
  EXPECT_EQ(message(values({1, 7}, {1, 2}), DType::F32, 5),
            "row 0 of 'v.npy' holds 7, expected a value from 0 to 4");
}

TEST(Convert, Values) {
  Array array = values({0, 1, 255, -3});
  float floats[4];
  convertElements(array.type, array.data, DType::F32,
                  reinterpret_cast<std::byte *>(floats), 4, {1, 255});
  EXPECT_EQ(floats[1], 1.0f / 255.0f);
  EXPECT_EQ(floats[2], 1.0f);
  int32_t ints[4];
  convertElements(array.type, array.data, DType::I32,
                  reinterpret_cast<std::byte *>(ints), 4, {});
  EXPECT_EQ(ints[3], -3);
  uint8_t truths[4];
  convertElements(array.type, array.data, DType::I1,
                  reinterpret_cast<std::byte *>(truths), 2, {});
  EXPECT_EQ(truths[0], 0);
  EXPECT_EQ(truths[1], 1);
}

TEST(Convert, IntegersOfOtherWidths) {
  Array array = values({-128, 127, 3, -1});
  int8_t bytes[4];
  EXPECT_TRUE(checkConvertible(array, DType::I8, {}, {}).ok());
  convertElements(array.type, array.data, DType::I8,
                  reinterpret_cast<std::byte *>(bytes), 4, {});
  EXPECT_EQ(bytes[0], -128);
  EXPECT_EQ(bytes[1], 127);
  Status status = checkConvertible(values({0, 128}), DType::I8, {}, {});
  EXPECT_EQ(status.message(),
            "row 1 of 'v.npy' holds 128, which does not fit into i8");
  int64_t wide[1];
  Array large = values({std::ldexp(1.0, 62)});
  convertElements(large.type, large.data, DType::I64,
                  reinterpret_cast<std::byte *>(wide), 1, {});
  EXPECT_EQ(wide[0], int64_t(1) << 62);
}

// To 16 bits by way of f32: 1 + 2^-11 + 2^-40 is above the middle of two
// numbers of f16, but becomes that middle first.
TEST(Convert, NarrowFloats) {
  Array array = values({1 + 0x1p-11 + 0x1p-40, 65520, -0.0, NAN, 1e-8, 1e39});
  Half halves[6];
  convertElements(array.type, array.data, DType::F16,
                  reinterpret_cast<std::byte *>(halves), 6, {});
  EXPECT_EQ(halves[0].bits, 0x3c00);
  EXPECT_EQ(halves[1].bits, 0x7c00);
  EXPECT_EQ(halves[2].bits, 0x8000);
  EXPECT_EQ(halves[3].bits, 0x7e00);
  EXPECT_EQ(halves[4].bits, 0);
  EXPECT_EQ(halves[5].bits, 0x7c00);
  BFloat16 others[6];
  convertElements(array.type, array.data, DType::BF16,
                  reinterpret_cast<std::byte *>(others), 6, {0.5, 1});
  EXPECT_EQ(others[0].bits, 0x3f00);
  EXPECT_EQ(others[5].bits, 0x7f80);
}

TEST_F(ArrayFiles, NpyOfEveryType) {
  for (auto [dtype, raw] :
       {std::pair(DType::I8, RawType::I8), std::pair(DType::I32, RawType::I32),
        std::pair(DType::I64, RawType::I64),
        std::pair(DType::F16, RawType::F16),
        std::pair(DType::BF16, RawType::BF16),
        std::pair(DType::F32, RawType::F32),
        std::pair(DType::F64, RawType::F64)}) {
    std::vector<std::byte> data(2 * sizeOf(dtype));
    storeElement(dtype, data.data(), 0, 3);
    storeElement(dtype, data.data(), 1, -2);
    ASSERT_TRUE(writeNpy(path("n.npy"), dtype, {2}, data.data()).ok());
    Expected<Array> array = read("n.npy");
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->type, raw) << nameOf(dtype);
    EXPECT_TRUE(isSame(raw, dtype)) << nameOf(dtype);
    EXPECT_EQ(loadElement(dtype, array->data, 0), 3) << nameOf(dtype);
    EXPECT_EQ(loadElement(dtype, array->data, 1), -2) << nameOf(dtype);
  }
}

// Each byte divided by 255 as NumPy divides it in single precision.
TEST(Convert, ScaleDividesAsSinglePrecisionDoes) {
  for (int i = 0; i < 256; ++i) {
    auto byte = std::byte(i);
    float scaled = 0;
    convertElements(RawType::U8, &byte, DType::F32,
                    reinterpret_cast<std::byte *>(&scaled), 1, {1, 255});
    EXPECT_EQ(scaled, float(i) / 255.0f);
  }
}

// ---------------------------------------------------------------- binding

TEST(FeedTest, GathersRowsInAnyOrderAndOnesForMissingWeights) {
  std::vector<TensorInfo> tensors(1);
  tensors[0].name = "x";
  tensors[0].shape = {-1, 2};
  Expected<Feed> feed =
      Feed::bind(tensors, {{"", values({1, 2, 3, 4, 5, 6}, {3, 2})}}, "input",
                 "--x", false, {});
  ASSERT_TRUE(feed.ok());
  int64_t order[2] = {2, 0};
  float rows[4];
  feed->gather(0, order, 0, 2, reinterpret_cast<std::byte *>(rows));
  EXPECT_EQ(std::vector<float>(rows, rows + 4),
            (std::vector<float>{5, 6, 1, 2}));
  Expected<Feed> none =
      Feed::bind(tensors, {}, "sample weight", "--sample-weight", true, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none->rows(), -1);
  none->gather(0, nullptr, 0, 2, reinterpret_cast<std::byte *>(rows));
  EXPECT_EQ(std::vector<float>(rows, rows + 4),
            (std::vector<float>{1, 1, 1, 1}));
}

TEST(FeedTest, RowsStayInPlaceWhereTheyAreWhatTheModelTakes) {
  std::vector<TensorInfo> tensors(1);
  tensors[0].name = "x";
  tensors[0].shape = {-1, 2};
  tensors[0].dtype = DType::F64;
  Array array = values({1, 2, 3, 4, 5, 6}, {3, 2});
  auto bind = [&](const Array &one) {
    return *Feed::bind(tensors, {{"", one}}, "input", "--x", false, {});
  };
  EXPECT_EQ(bind(array).inPlace(0, 1), array.data + 2 * sizeof(double));
  // Elements that stand across the words of memory, as in an archive.
  std::vector<std::byte> bytes(3 * array.rowBytes() + 1);
  Array odd = array;
  odd.data = bytes.data() +
             (reinterpret_cast<uintptr_t>(bytes.data()) % sizeof(double) == 0);
  EXPECT_EQ(bind(odd).inPlace(0, 0), nullptr);
  Feed scaled = bind(array);
  scaled.setScale({1, 255});
  EXPECT_EQ(scaled.inPlace(0, 0), nullptr);
  tensors[0].dtype = DType::F32;
  EXPECT_EQ(bind(array).inPlace(0, 0), nullptr);
  Feed none =
      *Feed::bind(tensors, {}, "sample weight", "--sample-weight", true, {});
  EXPECT_EQ(none.inPlace(0, 0), nullptr);
}

TEST(FeedTest, SaysWhatItReshapes) {
  std::vector<TensorInfo> tensors(1);
  tensors[0].name = "x";
  tensors[0].shape = {-1, 4};
  std::vector<std::string> said;
  Notify notify = [&](const std::string &text) { said.push_back(text); };
  ASSERT_TRUE(Feed::bind(tensors, {{"", values({1, 2, 3, 4}, {1, 2, 2})}},
                         "input", "--x", false, notify)
                  .ok());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0],
            "'v.npy': rows of shape (2, 2) are taken as (4) for input 'x'");
  tensors[0].shape = {-1, 1};
  ASSERT_TRUE(
      Feed::bind(tensors, {{"", values({1, 2})}}, "input", "--x", false, notify)
          .ok());
  EXPECT_EQ(said.size(), 1u);
}

} // namespace
