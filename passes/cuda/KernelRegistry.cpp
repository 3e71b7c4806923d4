//===- KernelRegistry.cpp - which kernels there are -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/KernelRegistry.h"

#include "passes/cuda/BlockCode.h"
#include "passes/lowering/NnLowering.h"
#include "passes/lowering/ParallelLoops.h"
#include "passes/lowering/RowBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kAllTypes[] = {"i1",  "i8",   "i32", "i64",
                                              "f16", "bf16", "f32", "f64"};
static constexpr StringLiteral kNumbers[] = {"i8",   "i32", "i64", "f16",
                                             "bf16", "f32", "f64"};

static constexpr StringLiteral kElementwiseOps[] = {
    "nn.unary",     "nn.binary",    "nn.compare", "nn.select", "nn.convert",
    "nn.iota",      "nn.random",    "nn.gather",  "nn.pad",    "nn.concat",
    "nn.broadcast", "nn.transpose", "nn.reshape", "nn.slice",  "nn.reverse"};
static constexpr StringLiteral kTransposeOps[] = {"nn.transpose"};
static constexpr StringLiteral kReduceOps[] = {"nn.reduce"};
static constexpr StringLiteral kDotOps[] = {
    "nn.dot", "nn.conv2d", "nn.conv2d_input_grad", "nn.conv2d_kernel_grad"};
static constexpr StringLiteral kScanOps[] = {"nn.scan"};
static constexpr StringLiteral kLoopOps[] = {"nn.random", "nn.scatter_add",
                                             "nn.argmax"};
static constexpr StringLiteral kCollectiveOps[] = {"tower.all_reduce",
                                                   "tower.all_gather"};

static constexpr KernelShape kElementwiseShapes[] = {KernelShape::Elements};
static constexpr KernelShape kTransposeShapes[] = {KernelShape::Transpose};
static constexpr KernelShape kReduceShapes[] = {KernelShape::Reduction};
static constexpr KernelShape kDotShapes[] = {KernelShape::Tiles};
static constexpr KernelShape kScanShapes[] = {KernelShape::RowBlocks,
                                              KernelShape::OneBlock};
static constexpr KernelShape kLoopShapes[] = {
    KernelShape::Iterations, KernelShape::Scatter, KernelShape::Nest,
    KernelShape::OneThread};

static const KernelFamily kFamilies[] = {
    {"elementwise", "elements that do not depend on each other, and copies",
     KernelSource::Generated, 75, kElementwiseOps, kElementwiseShapes,
     kAllTypes},
    {"transpose", "transposes in tiles through workgroup memory",
     KernelSource::Generated, 75, kTransposeOps, kTransposeShapes, kAllTypes},
    {"reduce", "reductions in a fixed order", KernelSource::Generated, 75,
     kReduceOps, kReduceShapes, kAllTypes},
    {"dot", "products of matrices and convolutions, in tiles",
     KernelSource::Generated, 75, kDotOps, kDotShapes, kNumbers},
    {"scan", "loops over time, and other sequences of ops, as one launch",
     KernelSource::Generated, 75, kScanOps, kScanShapes, kAllTypes},
    {"loop", "random numbers, scatter-add, argmax", KernelSource::Generated, 75,
     kLoopOps, kLoopShapes, kAllTypes},
    {"collective",
     "exchanges between towers",
     KernelSource::Runtime,
     75,
     kCollectiveOps,
     {},
     kAllTypes},
};

ArrayRef<KernelFamily> belfry::kernelFamilies() { return kFamilies; }

bool belfry::needsNoKernel(StringRef coreOp) {
  return coreOp == "nn.constant" || coreOp == "nn.dim_size";
}

StringRef belfry::whyHostOnly(StringRef coreOp) {
  if (coreOp == "nn.pack_steps" || coreOp == "nn.unpack_steps")
    return "--pack-masked-steps makes it, which is for the host alone";
  return "";
}

StringRef belfry::kernelSourceName(KernelSource source) {
  switch (source) {
  case KernelSource::Generated:
    return "generated";
  case KernelSource::Runtime:
    return "runtime";
  }
  llvm_unreachable("all sources are covered");
}

//===----------------------------------------------------------------------===//
// Shape classes
//===----------------------------------------------------------------------===//

StringRef belfry::kernelShapeName(KernelShape shape) {
  switch (shape) {
  case KernelShape::Elements:
    return "elements";
  case KernelShape::Transpose:
    return "transpose";
  case KernelShape::Reduction:
    return "reduction";
  case KernelShape::Tiles:
    return "tiles";
  case KernelShape::Parts:
    return "parts";
  case KernelShape::Iterations:
    return "iterations";
  case KernelShape::Scatter:
    return "scatter";
  case KernelShape::Nest:
    return "nest";
  case KernelShape::OneThread:
    return "one-thread";
  case KernelShape::RowBlocks:
    return "row-blocks";
  case KernelShape::OneBlock:
    return "one-block";
  }
  llvm_unreachable("all shape classes are covered");
}

