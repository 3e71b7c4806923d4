//===- SignalTest.cpp - signals that a training binary gets ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/CliFixture.h"

#include <chrono>
#include <csignal>
#include <sys/stat.h>
#include <thread>

using namespace belfry::rt::test;

namespace {

TEST_F(Cli, InterruptFinishesTheStepAndSaves) {
  pid_t child = start("fit --x x.npy --y y.npy --epochs 100000000 "
                      "--save i.weights.h5 --set learning_rate=0.001",
                      {});
  // The first line of output says that training is on.
  for (int i = 0; i < 500 && slurp(path(".out")).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(child, SIGINT);
  Result result = finish(child);
  EXPECT_EQ(result.exit, 130);
  EXPECT_NE(result.err.find("weights saved to 'i.weights.h5'"),
            std::string::npos);
  EXPECT_EQ(run("evaluate --x x.npy --y y.npy --weights i.weights.h5").exit, 0);
}

// The second signal ends the program, wherever it is.
TEST_F(Cli, TheSecondSignalLeavesNothing) {
  for (int second : {SIGINT, SIGTERM, SIGKILL}) {
    std::ofstream(path("i.weights.h5")) << "before";
    std::set<std::string> before = files();
    pid_t child = start("fit --x x.npy --y y.npy --epochs 100000000 "
                        "--save i.weights.h5 --set learning_rate=0.001",
                        {});
    for (int i = 0; i < 500 && slurp(path(".out")).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(child, SIGTERM);
    kill(child, second);
    Result result = finish(child);
    // The first one may have had its time.
    EXPECT_TRUE(result.exit == -1 || result.exit == 130) << result.exit;
    EXPECT_EQ(files(), before) << second;
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// A sanitizer has its own handlers of crashes, which stay.
#ifdef SANITIZED
const std::vector<int> kCrashes = {};
#else
const std::vector<int> kCrashes = {SIGSEGV, SIGABRT};
#endif

// A crash is sent to the program while it waits for a file of weights, as one
// of the HDF5 library would come.
TEST_F(Cli, ACrashInHdf5IsAnErrorOfTheFile) {
  ASSERT_EQ(mkfifo(path("w.weights.h5").c_str(), 0600), 0);
  std::vector<int> signals = kCrashes;
  signals.push_back(SIGINT);
  for (int signal : signals) {
    pid_t child =
        start("predict --x x.npy --weights w.weights.h5 -o p.npy", {});
    // Opens once the program has it open.
    int pipe = -1;
    for (int i = 0; i < 500 && pipe < 0; ++i) {
      pipe =
          open(path("w.weights.h5").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_GE(pipe, 0);
    kill(child, signal);
    Result result = finish(child);
    close(pipe);
    EXPECT_EQ(result.exit, signal == SIGINT ? -1 : 1);
    EXPECT_EQ(result.err, signal == SIGINT
                              ? ""
                              : "error: 'w.weights.h5' is damaged (the HDF5 "
                                "library failed on it)\n");
  }
}

} // namespace
