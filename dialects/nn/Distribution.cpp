//===- Distribution.cpp
//----------------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"

void belfry::nn::registerDistributionModels(mlir::DialectRegistry &) {}
