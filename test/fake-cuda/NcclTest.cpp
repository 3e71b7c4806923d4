//===- NcclTest.cpp - collectives between fake devices --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/ChildProcess.h"
#include "test/fake-cuda/NcclFunctions.h"

#include <cmath>
#include <thread>
#include <unistd.h>

using namespace belfry::fake;
using namespace belfry::fake::test;

namespace {

#define NCCL_OK(call) EXPECT_EQ(call, ::belfry::fake::ncclSuccess)

/// A rank a device, with a stream and an array of `n` floats each.
struct Ranks {
  static constexpr size_t n = 1000;

  explicit Ranks(int count, bool all = true)
      : session(count), count(count), comms(size_t(count)) {
    if (all)
      NCCL_OK(ncclCommInitAll(comms.data(), count, nullptr));
    for (int r = 0; r < count; ++r) {
      session.use(r);
      streams.push_back(session.stream());
      arrays.push_back(session.alloc(n * 4));
      hosts.push_back(session.pin<float>(n));
      for (size_t i = 0; i < n; ++i)
        hosts.back()[i] = float(size_t(r) * n + i);
    }
  }
  ~Ranks() {
    for (ncclComm_t comm : comms)
      NCCL_OK(ncclCommDestroy(comm));
  }

  void *array(int r) const {
    return reinterpret_cast<void *>(arrays[size_t(r)]);
  }
  CUresult upload(int r) {
    return cuMemcpyHtoDAsync_v2(arrays[size_t(r)], hosts[size_t(r)], n * 4,
                                streams[size_t(r)]);
  }
  CUresult download(int r) {
    return cuMemcpyDtoHAsync_v2(hosts[size_t(r)], arrays[size_t(r)], n * 4,
                                streams[size_t(r)]);
  }
  ncclResult_t allReduce(int r, size_t elements = n) {
    return ncclAllReduce(array(r), array(r), elements, ncclFloat32, ncclSum,
                         comms[size_t(r)], streams[size_t(r)]);
  }

  Session session;
  int count;
  std::vector<ncclComm_t> comms;
  std::vector<CUstream> streams;
  std::vector<CUdeviceptr> arrays;
  std::vector<float *> hosts;
};

class Nccl : public testing::TestWithParam<const char *> {
protected:
  Variables seed(const char *devices = "4") const {
    return {{"SEED", GetParam()}, {"DEVICES", devices}};
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Nccl, testing::Values("0", "1", "6"));

TEST_P(Nccl, SumsOverRanks) {
  expectClean(seed(), [] {
    Ranks ranks(4);
    for (int r = 0; r < 4; ++r)
      OK(ranks.upload(r));
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < 4; ++r)
      NCCL_OK(ranks.allReduce(r));
    NCCL_OK(ncclGroupEnd());
    for (int r = 0; r < 4; ++r)
      OK(ranks.download(r));
    for (int r = 0; r < 4; ++r)
      OK(cuStreamSynchronize(ranks.streams[size_t(r)]));
    for (int r = 0; r < 4; ++r)
      for (size_t i = 0; i < Ranks::n; ++i)
        EXPECT_EQ(ranks.hosts[size_t(r)][i], float(4 * i + 6 * Ranks::n));
  });
}

// Which rank's number comes first is nobody's promise: 1e8 + 1 - 1e8.
TEST(NcclOrder, OfSumsIsOpen) {
  Outcome outcome = inChild({{"DEVICES", "3"}}, [] {
    Ranks ranks(3);
    for (int r = 0; r < 3; ++r) {
      for (size_t i = 0; i < Ranks::n; ++i)
        ranks.hosts[size_t(r)][i] = r == 0 ? 1e8f : r == 1 ? 1 : -1e8f;
      OK(ranks.upload(r));
    }
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < 3; ++r)
      NCCL_OK(ranks.allReduce(r));
    NCCL_OK(ncclGroupEnd());
    int zeros = 0, ones = 0;
    for (int r = 0; r < 3; ++r)
      OK(ranks.download(r));
    for (int r = 0; r < 3; ++r)
      OK(cuStreamSynchronize(ranks.streams[size_t(r)]));
    for (size_t i = 0; i < Ranks::n; ++i) {
      zeros += ranks.hosts[0][i] == 0;
      ones += ranks.hosts[0][i] == 1;
      EXPECT_EQ(ranks.hosts[0][i], ranks.hosts[2][i]); // ranks agree
    }
    EXPECT_GT(zeros, 0);
    EXPECT_GT(ones, 0);
    EXPECT_EQ(zeros + ones, int(Ranks::n));
  });
  EXPECT_EQ(outcome.exit, 0);
}

