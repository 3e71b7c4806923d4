//===- InitialWeights.h - values of a module's parameters -------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_INITIALWEIGHTS_H
#define BELFRY_INTERPRETER_INITIALWEIGHTS_H

#include "dialects/nn/Interpret.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace belfry {

/// Values by the parameter's name.
using ParameterValues = llvm::StringMap<nn::HostTensor>;

/// Reads the weights file that the module names (`nn.weights`), beside the file
/// `moduleFile` that the module came from. Empty where none is named or there
/// is no such file; a file that does not fit the module's parameters is an
/// error.
llvm::Expected<ParameterValues> readInitialWeights(mlir::ModuleOp module,
                                                   llvm::StringRef moduleFile);

} // namespace belfry

#endif // BELFRY_INTERPRETER_INITIALWEIGHTS_H
