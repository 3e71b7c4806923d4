//===- Gradient.cpp - registration of the gradients -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/GradientModel.h"

using namespace mlir;
using namespace belfry::nn;

void belfry::nn::registerGradientModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NnDialect *) {
    attachElementwiseGradients(context);
    attachShapeGradients(context);
    attachLinearGradients(context);
    attachIndexGradients(context);
    attachScanGradient(context);
  });
}
