//===- GradientTable.h - ops whose gradients are checked -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_INTERPRETER_GRADIENTTABLE_H
#define BELFRY_TEST_INTERPRETER_GRADIENTTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace belfry::test {

/// A function `@f` of f64, i32 and i1 tensors, differentiated for all of its
/// float arguments. Attribute `nn.range = [low, high]` of an argument keeps its
/// elements away from kinks and out of a function's complement; the default is
/// [-1.5, 1.5).
struct GradientRow {
  /// The op, or op/kind: what the row is about.
  llvm::StringLiteral about;
  llvm::StringLiteral function;
};

/// All ops but nn.scan.
llvm::ArrayRef<GradientRow> gradientRows();
llvm::ArrayRef<GradientRow> scanGradientRows();

} // namespace belfry::test

#endif // BELFRY_TEST_INTERPRETER_GRADIENTTABLE_H
