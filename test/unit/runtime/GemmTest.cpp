//===- GemmTest.cpp - the host's matrix products --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two references: a plain sum in f64, for the value, and the chain of fused
// multiply-adds that Gemm.h promises, for the bits.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Gemm.h"
#include "runtime/host/Context.h"
#include "runtime/host/FloatingPointMode.h"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

void gemm(belfry_context *x, int64_t m, int64_t n, int64_t k, const float *a,
          int64_t ar, int64_t ac, const float *b, int64_t br, int64_t bc,
          float *c, int64_t cr, int32_t acc) {
  belfry_gemm_f32(x, m, n, k, a, ar, ac, b, br, bc, c, cr, acc);
}
void gemm(belfry_context *x, int64_t m, int64_t n, int64_t k, const double *a,
          int64_t ar, int64_t ac, const double *b, int64_t br, int64_t bc,
          double *c, int64_t cr, int32_t acc) {
  belfry_gemm_f64(x, m, n, k, a, ar, ac, b, br, bc, c, cr, acc);
}
void gemm(belfry_context *x, int64_t m, int64_t n, int64_t k, const int32_t *a,
          int64_t ar, int64_t ac, const int32_t *b, int64_t br, int64_t bc,
          int32_t *c, int64_t cr, int32_t acc) {
  belfry_gemm_i32(x, m, n, k, a, ar, ac, b, br, bc, c, cr, acc);
}

float step(float a, float b, float c) { return std::fma(a, b, c); }
double step(double a, double b, double c) { return std::fma(a, b, c); }
int32_t step(int32_t a, int32_t b, int32_t c) {
  return int32_t(uint32_t(a) * uint32_t(b) + uint32_t(c));
}

bool sameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}
bool sameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}
bool sameBits(int32_t a, int32_t b) { return a == b; }

/// The same numbers in every run.
std::mt19937 numbers(uint32_t seed) { return std::mt19937(seed); }

enum class Order { Rows, Columns, Neither };

/// A matrix in a vector that ends with its last element, so that tools that
/// watch memory see every access beyond it.
template <typename T> struct Matrix {
  std::vector<T> data;
  int64_t row, col;

  Matrix(int64_t rows, int64_t cols, Order order, int64_t gap) {
    switch (order) {
    case Order::Rows:
      col = 1, row = cols + gap;
      break;
    case Order::Columns:
      row = 1, col = rows + gap;
      break;
    case Order::Neither:
      col = 2, row = 2 * cols + gap;
      break;
    }
    if (rows > 0 && cols > 0)
      data.resize(size_t((rows - 1) * row + (cols - 1) * col + 1));
  }
  void fill(std::mt19937 &random) {
    for (T &x : data) {
      if constexpr (std::is_integral_v<T>)
        x = T(random());
      else
        x = T(int32_t(random())) / T(1u << 31);
    }
  }
  T at(int64_t i, int64_t j) const { return data[size_t(i * row + j * col)]; }
};

struct Shape {
  int64_t m, n, k;
};

template <typename T>
void checkProduct(belfry_context *context, Shape shape, Order orderA,
                  Order orderB, int64_t gap, bool accumulate) {
  auto [m, n, k] = shape;
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " orders "
                                  << int(orderA) << int(orderB) << " gap "
                                  << gap << " accumulate " << accumulate);
  std::mt19937 random = numbers(uint32_t(m * 7919 + n * 131 + k));
  Matrix<T> a(m, k, orderA, gap), b(k, n, orderB, gap);
  Matrix<T> c(m, n, Order::Rows, gap);
  a.fill(random);
  b.fill(random);
  c.fill(random);
  const Matrix<T> before = c;
  gemm(context, m, n, k, a.data.data(), a.row, a.col, b.data.data(), b.row,
       b.col, c.data.data(), c.row, accumulate);
  int64_t wrongBits = 0, wrongValues = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T chain = accumulate ? before.at(i, j) : T(0);
      double sum = double(chain), size = std::fabs(sum);
      for (int64_t p = 0; p < k; ++p) {
        chain = step(a.at(i, p), b.at(p, j), chain);
        double product = double(a.at(i, p)) * double(b.at(p, j));
        sum += product;
        size += std::fabs(product);
      }
      wrongBits += !sameBits(c.at(i, j), chain);
      if (!std::is_integral_v<T>)
        wrongValues +=
            !(std::fabs(double(c.at(i, j)) - sum) <=
              double(k + 1) * size * double(std::numeric_limits<T>::epsilon()));
    }
  EXPECT_EQ(wrongBits, 0);
  EXPECT_EQ(wrongValues, 0);
  // What lies between the rows of C is not touched.
  for (int64_t i = 0; i + 1 < m; ++i)
    for (int64_t j = n; j < c.row; ++j)
      ASSERT_TRUE(sameBits(c.at(i, j), before.at(i, j)));
}

