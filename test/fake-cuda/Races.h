//===- Races.h - accesses without an order between them ------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_RACES_H
#define BELFRY_TEST_FAKE_CUDA_RACES_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace belfry::fake {

struct Operation;
using OperationPtr = std::shared_ptr<Operation>;

/// Keeps who wrote each byte last, and who has read it since. Whoever touches
/// it next has to come after the writer, and a writer after the readers; then
/// it comes after all those before them as well.
class Races {
public:
  /// Aborts where `op` races with one before it. Nothing comes after it yet.
  void check(const OperationPtr &op);

private:
  struct Span {
    uint64_t end;
    OperationPtr writer; ///< may be null
    std::vector<OperationPtr> readers;
  };
  void splitAt(uint64_t address);
  void touch(const OperationPtr &op, uint64_t begin, Span &span, bool writes);

  std::map<uint64_t, Span> spans; ///< by their first address, apart
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_RACES_H
