//===- NnDecompose.cpp - layers to core ops -------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Collect the layers, inner ones before those around them.
//   2. Build each layer's decomposition in front of it, replace its results,
//      erase it.
//   3. Again, as long as decompositions have given layers.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/training/Decompose.h"

namespace belfry {
#define GEN_PASS_DEF_NNDECOMPOSE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

/// Replaces one layer.
static LogicalResult decomposeLayer(nn::LayerOpInterface layer,
                                    const nn::DecomposeContext &context) {
  OpBuilder builder(layer);
  SmallVector<Value> results;
  if (failed(layer.decompose(builder, context, results)))
    return failure();
  if (results.size() != layer->getNumResults())
    return layer->emitOpError("decomposes into ")
           << results.size() << " values, but has " << layer->getNumResults()
           << " results";
  for (auto [value, result] : llvm::zip_equal(results, layer->getResults()))
    if (value.getType() != result.getType())
      return layer->emitOpError("has a result of type ")
             << result.getType() << ", but computes " << value.getType();
  layer->replaceAllUsesWith(results);
  layer->erase();
  return success();
}

LogicalResult belfry::decomposeLayers(Operation *root,
                                      const nn::DecomposeContext &context) {
  bool failedAny = false;
  while (!failedAny) {
    SmallVector<nn::LayerOpInterface> layers;
    root->walk([&](nn::LayerOpInterface layer) { layers.push_back(layer); });
    if (layers.empty())
      break;
    for (nn::LayerOpInterface layer : layers)
      failedAny |= failed(decomposeLayer(layer, context));
  }
  return failure(failedAny);
}

namespace {
struct NnDecompose : belfry::impl::NnDecomposeBase<NnDecompose> {
  using NnDecomposeBase::NnDecomposeBase;

  void runOnOperation() override {
    nn::DecomposeContext context;
    context.training = training;
    if (failed(decomposeLayers(getOperation(), context)))
      signalPassFailure();
  }
};
} // namespace
