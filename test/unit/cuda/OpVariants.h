//===- OpVariants.h - an op with every kind and element type ----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_UNIT_CUDA_OPVARIANTS_H
#define BELFRY_TEST_UNIT_CUDA_OPVARIANTS_H

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace belfry::test {

/// An op by itself: `module` has a function @f that takes its operands and
/// returns its results, with the rows in front as programs have them. Roles are
/// those of a training function.
struct OpVariant {
  std::string op;    ///< nn.unary
  std::string kind;  ///< tanh; empty where an op has none
  std::string types; ///< element types, sample → variant, as "f64=f32,i1=i1"
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *self; ///< in `module`

  std::string name() const { return op + " " + kind + " " + types; }
};

/// The core ops that the dialect has, by name.
std::vector<std::string> coreOps(mlir::MLIRContext &context);

/// Ops of the tables of samples, by name, in the functions where they stand.
std::map<std::string, std::vector<mlir::Operation *>>
sampleOps(mlir::MLIRContext &context);

/// The op of a sample with every value of its kind, and every choice of builtin
/// element types, that its verifier allows. Fails the running test where an
/// attribute is an enumeration whose values are not known here.
std::vector<OpVariant> variantsOf(mlir::Operation *sample);

/// A module with the function @f that computes the gradients of minus half the
/// sum of the squares of its float results, by its float arguments. Null
/// where no gradient reaches an argument; an error of the op's rule fails the
/// running test.
mlir::OwningOpRef<mlir::ModuleOp> gradientOf(const OpVariant &variant);

} // namespace belfry::test

#endif // BELFRY_TEST_UNIT_CUDA_OPVARIANTS_H
