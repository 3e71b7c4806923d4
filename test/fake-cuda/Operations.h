//===- Operations.h - what is enqueued, and when it runs ------ -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing runs when it is enqueued. An operation knows those that it has to
// wait for; it runs when the host waits for it, or for one that waits for it,
// in an order that the dependences allow and that a program is likely not to
// expect. Where a dependence is missing, a result is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_OPERATIONS_H
#define BELFRY_TEST_FAKE_CUDA_OPERATIONS_H

#include "test/fake-cuda/Faults.h"
#include "test/fake-cuda/Races.h"
#include "test/fake-cuda/Types.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace belfry::fake {

struct Device;
struct Operation;
using OperationList = std::vector<OperationPtr>;
using Lock = std::unique_lock<std::mutex>;

/// Bytes [begin, end) that an operation touches.
struct Access {
  enum class Kind { Read, Write, Unknown };
  uint64_t begin, end;
  Kind kind;
};

/// What is to be done, as a call says it; nodes of graphs keep it, and each
/// launch of the graph does it again.
struct Task {
  enum class Kind { Kernel, Copy, Memset, HostFunction, Event, Collective };
  enum class Direction { None, HostToDevice, DeviceToHost, SameDevice, Peer };

  Kind kind;
  std::string name; ///< for messages
  Device *device;
  std::function<void()> work = {}; ///< may be empty
  std::vector<Access> accesses = {};
  Direction direction = Direction::None; ///< of a copy
  uint64_t bytes = 0;                    ///< of a copy or a memset
  std::string kernel = {};               ///< its name
  Fault fault = {};                      ///< Async or Hang
  /// Of a collective: gives the operation of all ranks, which the arrival of
  /// this rank is a part of.
  std::function<OperationPtr(const OperationPtr &arrival)> join = {};
};
using TaskPtr = std::shared_ptr<const Task>;

struct Operation {
  enum class State { Pending, Running, Done };

  uint64_t id;
  TaskPtr task;
  State state = State::Pending;
  /// Whether the host has waited for it: what is enqueued later comes after.
  bool retired = false;
  /// Of `begin`: what it comes after may be younger.
  bool joint = false;
  /// Between `begin` and `complete`.
  bool assembling = false;
  OperationList after;
  std::vector<Operation *> dependents; ///< that have it in `after`
  unsigned blockers = 0; ///< of `after` that aren't done, and missing ranks
  double seconds = 0;    ///< the time at which it was done
};

/// The operations of all devices. All of it under the driver's lock, which is
/// released while one runs.
class FAKE_CUDA_SHARED Operations {
public:
  /// Seed 0: as late as possible, the last enqueued first. Others: in random
  /// order, and some before anyone waits for them.
  explicit Operations(uint64_t seed) : seed(seed), random(seed) {}

  /// Enqueues `task` to run after those of `after`. Aborts where its accesses
  /// race with those of one before that it has no order with.
  OperationPtr submit(TaskPtr task, const OperationList &after);

  /// One that can't run before `complete` was called for it, to which `arrive`
  /// adds what it comes after.
  OperationPtr begin(TaskPtr task);
  void arrive(const OperationPtr &op, const OperationPtr &from);
  void complete(const OperationPtr &op);

  /// Runs what is needed for all of `roots` to be done, and waits where
  /// another thread is at it.
  void wait(Lock &lock, const OperationList &roots);
  /// Whether all of `roots` are done; does a little towards it if not, since a
  /// program may ask until they are.
  bool query(Lock &lock, const OperationList &roots);
  /// With a seed, now and then: runs something that nobody waits for.
  void runAhead(Lock &lock);

  /// Those that aren't retired and may touch [begin, end).
  OperationList touching(uint64_t begin, uint64_t end) const;
  /// All of `device` that aren't retired; of all devices for null.
  OperationList active(const Device *device) const;

  /// Waiting threads look again at what they wait for.
  void notify() { changed.notify_all(); }
  /// A number below `limit`.
  uint64_t draw(uint64_t limit) { return random() % limit; }
  /// Waits until `holds`, at most as long as the settings' patience. Says
  /// whether it came to hold.
  bool waitFor(Lock &lock, const std::function<bool()> &holds);
  bool isRandom() const { return seed != 0; }

private:
  void link(const OperationPtr &op, const OperationPtr &from);
  OperationList unfinished(const OperationList &roots) const;
  bool runReady(Lock &lock, const OperationList &among, size_t most);
  void run(Lock &lock, const OperationPtr &op);
  void retire(const OperationList &roots);

  uint64_t seed;
  std::mt19937_64 random;
  uint64_t lastId = 0;
  std::map<uint64_t, OperationPtr> open; ///< not retired, by id
  Races races;
  std::condition_variable changed;
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_OPERATIONS_H
