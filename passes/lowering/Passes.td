//===- lowering/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_TD
#define BELFRY_PASSES_LOWERING_TD

include "mlir/Pass/PassBase.td"

#endif // BELFRY_PASSES_LOWERING_TD
