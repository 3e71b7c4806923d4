//===- GenerateData.h - arguments to run a function on --------------*- C++
//-*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_GENERATEDATA_H
#define BELFRY_INTERPRETER_GENERATEDATA_H

#include "dialects/nn/Interpret.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace belfry {

/// The user's name of an argument or result (`nn.name`), or the empty string.
std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// Its role (`nn.role`), if it has one.
std::optional<nn::Role> argumentRole(mlir::func::FuncOp function,
                                     unsigned index);
std::optional<nn::Role> resultRole(mlir::func::FuncOp function, unsigned index);

/// A value for an argument. It depends on the seed, the batch, and the
/// argument's type, role and name, so functions of one module that share an
/// argument get the same. Floats are f64, and exact in f32.
nn::HostTensor generateArgument(mlir::func::FuncOp function, unsigned index,
                                int64_t batch, uint64_t seed);

} // namespace belfry

#endif // BELFRY_INTERPRETER_GENERATEDATA_H
