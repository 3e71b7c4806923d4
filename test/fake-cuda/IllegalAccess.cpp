//===- IllegalAccess.cpp - kernels that touch what isn't there ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/IllegalAccess.h"

#include <csetjmp>
#include <csignal>
#include <mutex>

using namespace belfry::fake;

static thread_local sigjmp_buf *escape = nullptr;
static thread_local uint64_t touched;
static struct sigaction before;

static void leave(int signal, siginfo_t *info, void *) {
  if (!escape) {
    // Not a kernel's: whoever was there before takes it when it comes again.
    sigaction(signal, &before, nullptr);
    return;
  }
  touched = uint64_t(reinterpret_cast<uintptr_t>(info->si_addr));
  siglongjmp(*escape, 1);
}

bool belfry::fake::runGuarded(const std::function<void()> &work,
                              uint64_t &address) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = leave;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
  });
  sigjmp_buf here;
  sigjmp_buf *outer = escape;
  bool done = false;
  if (sigsetjmp(here, 1) == 0) {
    escape = &here;
    work();
    done = true;
  }
  escape = outer;
  address = touched;
  return done;
}
