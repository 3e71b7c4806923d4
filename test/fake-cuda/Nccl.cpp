//===- Nccl.cpp - the functions of NCCL -----------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Cliques.h"
#include "test/fake-cuda/NcclFunctions.h"

#include <cstring>
#include <utility>

using namespace belfry::fake;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: the driver asks for what is left when the process ends.
struct State {
  Handles<Comm, ncclComm_t> comms{"communicator", 8};
  std::map<std::string, std::weak_ptr<Clique>> cliques; ///< by identifier
  uint64_t identifiers = 0;
};

/// A rank that a group is to make.
struct Joining {
  std::shared_ptr<Comm> comm;
  ncclComm_t *handle;
};

/// Of the calling thread.
struct Group {
  int depth = 0;
  std::vector<Request> requests;
  std::vector<Joining> joining;
  ncclResult_t error = ncclSuccess;
};
} // namespace

static thread_local Group group;
static thread_local std::string lastError;

/// Under the driver's lock.
static State &state(Driver &driver) {
  static State *state = [&] {
    auto *made = new State;
    driver.moreLeaks = [made] {
      std::vector<std::string> leaks;
      for (const auto &[handle, comm] : made->comms.all())
        leaks.push_back("the communicator of rank " +
                        std::to_string(comm->rank) + " on device " +
                        std::to_string(comm->device->ordinal));
      return leaks;
    };
    return made;
  }();
  return *state;
}

/// The frame of NCCL's functions. An error of the driver is one of NCCL's.
template <typename Body>
static ncclResult_t enterNccl(const char *name, unsigned rules, Body &&body) {
  CUresult result = enter(name, rules | kBeforeInit, [&](Call &call) {
    ncclResult_t code = ncclSuccess;
    try {
      body(call);
    } catch (const NcclFailure &failure) {
      code = failure.code;
      lastError = std::string(name) + ": error " + std::to_string(code);
    } catch (const Failure &failure) {
      code = ncclUnhandledCudaError;
      lastError = std::string(name) + ": error " +
                  std::to_string(failure.code) + " of the driver";
    }
    require(code == ncclSuccess, CUresult(int(code)));
  });
  return ncclResult_t(int(result));
}

static std::shared_ptr<Comm> commOf(Call &call, ncclComm_t handle) {
  requireNccl(handle != nullptr, ncclInvalidArgument);
  return state(call.driver).comms.get(handle);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

ncclResult_t belfry::fake::ncclGetVersion(int *version) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(version != nullptr, ncclInvalidArgument);
    *version = call.driver.settings.nccl;
  });
}

const char *belfry::fake::ncclGetErrorString(ncclResult_t result) {
  static constexpr const char *kTexts[] = {
      "no error",
      "unhandled cuda error",
      "unhandled system error",
      "internal error",
      "invalid argument",
      "invalid usage",
      "remote process exited or there was a network error",
      "NCCL operation in progress"};
  return result < std::size(kTexts) ? kTexts[result] : "unknown result code";
}

const char *belfry::fake::ncclGetLastError(ncclComm_t) {
  return lastError.c_str();
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

ncclResult_t belfry::fake::ncclGetUniqueId(ncclUniqueId *id) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(id != nullptr, ncclInvalidArgument);
    std::string text =
        "fake-cuda " + std::to_string(++state(call.driver).identifiers);
    std::memset(id->internal, 0, sizeof(id->internal));
    std::memcpy(id->internal, text.data(), text.size());
  });
}

/// Makes a rank; it is of use once all of its clique have joined.
static std::shared_ptr<Comm> join(const std::shared_ptr<Clique> &clique,
                                  int rank, Device &device) {
  if (clique->ranks[size_t(rank)].lock())
    fatal("rank " + std::to_string(rank) + " joins twice");
  for (const auto &entry : clique->ranks)
    if (auto other = entry.lock(); other && other->device == &device)
      fatal("ranks " + std::to_string(other->rank) + " and " +
            std::to_string(rank) + " have the same device " +
            std::to_string(device.ordinal));
  auto comm = std::make_shared<Comm>();
  comm->clique = clique;
  comm->rank = rank;
  comm->device = &device;
  clique->ranks[size_t(rank)] = comm;
  ++clique->joined;
  return comm;
}

