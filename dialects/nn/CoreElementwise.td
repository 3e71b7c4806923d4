//===- CoreElementwise.td - constants, elementwise ops --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_CORE_ELEMENTWISE_TD
#define BELFRY_NN_CORE_ELEMENTWISE_TD

include "dialects/nn/NnDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A core op: pure, and a member of the set that is differentiated, distributed
/// and lowered.
def Nn_CoreTrait : NativeOpTrait<"CoreOp", []> {
  let cppNamespace = "::belfry::nn";
}
/// A core op that computes with the elements of its operands.
def Nn_ArithmeticTrait : NativeOpTrait<"Arithmetic", []> {
  let cppNamespace = "::belfry::nn";
}
class Nn_CoreOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([Pure, Nn_CoreTrait], traits)>;

def Nn_ConstantOp : Nn_CoreOp<"constant",
    [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor";
  let description = [{
    The value is a dense or splat elements attribute; weights never stand here.

    Constraints:
    - the value is a dense or splat elements attribute of the result's
      type

    ```mlir
    %z = nn.constant dense<0.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let builders = [
    OpBuilder<(ins "::mlir::RankedTensorType":$type, "double":$splat)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_UnaryOp : Nn_CoreOp<"unary", [Nn_ArithmeticTrait, SameOperandsAndResultShape]> {
  let summary = "an elementwise function of one operand";
  let description = [{
    `is_finite` maps a float tensor to i1, `not` maps i1 to i1, `neg`, `abs` and
    `sign` take integers too; all other kinds take and give floats. `sign` of a NaN
    is NaN, of ±0 it is ±0.

    Constraints:
    - the kind fits the operand's element type: `not` takes i1, `neg`,
      `abs` and `sign` take integers or floats, the others take floats
    - the result has the operand's shape and, but for `is_finite` (i1),
      its element type

    ```mlir
    %y = nn.unary tanh %x : tensor<?x4xf32>
    %f = nn.unary is_finite %x : tensor<?x4xf32> -> tensor<?x4xi1>
    ```
  }];
  let arguments = (ins Nn_UnaryKindAttr:$kind, Nn_Tensor:$operand);
  let results = (outs Nn_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "::belfry::nn::UnaryKind":$kind, "::mlir::Value":$operand)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_BinaryOp : Nn_CoreOp<"binary", [Nn_ArithmeticTrait, SameOperandsAndResultType]> {
  let summary = "an elementwise function of two operands of one type";
  let description = [{
    Nothing broadcasts: see nn.broadcast. `and`, `or`, `xor` take i1 or
    integers; `pow` takes floats; the others numbers. Integers wrap. `max` and `min` give NaN where an
    operand is NaN. Integer `div` truncates toward zero and gives 0 for a
    divisor of 0; `rem` has the sign of the dividend.

    Constraints:
    - operands and result have one type
    - the kind fits the element type: `and`, `or` and `xor` take i1 or
      integers, `pow` floats, the others numbers

    ```mlir
    %z = nn.binary add %x, %y : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_BinaryKindAttr:$kind, Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "custom<BareEnum>($kind) $lhs `,` $rhs attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_CompareOp : Nn_CoreOp<"compare",
    [Nn_ArithmeticTrait, SameOperandsAndResultShape, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "an elementwise comparison";
  let description = [{
    Ordered, as in IEEE 754: every comparison with NaN is false, but `ne`,
    which is true. `lt le gt ge` of i1 order false before true.

    Constraints:
    - operands have one type; the result has their shape

    ```mlir
    %m = nn.compare ne %x, %v : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_CompareKindAttr:$kind, Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_BoolTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "::belfry::nn::CompareKind":$kind, "::mlir::Value":$lhs, "::mlir::Value":$rhs)>
  ];
  let hasVerifier = 1;
}

def Nn_SelectOp : Nn_CoreOp<"select",
    [SameOperandsAndResultShape, AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "an elementwise choice";
  let description = [{
    Constraints:
    - condition and operands have one shape

    ```mlir
    %y = nn.select %m, %a, %b : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition, Nn_Tensor:$onTrue, Nn_Tensor:$onFalse);
  let results = (outs Nn_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ConvertOp : Nn_CoreOp<"convert", [SameOperandsAndResultShape]> {
  let summary = "a conversion of the element type";
  let description = [{
    Float to integer truncates toward zero, saturates, and gives 0 for NaN.
    Integer to a narrower integer keeps the low bits.
    To i1 is "not equal to zero". From i1 gives 0 or 1.

    Constraints:
    - operand and result have one shape

    ```mlir
    %y = nn.convert %m : tensor<?x4xi1> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // BELFRY_NN_CORE_ELEMENTWISE_TD
