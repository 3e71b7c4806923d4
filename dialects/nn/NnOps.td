//===- NnOps.td - all ops of the nn dialect --------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dialects/nn/NnDialect.td"
include "dialects/nn/NnInterfaces.td"
include "dialects/nn/CoreElementwise.td"
include "dialects/nn/CoreShape.td"
include "dialects/nn/CoreLinear.td"
include "dialects/nn/CoreIndex.td"
include "dialects/nn/CoreScan.td"
include "dialects/nn/Training.td"
include "dialects/nn/Layers.td"
include "dialects/nn/LayersRecurrent.td"
