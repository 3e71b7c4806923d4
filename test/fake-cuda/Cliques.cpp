//===- Cliques.cpp - ranks that exchange data -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. A rank arrives: an operation in its stream that does nothing, and has the
//    memory that the rank gives to the exchange.
// 2. The exchange comes after the arrivals of its ranks. The first one to
//    arrive makes it, the last one completes it; it can't run before.
// 3. What the rank's stream does next comes after the exchange.
//
// In a capture the arrival is the node; each launch of the graph makes the rank
// arrive again.
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Cliques.h"

#include "test/fake-cuda/Reductions.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace belfry::fake;
using Kind = Request::Kind;

static std::string describe(const Request &r) {
  std::string text = std::string(r.function) + " of " +
                     std::to_string(r.count) + " elements of type " +
                     std::to_string(r.type);
  if (r.kind == Kind::AllReduce || r.kind == Kind::ReduceScatter)
    text += " with reduction " + std::to_string(r.reduction);
  return text + " on rank " + std::to_string(r.comm->rank);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static size_t bytesRead(const Request &r) {
  size_t bytes = r.from ? r.count * sizeOf(r.type) : 0;
  return r.kind == Kind::ReduceScatter ? bytes * r.comm->clique->ranks.size()
                                       : bytes;
}

static size_t bytesWritten(const Request &r) {
  size_t bytes = r.to ? r.count * sizeOf(r.type) : 0;
  return r.kind == Kind::AllGather ? bytes * r.comm->clique->ranks.size()
                                   : bytes;
}

static uint64_t address(const void *at) {
  return uint64_t(reinterpret_cast<uintptr_t>(at));
}

static void checkBuffer(const Driver &driver, const Request &r, const void *at,
                        size_t bytes) {
  const Allocation *found = driver.memory.find(address(at));
  std::string text = std::to_string(bytes) + " bytes at " + hex(address(at));
  if (!found || found->device != r.comm->device)
    fatal(text + " are not memory of device " +
          std::to_string(r.comm->device->ordinal) + ", which rank " +
          std::to_string(r.comm->rank) + " has");
  if (bytes > found->end() - address(at))
    fatal(text + " are beyond the " + std::to_string(found->bytes) +
          " bytes at " + hex(found->begin));
  if (address(at) % sizeOf(r.type) != 0)
    fatal(text + " are not aligned to elements of " +
          std::to_string(sizeOf(r.type)) + " bytes");
}

/// Both buffers of a rank are one, in the one way that NCCL allows, or apart.
static void checkInPlace(const Request &r) {
  uint64_t from = address(r.from), to = address(r.to);
  uint64_t before = uint64_t(r.comm->rank) * r.count * sizeOf(r.type);
  bool inPlace = r.kind == Kind::AllReduce       ? from == to
                 : r.kind == Kind::ReduceScatter ? to == from + before
                                                 : from == to + before;
  if (!inPlace && from < to + bytesWritten(r) && to < from + bytesRead(r))
    fatal("the buffers at " + hex(from) + " and " + hex(to) +
          " overlap and are not in place");
}

void belfry::fake::checkRequest(const Driver &driver, const Request &r) {
  const Clique &clique = *r.comm->clique;
  requireNccl(sizeOf(r.type) != 0 && r.reduction <= ncclMin,
              ncclInvalidArgument);
  if (r.isPointToPoint())
    requireNccl(r.peer >= 0 && size_t(r.peer) < clique.ranks.size(),
                ncclInvalidArgument);
  requireNccl(r.count == 0 || ((r.from || r.kind == Kind::Receive) &&
                               (r.to || r.kind == Kind::Send)),
              ncclInvalidArgument);
  if (clique.aborted)
    fatal("the communicator of rank " + std::to_string(r.comm->rank) +
          " is aborted");
  if (r.stream->device != r.comm->device)
    fatal("rank " + std::to_string(r.comm->rank) + " has device " +
          std::to_string(r.comm->device->ordinal) +
          ", but the stream is of device " +
          std::to_string(r.stream->device->ordinal));
  if (r.count == 0)
    return;
  if (r.from)
    checkBuffer(driver, r, r.from, bytesRead(r));
  if (r.to)
    checkBuffer(driver, r, r.to, bytesWritten(r));
  if (r.from && r.to)
    checkInPlace(r);
}

//===----------------------------------------------------------------------===//
// What is exchanged
//===----------------------------------------------------------------------===//

/// Everything is read before anything is written, since ranks may work in
/// place.
static void run(const std::vector<Request> &parts, uint64_t seed) {
  const Request &r = parts.front();
  size_t bytes = r.count * sizeOf(r.type);
  std::vector<const void *> from;
  for (const Request &part : parts)
    from.push_back(part.from);
  std::vector<char> result;
  switch (r.kind) {
  case Kind::AllReduce:
    result.resize(bytes);
    reduce(r.type, r.reduction, result.data(), from, 0, r.count, seed);
    for (const Request &part : parts)
      std::memcpy(part.to, result.data(), bytes);
    return;
  case Kind::ReduceScatter:
    result.resize(bytes * parts.size());
    for (size_t i = 0; i < parts.size(); ++i)
      reduce(r.type, r.reduction, result.data() + i * bytes, from, i * r.count,
             r.count, seed + i);
    for (size_t i = 0; i < parts.size(); ++i)
      std::memcpy(parts[i].to, result.data() + i * bytes, bytes);
    return;
  case Kind::AllGather:
    for (const void *at : from) {
      auto *first = static_cast<const char *>(at);
      result.insert(result.end(), first, first + bytes);
    }
    for (const Request &part : parts)
      std::memcpy(part.to, result.data(), result.size());
    return;
  case Kind::Send:
  case Kind::Receive:
    std::memmove(parts[1].to, parts[0].from, bytes);
    return;
  }
}

static ExchangePtr begin(Driver &driver, const Request &first,
                         const std::string &name, size_t parts) {
  auto exchange = std::make_shared<Exchange>();
  exchange->parts.resize(parts, first);
  Task task{Task::Kind::Event, name, first.comm->device};
  task.work = [exchange, seed = driver.operations.draw(UINT64_MAX)] {
    if (exchange->aborted)
      return;
    for (Request &part : exchange->parts)
      if (part.fault.kind == Fault::Kind::Async)
        part.comm->asyncError = ncclResult_t(part.fault.code);
    if (exchange->parts.front().count > 0)
      run(exchange->parts, seed);
  };
  exchange->op =
      driver.operations.begin(std::make_shared<const Task>(std::move(task)));
  return exchange;
}

/// The exchange lets go of its operation, which keeps the exchange.
static void complete(Driver &driver, Exchange &exchange) {
  driver.operations.complete(exchange.op);
  exchange.op = nullptr;
}

/// Adds one part; completes the exchange with the last one.
static OperationPtr arrive(Driver &driver, Exchange &exchange, size_t part,
                           const Request &request,
                           const OperationPtr &arrival) {
  OperationPtr op = exchange.op;
  exchange.parts[part] = request;
  driver.operations.arrive(op, arrival);
  if (++exchange.arrived == exchange.parts.size())
    complete(driver, exchange);
  return op;
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

/// What all ranks have to say alike.
static void checkSame(const Request &first, const Request &other) {
  if (first.function != other.function || first.count != other.count ||
      first.type != other.type || first.reduction != other.reduction)
    fatal(describe(other) + " meets " + describe(first));
}

static OperationPtr meetAll(Driver &driver, const Request &r,
                            const OperationPtr &arrival) {
  Clique &clique = *r.comm->clique;
  uint64_t number = ++r.comm->collectives;
  ExchangePtr &exchange = clique.collectives[number];
  if (!exchange)
    exchange = begin(driver, r,
                     std::string(r.function) + ", collective " +
                         std::to_string(number),
                     clique.ranks.size());
  else
    checkSame(exchange->parts.front(), r);
  ExchangePtr mine = exchange;
  OperationPtr op = arrive(driver, *mine, size_t(r.comm->rank), r, arrival);
  if (mine->arrived == mine->parts.size())
    clique.collectives.erase(number);
  return op;
}

static OperationPtr meetPeer(Driver &driver, const Request &r,
                             const OperationPtr &arrival) {
  bool sends = r.kind == Kind::Send;
  auto between =
      sends ? std::pair(r.comm->rank, r.peer) : std::pair(r.peer, r.comm->rank);
  // The first that has no such part yet.
  std::deque<ExchangePtr> &queue = r.comm->clique->messages[between];
  auto found = std::find_if(queue.begin(), queue.end(), [&](ExchangePtr &e) {
    return (e->parts[sends ? 1 : 0].kind == Kind::Send) != sends;
  });
  if (found == queue.end()) {
    queue.push_back(begin(driver, r,
                          std::string(r.function) + " from rank " +
                              std::to_string(between.first) + " to rank " +
                              std::to_string(between.second),
                          2));
    return arrive(driver, *queue.back(), sends ? 0 : 1, r, arrival);
  }
  ExchangePtr exchange = *found;
  const Request &other = exchange->parts[sends ? 1 : 0];
  if (other.count != r.count || other.type != r.type)
    fatal(describe(r) + " meets " + describe(other));
  queue.erase(found);
  return arrive(driver, *exchange, sends ? 0 : 1, r, arrival);
}

/// Enqueues the arrival of requests of one rank in one stream. They are a
/// collective, or messages that go on at the same time.
static void enqueueTogether(Call &call, const std::vector<Request> &requests) {
  const Request &first = requests.front();
  Task task{Task::Kind::Collective,
            std::string(first.function) + " of rank " +
                std::to_string(first.comm->rank) + " in stream " +
                std::to_string(first.stream->number),
            first.comm->device};
  for (const Request &r : requests) {
    if (size_t bytes = bytesRead(r))
      task.accesses.push_back(
          {address(r.from), address(r.from) + bytes, Access::Kind::Read});
    if (size_t bytes = bytesWritten(r))
      task.accesses.push_back(
          {address(r.to), address(r.to) + bytes, Access::Kind::Write});
    if (r.fault.kind == Fault::Kind::Hang)
      task.fault = r.fault;
  }
  task.join = [requests, &driver = call.driver](const OperationPtr &arrival) {
    OperationList exchanges;
    for (const Request &r : requests)
      exchanges.push_back(r.isPointToPoint() ? meetPeer(driver, r, arrival)
                                             : meetAll(driver, r, arrival));
    if (exchanges.size() == 1)
      return exchanges.front();
    Task end{Task::Kind::Event, "the end of a group",
             requests.front().comm->device};
    return driver.operations.submit(
        std::make_shared<const Task>(std::move(end)), exchanges);
  };
  call.enqueue(*first.stream, std::move(task));
}

void belfry::fake::enqueue(Call &call, const std::vector<Request> &requests) {
  std::map<std::pair<Comm *, Stream *>, std::vector<Request>> messages;
  for (const Request &r : requests)
    if (r.isPointToPoint())
      messages[{r.comm.get(), r.stream.get()}].push_back(r);
    else
      enqueueTogether(call, {r});
  for (const auto &[key, together] : messages)
    enqueueTogether(call, together);
}

void belfry::fake::abortClique(Driver &driver, Clique &clique) {
  if (std::exchange(clique.aborted, true))
    return;
  auto giveUp = [&](const ExchangePtr &exchange) {
    exchange->aborted = true;
    complete(driver, *exchange);
  };
  for (auto &[number, exchange] : clique.collectives)
    giveUp(exchange);
  for (auto &[between, queue] : clique.messages)
    for (const ExchangePtr &exchange : queue)
      giveUp(exchange);
}
