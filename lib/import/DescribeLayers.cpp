//===- DescribeLayers.cpp - what is said of layers ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/EmitterFrame.h"

using namespace belfry;
using llvm::StringRef;
using mlir::RankedTensorType;
using mlir::ShapedType;

/// Keras numbers a shared layer in the container that it writes second only, so
/// what stands in two models is two layers when the file is read.
std::string Emitter::describeLostSharing(StringRef missing) const {
  for (const auto &instance : instances) {
    const LayerConfig *layer = instance->config;
    if (!layer || !layer->sharedId || linked.count(*layer->sharedId) ||
        !missing.contains("'" + instance->path + "/"))
      continue;
    for (const auto &other : instances)
      if (other != instance && other->config &&
          other->config->className == layer->className &&
          other->config->name == layer->name)
        return "layer '" + instance->path +
               "' is shared with a nested model (" + "there it is '" +
               other->path +
               "'); Keras writes the weights of such a layer once and does not "
               "write that both are one layer, so neither Keras nor this "
               "importer can load the file";
  }
  return "";
}

/// Parameters of a layer, those of inner layers included.
static int64_t countParameters(const Instance &instance) {
  int64_t count = 0;
  for (Instance::Variable variable : instance.variables)
    count +=
        llvm::cast<RankedTensorType>(variable.op.getType()).getNumElements();
  for (const Instance *child : instance.children)
    count += child ? countParameters(*child) : 0;
  return count;
}

mlir::ArrayAttr Emitter::describeLayers() {
  llvm::SmallVector<mlir::Attribute> layers;
  for (const auto &instance : instances) {
    if (!instance->path.empty())
      continue;
    for (const Instance *layer : instance->children) {
      if (!layer)
        continue;
      llvm::SmallVector<int64_t> shape;
      if (layer->output)
        for (int64_t extent : layer->output.getShape())
          shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
      layers.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("name",
                                builder.getStringAttr(layer->config->name)),
           builder.getNamedAttr(
               "class", builder.getStringAttr(layer->config->className)),
           builder.getNamedAttr("output_shape",
                                builder.getDenseI64ArrayAttr(shape)),
           builder.getNamedAttr("parameters", builder.getI64IntegerAttr(
                                                  countParameters(*layer)))}));
    }
  }
  return builder.getArrayAttr(layers);
}
