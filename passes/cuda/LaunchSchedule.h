//===- LaunchSchedule.h - which launches of a phase are one -----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts launches that need not wait for each other into groups, as
// docs/passes/group-gpu-launches.md says: few groups, each launch near the
// place that it had.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_CUDA_LAUNCHSCHEDULE_H
#define BELFRY_PASSES_CUDA_LAUNCHSCHEDULE_H

#include "passes/cuda/LaunchGraph.h"

namespace belfry {

/// Launches that follow one another in one block, by their numbers; mostly one
/// launch, with any number of blocks.
using Strand = llvm::SmallVector<unsigned, 1>;

/// Strands that run beside each other, in one launch.
using LaunchGroup = llvm::SmallVector<Strand>;

/// What is known of a launch beside what it waits for.
struct LaunchFacts {
  mlir::gpu::GPUFuncOp kernel;
  /// Whether it may be in a group at all: its kernel asks for nothing but its
  /// thread and its number in a one-dimensional grid.
  bool joins = false;
  bool oneBlock = false; ///< its grid is the constant 1
  /// Whether it is said to fill the device with threads that do little each, so
  /// that occupancy is what counts; and whether its threads hold so much that
  /// occupancy is low.
  bool thin = false, heavy = false;
  int64_t words = 0;       ///< of arguments
  int64_t sharedBytes = 0; ///< of memory of a block
  /// How the kernel is launched: its number of threads, and what else is noted
  /// at it.
  mlir::Attribute manner;
};

/// Most bytes of memory of a block, words of arguments and kernels of a group.
constexpr int64_t kMostSharedBytes = 48 * 1024, kMostWords = 512,
                  kMostBodies = 16;

LaunchFacts factsOf(mlir::gpu::LaunchFuncOp launch,
                    mlir::gpu::GPUFuncOp kernel);

/// All launches of the graph, each in one group, groups in order.
llvm::SmallVector<LaunchGroup>
scheduleLaunches(const LaunchGraph &graph,
                 llvm::ArrayRef<LaunchFacts> launches);

} // namespace belfry

#endif // BELFRY_PASSES_CUDA_LAUNCHSCHEDULE_H
