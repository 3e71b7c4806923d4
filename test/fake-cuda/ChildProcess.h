//===- ChildProcess.h - a test's body in a process of its own - -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is one for a process, reads its variables once, and reports when
// the process ends: each case runs in a child.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_CHILDPROCESS_H
#define BELFRY_TEST_FAKE_CUDA_CHILDPROCESS_H

#include "test/fake-cuda/Functions.h"
#include "test/fake-cuda/TestImages.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace belfry::fake::test {

struct Outcome {
  int exit;            ///< -1 where a signal ended it
  bool aborted;        ///< by SIGABRT
  std::string err;     ///< what it wrote to standard error
  std::string summary; ///< BELFRY_FAKE_CUDA_SUMMARY
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `body` in a child with these variables, names without BELFRY_FAKE_CUDA_
/// but for CUDA_VISIBLE_DEVICES, and ends it with exit(0), or 1 where an
/// expectation of `body` failed. Kills it after `seconds`.
Outcome inChild(const Variables &variables, const std::function<void()> &body,
                int seconds = 60);

/// Runs it and expects that all is well and nothing is left.
void expectClean(const Variables &variables, const std::function<void()> &body);
/// Expects that it aborts with a line that has `message`.
void expectAbort(const Variables &variables, const std::string &message,
                 const std::function<void()> &body);

/// The body of most tests: a context for each of `devices` devices, that of
/// device 0 current, and modules with the kernels of TestKernels.cpp.
class Session {
public:
  explicit Session(int devices = 1);
  ~Session();
  CUcontext context(int device = 0) const { return contexts[size_t(device)]; }
  void use(int device);
  CUfunction kernel(const char *name, int device = 0);

  CUdeviceptr alloc(size_t bytes);
  /// Memory of the host that is pinned.
  template <typename T> T *pin(size_t count) {
    void *at = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&at, count * sizeof(T), 0), CUDA_SUCCESS);
    pinned.push_back(at);
    return static_cast<T *>(at);
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  CUevent event(unsigned flags = CU_EVENT_DISABLE_TIMING);

private:
  std::vector<CUcontext> contexts;
  std::vector<CUmodule> modules;
  std::vector<std::pair<int, CUdeviceptr>> memory;
  std::vector<void *> pinned;
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
  int current = 0;
};

#define OK(call) EXPECT_EQ(call, ::belfry::fake::CUDA_SUCCESS)

/// Launches `increment`: to[i] = from[i] + 1.
inline CUresult increment(CUfunction kernel, CUstream stream, CUdeviceptr to,
                          CUdeviceptr from, int64_t n) {
  void *parameters[] = {&to, &from, &n};
  return cuLaunchKernel(kernel, unsigned((n + 63) / 64), 1, 1, 64, 1, 1, 0,
                        stream, parameters, nullptr);
}

} // namespace belfry::fake::test

#endif // BELFRY_TEST_FAKE_CUDA_CHILDPROCESS_H
