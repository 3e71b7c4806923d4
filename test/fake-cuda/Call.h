//===- Call.h - a call of the driver, from its entry to its result  -*- C++
//-*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_CALL_H
#define BELFRY_TEST_FAKE_CUDA_CALL_H

#include "test/fake-cuda/Driver.h"

#include <exception>

namespace belfry::fake {

/// What is special about a function.
enum CallRules : unsigned {
  kOrdinary = 0,
  /// It may be called before cuInit.
  kBeforeInit = 1,
  /// It is refused while a capture forbids it, which ends that capture.
  kUnsafeInCapture = 2,
  /// It gives something back, which it does even where it fails.
  kReleases = 4,
};

/// One call. Functions throw a `Failure` with its error.
class FAKE_CUDA_SHARED Call {
public:
  Call(Driver &driver, Lock &lock, unsigned rules, const Fault &fault)
      : driver(driver), lock(lock), rules(rules), fault(fault) {}

  /// The device whose context is current.
  Device &current();
  /// Fails where the context of `device` is lost.
  void use(const Device &device);
  /// The stream of a handle; the legacy default stream of the current context
  /// for null.
  std::shared_ptr<Stream> stream(CUstream handle);

  /// Puts `task` at the end of `stream`, or into the graph that it captures.
  /// Gives the operation, or null in a capture.
  OperationPtr enqueue(Stream &stream, Task task);
  /// The same for what a graph has kept: no capture, no faults of this call.
  OperationPtr submit(TaskPtr task, const OperationList &after);
  /// What the next operation of `stream` comes after.
  OperationList before(const Stream &stream);
  /// What the host waits for that waits for `stream`: its own operations, and
  /// for the legacy default stream those of all blocking streams.
  OperationList upTo(const Stream &stream);

  /// Waits, and fails with an error of what ran on `device`.
  void wait(const OperationList &operations, Device &device);
  /// Whether they are done, and fails likewise.
  bool query(const OperationList &operations, Device &device);
  /// Everything that `device` has to do.
  OperationList allOf(const Device &device) const;

  /// Whether a test has this call fail: what it makes is to be given up.
  bool isFailing() const { return fault.kind == Fault::Kind::Call; }
  /// What was asked for, once it has been handed to a task.
  Fault takeFault();

  /// The end of each call, see `enter`.
  CUresult finish(CUresult result);

  Driver &driver;
  Lock &lock;

private:
  void throwErrorOf(Device &device);

  unsigned rules;
  Fault fault;
  CUresult released = CUDA_SUCCESS; ///< error of a call that gives back
};

/// Fails the call where a capture forbids it, and ends that capture.
FAKE_CUDA_SHARED void checkSafety(Driver &driver);

/// The frame of each function of the driver: the lock, counts, faults, rules.
/// `body(call)` may throw a `Failure`.
template <typename Body>
CUresult enter(const char *name, unsigned rules, Body &&body) {
  if (insideHostFunction) {
    currentCall = name;
    fatal("called from a function of cuLaunchHostFunc");
  }
  currentCall = name;
  Driver &driver = Driver::get();
  Lock lock(driver.mutex);
  ++driver.report.calls[name];
  if (!(rules & kBeforeInit) && !driver.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  Call call(driver, lock, rules, driver.faults.next(name));
  CUresult result = CUDA_SUCCESS;
  try {
    if (!call.isFailing() || (rules & kReleases)) {
      if (rules & kUnsafeInCapture)
        checkSafety(driver);
      body(call);
    }
  } catch (const Failure &failure) {
    result = failure.code;
  } catch (const std::exception &error) {
    fatal(error.what());
  }
  return call.finish(result);
}

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_CALL_H