TEST_P(Nccl, GathersAndScatters) {
  expectClean(seed("2"), [] {
    Ranks ranks(2);
    constexpr size_t half = Ranks::n / 2;
    for (int r = 0; r < 2; ++r)
      OK(ranks.upload(r));
    // Rank r gets the sum of the r-th half, in place, and all get both.
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < 2; ++r) {
      auto *mine = static_cast<float *>(ranks.array(r)) + size_t(r) * half;
      NCCL_OK(ncclReduceScatter(ranks.array(r), mine, half, ncclFloat32,
                                ncclSum, ranks.comms[size_t(r)],
                                ranks.streams[size_t(r)]));
      NCCL_OK(ncclAllGather(mine, ranks.array(r), half, ncclFloat32,
                            ranks.comms[size_t(r)], ranks.streams[size_t(r)]));
    }
    NCCL_OK(ncclGroupEnd());
    for (int r = 0; r < 2; ++r)
      OK(ranks.download(r));
    for (int r = 0; r < 2; ++r)
      OK(cuStreamSynchronize(ranks.streams[size_t(r)]));
    for (int r = 0; r < 2; ++r)
      for (size_t i = 0; i < Ranks::n; ++i)
        EXPECT_EQ(ranks.hosts[size_t(r)][i], float(2 * i + Ranks::n));
  });
}

// Rank r sends to r + 1 and gets from r - 1, all at once.
TEST_P(Nccl, SendsInARing) {
  expectClean(seed("3"), [] {
    Ranks ranks(3);
    std::vector<CUdeviceptr> got;
    for (int r = 0; r < 3; ++r) {
      ranks.session.use(r);
      got.push_back(ranks.session.alloc(Ranks::n * 4));
      OK(ranks.upload(r));
    }
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < 3; ++r) {
      NCCL_OK(ncclSend(ranks.array(r), Ranks::n, ncclFloat32, (r + 1) % 3,
                       ranks.comms[size_t(r)], ranks.streams[size_t(r)]));
      NCCL_OK(ncclRecv(reinterpret_cast<void *>(got[size_t(r)]), Ranks::n,
                       ncclFloat32, (r + 2) % 3, ranks.comms[size_t(r)],
                       ranks.streams[size_t(r)]));
    }
    NCCL_OK(ncclGroupEnd());
    for (int r = 0; r < 3; ++r) {
      ranks.session.use(r);
      float first = 0;
      OK(cuStreamSynchronize(ranks.streams[size_t(r)]));
      OK(cuMemcpyDtoH_v2(&first, got[size_t(r)], 4));
      EXPECT_EQ(first, float((r + 2) % 3 * int(Ranks::n)));
    }
  });
}

TEST_P(Nccl, IsCaptured) {
  expectClean(seed("2"), [] {
    Ranks ranks(2);
    CUevent forked = nullptr, joined = nullptr;
    ranks.session.use(1);
    joined = ranks.session.event();
    ranks.session.use(0);
    forked = ranks.session.event();
    CUstream first = ranks.streams[0], second = ranks.streams[1];
    OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(forked, first));
    OK(cuStreamWaitEvent(second, forked, 0));
    OK(ranks.upload(0));
    OK(ranks.upload(1));
    NCCL_OK(ncclGroupStart());
    NCCL_OK(ranks.allReduce(0));
    NCCL_OK(ranks.allReduce(1));
    NCCL_OK(ncclGroupEnd());
    OK(ranks.download(0));
    OK(ranks.download(1));
    OK(cuEventRecord(joined, second));
    OK(cuStreamWaitEvent(first, joined, 0));
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    OK(cuStreamEndCapture(first, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 3; ++i)
      OK(cuGraphLaunch(exec, first));
    OK(cuStreamSynchronize(first));
    // Both have the same number, which is then doubled twice.
    for (int r = 0; r < 2; ++r)
      for (size_t i = 0; i < Ranks::n; ++i)
        EXPECT_EQ(ranks.hosts[size_t(r)][i], float(4 * (2 * i + Ranks::n)));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
  });
}

