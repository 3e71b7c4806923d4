//===- GroupKernel.cpp - the kernel of several launches -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strands of the same kernels are one body: where their arguments differ, they
// are chosen by the block. A body is found by halves, and so are the arguments
// in it, so that a block compares its number a few times however many there
// are. All conditions are the same for all threads of a block: bodies may have
// barriers. Bodies share one piece of memory of the block, of which each takes
// what it needs from the beginning.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/GroupKernel.h"

#include "dialects/nn/Nn.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/cuda/KernelTypes.h"
#include "passes/lowering/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace belfry;

namespace {

/// Strands [first, end), all of the same kernels.
struct Body {
  unsigned first, end;
};

class GroupKernel {
public:
  explicit GroupKernel(MutableArrayRef<GroupStrand> strands)
      : strands(strands), b(strands.front().launches.front()),
        loc(UnknownLoc::get(b.getContext())) {}

  gpu::LaunchFuncOp build();

private:
  void findEnds();
  void findBodies();
  void addArgument(Value outside);
  Value inside(OpFoldResult outside);
  SmallVector<Value> operandsOf(unsigned strand) const;
  /// Where the blocks of a strand begin, in the kernel.
  Value firstBlock(unsigned strand);
  Value isBefore(unsigned strand);
  void buildBodies(unsigned first, unsigned end);
  void buildBody(const Body &body);
  SmallVector<Value> choose(unsigned first, unsigned end,
                            ArrayRef<unsigned> differing);
  void inlineKernel(gpu::GPUFuncOp from, ValueRange arguments, Value number);
  void addMemory();

  MutableArrayRef<GroupStrand> strands;
  OpBuilder b;
  Location loc;
  SmallVector<OpFoldResult> ends; ///< of the strands' blocks, in the phase
  SmallVector<Body> bodies;
  SmallVector<Value> arguments; ///< in the phase
  DenseMap<Value, unsigned> numbers;
  gpu::GPUFuncOp kernel;
  Value thread, block, memory;
};

} // namespace

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

DictionaryAttr belfry::dialectAttrsOf(gpu::GPUFuncOp kernel) {
  NamedAttrList attrs;
  for (NamedAttribute attr : kernel->getAttrs())
    if (attr.getNameDialect())
      attrs.push_back(attr);
  return attrs.getDictionary(kernel.getContext());
}

static StringRef familyOf(gpu::LaunchFuncOp launch) {
  auto facts = launch->getAttrOfType<DictionaryAttr>(kLaunchAttr);
  auto family = facts ? facts.getAs<StringAttr>("family") : StringAttr();
  return family ? family.getValue() : "";
}

/// What runs long gets its blocks first.
static int rankOf(const GroupStrand &strand) {
  static constexpr StringLiteral kFamilies[] = {"scan", "dot", "reduce",
                                                "loop"};
  const auto *found = llvm::find(kFamilies, familyOf(strand.launches.front()));
  return static_cast<int>(found - std::begin(kFamilies));
}

/// Orders the strands, those of the same kernels next to each other.
void GroupKernel::findBodies() {
  SmallVector<ArrayRef<gpu::GPUFuncOp>> kinds;
  auto kindOf = [&](const GroupStrand &strand) {
    const auto *found = llvm::find(kinds, ArrayRef(strand.kernels));
    if (found == kinds.end()) {
      kinds.emplace_back(strand.kernels);
      return kinds.size() - 1;
    }
    return static_cast<size_t>(found - kinds.begin());
  };
  SmallVector<std::tuple<int, size_t, unsigned>> order;
  for (auto [i, strand] : llvm::enumerate(strands))
    order.emplace_back(rankOf(strand), kindOf(strand), i);
  // Of equal strands, the ranks are those of the first.
  DenseMap<size_t, int> ranks;
  for (auto &[rank, kind, i] : order)
    rank = ranks.try_emplace(kind, rank).first->second;
  llvm::sort(order);
  SmallVector<GroupStrand> ordered;
  for (auto [rank, kind, i] : order) {
    if (ordered.empty() || ordered.back().kernels != strands[i].kernels)
      bodies.push_back({unsigned(ordered.size()), 0});
    ordered.push_back(strands[i]);
    bodies.back().end = ordered.size();
  }
  llvm::copy(ordered, strands.begin());
}

