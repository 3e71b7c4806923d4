//===- GradientModel.h - how a gradient is attached to an op ----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_GRADIENTMODEL_H
#define BELFRY_NN_GRADIENTMODEL_H

#include "dialects/nn/Builders.h"

namespace belfry::nn {

/// Attaches `ModelT::build` as the gradient of `OpT`. It gets null for result
/// gradients that are zero, and `out` with a null for each operand.
template <typename ModelT, typename OpT>
struct GradientModel : DifferentiableOpInterface::ExternalModel<ModelT, OpT> {
  llvm::LogicalResult
  buildGradient(mlir::Operation *op, mlir::OpBuilder &builder,
                mlir::ValueRange resultGrads, llvm::ArrayRef<bool> wanted,
                llvm::SmallVectorImpl<mlir::Value> &out) const {
    out.assign(op->getNumOperands(), mlir::Value());
    CoreBuilder b(builder, op->getLoc());
    return ModelT::build(llvm::cast<OpT>(op), b, resultGrads, wanted, out);
  }
  static void attach(mlir::MLIRContext *context) {
    OpT::template attachInterface<ModelT>(*context);
  }
};

/// Families of models, each in its file.
void attachElementwiseGradients(mlir::MLIRContext *context);
void attachShapeGradients(mlir::MLIRContext *context);
void attachLinearGradients(mlir::MLIRContext *context);
void attachIndexGradients(mlir::MLIRContext *context);
void attachScanGradient(mlir::MLIRContext *context);

} // namespace belfry::nn

#endif // BELFRY_NN_GRADIENTMODEL_H
