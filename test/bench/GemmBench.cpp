//===- GemmBench.cpp - the host's products against the machine's peak -----===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GFLOP/s of the shapes that training steps are made of, next to the peak of
// fused multiply-adds measured in the same run: `ofPeak` is their ratio. A name
// says m, n, k, the order of A and B (R: rows contiguous, C: columns
// contiguous) and the threads. Built with BELFRY_BENCH_LIBXSMM, libxsmm's
// kernel for the whole product stands beside it where it has one.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Context.h"
#include "runtime/host/Gemm.h"
#include "test/bench/FmaPeak.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <string>
#include <vector>

#ifdef BELFRY_BENCH_LIBXSMM
#include <libxsmm.h>
#endif

namespace {

struct Shape {
  const char *what;
  int64_t m, n, k;
  bool columnsA, columnsB;
};

constexpr Shape Shapes[] = {
    {"lstm input", 64, 400, 100, false, false},
    {"lstm input", 640, 400, 100, false, false},
    {"lstm input", 6400, 400, 100, false, false},
    {"lstm weight gradient", 100, 400, 6400, true, false},
    {"lstm input gradient", 6400, 100, 400, false, true},
    {"lstm input gradient", 64, 100, 400, false, true},
    {"lstm strokes", 6400, 400, 3, false, false},
    {"lstm strokes gradient", 3, 400, 6400, true, false},
    {"mlp forward", 64, 512, 784, false, false},
    {"mlp forward", 128, 512, 784, false, false},
    {"mlp forward", 128, 512, 512, false, false},
    {"mlp forward", 128, 10, 512, false, false},
    {"mlp weight gradient", 784, 512, 64, true, false},
    {"mlp weight gradient", 784, 512, 128, true, false},
    {"mlp weight gradient", 512, 10, 128, true, false},
    {"mlp input gradient", 128, 512, 512, false, true},
    {"mlp input gradient", 128, 512, 10, false, true},
    {"square", 1024, 1024, 1024, false, false},
    {"skinny", 1, 400, 100, false, false},
    {"skinny", 4, 400, 100, false, false},
    {"skinny", 8, 400, 100, false, false},
    {"skinny", 16, 400, 100, false, false},
    {"skinny", 4, 100, 400, false, true},
    {"matrix by vector", 6400, 1, 100, false, false},
    {"vector gradient", 100, 1, 6400, true, false},
    {"outer product", 6400, 100, 1, false, false},
    {"tiny", 4, 4, 4, false, false},
};

double peak(int threads, int vectorBytes) {
  static std::map<std::pair<int, int>, double> measured;
  double &value = measured[{threads, vectorBytes}];
  if (value == 0)
    value = belfry::bench::fmaPeak(threads, vectorBytes);
  return value;
}

int vectorBytes() {
  return std::string(belfry_gemm_target()) == "avx512" ? 64 : 32;
}

void count(benchmark::State &state, const Shape &s, int threads, double size) {
  double flops = 2.0 * double(s.m) * double(s.n) * double(s.k);
  double total = flops * double(state.iterations()) * 1e-9;
  state.counters["GFLOP/s"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate);
  state.counters["ofPeak"] =
      benchmark::Counter(total / peak(threads, vectorBytes()) * (size / 4),
                         benchmark::Counter::kIsRate);
  state.SetLabel(s.what);
}

/// Aligned as the runtime's arena is.
template <typename T> class Buffer {
public:
  explicit Buffer(int64_t count)
      : memory(static_cast<T *>(
            ::operator new(size_t(count) * sizeof(T), std::align_val_t(64)))) {
    for (int64_t i = 0; i < count; ++i)
      memory[i] = T(i % 17) / 16;
  }
  ~Buffer() { ::operator delete(memory, std::align_val_t(64)); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() { return memory; }

private:
  T *memory;
};

template <typename T> struct Operands {
  Buffer<T> a, b, c;
  int64_t aRow, aCol, bRow, bCol;

  explicit Operands(const Shape &s)
      : a(s.m * s.k), b(s.k * s.n), c(s.m * s.n), aRow(s.columnsA ? 1 : s.k),
        aCol(s.columnsA ? s.m : 1), bRow(s.columnsB ? 1 : s.n),
        bCol(s.columnsB ? s.k : 1) {}
};

void productF32(benchmark::State &state, Shape s, int threads) {
  belfry_context context(threads);
  Operands<float> o(s);
  while (state.KeepRunning())
    belfry_gemm_f32(&context, s.m, s.n, s.k, o.a.data(), o.aRow, o.aCol,
                    o.b.data(), o.bRow, o.bCol, o.c.data(), s.n, 0);
  count(state, s, threads, sizeof(float));
}

void productF64(benchmark::State &state, Shape s, int threads) {
  belfry_context context(threads);
  Operands<double> o(s);
  while (state.KeepRunning())
    belfry_gemm_f64(&context, s.m, s.n, s.k, o.a.data(), o.aRow, o.aCol,
                    o.b.data(), o.bRow, o.bCol, o.c.data(), s.n, 0);
  count(state, s, threads, sizeof(double));
}

#ifdef BELFRY_BENCH_LIBXSMM
/// Blocked by 64 rows and 256 of k, one thread.
void productLibxsmm(benchmark::State &state, Shape s) {
  libxsmm_init();
  libxsmm_set_target_arch(vectorBytes() == 64 ? "skx" : "hsw");
  Operands<float> o(s);
  struct Call {
    libxsmm_smmfunction kernel;
    const float *a, *b;
    float *c;
  };
  std::vector<Call> calls;
  for (int64_t row = 0; row < s.m; row += 64)
    for (int64_t p = 0; p < s.k; p += 256) {
      // libxsmm's matrices are by columns: its M is our n.
      int rows = int(std::min<int64_t>(64, s.m - row)), columns = int(s.n);
      int depth = int(std::min<int64_t>(256, s.k - p));
      int lda = int(s.n), ldb = int(s.columnsA ? s.m : s.k), ldc = int(s.n);
      float alpha = 1, beta = p > 0;
      int flags = s.columnsA ? LIBXSMM_GEMM_FLAG_TRANS_B : 0, prefetch = 0;
      calls.push_back(
          {libxsmm_smmdispatch(columns, rows, depth, &lda, &ldb, &ldc, &alpha,
                               &beta, &flags, &prefetch),
           o.a.data() + row * o.aRow + p * o.aCol, o.b.data() + p * o.bRow,
           o.c.data() + row * s.n});
      if (!calls.back().kernel)
        return state.SkipWithError("no kernel");
    }
  while (state.KeepRunning())
    for (const Call &call : calls)
      call.kernel(call.b, call.a, call.c);
  count(state, s, 1, sizeof(float));
}
#endif

std::string name(const char *prefix, const Shape &s) {
  return std::string(prefix) + "/" + std::to_string(s.m) + "x" +
         std::to_string(s.n) + "x" + std::to_string(s.k) + "/" +
         (s.columnsA ? "C" : "R") + (s.columnsB ? "C" : "R");
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  // A processor's name may follow: the kernels to measure.
  if (argc > 1 && belfry_gemm_set_target(argv[1]) != 0) {
    std::fprintf(stderr,
                 "error: this processor can't run the kernels of '%s'\n",
                 argv[1]);
    return 1;
  }
  benchmark::AddCustomContext("kernels", belfry_gemm_target());
  for (int threads : {1, 2})
    benchmark::AddCustomContext("peak, " + std::to_string(threads) + " threads",
                                std::to_string(peak(threads, vectorBytes())) +
                                    " GFLOP/s");
  for (const Shape &s : Shapes) {
    for (int threads : {1, 2})
      benchmark::RegisterBenchmark(
          (name("f32", s) + "/" + std::to_string(threads)).c_str(), productF32,
          s, threads)
          ->UseRealTime();
    benchmark::RegisterBenchmark(name("f64", s).c_str(), productF64, s, 1)
        ->UseRealTime();
#ifdef BELFRY_BENCH_LIBXSMM
    if (!s.columnsB)
      benchmark::RegisterBenchmark(name("libxsmm", s).c_str(), productLibxsmm,
                                   s)
          ->UseRealTime();
#endif
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