template <typename T> void checkAllForms(belfry_context *context, Shape shape) {
  for (Order a : {Order::Rows, Order::Columns, Order::Neither})
    for (Order b : {Order::Rows, Order::Columns, Order::Neither})
      for (bool accumulate : {false, true})
        checkProduct<T>(context, shape, a, b, accumulate ? 3 : 0, accumulate);
}

class Target : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (belfry_gemm_set_target(GetParam()) != 0)
      GTEST_SKIP() << "this processor has no " << GetParam();
    EXPECT_STREQ(belfry_gemm_target(), GetParam());
  }
  void TearDown() override { belfry_gemm_set_target(nullptr); }
};

TEST_P(Target, SmallShapes) {
  belfry_context two(2);
  const int64_t sizes[] = {1, 2, 3, 5, 8, 13, 17, 33};
  for (int64_t m : sizes)
    for (int64_t n : sizes)
      for (int64_t k : {1, 2, 7, 16, 35}) {
        checkAllForms<float>(&two, {m, n, k});
        checkAllForms<double>(nullptr, {m, n, k});
      }
  for (int64_t m : {1, 4, 9, 40})
    for (int64_t n : {1, 6, 31, 50})
      checkAllForms<int32_t>(&two, {m, n, 19});
}

TEST_P(Target, EveryWidth) {
  for (int64_t n = 1; n <= 150; ++n)
    for (int64_t m : {1, 6, 50})
      checkProduct<float>(nullptr, {m, n, 11}, Order::Rows, Order::Rows, 0,
                          n % 2);
}

TEST_P(Target, EveryHeight) {
  for (int64_t m = 1; m <= 150; ++m)
    for (int64_t n : {1, 7, 16, 29, 49, 64})
      checkProduct<float>(nullptr, {m, n, 11}, Order::Columns, Order::Columns,
                          0, m % 2);
}

TEST_P(Target, LargeShapes) {
  belfry_context three(3);
  for (Shape shape :
       {Shape{130, 400, 100}, Shape{100, 401, 700}, Shape{401, 100, 400},
        Shape{64, 129, 784}, Shape{1, 512, 784}, Shape{700, 1, 900},
        Shape{3, 2100, 300}, Shape{40, 4200, 33}}) {
    checkProduct<float>(&three, shape, Order::Rows, Order::Rows, 0, false);
    checkProduct<float>(&three, shape, Order::Columns, Order::Rows, 1, true);
    checkProduct<float>(&three, shape, Order::Rows, Order::Columns, 0, true);
    checkProduct<double>(&three, shape, Order::Columns, Order::Columns, 0,
                         false);
    checkProduct<int32_t>(&three, shape, Order::Rows, Order::Columns, 0, false);
  }
}

TEST_P(Target, EmptySizes) {
  float a = 2, b = 3;
  std::vector<float> c(6, 7.0f);
  belfry_gemm_f32(nullptr, 0, 3, 1, &a, 1, 1, &b, 3, 1, c.data(), 3, 0);
  belfry_gemm_f32(nullptr, 2, 0, 1, &a, 1, 1, &b, 1, 1, c.data(), 3, 0);
  belfry_gemm_f32(nullptr, 2, 2, 0, &a, 1, 1, &b, 1, 1, c.data(), 3, 1);
  EXPECT_EQ(c, std::vector<float>(6, 7.0f));
  belfry_gemm_f32(nullptr, 2, 2, 0, &a, 1, 1, &b, 1, 1, c.data(), 3, 0);
  EXPECT_EQ(c, (std::vector<float>{0, 0, 7, 0, 0, 7}));
}

