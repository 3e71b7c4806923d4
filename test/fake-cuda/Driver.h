//===- Driver.h - the state of the emulated driver ------------ -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_DRIVER_H
#define BELFRY_TEST_FAKE_CUDA_DRIVER_H

#include "test/fake-cuda/Faults.h"
#include "test/fake-cuda/Handles.h"
#include "test/fake-cuda/Images.h"
#include "test/fake-cuda/Memory.h"
#include "test/fake-cuda/Operations.h"
#include "test/fake-cuda/Report.h"
#include "test/fake-cuda/Settings.h"
#include "test/fake-cuda/Types.h"

#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace belfry::fake {

struct Capture;
struct Device;

/// Of a capture, or of a graph: what to do, and after which nodes before it.
struct Node {
  TaskPtr task;
  std::vector<size_t> after;
};

struct Stream {
  Device *device;
  bool blocking; ///< in step with the legacy default stream
  unsigned number;
  OperationList last; ///< what the next operation comes after
  std::shared_ptr<Capture> capture;
  std::vector<size_t> lastNodes; ///< of the capture
};

struct Event {
  Device *device;
  bool timed;
  OperationPtr recorded;            ///< null: never
  std::shared_ptr<Capture> capture; ///< in which it was recorded last
  std::vector<size_t> nodes;        ///< and after which nodes
};

struct Module {
  Device *device;
  std::shared_ptr<const Image> image;
  std::vector<CUfunction> functions;
};

struct Function {
  Device *device;
  std::shared_ptr<Module> module;
  const belfry_emulated_kernel *kernel;
  KernelUse use;
  int dynamicShared; ///< the most that a launch can have
  int carveout = -1;
};

struct Graph {
  std::vector<Node> nodes;
};

struct GraphExec {
  std::vector<Node> nodes;
  OperationPtr last; ///< of the launch before
  size_t number;     ///< in Report::graphs
};

/// A sequence of calls that becomes a graph.
struct Capture {
  CUstreamCaptureMode mode;
  std::thread::id thread;
  Stream *origin;
  bool valid = true;
  bool ended = false;
  std::vector<Node> nodes;
  std::vector<std::shared_ptr<Stream>> streams; ///< the origin first
};

/// A device with its primary context, which is the only one.
struct Device {
  int ordinal;
  int physical; ///< its number without CUDA_VISIBLE_DEVICES
  uint64_t memory;
  uint64_t used = 0, peak = 0;
  uint64_t rangeBegin = 0, rangeBytes = 0, rangeUsed = 0;

  CUcontext context = nullptr;
  unsigned retained = 0;
  std::set<const Device *> peers; ///< whose memory its kernels may touch
  std::shared_ptr<Stream> legacy;
  /// Not CUDA_SUCCESS: the context is lost, and each call says so.
  CUresult lost = CUDA_SUCCESS;
  /// An error of what ran, that the next call that waits gives once.
  CUresult pending = CUDA_SUCCESS;

  void fail(CUresult code, bool sticky);
};

/// Everything. It is made at the first call and never goes away.
struct FAKE_CUDA_SHARED Driver {
  static Driver &get();

  Driver();

  std::mutex mutex;
  Settings settings;
  bool initialized = false;
  std::vector<std::shared_ptr<Device>> devices;
  Operations operations;
  Memory memory;
  Faults faults;
  Report report;
  Images images;

  Handles<Device, CUcontext> contexts{"context", 1};
  Handles<Stream, CUstream> streams{"stream", 2};
  Handles<Event, CUevent> events{"event", 3};
  Handles<Module, CUmodule> modules{"module", 4};
  Handles<Function, CUfunction> functions{"function", 5};
  Handles<Graph, CUgraph> graphs{"graph", 6};
  Handles<GraphExec, CUgraphExec> graphExecs{"executable graph", 7};
  std::vector<std::shared_ptr<Capture>> captures; ///< that haven't ended
  unsigned streamsMade = 0;
  /// Of libnccl.so.2: lines as those of `findLeaks`.
  std::function<std::vector<std::string>()> moreLeaks;
};

/// Of the calling thread.
FAKE_CUDA_SHARED extern thread_local Device
    *currentDevice; ///< whose context is current
FAKE_CUDA_SHARED extern thread_local bool insideHostFunction;
extern thread_local CUstreamCaptureMode captureMode;

/// GPU-… of a device, and its bytes.
CUuuid uuidOf(int physical);
std::string uuidText(int physical);

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_DRIVER_H
