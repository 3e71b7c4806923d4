//===- HostViews.h - memrefs of a phase as pointers and strides -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_HOST_HOSTVIEWS_H
#define BELFRY_PASSES_HOST_HOSTVIEWS_H

#include "passes/lowering/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace belfry {

/// The value of the rows in a phase function that has its final signature.
mlir::Value rowsOf(mlir::func::FuncOp phase);

/// What a memref of such a function is: a pointer (`base`), offset, extents and
/// strides. Fails with an error at the op that is not understood.
mlir::FailureOr<View> describeMemref(mlir::Value memref, mlir::Value rows);

/// The memref, or that of which it is a view.
mlir::Value bufferBehind(mlir::Value memref);

/// The op that makes the memref, or that of which it is a view; it says which
/// row of the buffer table that is. Null for an argument.
mlir::Operation *rowBehind(mlir::Value memref);

/// The address of the view's first element.
mlir::Value pointerTo(mlir::OpBuilder &b, mlir::Location loc, const View &view);

/// `extent` as an i64, in a phase function of these rows.
mlir::Value wordOf(mlir::OpBuilder &b, mlir::Location loc, Affine extent,
                   mlir::Value rows);

/// Loads the context of belfry_phase_args at the entry of such a function.
mlir::Value loadContext(mlir::func::FuncOp phase);

/// Word `word`, of 8 bytes, of a list at `list`.
mlir::Value wordAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value list,
                   int64_t word);
/// What storeWord wrote there. An index is an i64 in memory; other types have
/// at most 8 bytes.
mlir::Value loadWord(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                     mlir::Value list, int64_t word);
void storeWord(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
               mlir::Value list, int64_t word);

/// The function as a pointer.
mlir::Value addressOf(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::func::FuncOp function);
/// By which functions that do the same are known: theirs is the same.
std::string textOf(mlir::func::FuncOp function);

/// The private declaration `name` of the module, made where there is none.
mlir::func::FuncOp declareFunction(mlir::ModuleOp module, llvm::StringRef name,
                                   mlir::TypeRange arguments,
                                   mlir::TypeRange results = {});

} // namespace belfry

#endif // BELFRY_PASSES_HOST_HOSTVIEWS_H
