//===- Optimizations.cpp - what can be switched off -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Optimizations.h"

#include "dialects/nn/Verify.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;

static const OptimizationInfo kOptimizations[] = {
    {"elide-all-reduce", "elide-all-reduce",
     "exchanges of towers are merged and removed", Optimization::ElideAllReduce,
     Stage::Parallel, false},
    {"gather-rows", "gather-rows",
     "gradients of dense weights are computed from the rows of all towers",
     Optimization::GatherRows, Stage::Placed, false},
    {"recompute-small", "split-phases",
     "small values that several phases read are made in each",
     Optimization::RecomputeSmall, Stage::Lowered, true},
    {"drop-outputs", "simplify-scans",
     "loops store no output that nobody reads", Optimization::DropOutputs,
     Stage::Lowered, true},
    {"sink-into-loops", "simplify-scans",
     "what only makes a sequence is computed step by step",
     Optimization::SinkIntoLoops, Stage::Lowered, false},
    {"products-first", "simplify-scans",
     "a product of a step is added before the bias",
     Optimization::ProductsFirst, Stage::Lowered, false},
    {"pack-masked-steps", "pack-masked-steps", "masked steps are not computed",
     Optimization::PackMaskedSteps, Stage::Lowered, false},
    {"prepare-fusion", "prepare-fusion",
     "parts and wholes are brought to one shape", Optimization::PrepareFusion,
     Stage::Lowered, true},
    {"narrow-products", "narrow-products",
     "products on a GPU read f16 and bf16 as they are",
     Optimization::NarrowProducts, Stage::Lowered, false},
    {"fuse-elementwise", "lower-nn-to-linalg", "elementwise ops share a loop",
     Optimization::FuseElementwise, Stage::Lowered, true},
    {"fuse-random", "lower-nn-to-linalg",
     "random numbers become a mask where they are drawn",
     Optimization::FuseRandom, Stage::Lowered, true},
    {"random-blocks", "lower-nn-to-linalg",
     "random numbers are drawn four at a time", Optimization::RandomBlocks,
     Stage::Lowered, true},
    {"order-units", "lower-nn-to-linalg", "products that free memory go first",
     Optimization::OrderUnits, Stage::Lowered, true},
    {"write-in-place", "lower-nn-to-linalg",
     "values are made where they are wanted", Optimization::WriteInPlace,
     Stage::Lowered, true},
    {"update-in-place", "lower-nn-to-linalg",
     "carried values and parameters are overwritten as they are read",
     Optimization::UpdateInPlace, Stage::Lowered, true},
    {"reuse-sequences", "lower-nn-to-linalg",
     "outputs of a loop take the place of its sequences",
     Optimization::ReuseSequences, Stage::Lowered, true},
    {"add-in-place", "lower-nn-to-linalg",
     "a product of a step adds to the sequence itself",
     Optimization::AddInPlace, Stage::Lowered, false},
    {"row-blocks", "lower-nn-to-linalg",
     "loops over time run by blocks of rows, which threads share",
     Optimization::RowBlocks, Stage::Lowered, true},
    {"pack-weights", "lower-nn-to-linalg",
     "weights of a loop are packed once before it", Optimization::PackWeights,
     Stage::Lowered, true},
    {"look-ahead", "lower-nn-to-linalg",
     "products of a step ask for what the next step touches",
     Optimization::LookAhead, Stage::Lowered, true},
    {"share-memory", "plan-buffers",
     "values that are not needed together share their memory",
     Optimization::ShareMemory, Stage::Bufferized, true},
    {"product-calls", "linalg-to-gemm-calls",
     "products are the runtime's, not plain loops", Optimization::ProductCalls,
     Stage::Target, true},
    {"merge-fills", "linalg-to-gemm-calls",
     "a product overwrites what it need not add to", Optimization::MergeFills,
     Stage::Target, true},
    {"merge-sums", "linalg-to-gemm-calls",
     "sums over the rows that a product reads are the product's",
     Optimization::MergeSums, Stage::Target, true},
    {"merge-loops", "outline-kernels",
     "loops over neighbouring dimensions are one", Optimization::MergeLoops,
     Stage::Target, true},
    {"share-kernels", "outline-kernels", "equal kernels are one function",
     Optimization::ShareKernels, Stage::Target, true},
    {"split-loops", "outline-kernels", "threads share the loops of a kernel",
     Optimization::SplitLoops, Stage::Target, true},
    {"group-loops", "outline-kernels", "threads meet once for several kernels",
     Optimization::GroupLoops, Stage::Target, true},
    {"tiny-numbers", "outline-kernels",
     "updates multiply numbers near the denormal ones in f64",
     Optimization::TinyNumbers, Stage::Target, true},
    {"outline-repeats", "outline-repeats", "equal layers are one function",
     Optimization::OutlineRepeats, Stage::Target, true},
    {"tensor-cores", "outline-gpu-kernels",
     "products of f16 and bf16 on a GPU are its tensor cores'",
     Optimization::TensorCores, Stage::Target, false},
    {"group-launches", "group-gpu-launches",
     "kernels of a GPU that need not wait for each other are one launch",
     Optimization::GroupLaunches, Stage::Target, true},
    {"llvm", "", "LLVM's passes over the generated code", Optimization::Llvm,
     std::nullopt, true},
};

