//===- TrainingFunction.h - one function of a training step -----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_TRAINING_TRAININGFUNCTION_H
#define BELFRY_PASSES_TRAINING_TRAININGFUNCTION_H

#include "dialects/nn/Builders.h"
#include "passes/training/Losses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace belfry {

enum class TrainingFunction { Predict, Evaluate, Train };

/// A loss of one output while its function is built.
struct OutputLoss {
  nn::LossOp op;
  mlir::Value sum;            ///< Σ mask·weight·element, a float scalar
  mlir::Value differentiated; ///< the sum that gradients are taken of
  mlir::Value divisor; ///< what it is divided by, a float scalar; null for 1
  mlir::Value rows;    ///< i32 scalar: the divisor is rows · perRow; or null
  double perRow = 1.0;
  mlir::Value loss; ///< sum / divisor, 0 where the divisor is 0
};

/// Builds one function.
class TrainingFunctionBuilder {
public:
  TrainingFunctionBuilder(mlir::ModuleOp module, nn::ModelOp model,
                          nn::CompileOp compile, TrainingFunction kind)
      : module(module), model(model), compile(compile), kind(kind),
        builder(module.getContext()) {}

  llvm::LogicalResult build(llvm::StringRef name);
  /// Trainable parameters that the losses do not depend on.
  llvm::ArrayRef<nn::ParameterOp> unusedParameters() const { return unused; }
  unsigned numGradients() const { return gradients; }

private:
  mlir::Value addArgument(mlir::Type type, nn::Role role, mlir::Location loc,
                          llvm::ArrayRef<mlir::NamedAttribute> more = {});
  void addResult(mlir::Value value, nn::Role role, llvm::StringRef name,
                 llvm::ArrayRef<mlir::NamedAttribute> more = {});
  mlir::NamedAttribute named(llvm::StringRef key, mlir::Attribute value) {
    return builder.getNamedAttr(key, value);
  }
  mlir::NamedAttribute nameAttr(llvm::StringRef name) {
    return named(nn::kNameAttr, builder.getStringAttr(name));
  }

  void addInputs();
  llvm::LogicalResult addTargets();
  void addParameters();
  llvm::LogicalResult copyBody();
  mlir::Value holdLogits(unsigned output);
  void replaceRunState();
  llvm::LogicalResult buildLosses();
  llvm::LogicalResult buildMetrics();
  llvm::LogicalResult weigh(nn::LossOp op, ElementValues elements,
                            unsigned output, OutputLoss &result);
  mlir::Value elementMask(mlir::Operation *source, ElementValues elements,
                          unsigned output);
  llvm::LogicalResult buildUpdate();
  llvm::LogicalResult
  differentiate(llvm::DenseMap<mlir::Value, mlir::Value> &gradientOf,
                mlir::Value &scale);

  template <typename OpT> llvm::SmallVector<OpT> compiled() {
    if (!compile)
      return {};
    return llvm::to_vector(compile.getBody().getOps<OpT>());
  }
  std::optional<unsigned> outputNumber(llvm::StringRef name);

  mlir::ModuleOp module;
  nn::ModelOp model;
  nn::CompileOp compile;
  TrainingFunction kind;
  mlir::OpBuilder builder;

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Attribute> argAttrs, resultAttrs;
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseMap<llvm::StringRef, mlir::Value> targets,
      sampleWeights; ///< by output name
  llvm::SmallVector<std::pair<nn::ParameterOp, mlir::Value>> parameters;
  mlir::IRMapping map;
  llvm::SmallVector<mlir::Value> outputs, logits,
      masks; ///< an entry an output; null for none
  llvm::SmallVector<OutputLoss> losses;
  llvm::SmallVector<nn::ParameterOp> unused;
  unsigned gradients = 0;
};

/// a / b, and 0 where b is 0.
mlir::Value divideNoNan(nn::CoreBuilder &b, mlir::Value a, mlir::Value by);

/// The user's name of an output of a model.
llvm::StringRef outputName(nn::ModelOp model, unsigned output);

} // namespace belfry

#endif // BELFRY_PASSES_TRAINING_TRAININGFUNCTION_H
