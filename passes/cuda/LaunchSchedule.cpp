//===- LaunchSchedule.cpp - which launches of a phase are one -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. In the order of the phase, each launch joins the last group that it may
//      be in: behind all that it waits for, with members that it goes with. If
//      there is none, it begins a group at the end.
//   2. Groups go whose members all find a place in others: the nearest one
//      between what they wait for and what waits for them; an earlier one,
//      where what they wait for is pulled along; a later one, from which what
//      waits is pushed on. Again until none goes.
//   3. Launches of a group that wait for each other are a strand.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/LaunchSchedule.h"

#include "passes/cuda/GroupKernel.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/cuda/KernelTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Launches that are moved along so that there is one group less.
static constexpr unsigned kMostMoves = 64;

/// Blocks that leave most of a device idle, whatever each of them holds.
static constexpr int64_t kFewBlocks = 64;

/// Whether a group can run the kernel for some of its blocks.
static bool canJoin(gpu::GPUFuncOp kernel) {
  if (!kernel.getBody().hasOneBlock() || kernel.getNumPrivateAttributions() > 0)
    return false;
  for (BlockArgument memory : kernel.getWorkgroupAttributions())
    if (!cast<MemRefType>(memory.getType()).getLayout().isIdentity() ||
        !cast<MemRefType>(memory.getType()).hasStaticShape())
      return false;
  return !kernel
              .walk([](Operation *op) {
                if (op->getDialect()->getNamespace() != "gpu" ||
                    isa<gpu::GPUFuncOp, gpu::ReturnOp, gpu::BarrierOp,
                        gpu::ShuffleOp>(op))
                  return WalkResult::advance();
                auto dimension =
                    op->getAttrOfType<gpu::DimensionAttr>("dimension");
                bool known =
                    isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp>(op) &&
                    dimension.getValue() == gpu::Dimension::x;
                return known ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

LaunchFacts belfry::factsOf(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel) {
  LaunchFacts facts;
  facts.kernel = kernel;
  auto isOne = [](Value size) { return getConstantIntValue(size) == 1; };
  facts.joins =
      canJoin(kernel) && isOne(launch.getGridSizeY()) &&
      isOne(launch.getGridSizeZ()) && !launch.getDynamicSharedMemorySize() &&
      launch.getAsyncDependencies().empty() && !launch.getAsyncToken();
  facts.oneBlock = isOne(launch.getGridSizeX());
  std::optional<int64_t> blocks = getConstantIntValue(launch.getGridSizeX());
  auto notes = launch->getAttrOfType<DictionaryAttr>(kLaunchAttr);
  auto family = notes ? notes.getAs<StringAttr>("family") : StringAttr();
  facts.heavy = family && family.getValue() == "dot";
  bool inOrder = family && family.getValue() == "scan";
  bool few = blocks && *blocks <= kFewBlocks;
  facts.thin = !(facts.heavy || inOrder || few);
  for (Type type : kernel.getFunctionType().getInputs())
    facts.words += wordsOf(type);
  for (BlockArgument memory : kernel.getWorkgroupAttributions())
    facts.sharedBytes += sharedBytesOf(cast<MemRefType>(memory.getType()));
  NamedAttrList manner(dialectAttrsOf(kernel));
  if (Attribute size = kernel.getKnownBlockSizeAttr())
    manner.set("threads", size);
  facts.manner = manner.getDictionary(kernel.getContext());
  return facts;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {

class Scheduler {
public:
  Scheduler(const LaunchGraph &graph, ArrayRef<LaunchFacts> launches)
      : graph(graph), launches(launches) {}

  SmallVector<LaunchGroup> run();

private:
  using Members = SmallVector<unsigned>;
  bool goWith(const Members &members, unsigned i) const;
  bool mayFollow(unsigned i, unsigned j) const {
    return launches[i].oneBlock && launches[j].oneBlock && launches[i].joins &&
           launches[j].joins;
  }
  /// The first group that is behind all that `i` waits for.
  unsigned earliest(unsigned i) const;
  void join();
  struct State {
    SmallVector<Members> groups;
    SmallVector<unsigned> groupOf; ///< of each launch
  };
  void move(unsigned i, unsigned to);
  bool moveNear(unsigned i);
  bool pull(unsigned i, unsigned last);
  bool push(unsigned i, unsigned first);
  bool moveAway(unsigned i);
  bool dissolve(unsigned group);
  LaunchGroup strandsOf(const Members &members) const;

  const LaunchGraph &graph;
  ArrayRef<LaunchFacts> launches;
  State state;
  unsigned moves = 0; ///< for one group
};

} // namespace

bool Scheduler::goWith(const Members &members, unsigned i) const {
  if (members.empty())
    return true;
  const LaunchFacts &own = launches[i];
  bool thin = own.thin, heavy = own.heavy, joins = own.joins;
  int64_t words = own.words + 1, shared = own.sharedBytes;
  SmallPtrSet<Operation *, 16> bodies;
  bodies.insert(own.kernel);
  for (unsigned member : members) {
    const LaunchFacts &other = launches[member];
    thin |= other.thin;
    heavy |= other.heavy;
    joins &= other.joins && other.manner == own.manner;
    words += other.words + 1; // where its blocks end
    shared = std::max(shared, other.sharedBytes);
    bodies.insert(other.kernel);
  }
  return joins && !(thin && heavy) && words <= kMostWords &&
         shared <= kMostSharedBytes &&
         static_cast<int64_t>(bodies.size()) <= kMostBodies;
}

unsigned Scheduler::earliest(unsigned i) const {
  unsigned first = 0;
  for (unsigned j : graph.before(i))
    first = std::max(first, state.groupOf[j] + (mayFollow(j, i) ? 0 : 1));
  return first;
}

void Scheduler::join() {
  for (unsigned i = 0; i < launches.size(); ++i) {
    unsigned first = earliest(i), count = state.groups.size(), at = count;
    for (unsigned g = count; g-- > first && at == count;)
      if (goWith(state.groups[g], i))
        at = g;
    if (at == count)
      state.groups.emplace_back();
    state.groups[at].push_back(i);
    state.groupOf.push_back(at);
  }
}

void Scheduler::move(unsigned i, unsigned to) {
  llvm::erase(state.groups[state.groupOf[i]], i);
  Members &members = state.groups[to];
  members.insert(llvm::lower_bound(members, i), i);
  state.groupOf[i] = to;
}

/// Moves a launch to the nearest other group that takes it, neither before what
/// it waits for nor behind what waits for it.
bool Scheduler::moveNear(unsigned i) {
  int64_t own = state.groupOf[i], first = earliest(i),
          last = static_cast<int64_t>(state.groups.size()) - 1;
  for (unsigned j : graph.behind(i))
    last =
        std::min<int64_t>(last, state.groupOf[j] - (mayFollow(i, j) ? 0 : 1));
  std::optional<int64_t> best;
  for (int64_t g = first; g <= last; ++g)
    if (g != own && !state.groups[g].empty() && goWith(state.groups[g], i) &&
        (!best || std::abs(g - own) < std::abs(*best - own)))
      best = g;
  if (best)
    move(i, *best);
  return best.has_value();
}

/// Moves a launch to the last group up to `last` that takes it, and what it
/// waits for before that one. Where this fails, some may have been moved.
bool Scheduler::pull(unsigned i, unsigned last) {
  if (moves++ == kMostMoves)
    return false;
  for (unsigned g = last + 1; g-- > 0;) {
    if (state.groups[g].empty() || !goWith(state.groups[g], i))
      continue;
    move(i, g);
    return llvm::all_of(graph.before(i), [&](unsigned j) {
      unsigned end = g + (mayFollow(j, i) ? 1 : 0);
      return state.groupOf[j] < end || (end > 0 && pull(j, end - 1));
    });
  }
  return false;
}

/// The same, to the first group from `first` on, and what waits for it behind
/// that one.
bool Scheduler::push(unsigned i, unsigned first) {
  if (moves++ == kMostMoves)
    return false;
  for (unsigned g = first; g < state.groups.size(); ++g) {
    if (state.groups[g].empty() || !goWith(state.groups[g], i))
      continue;
    move(i, g);
    return llvm::all_of(graph.behind(i), [&](unsigned j) {
      unsigned next = g + (mayFollow(i, j) ? 0 : 1);
      return state.groupOf[j] >= next || push(j, next);
    });
  }
  return false;
}

/// Moves a launch to another group, and what has to move with it, or none.
bool Scheduler::moveAway(unsigned i) {
  if (moveNear(i))
    return true;
  unsigned own = state.groupOf[i];
  State before = state;
  if (own > 0 && pull(i, own - 1))
    return true;
  state = before;
  if (push(i, own + 1))
    return true;
  state = std::move(before);
  return false;
}

/// Moves all members of a group to others, or none.
bool Scheduler::dissolve(unsigned group) {
  State before = state;
  moves = 0;
  // The last ones first: they make room for those that they wait for.
  for (unsigned i : llvm::reverse(before.groups[group]))
    if (state.groupOf[i] == group && !moveAway(i)) {
      state = std::move(before);
      return false;
    }
  return true;
}

/// Members that wait for each other are all of one block.
LaunchGroup Scheduler::strandsOf(const Members &members) const {
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned i : members) {
    classes.insert(i);
    for (unsigned j : graph.before(i))
      if (state.groupOf[j] == state.groupOf[i])
        classes.unionSets(i, j);
  }
  LaunchGroup strands;
  llvm::DenseMap<unsigned, size_t> strandOf;
  for (unsigned i : members) {
    auto [it, fresh] =
        strandOf.try_emplace(classes.getLeaderValue(i), strands.size());
    if (fresh)
      strands.emplace_back();
    strands[it->second].push_back(i);
  }
  return strands;
}

SmallVector<LaunchGroup> Scheduler::run() {
  join();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned g = 0; g < state.groups.size(); ++g)
      changed |= !state.groups[g].empty() && dissolve(g);
  }
  SmallVector<LaunchGroup> result;
  for (const Members &members : state.groups)
    if (!members.empty())
      result.push_back(strandsOf(members));
  return result;
}

SmallVector<LaunchGroup>
belfry::scheduleLaunches(const LaunchGraph &graph,
                         ArrayRef<LaunchFacts> launches) {
  return Scheduler(graph, launches).run();
}
