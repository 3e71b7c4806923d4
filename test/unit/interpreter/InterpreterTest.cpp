//===- InterpreterTest.cpp - rows, sums over towers, files ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Interpreter.h"
#include "lib/interpreter/Npy.h"
#include "lib/interpreter/Rendezvous.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

using namespace belfry;
using nn::HostTensor;
using nn::HostType;
using tower::ReduceKind;
using tower::Slicing;

namespace {

//===----------------------------------------------------------------------===//
// cutRows
//===----------------------------------------------------------------------===//

// Balanced blocks follow one another, cover every row and differ by one row.
TEST(CutRows, BalancedCoversEveryRow) {
  std::string message;
  for (int64_t towers = 1; towers <= 9; ++towers)
    for (int64_t rows = 0; rows <= 40; ++rows) {
      int64_t next = 0;
      for (int64_t i = 0; i < towers; ++i) {
        auto block = cutRows(Slicing::Balanced, rows, i, towers, message);
        ASSERT_TRUE(llvm::succeeded(block));
        EXPECT_EQ(block->begin, next);
        EXPECT_TRUE(block->count == rows / towers ||
                    block->count == rows / towers + 1);
        next += block->count;
      }
      EXPECT_EQ(next, rows);
    }
}

TEST(CutRows, Policies) {
  struct Row {
    Slicing slicing;
    int64_t rows, towers;
    std::vector<int64_t> counts;
  };
  const Row table[] = {
      {Slicing::Balanced, 10, 4, {3, 3, 2, 2}},
      {Slicing::Balanced, 2, 3, {1, 1, 0}},
      {Slicing::DropRemainder, 10, 4, {2, 2, 2, 2}},
      {Slicing::DropRemainder, 3, 4, {0, 0, 0, 0}},
      {Slicing::LastTakesRest, 10, 4, {2, 2, 2, 4}},
      {Slicing::LastTakesRest, 3, 4, {0, 0, 0, 3}},
      {Slicing::Strict, 12, 4, {3, 3, 3, 3}},
  };
  for (const Row &row : table)
    for (int64_t i = 0; i < row.towers; ++i) {
      std::string message;
      auto block = cutRows(row.slicing, row.rows, i, row.towers, message);
      ASSERT_TRUE(llvm::succeeded(block));
      EXPECT_EQ(block->count, row.counts[i]);
    }
}

TEST(CutRows, StrictNamesWhatFits) {
  std::string message;
  EXPECT_TRUE(llvm::failed(cutRows(Slicing::Strict, 10, 0, 4, message)));
  EXPECT_EQ(message, "cannot cut 10 rows into 4 towers without a remainder; "
                     "the nearest batch sizes are 8 and 12");
}

//===----------------------------------------------------------------------===//
// combineTowers
//===----------------------------------------------------------------------===//

template <typename T> HostTensor scalarOf(T x) {
  return HostTensor::of<T>({}, llvm::ArrayRef<T>(x));
}

// Each element type with each reduction, for up to 9 towers, on small integers:
// exact in every type and order.
template <typename T> void checkExact() {
  for (int64_t towers = 1; towers <= 9; ++towers) {
    std::vector<HostTensor> values;
    T sum = 0, max = std::numeric_limits<T>::lowest(),
      min = std::numeric_limits<T>::max();
    for (int64_t i = 0; i < towers; ++i) {
      T x = static_cast<T>((i * 7 + 3) % 11);
      if (std::is_same_v<T, uint8_t>)
        x = i % 3 == 1;
      values.push_back(scalarOf(x));
      sum = static_cast<T>(sum + x);
      max = std::max(max, x);
      min = std::min(min, x);
    }
    if (!std::is_same_v<T, uint8_t>) // a sum is of numbers
      EXPECT_EQ(combineTowers(ReduceKind::Sum, values).values<T>()[0], sum);
    EXPECT_EQ(combineTowers(ReduceKind::Max, values).values<T>()[0], max);
    EXPECT_EQ(combineTowers(ReduceKind::Min, values).values<T>()[0], min);
  }
}
TEST(CombineTowers, EveryTypeAndKind) {
  checkExact<uint8_t>();
  checkExact<int32_t>();
  checkExact<float>();
  checkExact<double>();
}

/// sum(lo, hi) = sum(lo, mid) + sum(mid, hi), mid = lo + bit_ceil(hi − lo)/2.
float treeSum(llvm::ArrayRef<float> x) {
  switch (x.size()) {
  case 1:
    return x[0];
  case 2:
    return x[0] + x[1];
  case 3:
    return (x[0] + x[1]) + x[2];
  case 4:
    return (x[0] + x[1]) + (x[2] + x[3]);
  case 5:
    return ((x[0] + x[1]) + (x[2] + x[3])) + x[4];
  case 6:
    return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]);
  case 7:
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]);
  default:
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
}

// Bit for bit, on values whose sum depends on the order.
TEST(CombineTowers, SumFollowsTheTree) {
  for (size_t towers = 1; towers <= 8; ++towers) {
    std::vector<float> x;
    std::vector<HostTensor> values;
    for (size_t i = 0; i < towers; ++i) {
      x.push_back(1.0f / static_cast<float>(3 * i + 1) + (i == 2 ? 1e4f : 0));
      values.push_back(scalarOf(x.back()));
    }
    EXPECT_EQ(combineTowers(ReduceKind::Sum, values).values<float>()[0],
              treeSum(x));
  }
}

TEST(CombineTowers, MaxAndMinPropagateNaN) {
  float nan = std::nanf("");
  for (size_t at = 0; at < 5; ++at) {
    std::vector<HostTensor> values;
    for (size_t i = 0; i < 5; ++i)
      values.push_back(scalarOf(i == at ? nan : static_cast<float>(i)));
    EXPECT_TRUE(
        std::isnan(combineTowers(ReduceKind::Max, values).values<float>()[0]));
    EXPECT_TRUE(
        std::isnan(combineTowers(ReduceKind::Min, values).values<float>()[0]));
  }
}