/// Waits for the other ranks of those that the calling thread makes.
static void finishJoining(Call &call, const std::vector<Joining> &joining) {
  call.driver.operations.notify();
  for (const Joining &entry : joining) {
    const Clique &clique = *entry.comm->clique;
    if (!call.driver.operations.waitFor(
            call.lock, [&] { return clique.joined == clique.ranks.size(); }))
      fatal("waits in vain for ranks: " + std::to_string(clique.joined) +
            " of " + std::to_string(clique.ranks.size()) + " have joined");
    *entry.handle = state(call.driver).comms.add(entry.comm);
  }
}

ncclResult_t belfry::fake::ncclCommInitRank(ncclComm_t *comm, int ranks,
                                            ncclUniqueId id, int rank) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(comm && ranks > 0 && rank >= 0 && rank < ranks,
                ncclInvalidArgument);
    Device &device = call.current();
    State &all = state(call.driver);
    std::string key(id.internal, strnlen(id.internal, sizeof(id.internal)));
    if (!key.starts_with("fake-cuda "))
      fatal("the identifier is not of ncclGetUniqueId");
    std::shared_ptr<Clique> clique = all.cliques[key].lock();
    if (!clique)
      all.cliques[key] = clique = std::make_shared<Clique>(ranks);
    if (clique->ranks.size() != size_t(ranks))
      fatal("rank " + std::to_string(rank) + " expects " +
            std::to_string(ranks) + " ranks, others " +
            std::to_string(clique->ranks.size()));
    Joining joining{join(clique, rank, device), comm};
    if (group.depth)
      group.joining.push_back(joining);
    else
      finishJoining(call, {joining});
  });
}

ncclResult_t belfry::fake::ncclCommInitAll(ncclComm_t *comms, int count,
                                           const int *devices) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(comms && count > 0, ncclInvalidArgument);
    std::vector<Device *> chosen;
    for (int i = 0; i < count; ++i) {
      int device = devices ? devices[i] : i;
      requireNccl(device >= 0 && size_t(device) < call.driver.devices.size(),
                  ncclInvalidArgument);
      for (int j = 0; devices && j < i; ++j)
        requireNccl(devices[j] != device, ncclInvalidUsage);
      Device &of = *call.driver.devices[size_t(device)];
      // NCCL would make its own use of a context that isn't there.
      if (of.retained == 0)
        fatal("device " + std::to_string(device) + " has no context");
      call.use(of);
      chosen.push_back(&of);
    }
    auto clique = std::make_shared<Clique>(count);
    for (int i = 0; i < count; ++i)
      comms[i] =
          state(call.driver).comms.add(join(clique, i, *chosen[size_t(i)]));
  });
}

ncclResult_t belfry::fake::ncclCommFinalize(ncclComm_t handle) {
  return enterNccl(__func__, kOrdinary,
                   [&](Call &call) { commOf(call, handle); });
}

/// What it has enqueued still goes on: nothing of it is the communicator's.
ncclResult_t belfry::fake::ncclCommDestroy(ncclComm_t handle) {
  return enterNccl(__func__, kReleases, [&](Call &call) {
    commOf(call, handle);
    state(call.driver).comms.remove(handle);
  });
}

ncclResult_t belfry::fake::ncclCommAbort(ncclComm_t handle) {
  return enterNccl(__func__, kReleases, [&](Call &call) {
    auto comm = commOf(call, handle);
    abortClique(call.driver, *comm->clique);
    state(call.driver).comms.remove(handle);
  });
}

ncclResult_t belfry::fake::ncclCommCount(ncclComm_t comm, int *count) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(count != nullptr, ncclInvalidArgument);
    *count = int(commOf(call, comm)->clique->ranks.size());
  });
}

ncclResult_t belfry::fake::ncclCommCuDevice(ncclComm_t comm, int *device) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(device != nullptr, ncclInvalidArgument);
    *device = commOf(call, comm)->device->ordinal;
  });
}

ncclResult_t belfry::fake::ncclCommUserRank(ncclComm_t comm, int *rank) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(rank != nullptr, ncclInvalidArgument);
    *rank = commOf(call, comm)->rank;
  });
}

ncclResult_t belfry::fake::ncclCommGetAsyncError(ncclComm_t comm,
                                                 ncclResult_t *error) {
  return enterNccl(__func__, kOrdinary, [&](Call &call) {
    requireNccl(error != nullptr, ncclInvalidArgument);
    *error = commOf(call, comm)->asyncError;
  });
}

