//===- ChildProcess.cpp - a test's body in a process of its own -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace belfry::fake;
using namespace belfry::fake::test;

static std::string slurp(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Outcome test::inChild(const Variables &variables,
                      const std::function<void()> &body, int seconds) {
  char folder[] = "/tmp/fake-cuda-XXXXXX";
  if (!mkdtemp(folder))
    std::abort();
  std::string err = std::string(folder) + "/err";
  std::string summary = std::string(folder) + "/summary";
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(unsigned(seconds));
    if (!std::freopen(err.c_str(), "w", stderr))
      _exit(2);
    setenv("BELFRY_FAKE_CUDA_KERNELS", TEST_KERNELS, 1);
    setenv("BELFRY_FAKE_CUDA_SUMMARY", summary.c_str(), 1);
    for (const auto &[name, value] : variables)
      setenv(name.starts_with("CUDA_") ? name.c_str()
                                       : ("BELFRY_FAKE_CUDA_" + name).c_str(),
             value.c_str(), 1);
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  outcome.err = slurp(err);
  outcome.summary = slurp(summary);
  unlink(err.c_str());
  unlink(summary.c_str());
  rmdir(folder);
  return outcome;
}

void test::expectClean(const Variables &variables,
                       const std::function<void()> &body) {
  Outcome outcome = inChild(variables, body);
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
}

void test::expectAbort(const Variables &variables, const std::string &message,
                       const std::function<void()> &body) {
  Outcome outcome = inChild(variables, body);
  EXPECT_TRUE(outcome.aborted) << outcome.exit;
  EXPECT_TRUE(outcome.err.starts_with("fake-cuda: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

Session::Session(int devices) {
  OK(cuInit(0));
  for (int i = 0; i < devices; ++i) {
    CUcontext made = nullptr;
    OK(cuDevicePrimaryCtxRetain(&made, i));
    contexts.push_back(made);
  }
  modules.resize(size_t(devices));
  use(0);
}

Session::~Session() {
  for (CUevent event : events)
    OK(cuEventDestroy_v2(event));
  for (CUstream stream : streams)
    OK(cuStreamDestroy_v2(stream));
  for (auto [device, at] : memory) {
    use(device);
    OK(cuMemFree_v2(at));
  }
  for (size_t i = 0; i < contexts.size(); ++i) {
    use(int(i));
    OK(cuCtxSynchronize());
  }
  for (void *at : pinned)
    OK(cuMemFreeHost(at));
  for (size_t i = 0; i < contexts.size(); ++i) {
    use(int(i));
    if (modules[i])
      OK(cuModuleUnload(modules[i]));
    OK(cuDevicePrimaryCtxRelease_v2(int(i)));
  }
}

void Session::use(int device) {
  current = device;
  OK(cuCtxSetCurrent(contexts[size_t(device)]));
}

CUfunction Session::kernel(const char *name, int device) {
  int before = current;
  use(device);
  CUmodule &module = modules[size_t(device)];
  if (!module)
    OK(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
  CUfunction function = nullptr;
  OK(cuModuleGetFunction(&function, module, name));
  use(before);
  return function;
}

CUdeviceptr Session::alloc(size_t bytes) {
  CUdeviceptr at = 0;
  OK(cuMemAlloc_v2(&at, bytes));
  memory.emplace_back(current, at);
  return at;
}

CUstream Session::stream(unsigned flags) {
  CUstream made = nullptr;
  OK(cuStreamCreate(&made, flags));
  streams.push_back(made);
  return made;
}

CUevent Session::event(unsigned flags) {
  CUevent made = nullptr;
  OK(cuEventCreate(&made, flags));
  events.push_back(made);
  return made;
}