ArrayRef<OptimizationInfo> belfry::allOptimizations() { return kOptimizations; }

llvm::Error Optimizations::disable(ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    if (name == "all") {
      off = ~uint64_t(0);
      continue;
    }
    const auto *found =
        llvm::find_if(kOptimizations, [&](const OptimizationInfo &info) {
          return info.name == name;
        });
    if (found == std::end(kOptimizations)) {
      SmallVector<StringRef> known{"all"};
      for (const OptimizationInfo &info : kOptimizations)
        known.push_back(info.name);
      return llvm::createStringError("unknown optimisation '" + name + "'; " +
                                     nn::describeKnown(name, known));
    }
    disable(found->kind);
  }
  return llvm::Error::success();
}

SmallVector<std::string> Optimizations::disabled(StringRef pass) const {
  SmallVector<std::string> names;
  for (const OptimizationInfo &info : kOptimizations)
    if (!has(info.kind) && (pass.empty() || info.pass == pass))
      names.push_back(info.name.str());
  return names;
}

SmallVector<std::string> Optimizations::disabledInexact() const {
  SmallVector<std::string> names;
  for (const OptimizationInfo &info : kOptimizations)
    if (!has(info.kind) && !info.exact)
      names.push_back(info.name.str());
  return names;
}

llvm::Expected<Optimizations>
belfry::noteDisabled(ModuleOp module, Stage stage,
                     const Optimizations &wanted) {
  SmallVector<std::string> names;
  if (auto before = module->getAttrOfType<ArrayAttr>(kDisabledAttr))
    for (auto name : before.getAsRange<StringAttr>())
      names.push_back(name.str());
  Optimizations left;
  if (llvm::Error error = left.disable(names))
    return std::move(error);
  bool all = wanted.off == ~uint64_t(0);
  for (const OptimizationInfo &info : kOptimizations) {
    if (wanted.has(info.kind) || !left.has(info.kind))
      continue;
    if (!info.stage || *info.stage > stage)
      names.push_back(info.name.str());
    else if (!all)
      return llvm::createStringError(("the module is at stage '" +
                                      stageName(stage) + "', behind '" +
                                      info.name + "' of '--disable'")
                                         .str());
  }
  if (llvm::Error error = left.disable(names))
    return std::move(error);
  SmallVector<Attribute> attributes;
  for (const std::string &name : left.disabled())
    attributes.push_back(StringAttr::get(module.getContext(), name));
  if (!attributes.empty())
    module->setAttr(kDisabledAttr,
                    ArrayAttr::get(module.getContext(), attributes));
  return left;
}

LogicalResult belfry::readDisabled(Optimizations &optimizations,
                                   ArrayRef<std::string> names,
                                   MLIRContext *context) {
  llvm::Error error = optimizations.disable(names);
  if (!error)
    return success();
  return emitError(UnknownLoc::get(context))
         << "'disable': " << llvm::toString(std::move(error));
}
