//===- Nn.h - the nn dialect ------------------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_NN_H
#define BELFRY_NN_NN_H

#include "dialects/nn/Distribution.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace belfry::nn {

class HostTensor;
class InterpretContext;

/// How a layer is to be decomposed.
struct DecomposeContext {
  /// Whether dropout and its kin act.
  bool training = false;
};

/// Marks the ops that are differentiated, distributed and lowered.
template <typename ConcreteType>
class CoreOp : public mlir::OpTrait::TraitBase<ConcreteType, CoreOp> {};

/// Trait of core ops that compute with the elements of their operands, which
/// for f16 and bf16 means: in f32, rounded at the end (docs/dtypes.md). The
/// others move elements, or convert them.
template <typename ConcreteType>
class Arithmetic : public mlir::OpTrait::TraitBase<ConcreteType, Arithmetic> {};

/// Names of attributes that are not part of an op's definition.
///
/// Of an argument or result of a training function:
constexpr llvm::StringLiteral kRoleAttr = "nn.role";
constexpr llvm::StringLiteral kNameAttr = "nn.name"; ///< the user's name
/// Of an integer input or target: its values are in [0, limit), or `nn.ignore`.
constexpr llvm::StringLiteral kLimitAttr = "nn.limit";
constexpr llvm::StringLiteral kIgnoreAttr = "nn.ignore";
constexpr llvm::StringLiteral kLayerAttr = "nn.layer"; ///< that sets the limit
constexpr llvm::StringLiteral kLossAttr = "nn.loss";   ///< of a target: kind
constexpr llvm::StringLiteral kOfAttr = "nn.of"; ///< of a slot: its parameter
constexpr llvm::StringLiteral kValueAttr = "nn.value"; ///< a hyper's default
/// Of a metric: whether sample weights count.
constexpr llvm::StringLiteral kWeightedAttr = "nn.weighted";
/// Of the module: the file with the initial weights; the optimizer's kind.
constexpr llvm::StringLiteral kWeightsAttr = "nn.weights";
constexpr llvm::StringLiteral kOptimizerAttr = "nn.optimizer";
/// Unit attribute of a core op whose gradient is known to be zero as a whole,
/// such as the maximum that softmax subtracts: differentiation stops there.
constexpr llvm::StringLiteral kNoGradientAttr = "nn.no_gradient";

/// The user's layer that an op comes from, by the name in its location; empty
/// where there is none.
llvm::StringRef layerOf(mlir::Operation *op);

/// An element type as manifests and reports write it: i1, i8, i32, i64, f16,
/// bf16, f32 or f64.
llvm::StringRef dtypeName(mlir::Type element);

/// Whether elements are floats of 16 bits, which ops compute with in f32.
bool isNarrow(mlir::Type element);

/// Whether `op` is one that --widen-narrow-floats has to take apart: arithmetic
/// on f16 or bf16, or a conversion between one of them and anything but f32.
bool computesInNarrow(mlir::Operation *op);

/// Attach what the passes ask of core ops; one function a question.
void registerGradientModels(mlir::DialectRegistry &registry);
void registerDistributionModels(mlir::DialectRegistry &registry);
void registerInterpreterModels(mlir::DialectRegistry &registry);

} // namespace belfry::nn

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.h.inc"

#include "dialects/nn/NnInterfaces.h.inc"

namespace belfry::nn {
class YieldOp;
} // namespace belfry::nn

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"

#endif // BELFRY_NN_NN_H
