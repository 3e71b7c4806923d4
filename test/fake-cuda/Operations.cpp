//===- Operations.cpp - what is enqueued, and when it runs ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Operations.h"

#include "test/fake-cuda/Driver.h"
#include "test/fake-cuda/IllegalAccess.h"
#include "test/fake-cuda/Settings.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <unordered_set>

using namespace belfry::fake;

//===----------------------------------------------------------------------===//
// Enqueueing
//===----------------------------------------------------------------------===//

void Operations::link(const OperationPtr &op, const OperationPtr &from) {
  if (from->retired || from == op)
    return;
  op->after.push_back(from);
  if (from->state != Operation::State::Done) {
    from->dependents.push_back(op.get());
    ++op->blockers;
  }
}

OperationPtr Operations::submit(TaskPtr task, const OperationList &after) {
  auto op = std::make_shared<Operation>();
  op->id = ++lastId;
  op->task = std::move(task);
  for (const OperationPtr &from : after)
    link(op, from);
  open.emplace(op->id, op);
  races.check(op);
  return op;
}

OperationPtr Operations::begin(TaskPtr task) {
  auto op = std::make_shared<Operation>();
  op->id = ++lastId;
  op->task = std::move(task);
  op->blockers = 1;
  op->joint = op->assembling = true;
  open.emplace(op->id, op);
  return op;
}

void Operations::arrive(const OperationPtr &op, const OperationPtr &from) {
  link(op, from);
  notify();
}

void Operations::complete(const OperationPtr &op) {
  --op->blockers;
  op->assembling = false;
  notify();
}

OperationList Operations::touching(uint64_t begin, uint64_t end) const {
  OperationList found;
  for (const auto &[id, op] : open)
    for (const Access &access : op->task->accesses)
      if (access.begin < end && begin < access.end) {
        found.push_back(op);
        break;
      }
  return found;
}

OperationList Operations::active(const Device *device) const {
  OperationList found;
  for (const auto &[id, op] : open)
    if (!device || op->task->device == device)
      found.push_back(op);
  return found;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

OperationList Operations::unfinished(const OperationList &roots) const {
  OperationList found, stack = roots;
  std::unordered_set<const Operation *> seen;
  while (!stack.empty()) {
    OperationPtr op = std::move(stack.back());
    stack.pop_back();
    if (op->state == Operation::State::Done || !seen.insert(op.get()).second)
      continue;
    stack.insert(stack.end(), op->after.begin(), op->after.end());
    found.push_back(std::move(op));
  }
  return found;
}

static bool isReady(const Operation &op) {
  return op.state == Operation::State::Pending && op.blockers == 0 &&
         op.task->fault.kind != Fault::Kind::Hang;
}

/// Runs those of `among` that can, at most `most`; says whether there was one.
bool Operations::runReady(Lock &lock, const OperationList &among, size_t most) {
  std::map<const Operation *, OperationPtr> members;
  std::map<uint64_t, OperationPtr> ready; // by id
  for (const OperationPtr &op : among) {
    members.emplace(op.get(), op);
    if (isReady(*op))
      ready.emplace(op->id, op);
  }
  size_t ran = 0;
  while (!ready.empty() && ran < most) {
    auto chosen = std::prev(ready.end());
    if (isRandom())
      chosen = std::next(ready.begin(), ptrdiff_t(draw(ready.size())));
    OperationPtr op = chosen->second;
    ready.erase(chosen);
    if (!isReady(*op)) // another thread was faster
      continue;
    std::vector<OperationPtr> next;
    for (Operation *dependent : op->dependents)
      if (auto found = members.find(dependent); found != members.end())
        next.push_back(found->second);
    run(lock, op);
    ++ran;
    for (const OperationPtr &dependent : next)
      if (isReady(*dependent))
        ready.emplace(dependent->id, dependent);
  }
  return ran > 0;
}

void Operations::run(Lock &lock, const OperationPtr &op) {
  op->state = Operation::State::Running;
  const Task &task = *op->task;
  // A context that is lost runs nothing any more.
  bool lost = task.device && task.device->lost != CUDA_SUCCESS;
  if (task.work && !lost) {
    lock.unlock();
    // As on a GPU: to nearest, subnormal numbers kept.
    fenv_t mode;
    fegetenv(&mode);
    fesetenv(FE_DFL_ENV);
    bool inside = insideHostFunction;
    insideHostFunction = task.kind == Task::Kind::HostFunction;
    uint64_t address = 0;
    bool done = true;
    if (task.kind == Task::Kind::Kernel)
      done = runGuarded(task.work, address);
    else
      task.work();
    insideHostFunction = inside;
    fesetenv(&mode);
    lock.lock();
    if (!done) {
      tell(task.name + " touches " + hex(address) + ", where nothing is");
      task.device->fail(CUDA_ERROR_ILLEGAL_ADDRESS, /*sticky=*/true);
    }
  }
  if (task.fault.kind == Fault::Kind::Async && !lost)
    task.device->fail(CUresult(task.fault.code), task.fault.sticky);
  op->state = Operation::State::Done;
  op->seconds = std::chrono::duration<double>(
                    std::chrono::steady_clock::now().time_since_epoch())
                    .count();
  for (Operation *dependent : op->dependents)
    --dependent->blockers;
  op->dependents.clear();
  notify();
}

void Operations::retire(const OperationList &roots) {
  OperationList stack = roots;
  while (!stack.empty()) {
    OperationPtr op = std::move(stack.back());
    stack.pop_back();
    if (op->retired)
      continue;
    op->retired = true;
    stack.insert(stack.end(), op->after.begin(), op->after.end());
    op->after.clear();
    open.erase(op->id);
  }
}

/// Ends the program where the ones that are left wait for each other.
static void checkDeadlock(const OperationList &left) {
  for (const OperationPtr &op : left)
    if (op->state == Operation::State::Running || op->assembling ||
        op->task->fault.kind == Fault::Kind::Hang)
      return;
  fatal("waits for ever: " + left.front()->task->name +
        " comes after something that comes after it");
}

void Operations::wait(Lock &lock, const OperationList &roots) {
  auto patience = std::chrono::seconds(Driver::get().settings.patience);
  for (;;) {
    OperationList left = unfinished(roots);
    if (left.empty())
      break;
    if (runReady(lock, left, SIZE_MAX))
      continue;
    checkDeadlock(left);
    // Another thread runs one of them, a rank is missing, or one hangs.
    if (changed.wait_for(lock, patience) != std::cv_status::timeout)
      continue;
    for (const OperationPtr &op : unfinished(roots))
      if (op->assembling)
        fatal("waits in vain for " + op->task->name +
              ", to which not all ranks have come");
  }
  retire(roots);
}

bool Operations::waitFor(Lock &lock, const std::function<bool()> &holds) {
  return changed.wait_for(
      lock, std::chrono::seconds(Driver::get().settings.patience), holds);
}

bool Operations::query(Lock &lock, const OperationList &roots) {
  OperationList left = unfinished(roots);
  if (!left.empty()) {
    runReady(lock, left, 1);
    left = unfinished(roots);
  }
  if (left.empty())
    retire(roots);
  return left.empty();
}

void Operations::runAhead(Lock &lock) {
  if (!isRandom() || open.empty() || draw(4) != 0)
    return;
  // Host functions may wait for what the calling thread holds.
  OperationList ready;
  for (const auto &[id, op] : open)
    if (isReady(*op) && op->task->kind != Task::Kind::HostFunction)
      ready.push_back(op);
  if (!ready.empty())
    runReady(lock, {ready[draw(ready.size())]}, 1);
}
