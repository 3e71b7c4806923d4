//===- Cliques.h - ranks that exchange data ------------------- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_CLIQUES_H
#define BELFRY_TEST_FAKE_CUDA_CLIQUES_H

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/NcclTypes.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace belfry::fake {

/// Leaves a call with an error of NCCL.
struct NcclFailure {
  ncclResult_t code;
};
inline void requireNccl(bool holds, ncclResult_t otherwise) {
  if (!holds)
    throw NcclFailure{otherwise};
}

struct Clique;

/// A rank of a clique.
struct Comm {
  std::shared_ptr<Clique> clique;
  int rank;
  Device *device;
  ncclResult_t asyncError = ncclSuccess;
  uint64_t collectives = 0; ///< that it has come to
};

/// What one call of one rank asks for.
struct Request {
  enum class Kind { AllReduce, ReduceScatter, AllGather, Send, Receive };
  Kind kind;
  const char *function; ///< that was called
  std::shared_ptr<Comm> comm;
  const void *from = nullptr;
  void *to = nullptr;
  size_t count; ///< elements, as the function counts them
  ncclDataType_t type;
  ncclRedOp_t reduction = ncclSum;
  int peer = -1; ///< of Send and Receive
  std::shared_ptr<Stream> stream = nullptr;
  Fault fault = {}; ///< Async or Hang

  bool isPointToPoint() const {
    return kind == Kind::Send || kind == Kind::Receive;
  }
};

/// Requests that belong together.
struct Exchange {
  OperationPtr op;            ///< until all have arrived
  std::vector<Request> parts; ///< a collective's by rank; a send, a receive
  size_t arrived = 0;
  bool aborted = false;
};
using ExchangePtr = std::shared_ptr<Exchange>;

/// All ranks of one identifier. Their n-th collectives have to be the same.
struct Clique {
  explicit Clique(int count) : ranks(size_t(count)) {}

  std::vector<std::weak_ptr<Comm>> ranks; ///< those that there are
  size_t joined = 0;
  bool aborted = false;
  /// Collectives that lack ranks, by number, and sends and receives that lack
  /// the other side, by source and destination.
  std::map<uint64_t, ExchangePtr> collectives;
  std::map<std::pair<int, int>, std::deque<ExchangePtr>> messages;
  /// Which rank a thread calls for when it is in no group.
  std::map<std::thread::id, int> callers;
};

/// Fails, or aborts, where a request can't be right.
void checkRequest(const Driver &driver, const Request &request);

/// Enqueues the requests of a group, or one that is in none.
void enqueue(Call &call, const std::vector<Request> &requests);

/// Gives up what the ranks have not all come to.
void abortClique(Driver &driver, Clique &clique);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_CLIQUES_H
