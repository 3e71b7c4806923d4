//===- Count.h - flops and bytes of an op -----------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_REPORT_COUNT_H
#define BELFRY_LIB_REPORT_COUNT_H

#include "lib/report/Facts.h"

#include "mlir/IR/Value.h"

namespace belfry {

struct OpCount {
  RowCount flops, read, written;
};

/// Elements and bytes of a tensor of the program.
RowCount elementsOf(mlir::Value value);
RowCount bytesOf(mlir::Value value);

/// One run of an op, without the body of a scan. Operands of which only the
/// shape is read count nothing. A product in which both the contracted and a
/// free dimension are the batch's has no count that is affine in its rows;
/// it counts as for the rows of one.
OpCount countOp(mlir::Operation *op);

} // namespace belfry

#endif // BELFRY_LIB_REPORT_COUNT_H
