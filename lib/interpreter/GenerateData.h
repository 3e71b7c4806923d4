//===- GenerateData.h - arguments to run a function on ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_INTERPRETER_GENERATEDATA_H
#define BELFRY_INTERPRETER_GENERATEDATA_H

#include "lib/interpreter/InitialWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace belfry {

/// The user's name of an argument (`nn.name`), or the empty string; its role
/// (`nn.role`), if it has one.
std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::optional<nn::Role> argumentRole(mlir::func::FuncOp function,
                                     unsigned index);

/// "role 'name' of 'parameter'", as far as they are there.
std::string describeResult(mlir::func::FuncOp function, unsigned index);

/// The name of the .npy file of an argument or result: `role.name.npy`, or
/// `slot.parameter.name.npy`; the number where there is neither role nor name.
/// Bytes other than letters, digits and `-_.` are written as `%` and two
/// hexadecimal digits, so that different names have different files.
std::string argumentFile(mlir::func::FuncOp function, unsigned index);
std::string resultFile(mlir::func::FuncOp function, unsigned index);

/// A value for an argument. It depends on the seed, the batch, and the
/// argument's type, role and name, so functions of one module that share an
/// argument get the same. Floats are f64, and exact in f32. A parameter that
/// `values` has takes its value from there.
nn::HostTensor generateArgument(mlir::func::FuncOp function, unsigned index,
                                int64_t batch, uint64_t seed,
                                const ParameterValues &values = {});

} // namespace belfry

#endif // BELFRY_INTERPRETER_GENERATEDATA_H
