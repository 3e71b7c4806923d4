//===- OpFacts.h - what a call of a phase computes --------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once loop nests and products are calls, nothing says any more what they
// compute. Where a profile is asked for, the passes that make the calls note it
// at each of them for --instrument-ops.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_OPFACTS_H
#define BELFRY_PASSES_HOST_OPFACTS_H

#include "passes/lowering/Views.h"

namespace belfry {

/// The call that only tells the next product something (Runtime.h).
constexpr llvm::StringLiteral kLookAheadName = "belfry_look_ahead";

/// Of a call in a phase function: a dictionary with `kind`, a word or two for
/// people, and, where they are known, `extents`, a list of [a, b] for the
/// extents a·rows + b, and `flops` and `bytes` of one call, each [a, b]
/// likewise; `layer` where the call's location is another's. An arithmetic
/// operation on an element is one flop, a multiply-add two; bytes are those of
/// the elements of all operands, once for each time that they are read or
/// written.
constexpr llvm::StringLiteral kOpAttr = "belfry.op";

/// Of the module: the dictionaries of all calls that are measured, in the order
/// of their numbers, each with `function`, `layer` and `phase` too, an index of
/// `belfry.phases`.
constexpr llvm::StringLiteral kOpsAttr = "belfry.ops";

/// The facts of a linalg op, or of a loop nest that is a kernel, whose operands
/// are buffers of a phase with these rows.
mlir::DictionaryAttr describeNest(mlir::Operation *op, mlir::Value rows);

/// The facts of several in one call.
mlir::DictionaryAttr joinFacts(llvm::ArrayRef<mlir::DictionaryAttr> parts);

/// The facts of C[m,n] = A[m,k]·B[k,n], which reads C too where it accumulates.
mlir::DictionaryAttr describeProduct(mlir::MLIRContext *context, Affine m,
                                     Affine n, Affine k, mlir::Type element,
                                     bool accumulate);

} // namespace belfry

#endif // BELFRY_PASSES_HOST_OPFACTS_H
