//===- Graphs.cpp - graphs and their launches -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Captures.h"
#include "test/fake-cuda/Functions.h"

#include <algorithm>

using namespace belfry::fake;

CUresult belfry::fake::cuGraphInstantiateWithFlags(CUgraphExec *exec,
                                                   CUgraph graph,
                                                   unsigned long long flags) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    constexpr unsigned long long kKnown =
        CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
        CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    require(exec != nullptr && (flags & ~kKnown) == 0,
            CUDA_ERROR_INVALID_VALUE);
    call.current();
    auto made = std::make_shared<GraphExec>();
    made->nodes = call.driver.graphs.get(graph)->nodes;
    made->number = call.driver.report.graphs.size();
    call.driver.report.graphs.push_back(Report::shapeOf(made->nodes));
    *exec = call.driver.graphExecs.add(std::move(made));
  });
}

/// What a node touches has to be there when it is launched.
static void checkAlive(const Memory &memory, const Task &task) {
  for (const Access &access : task.accesses) {
    const Allocation *allocation = memory.find(access.begin);
    if (!allocation || allocation->end() < access.end)
      fatal("the graph has " + task.name + ", whose memory at " +
            hex(access.begin) + " is freed");
  }
}

/// One operation a node. A launch comes after the one before of the same graph.
CUresult belfry::fake::cuGraphLaunch(CUgraphExec handle,
                                     CUstream streamHandle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    auto exec = call.driver.graphExecs.get(handle);
    auto stream = call.stream(streamHandle);
    if (stream->capture)
      fatal("launches of graphs in a capture are not emulated");
    OperationList first = call.before(*stream);
    if (exec->last)
      first.push_back(exec->last);

    OperationList made(exec->nodes.size());
    std::vector<bool> inner(exec->nodes.size());
    for (size_t i = 0; i < made.size(); ++i) {
      const Node &node = exec->nodes[i];
      checkAlive(call.driver.memory, *node.task);
      OperationList after = node.after.empty() ? first : OperationList();
      for (size_t from : node.after) {
        after.push_back(made[from]);
        inner[from] = true;
      }
      made[i] = call.submit(node.task, after);
    }
    OperationList leaves = made.empty() ? first : OperationList();
    for (size_t i = 0; i < made.size(); ++i)
      if (!inner[i])
        leaves.push_back(made[i]);

    ++call.driver.report.graphLaunches;
    ++call.driver.report.graphs[exec->number].launches;
    Task end{Task::Kind::Event, "the end of a graph", stream->device};
    end.fault = call.takeFault();
    exec->last =
        call.submit(std::make_shared<const Task>(std::move(end)), leaves);
    stream->last = {exec->last};
  });
}

CUresult belfry::fake::cuGraphUpload(CUgraphExec handle,
                                     CUstream streamHandle) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    call.driver.graphExecs.get(handle);
    requireNotCaptured(*call.stream(streamHandle));
  });
}

CUresult belfry::fake::cuGraphExecDestroy(CUgraphExec handle) {
  return enter(__func__, kReleases, [&](Call &call) {
    call.driver.graphExecs.get(handle);
    call.driver.graphExecs.remove(handle);
  });
}

CUresult belfry::fake::cuGraphDestroy(CUgraph handle) {
  return enter(__func__, kReleases, [&](Call &call) {
    call.driver.graphs.get(handle);
    call.driver.graphs.remove(handle);
  });
}

/// Handles of nodes are for counting and comparing only.
CUresult belfry::fake::cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes,
                                       size_t *count) {
  return enter(__func__, kOrdinary, [&](Call &call) {
    require(count != nullptr, CUDA_ERROR_INVALID_VALUE);
    size_t size = call.driver.graphs.get(handle)->nodes.size();
    if (nodes)
      for (size_t i = 0; i < *count; ++i)
        nodes[i] = i < size ? reinterpret_cast<CUgraphNode>(
                                  reinterpret_cast<uintptr_t>(handle) + i + 1)
                            : nullptr;
    *count = nodes ? std::min(size, *count) : size;
  });
}