KernelShape belfry::kernelShapeOf(Operation *op) {
  if (isProduct(op))
    return KernelShape::Tiles;
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
    return linalg.getNumReductionLoops() ? KernelShape::Reduction
           : transposeOf(linalg)         ? KernelShape::Transpose
                                         : KernelShape::Elements;
  if (op->hasAttr(kPartsAttr))
    return KernelShape::Parts;
  if (op->hasAttr(kIndependentAttr))
    return KernelShape::Iterations;
  if (scatterOf(op))
    return KernelShape::Scatter;
  if (op->hasAttr(kParallelAttr))
    return KernelShape::Nest;
  if (op->hasAttr(kRowBlocksAttr))
    return KernelShape::RowBlocks;
  return op->hasAttr(kKernelAttr) ? KernelShape::OneThread
                                  : KernelShape::OneBlock;
}

//===----------------------------------------------------------------------===//
// The registry
//===----------------------------------------------------------------------===//

static unsigned bitOf(const KernelFamily &family) {
  return 1u << (&family - kFamilies);
}

llvm::Error KernelRegistry::remove(ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    const KernelFamily *found =
        llvm::find_if(kFamilies, [&](const KernelFamily &family) {
          return family.name == name;
        });
    if (found == std::end(kFamilies))
      return llvm::createStringError(
          "unknown family of kernels '" + name + "'; known are " +
          llvm::join(llvm::map_range(
                         kFamilies,
                         [](const KernelFamily &f) { return f.name.str(); }),
                     ", "));
    removed |= bitOf(*found);
  }
  return llvm::Error::success();
}

bool KernelRegistry::has(const KernelFamily &family) const {
  return !(removed & bitOf(family));
}

SmallVector<const KernelFamily *>
KernelRegistry::familiesOf(Operation *op) const {
  SmallVector<const KernelFamily *> families;
  for (const KernelFamily &family : kFamilies)
    if (llvm::is_contained(family.ops, op->getName().getStringRef()))
      families.push_back(&family);
  return families;
}

const KernelFamily &KernelRegistry::familyOf(Operation *op) const {
  KernelShape shape = kernelShapeOf(op);
  if (shape == KernelShape::Parts)
    return familyOf(sumOf(op));
  bool multiplies = op->walk([](linalg::MatmulOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
  if (shape == KernelShape::Nest && multiplies)
    shape = KernelShape::Tiles;
  for (const KernelFamily &family : kFamilies)
    if (llvm::is_contained(family.shapes, shape))
      return family;
  llvm_unreachable("each shape class is of a family");
}

//===----------------------------------------------------------------------===//
// What kernels are made of
//===----------------------------------------------------------------------===//

bool belfry::isKernelCode(Operation *op) {
  // What --expand-math, --expand-remainder and --convert-kernels-to-nvvm have a
  // rule for; math.ipowi, math.atan2 and the like would be calls.
  static const llvm::StringSet<> names = {"arith.addf",
                                          "arith.addi",
                                          "arith.andi",
                                          "arith.bitcast",
                                          "arith.ceildivsi",
                                          "arith.ceildivui",
                                          "arith.cmpf",
                                          "arith.cmpi",
                                          "arith.constant",
                                          "arith.divf",
                                          "arith.divsi",
                                          "arith.divui",
                                          "arith.extf",
                                          "arith.extsi",
                                          "arith.extui",
                                          "arith.floordivsi",
                                          "arith.fptosi",
                                          "arith.fptoui",
                                          "arith.index_cast",
                                          "arith.index_castui",
                                          "arith.maximumf",
                                          "arith.maxnumf",
                                          "arith.maxsi",
                                          "arith.maxui",
                                          "arith.minimumf",
                                          "arith.minnumf",
                                          "arith.minsi",
                                          "arith.minui",
                                          "arith.mulf",
                                          "arith.muli",
                                          "arith.mulsi_extended",
                                          "arith.mului_extended",
                                          "arith.negf",
                                          "arith.ori",
                                          "arith.remf",
                                          "arith.remsi",
                                          "arith.remui",
                                          "arith.select",
                                          "arith.shli",
                                          "arith.shrsi",
                                          "arith.shrui",
                                          "arith.sitofp",
                                          "arith.subf",
                                          "arith.subi",
                                          "arith.truncf",
                                          "arith.trunci",
                                          "arith.uitofp",
                                          "arith.xori",
                                          "linalg.index",
                                          "linalg.yield",
                                          "math.absf",
                                          "math.absi",
                                          "math.ceil",
                                          "math.copysign",
                                          "math.cos",
                                          "math.ctlz",
                                          "math.cttz",
                                          "math.ctpop",
                                          "math.erf",
                                          "math.exp",
                                          "math.exp2",
                                          "math.expm1",
                                          "math.floor",
                                          "math.fma",
                                          "math.isfinite",
                                          "math.isinf",
                                          "math.isnan",
                                          "math.log",
                                          "math.log1p",
                                          "math.powf",
                                          "math.roundeven",
                                          "math.rsqrt",
                                          "math.sin",
                                          "math.sqrt",
                                          "math.tanh",
                                          "math.trunc",
                                          "memref.dim",
                                          "memref.load",
                                          "memref.prefetch",
                                          "memref.reinterpret_cast",
                                          "memref.store",
                                          "scf.for",
                                          "scf.if",
                                          "scf.yield",
                                          "ub.poison"};
  return names.contains(op->getName().getStringRef());
}

bool belfry::isKernelNumber(Type type) {
  if (isa<IndexType>(type))
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}