void GroupKernel::findEnds() {
  OpFoldResult end = b.getIndexAttr(0);
  for (const GroupStrand &strand : strands) {
    gpu::LaunchFuncOp launch = strand.launches.front();
    end = addIndex(b, launch.getLoc(), end,
                   getAsOpFoldResult(launch.getGridSizeX()));
    ends.push_back(end);
  }
}

void GroupKernel::addArgument(Value outside) {
  if (numbers.try_emplace(outside, arguments.size()).second)
    arguments.push_back(outside);
}

SmallVector<Value> GroupKernel::operandsOf(unsigned strand) const {
  SmallVector<Value> operands;
  for (gpu::LaunchFuncOp launch : strands[strand].launches)
    llvm::append_range(operands, launch.getKernelOperands());
  return operands;
}

/// What is said of each launch, with its layer: a list.
static ArrayAttr notesOf(MLIRContext *context, ArrayRef<GroupStrand> strands) {
  SmallVector<Attribute> notes;
  for (const GroupStrand &strand : strands)
    for (gpu::LaunchFuncOp launch : strand.launches) {
      if (auto list = launch->getAttrOfType<ArrayAttr>(kLaunchAttr)) {
        llvm::append_range(notes, list);
        continue;
      }
      NamedAttrList facts(launch->getAttrOfType<DictionaryAttr>(kLaunchAttr));
      facts.set("layer", StringAttr::get(context, nn::layerOf(launch)));
      notes.push_back(facts.getDictionary(context));
    }
  return ArrayAttr::get(context, notes);
}

gpu::LaunchFuncOp GroupKernel::build() {
  gpu::LaunchFuncOp first = strands.front().launches.front();
  b.setInsertionPoint(first->getBlock()->getTerminator());
  findBodies();
  findEnds();
  for (unsigned i = 0; i < strands.size(); ++i)
    for (Value operand : operandsOf(i))
      addArgument(operand);
  for (OpFoldResult end : ArrayRef(ends).drop_back())
    if (auto value = dyn_cast<Value>(end))
      addArgument(value);

  gpu::GPUFuncOp model = strands.front().kernels.front();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(model->getBlock());
    auto types = llvm::map_to_vector(
        arguments, [](Value value) { return value.getType(); });
    kernel = gpu::GPUFuncOp::create(
        b, loc, "group", FunctionType::get(b.getContext(), types, {}));
    for (NamedAttribute attr : dialectAttrsOf(model))
      kernel->setAttr(attr.getName(), attr.getValue());
    kernel.setKnownBlockSizeAttr(model.getKnownBlockSizeAttr());
    b.setInsertionPointToStart(&kernel.getBody().front());
    thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    addMemory();
    buildBodies(0, bodies.size());
    b.setInsertionPointToEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(b, loc);
  }

  SmallVector<Location> locations;
  for (const GroupStrand &strand : strands)
    for (gpu::LaunchFuncOp launch : strand.launches)
      locations.push_back(launch.getLoc());
  Location here = FusedLoc::get(b.getContext(), locations);
  Value one = arith::ConstantIndexOp::create(b, here, 1);
  auto launch = gpu::LaunchFuncOp::create(
      b, here, kernel, {indexValue(b, here, ends.back()), one, one},
      first.getBlockSizeOperandValues(), Value(), arguments);
  launch->setAttr(kLaunchAttr, notesOf(b.getContext(), strands));
  return launch;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// A number of the phase that the kernel may know.
Value GroupKernel::inside(OpFoldResult outside) {
  if (isa<Attribute>(outside))
    return indexValue(b, loc, outside);
  return kernel.getArgument(numbers.lookup(cast<Value>(outside)));
}

Value GroupKernel::firstBlock(unsigned strand) {
  return strand ? inside(ends[strand - 1]) : inside(b.getIndexAttr(0));
}

/// Whether the block is one of a strand before `strand`.
Value GroupKernel::isBefore(unsigned strand) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, block,
                               firstBlock(strand));
}

