//===- CliFixture.h - runs a training binary --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_RUNTIME_CLIFIXTURE_H
#define BELFRY_TEST_UNIT_RUNTIME_CLIFIXTURE_H

#include "runtime/data/NpyWriter.h"
#include "test/unit/runtime/TestFolder.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <random>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace belfry::rt::test {

struct Result {
  int exit = -1;
  std::string out, err;
};

inline std::string slurp(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Cli : public TestFolder {
protected:
  void SetUp() override {
    TestFolder::SetUp();
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> x(60), y(20), wide(40), w(15, 1.f);
    for (float &value : x)
      value = normal(random);
    for (size_t i = 0; i < 20; ++i)
      y[i] = x[3 * i] - 2 * x[3 * i + 1] + 1;
    put("x.npy", {20, 3}, x);
    put("y.npy", {20, 1}, y);
    put("wide.npy", {20, 2}, wide);
    put("w.npy", {15}, w);
    put("none.npy", {0, 3}, {});
    put("none_y.npy", {0, 1}, {});
    x[4] = NAN;
    put("nan.npy", {20, 3}, x);
    std::ofstream(folder + "/text.npy") << "not an array";
    std::ofstream(folder + "/taken.weights.h5") << "not weights";
  }
  void put(const std::string &name, const Shape &shape,
           const std::vector<float> &values) {
    ASSERT_TRUE(
        writeNpy(folder + "/" + name, DType::F32, shape, values.data()).ok());
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      names.insert(entry.path().filename());
    return names;
  }

  /// Starts the binary in the folder; words are split at spaces, `@` is an
  /// empty one.
  pid_t start(const std::string &arguments,
              const std::vector<std::string> &environment) {
    pid_t child = fork();
    if (child != 0)
      return child;
    if (chdir(folder.c_str()) != 0)
      _exit(99);
    for (const std::string &variable : environment)
      putenv(const_cast<char *>(variable.c_str()));
    for (int stream : {1, 2}) {
      int file = open(path(stream == 1 ? ".out" : ".err").c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || dup2(file, stream) < 0)
        _exit(97);
    }
    std::vector<std::string> words = {"train"};
    std::istringstream stream(arguments);
    for (std::string word; stream >> word;)
      words.push_back(word == "@" ? "" : word);
    std::vector<char *> argv;
    for (std::string &word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(BELFRY_FAKE_BINARY, argv.data());
    _exit(98);
  }
  Result finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    Result result;
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.out = slurp(path(".out"));
    result.err = slurp(path(".err"));
    std::filesystem::remove(path(".out"));
    std::filesystem::remove(path(".err"));
    return result;
  }
  Result run(const std::string &arguments,
             const std::vector<std::string> &environment = {}) {
    return finish(start(arguments, environment));
  }

  void expectError(const std::string &arguments, const std::string &message,
                   const std::vector<std::string> &environment = {}) {
    std::set<std::string> before = files();
    Result result = run(arguments, environment);
    EXPECT_EQ(result.exit, 1) << arguments << "\n" << result.err;
    size_t at = result.err.find("error: ");
    EXPECT_TRUE(at == 0 ||
                (at != std::string::npos && result.err[at - 1] == '\n'))
        << arguments << "\n"
        << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << arguments << "\n"
                                                           << result.err;
    EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 20);
    EXPECT_EQ(files(), before) << arguments;
  }
};

} // namespace belfry::rt::test

#endif // BELFRY_TEST_UNIT_RUNTIME_CLIFIXTURE_H