// A thread a rank, without groups.
TEST_P(Nccl, TakesAThreadARank) {
  expectClean(seed("3"), [] {
    Ranks ranks(3, /*all=*/false);
    ncclUniqueId id;
    NCCL_OK(ncclGetUniqueId(&id));
    std::vector<std::thread> threads;
    for (int r = 0; r < 3; ++r)
      threads.emplace_back([&, r] {
        OK(cuCtxSetCurrent(ranks.session.context(r)));
        ncclComm_t &comm = ranks.comms[size_t(r)];
        NCCL_OK(ncclCommInitRank(&comm, 3, id, r));
        int count = 0, rank = -1, device = -1;
        NCCL_OK(ncclCommCount(comm, &count));
        NCCL_OK(ncclCommUserRank(comm, &rank));
        NCCL_OK(ncclCommCuDevice(comm, &device));
        EXPECT_EQ(count, 3);
        EXPECT_EQ(rank, r);
        EXPECT_EQ(device, r);
        OK(ranks.upload(r));
        for (int i = 0; i < 5; ++i)
          NCCL_OK(ranks.allReduce(r));
        OK(ranks.download(r));
        OK(cuStreamSynchronize(ranks.streams[size_t(r)]));
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(ranks.hosts[0][0], float(81 * 3 * Ranks::n));
    EXPECT_EQ(ranks.hosts[2][1], float(81 * (3 * Ranks::n + 3)));
  });
}

TEST(NcclGroups, MakeRanks) {
  expectClean({{"DEVICES", "2"}}, [] {
    Ranks ranks(2, /*all=*/false);
    ncclUniqueId id;
    NCCL_OK(ncclGetUniqueId(&id));
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < 2; ++r) {
      ranks.session.use(r);
      NCCL_OK(ncclCommInitRank(&ranks.comms[size_t(r)], 2, id, r));
    }
    NCCL_OK(ncclGroupEnd());
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  });
}

TEST(NcclTypes, AllCanBeAdded) {
  expectClean({{"DEVICES", "2"}}, [] {
    Ranks ranks(2);
    // 1 and 2 in each type, as bytes.
    struct Case {
      ncclDataType_t type;
      uint64_t one, two, three;
    };
    const Case cases[] = {{ncclInt8, 1, 2, 3},
                          {ncclUint8, 1, 2, 3},
                          {ncclInt32, 1, 2, 3},
                          {ncclUint32, 1, 2, 3},
                          {ncclInt64, 1, 2, 3},
                          {ncclUint64, 1, 2, 3},
                          {ncclFloat16, 0x3c00, 0x4000, 0x4200},
                          {ncclBfloat16, 0x3f80, 0x4000, 0x4040},
                          {ncclFloat32, 0x3f800000, 0x40000000, 0x40400000},
                          {ncclFloat64, 0x3ff0000000000000, 0x4000000000000000,
                           0x4008000000000000}};
    for (const Case &c : cases)
      for (auto [reduction, expected] : {std::pair(ncclSum, c.three),
                                         {ncclProd, c.two},
                                         {ncclMax, c.two},
                                         {ncclMin, c.one}}) {
        for (int r = 0; r < 2; ++r) {
          ranks.session.use(r);
          OK(cuMemcpyHtoD_v2(ranks.arrays[size_t(r)], r ? &c.two : &c.one, 8));
        }
        NCCL_OK(ncclGroupStart());
        for (int r = 0; r < 2; ++r)
          NCCL_OK(ncclAllReduce(ranks.array(r), ranks.array(r), 1, c.type,
                                reduction, ranks.comms[size_t(r)],
                                ranks.streams[size_t(r)]));
        NCCL_OK(ncclGroupEnd());
        uint64_t got = 0;
        OK(cuStreamSynchronize(ranks.streams[1]));
        OK(cuMemcpyDtoH_v2(&got, ranks.arrays[1], 8));
        EXPECT_EQ(got, expected) << c.type << " " << reduction;
      }
    EXPECT_EQ(ncclAllReduce(ranks.array(0), ranks.array(0), 1, ncclFloat32,
                            ncclAvg, ranks.comms[0], ranks.streams[0]),
              ncclInvalidArgument);
    EXPECT_EQ(ncclAllReduce(ranks.array(0), ranks.array(0), 1,
                            ncclDataType_t(11), ncclSum, ranks.comms[0],
                            ranks.streams[0]),
              ncclInvalidArgument);
  });
}

//===----------------------------------------------------------------------===//
// What ranks get wrong
//===----------------------------------------------------------------------===//

void expectMistake(const std::string &message,
                   const std::function<void(Ranks &)> &body,
                   const char *devices = "2") {
  expectAbort({{"DEVICES", devices}, {"PATIENCE", "1"}}, message, [&] {
    Ranks ranks(2);
    body(ranks);
    _exit(0);
  });
}

TEST(NcclMistakes, AreToldOf) {
  expectMistake("ncclAllReduce of 999 elements of type 7 with reduction 0 on "
                "rank 1 meets ncclAllReduce of 1000 elements",
                [](Ranks &ranks) {
                  NCCL_OK(ncclGroupStart());
                  NCCL_OK(ranks.allReduce(0));
                  NCCL_OK(ranks.allReduce(1, 999));
                  (void)ncclGroupEnd();
                });
  expectMistake("meets ncclAllReduce of 1000 elements", [](Ranks &ranks) {
    NCCL_OK(ncclGroupStart());
    NCCL_OK(ranks.allReduce(0));
    NCCL_OK(ncclAllGather(static_cast<float *>(ranks.array(1)) + 500,
                          ranks.array(1), 500, ncclFloat32, ranks.comms[1],
                          ranks.streams[1]));
    (void)ncclGroupEnd();
  });
  expectMistake("ncclRecv of 10 elements of type 7 on rank 1 meets ncclSend of "
                "11 elements",
                [](Ranks &ranks) {
                  NCCL_OK(ncclGroupStart());
                  NCCL_OK(ncclSend(ranks.array(0), 11, ncclFloat32, 1,
                                   ranks.comms[0], ranks.streams[0]));
                  NCCL_OK(ncclRecv(ranks.array(1), 10, ncclFloat32, 0,
                                   ranks.comms[1], ranks.streams[1]));
                  (void)ncclGroupEnd();
                });
  expectMistake("one thread calls for ranks 0 and 1 outside of a group",
                [](Ranks &ranks) {
                  NCCL_OK(ranks.allReduce(0));
                  (void)ranks.allReduce(1);
                });
  expectMistake("cuStreamSynchronize: waits in vain for ncclAllReduce, "
                "collective 1, to which not all ranks have come",
                [](Ranks &ranks) {
                  NCCL_OK(ranks.allReduce(0));
                  (void)cuStreamSynchronize(ranks.streams[0]);
                });
  expectMistake("are beyond the 4000 bytes",
                [](Ranks &ranks) { (void)ranks.allReduce(0, 1001); });
  expectMistake("are not memory of device 0", [](Ranks &ranks) {
    (void)ncclAllReduce(ranks.array(1), ranks.array(0), 1, ncclFloat32, ncclSum,
                        ranks.comms[0], ranks.streams[0]);
  });
  expectMistake(
      "rank 0 has device 0, but the stream is of device 1", [](Ranks &ranks) {
        (void)ncclAllReduce(ranks.array(0), ranks.array(0), 1, ncclFloat32,
                            ncclSum, ranks.comms[0], ranks.streams[1]);
      });
  expectMistake("are not aligned to elements of 4 bytes", [](Ranks &ranks) {
    char *at = static_cast<char *>(ranks.array(0)) + 2;
    (void)ncclAllReduce(at, at, 1, ncclFloat32, ncclSum, ranks.comms[0],
                        ranks.streams[0]);
  });
  expectMistake("overlap and are not in place", [](Ranks &ranks) {
    (void)ncclAllReduce(ranks.array(0),
                        static_cast<float *>(ranks.array(0)) + 1, 10,
                        ncclFloat32, ncclSum, ranks.comms[0], ranks.streams[0]);
  });
  expectMistake(
      "races with ncclAllReduce of rank 0 in stream 1", [](Ranks &ranks) {
        ranks.session.use(0);
        NCCL_OK(ranks.allReduce(0));
        (void)cuMemsetD8Async(ranks.arrays[0], 0, 4, ranks.session.stream());
      });
  expectMistake("the communicator 0x", [](Ranks &ranks) {
    NCCL_OK(ncclCommDestroy(ranks.comms[0]));
    (void)ranks.allReduce(0);
  });
}

TEST(NcclMistakes, InArgumentsAreErrors) {
  expectClean({{"DEVICES", "2"}}, [] {
    Ranks ranks(2);
    EXPECT_EQ(ncclGetVersion(nullptr), ncclInvalidArgument);
    EXPECT_EQ(ncclAllReduce(nullptr, ranks.array(0), 1, ncclFloat32, ncclSum,
                            ranks.comms[0], ranks.streams[0]),
              ncclInvalidArgument);
    EXPECT_EQ(ncclSend(ranks.array(0), 1, ncclFloat32, 2, ranks.comms[0],
                       ranks.streams[0]),
              ncclInvalidArgument);
    EXPECT_EQ(ncclCommDestroy(nullptr), ncclInvalidArgument);
    int devices[] = {1, 1};
    ncclComm_t comms[2];
    EXPECT_EQ(ncclCommInitAll(comms, 2, devices), ncclInvalidUsage);
    EXPECT_STREQ(ncclGetLastError(nullptr), "ncclCommInitAll: error 5");
    EXPECT_STREQ(ncclGetErrorString(ncclInvalidUsage), "invalid usage");
    // The group gives the error again, and enqueues nothing.
    NCCL_OK(ncclGroupStart());
    NCCL_OK(ranks.allReduce(0));
    EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 1, ncclFloat32, ncclSum,
                            ranks.comms[1], ranks.streams[1]),
              ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
    OK(cuStreamSynchronize(ranks.streams[0]));
  });
}

