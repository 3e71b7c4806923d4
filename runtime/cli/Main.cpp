//===- Main.cpp - the program around a compiled model ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Main.h"

#include "runtime/cli/Commands.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

using namespace belfry::rt;

namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> stopAsked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void onInterrupt(int signal) {
  // The second time the default takes over, for a step that takes too long.
  stopAsked.store(true, std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);
}

/// At most 20 lines, unless all are asked for.
int report(const Status &status, bool all) {
  std::string text =
      "error: " +
      std::string(status.kind() == ErrorKind::Internal ? "internal: " : "") +
      status.message();
  constexpr int most = 19;
  size_t at = 0;
  for (int line = 0; !all && line < most && at != std::string::npos; ++line)
    at = text.find('\n', at + 1);
  if (!all && at != std::string::npos)
    text = text.substr(0, at) + "\n  …, '--all-errors' prints the rest";
  std::fprintf(stderr, "%s\n", text.c_str());
  return int(status.kind());
}

Expected<int> run(const belfry_program_v1 &program, int argc, char **argv,
                  bool &allErrors) {
  Expected<std::unique_ptr<Session>> session = Session::open(program);
  if (!session.ok())
    return session.status();
  Expected<cli::Options> options =
      cli::parseOptions(argc, argv, (*session)->manifest().model);
  if (!options.ok())
    return options.status();
  allErrors = options->allErrors;
  if (options->command == cli::Options::Command::Help) {
    std::fputs(options->help.c_str(), stdout);
    return 0;
  }
  return cli::runCommand(**session, program, *options, stopAsked);
}

} // namespace

int belfry::rt::runMain(const belfry_program_v1 &program, int argc,
                        char **argv) {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A terminal that closes stops a run as SIGTERM does, unless nohup said no.
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  // A reader that went away and a file size limit are errors of the write, not
  // the end of the run.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  bool allErrors = false;
  Status failure;
  try {
    Expected<int> status = run(program, argc, argv, allErrors);
    if (status.ok()) {
      // A full disk shows when the last bytes of the output go out.
      if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return *status;
      failure = Status::user("cannot write to standard output");
    } else {
      failure = status.status();
    }
  } catch (const std::bad_alloc &) {
    failure = Status::user("out of memory");
  } catch (const std::system_error &error) {
    failure = Status::user(std::string("the system refuses: ") + error.what());
  }
  return report(failure, allErrors);
}
