//===- KernelSplit.cpp - which loop of a kernel threads share -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is worth it takes a range of one of its loops, and says what an
// iteration costs, so that the runtime can cut it into slices of equal cost.
//
//===----------------------------------------------------------------------===//

#include "passes/host/KernelBuilder.h"

#include "belfry/Runtime.h"

#include "passes/lowering/NnLowering.h"

using namespace mlir;
using namespace belfry;

/// Kernels of less than this run where they stand: a third of a microsecond.
constexpr int64_t kLeastSplitCost = BELFRY_LOOP_COST_OF_MICROSECOND / 3;
/// Rows of a tower that are reckoned with where their number matters here.
constexpr int64_t kUsualRows = 32;

static double usual(Affine size) {
  return double(size.perRow * kUsualRows + size.fixed);
}

/// What an op costs where it runs on vectors, in the units of belfry_loop.
static int64_t costOf(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp, linalg::YieldOp>(op))
    return 0;
  if (isa<memref::LoadOp>(op))
    return 16; // a gather
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return 8;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::RemFOp>(op))
    return 16;
  if (isa<arith::MulUIExtendedOp, math::RsqrtOp>(op))
    return 4;
  if (isa<math::MathDialect>(op.getDialect()) &&
      !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
           math::FloorOp, math::CeilOp, math::IsFiniteOp, math::IsNaNOp,
           math::IsInfOp>(op))
    return 30;
  return 1;
}

/// Chooses the loop that threads share: the outermost parallel one that has
/// enough iterations, whose cut changes no result: a reduced loop is never cut.
void KernelBuilder::planSplit(Nest &nest) {
  constexpr double kEnough = 16;
  int best = -1;
  for (auto [d, dim] : llvm::enumerate(nest.dims)) {
    // An output that stands still is written by every iteration.
    bool parallel = dim.parallel;
    for (unsigned i = nest.inputs; i < nest.operands.size(); ++i)
      parallel &= !dim.strides[i].is(0);
    if (!parallel)
      continue;
    if (best < 0 || (usual(nest.dims[best].size) < kEnough &&
                     usual(dim.size) > usual(nest.dims[best].size)))
      best = static_cast<int>(d);
  }
  if (best < 0)
    return;
  int64_t cost = 0;
  for (auto [i, operand] : llvm::enumerate(nest.operands))
    if (operand.isArray() && !nest.dims.back().strides[i].is(0))
      cost += 4;
  if (nest.body)
    for (Operation &inner : *nest.body)
      cost += costOf(inner);
  if (nest.operands.back().element.getIntOrFloatBitWidth() == 64)
    cost *= 2;
  Split plan;
  plan.count = nest.dims[best].size;
  // Where the loop walks memory, threads keep to lines and vectors of their
  // own.
  if (static_cast<size_t>(best) + 1 == nest.dims.size() &&
      nest.dims[best].strides[nest.inputs].is(1))
    plan.multiple = 64;
  // No product of extents of arrays that fit a memory overflows a double, and
  // the exact number does not matter.
  double each = std::max<int64_t>(cost, 1);
  double total = each;
  for (auto [d, dim] : llvm::enumerate(nest.dims)) {
    total *= usual(dim.size);
    if (static_cast<int>(d) == best)
      continue;
    if (dim.size.isFixed())
      each *= double(dim.size.fixed);
    else
      plan.costFactors.push_back(dim.size);
  }
  plan.cost = static_cast<int64_t>(std::min(each, 1e15));
  if (total < double(kLeastSplitCost) || !mayShare)
    return;
  splitDim = best;
  setSplit(plan);
}

void KernelBuilder::setSplit(Split plan) {
  Block &entry = function.getBody().front();
  splitBegin = entry.insertArgument(0u, b.getIndexType(), loc);
  splitEnd = entry.insertArgument(1u, b.getIndexType(), loc);
  split = std::move(plan);
}

/// The same for a loop that is a kernel as it is: its own iterations, where
/// they are independent and their number is not known here.
void KernelBuilder::planSplit(scf::ForOp loop) {
  auto repeats = loop->getAttrOfType<IntegerAttr>(kIndependentAttr);
  std::optional<Affine> count = affineOf(loop.getUpperBound(), rows);
  if (!mayShare || !repeats || !count)
    return;
  Split plan;
  scf::ForOp innermost = loop;
  loop.walk([&](scf::ForOp inner) {
    if (loop == inner)
      return;
    if (innermost == loop)
      innermost = inner; // post-order: the innermost comes first
    auto extent = affineOf(inner.getUpperBound(), rows);
    if (extent && !extent->isFixed())
      plan.costFactors.push_back(*extent);
  });
  // What is loaded is the same for all iterations. That most numbers have 64
  // bits is made up for by masks and widenings, which cost nothing.
  int64_t cost = 0;
  for (Operation &op : *innermost.getBody())
    if (!isa<memref::LoadOp>(op))
      cost += costOf(op);
  plan.count = *count;
  plan.cost = cost * repeats.getInt();
  double total = double(plan.cost) * usual(*count);
  for (Affine factor : plan.costFactors)
    total *= usual(factor);
  if (total >= double(kLeastSplitCost))
    setSplit(plan);
}
