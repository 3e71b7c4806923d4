//===- NnInterfaces.td - what differs by op ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_INTERFACES_TD
#define BELFRY_NN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::belfry::nn";
  let description = [{
    A layer of the model level. It decomposes into core ops, or into simpler
    layers, which are then decomposed in turn.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the core ops of this layer at the builder's insertion point and
      returns one value a result. Types of the values are those of the results.
      Emits an error and fails where an option has no meaning.
    }], "::llvm::LogicalResult", "decompose",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::belfry::nn::DecomposeContext &":$context,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::belfry::nn";
  let description = [{
    A core op with a reverse-mode gradient. Attached as an external model, in
    dialects/nn/Gradient*.cpp.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the gradient of this op at the builder's insertion point.
      `resultGrads` has a value a result, null where no gradient reaches it (it
      is zero then). `wanted` says for each operand whether its gradient is
      needed. On success `operandGrads` has a value an operand: null where the
      gradient is zero, does not exist (integers, booleans, shape operands) or
      is not wanted; else of the operand's type.
      The op may be replaced by one that has more results (nn.scan saves what
      its gradient needs): the caller must not touch the op afterwards.
    }], "::llvm::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$resultGrads,
           "::llvm::ArrayRef<bool>":$wanted,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGrads)>
  ];
}

def DistributableOpInterface : OpInterface<"DistributableOpInterface"> {
  let cppNamespace = "::belfry::nn";
  let description = [{
    How the values of an op are spread over towers, given how its operands are.
    Attached as an external model, in dialects/nn/Distribution*.cpp. An op
    without it needs every operand whole.
  }];
  let methods = [
    InterfaceMethod<[{
      The transfer function. Either names operands that must be made whole
      first (`transfer.makeWhole`; it is then called again), or gives the state
      of each result.
    }], "void", "transfer",
      (ins "::llvm::ArrayRef<::belfry::nn::DistState>":$operands,
           "::belfry::nn::DistTransfer &":$transfer)>
  ];
}

def InterpretableOpInterface : OpInterface<"InterpretableOpInterface"> {
  let cppNamespace = "::belfry::nn";
  let description = [{
    The reference meaning of an op, for the interpreter. Attached as an
    external model, in dialects/nn/Interpret*.cpp.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes the results from the operands. Emits an error and fails on
      operands that the op's contract excludes.
    }], "::llvm::LogicalResult", "interpret",
      (ins "::llvm::ArrayRef<::belfry::nn::HostTensor>":$operands,
           "::belfry::nn::InterpretContext &":$context,
           "::llvm::SmallVectorImpl<::belfry::nn::HostTensor> &":$results)>
  ];
}

#endif // BELFRY_NN_INTERFACES_TD