void GroupKernel::addMemory() {
  int64_t bytes = 0;
  for (const GroupStrand &strand : strands)
    for (gpu::GPUFuncOp from : strand.kernels) {
      int64_t own = 0;
      for (BlockArgument array : from.getWorkgroupAttributions())
        own += sharedBytesOf(cast<MemRefType>(array.getType()));
      bytes = std::max(bytes, own);
    }
  if (bytes == 0)
    return;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  memory = kernel.addWorkgroupAttribution(
      MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      space),
      loc);
  kernel.setWorkgroupAttributionAttr(kernel.getNumWorkgroupAttributions() - 1,
                                     LLVM::LLVMDialect::getAlignAttrName(),
                                     b.getI64IntegerAttr(kSharedAlignment));
}

void GroupKernel::buildBodies(unsigned first, unsigned end) {
  if (end - first == 1)
    return buildBody(bodies[first]);
  unsigned middle = first + (end - first) / 2;
  auto branch = scf::IfOp::create(b, loc, isBefore(bodies[middle].first),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  buildBodies(first, middle);
  b.setInsertionPointToStart(branch.elseBlock());
  buildBodies(middle, end);
}

/// Of the strand of [first, end) to which the block belongs: its first block
/// and its operands of these numbers.
SmallVector<Value> GroupKernel::choose(unsigned first, unsigned end,
                                       ArrayRef<unsigned> differing) {
  if (end - first == 1) {
    SmallVector<Value> operands = operandsOf(first);
    SmallVector<Value> chosen{firstBlock(first)};
    for (unsigned i : differing)
      chosen.push_back(inside(operands[i]));
    return chosen;
  }
  unsigned middle = first + (end - first) / 2;
  SmallVector<Type> types{b.getIndexType()};
  SmallVector<Value> operands = operandsOf(first);
  for (unsigned i : differing)
    types.push_back(operands[i].getType());
  auto branch = scf::IfOp::create(b, loc, types, isBefore(middle),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, choose(first, middle, differing));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, choose(middle, end, differing));
  return llvm::to_vector_of<Value>(branch.getResults());
}

void GroupKernel::buildBody(const Body &body) {
  SmallVector<Value> operands = operandsOf(body.first), all;
  SmallVector<unsigned> differing;
  for (unsigned i = 0; i < operands.size(); ++i)
    for (unsigned s = body.first + 1; s < body.end; ++s)
      if (operandsOf(s)[i] != operands[i]) {
        differing.push_back(i);
        break;
      }
  for (Value operand : operands)
    all.push_back(inside(operand));
  SmallVector<Value> chosen = choose(body.first, body.end, differing);
  for (auto [i, value] : llvm::zip(differing, ArrayRef(chosen).drop_front()))
    all[i] = value;
  Value number = arith::SubIOp::create(b, loc, block, chosen.front());
  unsigned next = 0;
  for (gpu::GPUFuncOp from : strands[body.first].kernels) {
    // The ones behind wait for what the one before has written.
    if (next > 0)
      gpu::BarrierOp::create(b, loc);
    unsigned count = from.getNumArguments();
    inlineKernel(from, ArrayRef(all).slice(next, count), number);
    next += count;
  }
}

void GroupKernel::inlineKernel(gpu::GPUFuncOp from, ValueRange values,
                               Value number) {
  IRMapping map;
  map.map(from.getArguments().take_front(values.size()), values);
  int64_t offset = 0;
  for (BlockArgument array : from.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(array.getType());
    Value at = arith::ConstantIndexOp::create(b, loc, offset);
    map.map(array,
            memref::ViewOp::create(b, loc, type, memory, at, ValueRange())
                .getResult());
    offset += sharedBytesOf(type);
  }
  for (Operation &op : from.getBody().front().without_terminator()) {
    if (isa<gpu::ThreadIdOp, gpu::BlockIdOp>(op)) {
      map.map(op.getResult(0), isa<gpu::ThreadIdOp>(op) ? thread : number);
      continue;
    }
    b.clone(op, map)->walk([&](Operation *inner) {
      if (isa<gpu::ThreadIdOp>(inner))
        inner->replaceAllUsesWith(ValueRange(thread));
      else if (isa<gpu::BlockIdOp>(inner))
        inner->replaceAllUsesWith(ValueRange(number));
    });
  }
}

gpu::LaunchFuncOp
belfry::buildGroupLaunch(MutableArrayRef<GroupStrand> strands) {
  return GroupKernel(strands).build();
}
