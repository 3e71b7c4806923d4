//===- LoweringFlags.h - what pipelines that lower take ---------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERINGFLAGS_H
#define BELFRY_PASSES_LOWERINGFLAGS_H

#include "passes/Pipelines.h"

#include "mlir/Pass/PassOptions.h"

namespace belfry {

/// Where a pipeline's registration says what is wrong with its options.
using PipelineErrorHandler =
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;

/// Options of the pipelines with stages behind `parallel`.
struct LoweringFlags : mlir::PassPipelineOptions<LoweringFlags> {
  ListOption<std::string> disable{
      *this, "disable", llvm::cl::desc("optimisations to leave out, by name")};
  Option<std::string> memory{*this, "memory", llvm::cl::init("balanced"),
                             llvm::cl::desc("low, balanced or fast")};

  /// Checks the options and writes them into `host`.
  llvm::LogicalResult apply(HostOptions &host,
                            PipelineErrorHandler error) const;
};

} // namespace belfry

#endif // BELFRY_PASSES_LOWERINGFLAGS_H
