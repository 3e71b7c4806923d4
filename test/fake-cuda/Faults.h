//===- Faults.h - errors that a test asks for ----------------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_FAULTS_H
#define BELFRY_TEST_FAKE_CUDA_FAULTS_H

#include "test/fake-cuda/Types.h"

#include <map>
#include <string>
#include <vector>

namespace belfry::fake {

/// What goes wrong in one call.
struct Fault {
  enum class Kind {
    None,
    Call,  ///< the call itself fails
    Async, ///< what it enqueues fails when it runs
    Hang,  ///< what it enqueues never completes
  };
  Kind kind = Kind::None;
  int code = 0;
  bool sticky = false; ///< the context is lost with it
};

/// BELFRY_FAKE_CUDA_FAIL: a list, separated by commas, of
/// `[async:]FUNCTION:NUMBER=CODE[*]` and `FUNCTION:NUMBER=hang`. NUMBER counts
/// the calls of that function, from 1; a suffix _v2 can be left out.
class FAKE_CUDA_SHARED Faults {
public:
  /// Ends the program where the text can't be read.
  explicit Faults(const std::string &text);

  /// That of the next call of `function`.
  Fault next(const std::string &function);
  /// How many came to pass.
  int happened() const { return count; }
  /// Those that no call has met, as they were given.
  std::vector<std::string> waiting() const;

private:
  struct Entry {
    std::string text, function;
    uint64_t number;
    Fault fault;
    bool met = false;
  };
  std::vector<Entry> entries;
  std::map<std::string, uint64_t> calls;
  int count = 0;
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_FAULTS_H
