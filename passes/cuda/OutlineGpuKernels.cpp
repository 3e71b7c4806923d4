//===- OutlineGpuKernels.cpp - the ops of a phase as kernels --------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/BlockCode.h"
#include "passes/cuda/CollapseElementwise.h"
#include "passes/cuda/Coverage.h"
#include "passes/cuda/KernelRoles.h"
#include "passes/cuda/KernelTypes.h"
#include "passes/host/HostViews.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/ParallelLoops.h"
#include "passes/lowering/PhaseAttrs.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace belfry {
#define GEN_PASS_DEF_OUTLINEGPUKERNELS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using utils::IteratorType;

namespace {

using Shape = KernelShape;

/// What an op reads from outside of itself, and where it is computed.
struct Environment {
  SmallVector<Value> arguments;      ///< known before the launch
  SmallVector<Operation *> computed; ///< in the kernel, in order
};

struct OutlineGpuKernelsPass
    : belfry::impl::OutlineGpuKernelsBase<OutlineGpuKernelsPass> {
  using OutlineGpuKernelsBase::OutlineGpuKernelsBase;

  void runOnOperation() override;

  LogicalResult outline(func::FuncOp phase);
  LogicalResult outline(Operation *op);
  LogicalResult build(Operation *op, Shape shape, BlockCode &code);
  /// The blocks of the grid, an index value in the phase.
  Value gridOf(Operation *op, Shape shape, OpBuilder &b);
  Environment environmentOf(Operation *op);
  gpu::GPUFuncOp share(gpu::GPUFuncOp kernel);
  DictionaryAttr factsOf(Operation *op, Shape shape);

  KernelRegistry registry;
  llvm::DenseMap<Operation *, std::string> roles;
  gpu::GPUModuleOp kernels;
  llvm::StringMap<gpu::GPUFuncOp> known; ///< by the text of the function
};

} // namespace

/// The blocks of a sum whose target has static extents.
static int64_t blocksOf(linalg::LinalgOp sum) {
  auto type = cast<MemRefType>(sum.getDpsInits()[0].getType());
  if (!isProduct(sum))
    return llvm::divideCeil(type.getNumElements(), layoutOf(sum).outputs);
  ProductTile tile = tileOf(sum);
  return llvm::divideCeil(type.getDimSize(0), tile.rows) *
         llvm::divideCeil(type.getDimSize(1), tile.columns);
}

/// Whether a value of a phase can be had without reading memory.
static bool isKnownBefore(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || (isMemoryEffectFree(op) &&
                 llvm::all_of(op->getOperands(), isKnownBefore));
}

Environment OutlineGpuKernelsPass::environmentOf(Operation *op) {
  Environment environment;
  llvm::SetVector<Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  llvm::SetVector<Operation *> computed;
  llvm::SetVector<Value> arguments;
  auto need = [&](auto &self, Value value) -> void {
    Operation *maker = value.getDefiningOp();
    bool constant = maker && maker->hasTrait<OpTrait::ConstantLike>() &&
                    !maker->hasAttr(kArgumentAttr);
    if (!constant && isKnownBefore(value)) {
      arguments.insert(value);
      return;
    }
    for (Value operand : maker->getOperands())
      self(self, operand);
    computed.insert(maker);
  };
  for (Value value : used)
    need(need, value);
  environment.arguments.assign(arguments.begin(), arguments.end());
  environment.computed.assign(computed.begin(), computed.end());
  return environment;
}

