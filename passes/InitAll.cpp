//===- InitAll.cpp - register what Belfry has -----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "belfry/InitAll.h"

#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/StagePipeline.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void belfry::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nn::NnDialect, tower::TowerDialect>();
  nn::registerGradientModels(registry);
  nn::registerDistributionModels(registry);
  nn::registerInterpreterModels(registry);
  tower::registerDistributionModels(registry);
}

void belfry::registerAllPasses() {
  mlir::registerAllPasses();
  registerBelfryPasses();
  registerHostPipelines();
  registerBelfryPipeline();
}