// What was handed in stays as it was.
TEST(CombineTowers, LeavesItsOperands) {
  std::vector<HostTensor> values = {scalarOf(1), scalarOf(2)};
  EXPECT_EQ(combineTowers(ReduceKind::Sum, values).values<int32_t>()[0], 3);
  EXPECT_EQ(values[0].values<int32_t>()[0], 1);
}

//===----------------------------------------------------------------------===//
// Rendezvous
//===----------------------------------------------------------------------===//

TEST(Rendezvous, ManyRoundsOfManyTowers) {
  constexpr int64_t towers = 5, rounds = 200;
  Rendezvous rendezvous(towers);
  std::vector<uint8_t> ok(towers, 1);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < towers; ++t)
    threads.emplace_back([&, t] {
      for (int64_t r = 0; r < rounds; ++r) {
        HostTensor sum =
            rendezvous.meet(t, HostTensor::scalar(static_cast<int32_t>(r + t)),
                            [](llvm::ArrayRef<HostTensor> v) {
                              return combineTowers(ReduceKind::Sum, v);
                            });
        ok[t] &= sum && sum.values<int32_t>()[0] ==
                            towers * r + towers * (towers - 1) / 2;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (uint8_t b : ok)
    EXPECT_TRUE(b);
}

TEST(Rendezvous, BreakUpTurnsAway) {
  Rendezvous rendezvous(2);
  bool turnedAway = false;
  std::thread waiting([&] {
    turnedAway =
        !rendezvous.meet(0, HostTensor::scalar(1),
                         [](llvm::ArrayRef<HostTensor> v) { return v[0]; });
  });
  rendezvous.breakUp();
  waiting.join();
  EXPECT_TRUE(turnedAway);
  EXPECT_FALSE(
      rendezvous.meet(1, HostTensor::scalar(1),
                      [](llvm::ArrayRef<HostTensor> v) { return v[0]; }));
}

//===----------------------------------------------------------------------===//
// Npy
//===----------------------------------------------------------------------===//

class NpyFile : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("belfry", "npy", name));
    path = name.str().str();
  }
  void TearDown() override { (void)llvm::sys::fs::remove(path); }

  void write(llvm::StringRef header, llvm::StringRef data) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    out << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size())
        << '\0' << header << data;
  }
  std::string readError() {
    llvm::Expected<HostTensor> tensor = readNpy(path);
    return tensor ? "" : llvm::toString(tensor.takeError());
  }

  std::string path;
};

TEST_F(NpyFile, RoundTrips) {
  const HostTensor tensors[] = {
      HostTensor::of<uint8_t>({2, 2}, {1, 0, 0, 1}),
      HostTensor::of<int8_t>({3}, {-128, 0, 127}),
      HostTensor::of<int32_t>({3}, {-1, 0, 7}),
      HostTensor::of<int64_t>({2}, {INT64_MIN, INT64_MAX}),
      HostTensor::of<Half>({2}, {Half(0.5f), Half(-65504.0f)}),
      HostTensor::of<BFloat16>({2}, {BFloat16(0.5f), BFloat16(-3e38f)}),
      HostTensor::of<float>({1, 2, 1}, {0.5f, -2.0f}),
      HostTensor::of<double>({}, {0.1}),
      HostTensor(HostType::F32, {0, 4}),
  };
  for (const HostTensor &tensor : tensors) {
    ASSERT_FALSE(writeNpy(path, tensor));
    llvm::Expected<HostTensor> read = readNpy(path);
    ASSERT_TRUE(static_cast<bool>(read));
    EXPECT_TRUE(read->isIdenticalTo(tensor));
  }
}

TEST_F(NpyFile, WidensIntegers) {
  write("{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }",
        llvm::StringRef("\xff\xff", 2));
  llvm::Expected<HostTensor> narrow = readNpy(path);
  ASSERT_TRUE(static_cast<bool>(narrow));
  ASSERT_EQ(narrow->getType(), HostType::I32);
  EXPECT_EQ(narrow->values<int32_t>()[0], 65535);

  const char data[] = "\x05\0\0\0\0\0\0\0";
  write("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }",
        llvm::StringRef(data, 8));
  llvm::Expected<HostTensor> read = readNpy(path);
  ASSERT_TRUE(static_cast<bool>(read));
  ASSERT_EQ(read->getType(), HostType::I64);
  EXPECT_EQ(read->values<int64_t>()[0], 5);
}

TEST_F(NpyFile, Errors) {
  write("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }",
        llvm::StringRef("\0\0\0\0\0\0\0\xff", 8));
  EXPECT_NE(readError().find("has an integer that does not fit into 64 bits"),
            std::string::npos);
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd");
  EXPECT_NE(readError().find("is in column-major order"), std::string::npos);
  write("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
        "abcdabcd");
  EXPECT_NE(readError().find("has elements of type '<c8'"), std::string::npos);
  write(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, "
      "4), }",
      "abcd");
  EXPECT_NE(readError().find("that its 4 bytes cannot hold"),
            std::string::npos);
  write("{'descr': '<f4', 'fortran_order': False, }", "abcd");
  EXPECT_NE(readError().find("has no shape in its header"), std::string::npos);
  ASSERT_FALSE(llvm::sys::fs::remove(path));
  EXPECT_NE(readError().find("cannot be read"), std::string::npos);
}

TEST_F(NpyFile, NoNpy) {
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << "something else that is long enough";
  EXPECT_NE(readError().find("is no .npy file"), std::string::npos);
}

} // namespace