TEST_P(Target, SpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float tiny = std::numeric_limits<float>::denorm_min();
  // Denormals are kept, in the operands and in the result.
  for (int64_t n : {1, 5, 70}) {
    std::vector<float> b(size_t(n), tiny), c(size_t(n), 0.0f);
    float a = 3;
    belfry_gemm_f32(nullptr, 1, n, 1, &a, 1, 1, b.data(), n, 1, c.data(), n, 0);
    for (float x : c)
      EXPECT_TRUE(sameBits(x, 3 * tiny));
  }
  // A row with an infinity or a NaN reaches its own row of C alone.
  std::vector<float> a = {1, 1, inf, 1, nan, 1}, b(2 * 21, 1.0f), c(3 * 21);
  belfry_gemm_f32(nullptr, 3, 21, 2, a.data(), 2, 1, b.data(), 21, 1, c.data(),
                  21, 0);
  for (size_t j = 0; j < 21; ++j) {
    EXPECT_EQ(c[j], 2.0f);
    EXPECT_EQ(c[21 + j], inf);
    EXPECT_TRUE(std::isnan(c[42 + j]));
  }
  // Zero times infinity is NaN: zeros are not skipped.
  float zero = 0, x = 1;
  belfry_gemm_f32(nullptr, 1, 1, 1, &zero, 1, 1, &inf, 1, 1, &x, 1, 0);
  EXPECT_TRUE(std::isnan(x));
  // The sign of a zero: -0·1 added to -0 stays -0, added to +0 is +0.
  float minusZero = -0.0f, one = 1;
  x = -0.0f;
  belfry_gemm_f32(nullptr, 1, 1, 1, &minusZero, 1, 1, &one, 1, 1, &x, 1, 1);
  EXPECT_TRUE(std::signbit(x));
  belfry_gemm_f32(nullptr, 1, 1, 1, &minusZero, 1, 1, &one, 1, 1, &x, 1, 0);
  EXPECT_FALSE(std::signbit(x));
}

TEST_P(Target, NegativeStrides) {
  // A with its rows upside down, B with its columns reversed.
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4}, c(6);
  belfry_gemm_f32(nullptr, 3, 2, 2, a.data() + 4, -2, 1, b.data() + 1, 2, -1,
                  c.data(), 2, 0);
  EXPECT_EQ(c, (std::vector<float>{34, 23, 22, 15, 10, 7}));
}

