//===- Main.cpp - the program around a compiled model ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Main.h"

#include "runtime/cli/Commands.h"
#include "runtime/data/Hdf5.h"
#include "runtime/data/OutputFile.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <unistd.h>

using namespace belfry::rt;

namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> stopAsked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Threads of the devices have these signals blocked, so that the thread which
/// writes files is the one that stands still here.
void onInterrupt(int signal) {
  // While a file is read there is nothing to save, and HDF5 may not come back
  // from a damaged one.
  if (!stopAsked.exchange(true) && !fileInHdf5())
    return;
  // The second one, whichever signal it is, for a step that takes too long.
  removeTemporaryFiles();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void say(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return;
}

/// A crash of the HDF5 library is an error of the file that it is at work on.
void onCrash(int signal) {
  if (const char *file = fileInHdf5()) {
    say("error: '");
    say(file);
    say("' is damaged (the HDF5 library failed on it)\n");
    removeTemporaryFiles();
    _exit(int(ErrorKind::User));
  }
  // SA_RESETHAND has put the default back.
  std::raise(signal);
}

/// Leaves what a sanitizer has put there.
void handleCrashes() {
  // A recursion without end leaves no room on the stack.
  static char stack[size_t(1) << 16];
  stack_t place = {};
  place.ss_sp = stack;
  place.ss_size = sizeof(stack);
  sigaltstack(&place, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = int(SA_ONSTACK | SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) == 0 &&
        before.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
  }
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

Expected<int> run(const belfry_program_v2 &program, int argc, char **argv,
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

int belfry::rt::runMain(const belfry_program_v2 &program, int argc,
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
  handleCrashes();
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