LogicalResult OutlineGpuKernelsPass::build(Operation *op, Shape shape,
                                           BlockCode &code) {
  auto range = [&](Value all, int64_t each) {
    Value first = code.mul(code.block(), code.index(each));
    return std::pair(first, code.least(code.add(first, code.index(each)), all));
  };
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  switch (shape) {
  case Shape::Elements: {
    auto [first, end] =
        range(code.count(linalg, IteratorType::parallel), kBlockElements);
    // Long bodies have enough to do between loads.
    constexpr size_t kShort = 16;
    bool isShort = linalg.getBlock()->getOperations().size() <= kShort;
    code.fewElements(linalg, first, end,
                     isShort ? kBlockElements / kBlockThreads : 1);
    return success();
  }
  case Shape::Transpose:
    code.transposeTile(linalg, *transposeOf(linalg), code.block());
    return success();
  case Shape::Reduction: {
    auto [first, end] = range(code.count(linalg, IteratorType::parallel),
                              layoutOf(linalg).outputs);
    return code.reduction(linalg, first, end);
  }
  case Shape::Tiles:
    code.productTile(linalg, code.block());
    return success();
  case Shape::Parts: {
    // Blocks of a part follow each other.
    linalg::LinalgOp sum = sumOf(op);
    code.beginPart(cast<scf::ForOp>(op), blocksOf(sum));
    return build(sum, kernelShapeOf(sum), code);
  }
  case Shape::Iterations: {
    auto loop = cast<scf::ForOp>(op);
    auto [first, end] = range(code.tripCount(loop), kBlockThreads);
    code.iterations(loop, first, end);
    return success();
  }
  case Shape::Scatter:
    code.scatter(*scatterOf(op), code.block());
    return success();
  case Shape::Nest:
    return code.nest(parallelNest(cast<scf::ForOp>(op)), code.block());
  case Shape::RowBlocks:
    return code.rowsOf(cast<scf::ForOp>(op), code.block());
  case Shape::OneThread:
  case Shape::OneBlock:
    return code.single(op);
  }
  llvm_unreachable("all shapes are covered");
}

static OpFoldResult ceilDivByValue(OpBuilder &b, Location loc, OpFoldResult x,
                                   OpFoldResult y) {
  if (std::optional<int64_t> n = getConstantIntValue(y))
    return ceilDivIndex(b, loc, x, *n);
  return arith::CeilDivUIOp::create(b, loc, indexValue(b, loc, x),
                                    indexValue(b, loc, y))
      .getResult();
}

Value OutlineGpuKernelsPass::gridOf(Operation *op, Shape shape, OpBuilder &b) {
  Location loc = op->getLoc();
  auto ceilDiv = [&](OpFoldResult x, int64_t y) {
    return ceilDivIndex(b, loc, x, y);
  };
  SmallVector<OpFoldResult> extents;
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (linalg)
    extents = loopExtents(linalg, [&](Value memref, int64_t d) {
      return extentOf(b, memref, d);
    });
  auto outputs = [&] {
    return iterationsOf(b, loc, linalg, extents, IteratorType::parallel);
  };
  auto tripsOf = [&](scf::ForOp loop, int64_t each) {
    Value all = arith::SubIOp::create(b, loc, loop.getUpperBound(),
                                      loop.getLowerBound());
    all = arith::CeilDivSIOp::create(b, loc, all, loop.getStep());
    return ceilDiv(OpFoldResult(all), each);
  };
  auto trips = [&](int64_t each) {
    return tripsOf(cast<scf::ForOp>(op), each);
  };
  OpFoldResult blocks = b.getIndexAttr(1);
  switch (shape) {
  case Shape::Elements:
    blocks = ceilDiv(outputs(), kBlockElements);
    break;
  case Shape::Transpose:
    for (OpFoldResult tiles :
         transposeTiles(b, loc, *transposeOf(linalg), extents))
      blocks = mulIndex(b, loc, blocks, tiles);
    break;
  case Shape::Reduction:
    blocks = ceilDiv(outputs(), layoutOf(linalg).outputs);
    break;
  case Shape::Tiles:
    blocks = mulIndex(b, loc, ceilDiv(extents[0], tileOf(linalg).rows),
                      ceilDiv(extents[1], tileOf(linalg).columns));
    break;
  case Shape::Parts:
    blocks = mulIndex(b, loc, trips(1), b.getIndexAttr(blocksOf(sumOf(op))));
    break;
  case Shape::Iterations:
    blocks = trips(kBlockThreads);
    break;
  case Shape::Scatter: {
    Scatter scatter = *scatterOf(op);
    OpFoldResult extent = extentOf(b, scatter.store.getMemRef(), scatter.dim);
    blocks = ceilDivByValue(b, loc, extent, rowsOfScatter(b, loc, extent));
    break;
  }
  case Shape::Nest:
    for (scf::ForOp loop : parallelNest(cast<scf::ForOp>(op)))
      blocks = mulIndex(b, loc, blocks, tripsOf(loop, 1));
    break;
  case Shape::RowBlocks: {
    auto loop = cast<scf::ForOp>(op);
    Value all = loop.getUpperBound();
    Value each = indexValue(b, loc, rowsOfBlock(b, loop, all));
    blocks = arith::CeilDivSIOp::create(b, loc, all, each).getResult();
    break;
  }
  case Shape::OneThread:
  case Shape::OneBlock:
    break;
  }
  return indexValue(b, loc, blocks);
}

