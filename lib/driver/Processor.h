//===- Processor.h - the processor to compile for ---------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_PROCESSOR_H
#define BELFRY_LIB_DRIVER_PROCESSOR_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace belfry {

/// A processor in LLVM's words.
struct Processor {
  std::string triple;
  std::string cpu;
  std::string features; ///< "+avx2,+fma,…"; empty where the name says all
};

/// The processor that `mcpu` names, `native` being this one. The error names
/// some that are known.
llvm::Expected<Processor> findProcessor(llvm::StringRef mcpu);

/// A machine that generates code for it: position independent, without
/// contraction of multiplications and additions.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const Processor &processor);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_PROCESSOR_H