INSTANTIATE_TEST_SUITE_P(Gemm, Target,
                         testing::Values("baseline", "avx2", "avx512"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(Gemm, SameBitsForAnyThreadsAndRuns) {
  belfry_context one(1), two(2), three(3), five(5);
  std::mt19937 random = numbers(1);
  for (Shape shape :
       {Shape{640, 400, 100}, Shape{100, 400, 1500}, Shape{640, 100, 400},
        Shape{64, 512, 784}, Shape{784, 512, 64}, Shape{16, 400, 100},
        Shape{6400, 1, 100}, Shape{1, 2000, 300}}) {
    Matrix<float> a(shape.m, shape.k, Order::Columns, 0);
    Matrix<float> b(shape.k, shape.n, Order::Rows, 0);
    a.fill(random);
    b.fill(random);
    std::vector<float> first(size_t(shape.m * shape.n));
    std::vector<float> again(first.size());
    auto product = [&](belfry_context *context, std::vector<float> &c) {
      belfry_gemm_f32(context, shape.m, shape.n, shape.k, a.data.data(), a.row,
                      a.col, b.data.data(), b.row, b.col, c.data(), shape.n, 0);
    };
    product(nullptr, first);
    for (belfry_context *context : {&one, &two, &three, &five, &two, &three}) {
      std::fill(again.begin(), again.end(), -1.0f);
      product(context, again);
      ASSERT_EQ(
          std::memcmp(first.data(), again.data(), first.size() * sizeof(float)),
          0);
    }
  }
}

TEST(Gemm, ARowHasTheSameBitsInAnyBatch) {
  const int64_t n = 100, k = 333;
  std::mt19937 random = numbers(2);
  Matrix<float> a(96, k, Order::Rows, 0), b(k, n, Order::Rows, 0);
  a.fill(random);
  b.fill(random);
  std::vector<float> whole(size_t(96 * n)), part(whole.size());
  belfry_gemm_f32(nullptr, 96, n, k, a.data.data(), k, 1, b.data.data(), n, 1,
                  whole.data(), n, 0);
  for (int64_t size : {1, 2, 7, 24, 48}) {
    for (int64_t row = 0; row < 96; row += size)
      belfry_gemm_f32(nullptr, std::min<int64_t>(size, 96 - row), n, k,
                      a.data.data() + row * k, k, 1, b.data.data(), n, 1,
                      part.data() + row * n, n, 0);
    EXPECT_EQ(
        std::memcmp(whole.data(), part.data(), whole.size() * sizeof(float)),
        0);
  }
}

TEST(Gemm, ManyCallersAtOnce) {
  belfry_context shared(2);
  std::mt19937 random = numbers(3);
  Matrix<float> a(70, 90, Order::Rows, 0), b(90, 110, Order::Columns, 0);
  a.fill(random);
  b.fill(random);
  auto product = [&](belfry_context *context) {
    std::vector<float> c(70 * 110);
    belfry_gemm_f32(context, 70, 110, 90, a.data.data(), a.row, a.col,
                    b.data.data(), b.row, b.col, c.data(), 110, 0);
    return c;
  };
  const std::vector<float> expected = product(nullptr);
  std::vector<std::thread> callers;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    callers.emplace_back([&, t] {
      belfry_context own(2);
      for (int i = 0; i < 40; ++i)
        wrong[t] += product(i % 2 ? &own : &shared) != expected;
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

#if defined(__x86_64__)
TEST(Gemm, KeepsDenormalsWhateverTheCallersMode) {
  constexpr unsigned FlushAndDenormalsAreZeros = 0x8040;
  const float tiny = std::numeric_limits<float>::denorm_min();
  belfry_context three(3);
  const int64_t m = 200, n = 200, k = 40;
  std::vector<float> a(size_t(m * k), tiny), b(size_t(k * n), 1.0f);
  std::vector<float> c(size_t(m * n));
  unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | FlushAndDenormalsAreZeros);
  belfry_gemm_f32(&three, m, n, k, a.data(), k, 1, b.data(), n, 1, c.data(), n,
                  0);
  unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(after & FlushAndDenormalsAreZeros, FlushAndDenormalsAreZeros);
  for (float x : c)
    ASSERT_TRUE(sameBits(x, float(k) * tiny));
}
#endif

TEST(GemmTarget, Names) {
  const std::string best = belfry_gemm_target();
  EXPECT_EQ(belfry_gemm_set_target("x86-64"), 0);
  EXPECT_STREQ(belfry_gemm_target(), "baseline");
  for (const char *name : {"haswell", "x86-64-v3", "znver3", "alderlake"})
    if (belfry_gemm_set_target(name) == 0) {
      EXPECT_STREQ(belfry_gemm_target(), "avx2") << name;
    }
  for (const char *name : {"skylake-avx512", "x86-64-v4", "znver4"})
    if (belfry_gemm_set_target(name) == 0) {
      EXPECT_STREQ(belfry_gemm_target(), "avx512") << name;
    }
  EXPECT_EQ(belfry_gemm_set_target("native"), 0);
  EXPECT_EQ(best, belfry_gemm_target());
}

void pack(int64_t n, int64_t k, const float *b, int64_t br, int64_t bc,
          float *to) {
  belfry_gemm_pack_f32(n, k, b, br, bc, to);
}
void pack(int64_t n, int64_t k, const double *b, int64_t br, int64_t bc,
          double *to) {
  belfry_gemm_pack_f64(n, k, b, br, bc, to);
}
void packedGemm(belfry_context *x, int64_t m, int64_t n, int64_t k,
                const float *a, const float *b, float *c, int32_t acc) {
  belfry_gemm_packed_f32(x, m, n, k, a, k, 1, b, c, n, acc);
}
void packedGemm(belfry_context *x, int64_t m, int64_t n, int64_t k,
                const double *a, const double *b, double *c, int32_t acc) {
  belfry_gemm_packed_f64(x, m, n, k, a, k, 1, b, c, n, acc);
}

/// A matrix packed once gives any number of rows the bits of plain products,
/// also when other kernels have been chosen since.
template <typename T> void checkPacked(belfry_context *context) {
  std::mt19937 random = numbers(7);
  std::uniform_real_distribution<T> draw(T(-1), T(1));
  for (int64_t n : {1, 5, 16, 50, 400})
    for (int64_t k : {0, 1, 7, 100, 700})
      for (bool transposed : {false, true}) {
        std::vector<T> b(size_t(n * k));
        for (T &x : b)
          x = draw(random);
        int64_t br = transposed ? 1 : n, bc = transposed ? k : 1;
        int64_t line = BELFRY_GEMM_PACKED_HEADER / int64_t(sizeof(T));
        std::vector<T> packed(
            size_t(line + k * ((n + line - 1) / line * line)));
        ASSERT_EQ(belfry_gemm_set_target("native"), 0);
        pack(n, k, b.data(), br, bc, packed.data());
        for (const char *now : {"native", "x86-64"}) {
          ASSERT_EQ(belfry_gemm_set_target(now), 0);
          for (int64_t m : {0, 1, 2, 9, 64})
            for (int32_t accumulate : {0, 1}) {
              std::vector<T> a(size_t(m * k)), c(size_t(m * n));
              for (T &x : a)
                x = draw(random);
              for (T &x : c)
                x = draw(random);
              std::vector<T> expected = c;
              gemm(nullptr, m, n, k, a.data(), k, 1, b.data(), br, bc,
                   expected.data(), n, accumulate);
              packedGemm(context, m, n, k, a.data(), packed.data(), c.data(),
                         accumulate);
              for (size_t i = 0; i < c.size(); ++i)
                ASSERT_TRUE(sameBits(c[i], expected[i]))
                    << m << 'x' << n << 'x' << k << " element " << i;
            }
        }
      }
  belfry_gemm_set_target("native");
}

void sumsGemm(belfry_context *x, Shape s, const float *a, int64_t ar,
              int64_t ac, const float *b, int64_t br, float *c, int32_t acc,
              float *sums) {
  belfry_gemm_sums_f32(x, s.m, s.n, s.k, a, ar, ac, b, br, c, s.n, acc, sums);
}
void sumsGemm(belfry_context *x, Shape s, const double *a, int64_t ar,
              int64_t ac, const double *b, int64_t br, double *c, int32_t acc,
              double *sums) {
  belfry_gemm_sums_f64(x, s.m, s.n, s.k, a, ar, ac, b, br, c, s.n, acc, sums);
}

/// The product has the bits of one without sums; each sum is a chain.
template <typename T> void checkSums(belfry_context *context) {
  std::mt19937 random = numbers(17);
  std::uniform_real_distribution<T> draw(T(-1), T(1));
  for (int64_t m : {0, 1, 3, 40, 100, 300})
    for (int64_t n : {0, 1, 10, 25, 48, 400})
      for (int64_t k : {0, 1, 70, 1000})
        for (bool byColumns : {false, true})
          for (int32_t accumulate : {0, 1}) {
            SCOPED_TRACE(testing::Message()
                         << m << "x" << n << "x" << k << " columns "
                         << byColumns << " accumulate " << accumulate);
            std::vector<T> a(size_t(m * k)), b(size_t(k * n)), c(size_t(m * n)),
                sums(size_t(n), T(7));
            for (std::vector<T> *v : {&a, &b, &c})
              for (T &x : *v)
                x = draw(random);
            if (!b.empty())
              b[0] = T(-0.0);
            std::vector<T> plain = c, chains(size_t(n), T(0));
            int64_t ar = byColumns ? 1 : k, ac = byColumns ? m : 1;
            gemm(context, m, n, k, a.data(), ar, ac, b.data(), n, 1,
                 plain.data(), n, accumulate);
            for (int64_t p = 0; p < k; ++p)
              for (int64_t j = 0; j < n; ++j)
                chains[size_t(j)] += b[size_t(p * n + j)];
            sumsGemm(context, {m, n, k}, a.data(), ar, ac, b.data(), n,
                     c.data(), accumulate, sums.data());
            for (size_t i = 0; i < c.size(); ++i)
              ASSERT_TRUE(sameBits(c[i], plain[i])) << i;
            for (size_t j = 0; j < sums.size(); ++j)
              ASSERT_TRUE(sameBits(sums[j], chains[j])) << j;
          }
}

TEST_P(Target, SumsOfColumns) {
  checkSums<float>(nullptr);
  checkSums<double>(nullptr);
}

TEST(Gemm, SumsOfColumnsOnThreads) {
  belfry_context context(3);
  checkSums<float>(&context);
}

/// What is asked for is memory of any kind, too many ranges and too large ones
/// among them, and more than the product has time for; bits are those of a
/// product that asks for nothing.
TEST(Gemm, SameBitsWithALookAhead) {
  Shape shapes[] = {{64, 400, 100}, {8, 16, 4}, {1, 5, 3}, {200, 48, 64}};
  std::vector<char> memory(size_t(1) << 20);
  for (int round = 0; round < 4; ++round)
    for (auto [m, n, k] : shapes) {
      if (round & 1)
        for (int i = 0; i < 40; ++i)
          belfry_look_ahead(memory.data() + i * 7919, int64_t(i) * 997);
      if (round & 2) {
        belfry_look_ahead(memory.data(), int64_t(memory.size()));
        belfry_look_ahead(nullptr, 0);
        belfry_look_ahead(memory.data() + 1, -1);
        belfry_look_ahead(memory.data(), 1000);
      }
      checkProduct<float>(nullptr, {m, n, k}, Order::Rows, Order::Rows, 0,
                          (round & 1) != 0);
    }
}

TEST(PackedGemm, F32) { checkPacked<float>(nullptr); }
TEST(PackedGemm, F64) { checkPacked<double>(nullptr); }
TEST(PackedGemm, Threads) {
  belfry_context context(3);
  checkPacked<float>(&context);
}

TEST(ParallelFor, EveryTileOnceAndVisible) {
  for (int threads : {1, 2, 3, 8}) {
    belfry::rt::ParallelFor pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t tiles : {0, 1, 2, 7, 64, 1000})
      for (int repeat = 0; repeat < 20; ++repeat) {
        std::vector<int> runs(static_cast<size_t>(tiles));
        pool.run(
            tiles,
            [](void *arg, int64_t tile) {
              ++(*static_cast<std::vector<int> *>(arg))[size_t(tile)];
            },
            &runs);
        ASSERT_EQ(runs, std::vector<int>(size_t(tiles), 1));
      }
  }
}

TEST(ParallelFor, WakesAfterSleep) {
  belfry::rt::ParallelFor pool(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::vector<int> runs(10);
    pool.run(
        10,
        [](void *arg, int64_t tile) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++(*static_cast<std::vector<int> *>(arg))[size_t(tile)];
        },
        &runs);
    EXPECT_EQ(runs, std::vector<int>(10, 1));
  }
}

TEST(ParallelFor, NestedRunsInline) {
  belfry::rt::ParallelFor pool(3);
  struct Arg {
    belfry::rt::ParallelFor *pool;
    std::vector<int> runs;
  } arg{&pool, std::vector<int>(6 * 5)};
  pool.run(
      6,
      [](void *p, int64_t outer) {
        struct Inner {
          Arg *arg;
          int64_t outer;
        } inner{static_cast<Arg *>(p), outer};
        inner.arg->pool->run(
            5,
            [](void *q, int64_t tile) {
              auto *in = static_cast<Inner *>(q);
              ++in->arg->runs[size_t(in->outer * 5 + tile)];
            },
            &inner);
      },
      &arg);
  EXPECT_EQ(arg.runs, std::vector<int>(6 * 5, 1));
}

} // namespace
