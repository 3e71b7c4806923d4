//===- Optimize.h - LLVM's passes over a module -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_SUPPORT_OPTIMIZE_H
#define BELFRY_LIB_SUPPORT_OPTIMIZE_H

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

namespace belfry {

/// Runs LLVM's default passes of -O3.
inline void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const llvm::PipelineTuningOptions &tuning) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

} // namespace belfry

#endif // BELFRY_LIB_SUPPORT_OPTIMIZE_H