gpu::GPUFuncOp OutlineGpuKernelsPass::share(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  auto [it, fresh] = known.try_emplace(text, kernel);
  if (!fresh) {
    kernel.erase();
    return it->second;
  }
  kernel.setName((kernel.getName() + "_" + Twine(known.size() - 1)).str());
  ++numKernels;
  return kernel;
}

/// What a certificate says of the op.
DictionaryAttr OutlineGpuKernelsPass::factsOf(Operation *op, Shape shape) {
  Builder b(op->getContext());
  SmallVector<std::string> names;
  std::string extents;
  auto note = [&](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return;
    std::string name;
    llvm::raw_string_ostream(name) << type.getElementType();
    if (!llvm::is_contained(names, name))
      names.push_back(name);
    // The last one is what is written.
    extents = shapeText(type);
  };
  op->walk(
      [&](Operation *inner) { llvm::for_each(inner->getOperands(), note); });
  if (auto whole = op->getAttrOfType<StringAttr>(kShapeAttr))
    extents = whole.str();
  llvm::sort(names);
  SmallVector<NamedAttribute> facts;
  auto add = [&](StringRef name, const Twine &text) {
    facts.push_back(b.getNamedAttr(name, b.getStringAttr(text)));
  };
  add("class", kernelShapeName(shape));
  add("dtype", llvm::join(names, ","));
  add("family", registry.familyOf(op).name);
  add("parts", llvm::join(familiesWithin(op, registry), ","));
  if (auto role = roles.find(op); role != roles.end())
    add("role", role->second);
  add("shape", extents);
  return b.getDictionaryAttr(facts);
}

LogicalResult OutlineGpuKernelsPass::outline(Operation *op) {
  Shape shape = kernelShapeOf(op);
  Environment environment = environmentOf(op);
  MLIRContext *context = &getContext();
  Location unknown = UnknownLoc::get(context);
  OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
  auto types = llvm::map_to_vector(environment.arguments,
                                   [](Value value) { return value.getType(); });
  auto kernel = gpu::GPUFuncOp::create(b, unknown, registry.familyOf(op).name,
                                       FunctionType::get(context, types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(kBlockThreads), 1, 1}));
  b.setInsertionPointToStart(&kernel.getBody().front());
  IRMapping map;
  map.map(environment.arguments,
          kernel.getArguments().take_front(types.size()));
  for (Operation *maker : environment.computed)
    b.clone(*maker, map);
  BlockCode code(b, unknown, kernel, map, tensorCores);
  if (failed(build(op, shape, code))) {
    kernel.erase();
    return failure();
  }
  b.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(b, unknown);
  kernel = share(kernel);

  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1),
        threads = arith::ConstantIndexOp::create(b, loc, kBlockThreads);
  auto launch = gpu::LaunchFuncOp::create(
      b, loc, kernel, {gridOf(op, shape, b), one, one}, {threads, one, one},
      Value(), environment.arguments);
  launch->setAttr(kLaunchAttr, factsOf(op, shape));
  ++numLaunches;
  op->erase();
  return success();
}