//===----------------------------------------------------------------------===//
// Faults, and the end
//===----------------------------------------------------------------------===//

TEST(NcclFaults, OfCallsAndOfWhatRuns) {
  Outcome outcome = inChild(
      {{"DEVICES", "2"}, {"FAIL", "ncclAllReduce:1=2,async:ncclAllReduce:4=6"}},
      [] {
        Ranks ranks(2);
        NCCL_OK(ncclGroupStart());
        EXPECT_EQ(ranks.allReduce(0), ncclSystemError);
        NCCL_OK(ranks.allReduce(1));
        EXPECT_EQ(ncclGroupEnd(), ncclSystemError);
        NCCL_OK(ncclGroupStart());
        NCCL_OK(ranks.allReduce(0));
        NCCL_OK(ranks.allReduce(1));
        NCCL_OK(ncclGroupEnd());
        ncclResult_t error = ncclSuccess;
        OK(cuStreamSynchronize(ranks.streams[1]));
        NCCL_OK(ncclCommGetAsyncError(ranks.comms[0], &error));
        EXPECT_EQ(error, ncclSuccess);
        NCCL_OK(ncclCommGetAsyncError(ranks.comms[1], &error));
        EXPECT_EQ(error, ncclRemoteError);
      });
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.summary.find("\"faults\": 2"), std::string::npos);
  EXPECT_NE(outcome.summary.find("\"collectives\": 2"), std::string::npos)
      << outcome.summary;
}

// Aborting frees a rank that others have left alone.
TEST(NcclFaults, AbortEndsTheWait) {
  expectClean({{"DEVICES", "2"}}, [] {
    Ranks ranks(2);
    NCCL_OK(ranks.allReduce(0));
    EXPECT_EQ(cuStreamQuery(ranks.streams[0]), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(ranks.streams[0]), CUDA_ERROR_NOT_READY);
    NCCL_OK(ncclCommAbort(ranks.comms[0]));
    NCCL_OK(ncclCommAbort(ranks.comms[1]));
    ranks.comms.clear();
    OK(cuStreamSynchronize(ranks.streams[0]));
  });
}

TEST(NcclLeaks, AreToldOf) {
  Outcome outcome = inChild({{"DEVICES", "2"}}, [] {
    Ranks ranks(2);
    NCCL_OK(ncclCommDestroy(ranks.comms[1]));
    ranks.comms.clear();
  });
  EXPECT_EQ(outcome.exit, 97);
  EXPECT_EQ(outcome.err,
            "fake-cuda: leak: the communicator of rank 0 on device 0\n");
}

} // namespace