//===----------------------------------------------------------------------===//
// Groups and what is in them
//===----------------------------------------------------------------------===//

ncclResult_t belfry::fake::ncclGroupStart() {
  return enterNccl(__func__, kOrdinary, [&](Call &) { ++group.depth; });
}

/// Gives the first error of the calls in the group, of which nothing is
/// enqueued then.
ncclResult_t belfry::fake::ncclGroupEnd() {
  return enterNccl(__func__, kReleases, [&](Call &call) {
    requireNccl(group.depth > 0, ncclInvalidUsage);
    if (--group.depth > 0)
      return;
    Group ended = std::exchange(group, Group());
    requireNccl(ended.error == ncclSuccess, ended.error);
    if (call.isFailing())
      return;
    if (!ended.joining.empty() && !ended.requests.empty())
      fatal("ranks are made and data is exchanged in one group");
    finishJoining(call, ended.joining);
    enqueue(call, ended.requests);
  });
}

static ncclResult_t request(const char *name, ncclComm_t comm, CUstream stream,
                            Request request) {
  ncclResult_t result = enterNccl(name, kOrdinary, [&](Call &call) {
    request.function = name;
    request.comm = commOf(call, comm);
    request.stream = call.stream(stream);
    call.use(*request.comm->device);
    checkRequest(call.driver, request);
    request.fault = call.takeFault();
    if (group.depth) {
      group.requests.push_back(std::move(request));
      return;
    }
    // A rank may wait inside of a call for the others.
    int rank = request.comm->rank;
    auto [caller, isNew] =
        request.comm->clique->callers.emplace(std::this_thread::get_id(), rank);
    if (caller->second != rank)
      fatal("one thread calls for ranks " + std::to_string(caller->second) +
            " and " + std::to_string(rank) + " outside of a group");
    enqueue(call, {request});
  });
  if (result != ncclSuccess && group.depth && group.error == ncclSuccess)
    group.error = result;
  return result;
}

ncclResult_t belfry::fake::ncclAllReduce(const void *from, void *to,
                                         size_t count, ncclDataType_t type,
                                         ncclRedOp_t reduction, ncclComm_t comm,
                                         CUstream stream) {
  return request(__func__, comm, stream,
                 {.kind = Request::Kind::AllReduce,
                  .function = __func__,
                  .comm = nullptr,
                  .from = from,
                  .to = to,
                  .count = count,
                  .type = type,
                  .reduction = reduction});
}

ncclResult_t belfry::fake::ncclReduceScatter(const void *from, void *to,
                                             size_t count, ncclDataType_t type,
                                             ncclRedOp_t reduction,
                                             ncclComm_t comm, CUstream stream) {
  return request(__func__, comm, stream,
                 {.kind = Request::Kind::ReduceScatter,
                  .function = __func__,
                  .comm = nullptr,
                  .from = from,
                  .to = to,
                  .count = count,
                  .type = type,
                  .reduction = reduction});
}

ncclResult_t belfry::fake::ncclAllGather(const void *from, void *to,
                                         size_t count, ncclDataType_t type,
                                         ncclComm_t comm, CUstream stream) {
  return request(__func__, comm, stream,
                 {.kind = Request::Kind::AllGather,
                  .function = __func__,
                  .comm = nullptr,
                  .from = from,
                  .to = to,
                  .count = count,
                  .type = type});
}

ncclResult_t belfry::fake::ncclSend(const void *from, size_t count,
                                    ncclDataType_t type, int peer,
                                    ncclComm_t comm, CUstream stream) {
  return request(__func__, comm, stream,
                 {.kind = Request::Kind::Send,
                  .function = __func__,
                  .comm = nullptr,
                  .from = from,
                  .count = count,
                  .type = type,
                  .peer = peer});
}

ncclResult_t belfry::fake::ncclRecv(void *to, size_t count, ncclDataType_t type,
                                    int peer, ncclComm_t comm,
                                    CUstream stream) {
  return request(__func__, comm, stream,
                 {.kind = Request::Kind::Receive,
                  .function = __func__,
                  .comm = nullptr,
                  .to = to,
                  .count = count,
                  .type = type,
                  .peer = peer});
}