static bool writesTo(Operation *op, Value buffer) {
  return op
      ->walk([&](Operation *inner) {
        auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
        if (!effects)
          return WalkResult::advance();
        for (Value operand : inner->getOperands())
          if (isa<MemRefType>(operand.getType()) &&
              bufferBehind(operand) == buffer &&
              effects.getEffectOnValue<MemoryEffects::Write>(operand))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// What a phase loads goes to the kernels that read it: nothing may write there
/// in between.
static LogicalResult checkLoads(func::FuncOp phase) {
  Block &body = phase.getBody().front();
  for (auto load : body.getOps<memref::LoadOp>()) {
    SmallVector<Value> values{load.getResult()};
    Operation *last = load;
    while (!values.empty())
      for (Operation *user : values.pop_back_val().getUsers()) {
        Operation *at = body.findAncestorOpInBlock(*user);
        if (at == user && isMemoryEffectFree(user))
          llvm::append_range(values, user->getResults());
        else if (last->isBeforeInBlock(at))
          last = at;
      }
    Value buffer = bufferBehind(load.getMemRef());
    for (Operation *op = load; op != last; op = op->getNextNode())
      if (Operation *next = op->getNextNode(); writesTo(next, buffer))
        return load.emitOpError("is read by a kernel behind a write to the "
                                "same buffer");
  }
  return success();
}

/// Whether the op writes every element of its output.
static bool coversOutput(linalg::LinalgOp op) {
  AffineMap places = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return places.isProjectedPermutation();
}

/// Gives a reduction or a product the constant that its output is filled with
/// just before, and takes the fill out: a launch less, and an array that is not
/// read.
static void mergeFills(func::FuncOp phase) {
  SmallVector<linalg::FillOp> fills;
  phase.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
  for (linalg::FillOp fill : fills) {
    Attribute constant;
    if (!matchPattern(fill.value(), m_Constant(&constant)))
      continue;
    auto user = dyn_cast_or_null<linalg::LinalgOp>(nextOnMemory(fill));
    if (!user || user.getNumReductionLoops() == 0 ||
        user.getNumDpsInits() != 1 ||
        user.getDpsInitOperand(0)->get() != fill.output() ||
        !coversOutput(user) ||
        llvm::is_contained(user.getDpsInputs(), fill.output()))
      continue;
    user->setAttr(kStartAttr, constant);
    fill.erase();
  }
}

/// Brings the ops of a phase into the form that kernels are made of.
static void prepare(func::FuncOp phase) {
  mergeFills(phase);
  for (auto op : llvm::make_early_inc_range(
           phase.getBody().front().getOps<linalg::LinalgOp>()))
    collapseElementwise(op, [&](Value memref, int64_t d) {
      OpBuilder b(op);
      return extentOf(b, memref, d);
    });
}

LogicalResult OutlineGpuKernelsPass::outline(func::FuncOp phase) {
  for (Operation &op : llvm::make_early_inc_range(
           phase.getBody().front().without_terminator())) {
    if (isMemoryEffectFree(&op) || isa<memref::LoadOp>(op))
      continue;
    if (failed(outline(&op)))
      return failure();
  }
  // What kernels read now.
  SmallVector<Operation *> left =
      llvm::map_to_vector(phase.getBody().front().without_terminator(),
                          [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(left))
    if (op->use_empty() && (isa<memref::LoadOp>(op) || isMemoryEffectFree(op)))
      op->erase();
  for (Operation &op : phase.getBody().front())
    if (isa<memref::LoadOp>(op))
      return op.emitOpError("is needed before a launch");
  return success();
}

void OutlineGpuKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (llvm::Error error = registry.remove(disable)) {
    module.emitError("'disable': ") << llvm::toString(std::move(error));
    return signalPassFailure();
  }
  if (module->hasAttr(kFunctionsAttr) && failed(verifyPhaseTable(module)))
    return signalPassFailure();
  SmallVector<func::FuncOp> phases;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kFunctionAttr))
      phases.push_back(function);
  for (func::FuncOp phase : phases)
    if (failed(verifyPhase<MemRefType>(phase)) || failed(checkLoads(phase)))
      return signalPassFailure();
  if (failed(verifyCoverage(module, registry)))
    return signalPassFailure();
  llvm::for_each(phases, prepare);
  roles = kernelRoles(module);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  for (func::FuncOp phase : phases)
    if (failed(outline(phase)))
      return signalPassFailure();
}
