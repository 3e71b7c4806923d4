//===- NnDialect.td - the nn dialect: types, enums, op classes ----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_DIALECT_TD
#define BELFRY_NN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "dialects/nn/NnTypes.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::belfry::nn";
  let summary = "neural-network models: layers, training and core operations";
  let description = [{
    Three layers in one dialect. *Layer* ops speak Keras's vocabulary, with
    masks as explicit operands and results. *Training* ops name parameters,
    losses, metrics and optimizers. *Core* ops are what layers decompose into:
    only they are differentiated, distributed over towers and lowered.

    All values are ranked tensors of i1, i8, i32, i64, f16, bf16, f32 or f64 with at most one
    dynamic dimension, whose extent is a multiple of the batch's rows.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

/// An enumerator and how it is written.
class Nn_Case<string symbol, string text> {
  string sym = symbol;
  string str = text;
}
class Nn_Enum<string name, string summary, list<Nn_Case> cases>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(0, !size(cases)), I32EnumAttrCase<cases[i].sym, i, cases[i].str>)> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::belfry::nn";
}
class Nn_EnumAttr<Nn_Enum e, string mnemonic> : EnumAttr<Nn_Dialect, e, mnemonic>;

def Nn_UnaryKind : Nn_Enum<"UnaryKind", "elementwise function of one operand", [
    Nn_Case<"Neg", "neg">, Nn_Case<"Abs", "abs">, Nn_Case<"Sign", "sign">, Nn_Case<"Exp", "exp">,
    Nn_Case<"Expm1", "expm1">, Nn_Case<"Log", "log">, Nn_Case<"Log1p", "log1p">, Nn_Case<"Sqrt",
    "sqrt">, Nn_Case<"Rsqrt", "rsqrt">, Nn_Case<"Tanh", "tanh">, Nn_Case<"Sigmoid", "sigmoid">,
    Nn_Case<"Erf", "erf">, Nn_Case<"Sin", "sin">, Nn_Case<"Cos", "cos">, Nn_Case<"Floor", "floor">,
    Nn_Case<"Ceil", "ceil">, Nn_Case<"Not", "not">, Nn_Case<"IsFinite", "is_finite">]>;
def Nn_UnaryKindAttr : Nn_EnumAttr<Nn_UnaryKind, "unary_kind">;

def Nn_BinaryKind : Nn_Enum<"BinaryKind", "elementwise function of two operands", [
    Nn_Case<"Add", "add">, Nn_Case<"Sub", "sub">, Nn_Case<"Mul", "mul">, Nn_Case<"Div", "div">, Nn_Case<"Max",
    "max">, Nn_Case<"Min", "min">, Nn_Case<"Pow", "pow">, Nn_Case<"Rem", "rem">, Nn_Case<"And", "and">,
    Nn_Case<"Or", "or">, Nn_Case<"Xor", "xor">]>;
def Nn_BinaryKindAttr : Nn_EnumAttr<Nn_BinaryKind, "binary_kind">;

def Nn_CompareKind : Nn_Enum<"CompareKind", "comparison", [
    Nn_Case<"Eq", "eq">, Nn_Case<"Ne", "ne">, Nn_Case<"Lt", "lt">, Nn_Case<"Le", "le">, Nn_Case<"Gt", "gt">,
    Nn_Case<"Ge", "ge">]>;
def Nn_CompareKindAttr : Nn_EnumAttr<Nn_CompareKind, "compare_kind">;

def Nn_ReduceKind : Nn_Enum<"ReduceKind", "reduction", [
    Nn_Case<"Sum", "sum">, Nn_Case<"Max", "max">, Nn_Case<"Min", "min">, Nn_Case<"And", "and">, Nn_Case<"Or",
    "or">]>;
def Nn_ReduceKindAttr : Nn_EnumAttr<Nn_ReduceKind, "reduce_kind">;

def Nn_RandomKind : Nn_Enum<"RandomKind", "random distribution", [
    Nn_Case<"Uniform", "uniform">, Nn_Case<"Normal", "normal">, Nn_Case<"Bits", "bits">]>;
def Nn_RandomKindAttr : Nn_EnumAttr<Nn_RandomKind, "random_kind">;

def Nn_Activation : Nn_Enum<"Activation", "activation function of a layer", [
    Nn_Case<"Linear", "linear">, Nn_Case<"Relu", "relu">, Nn_Case<"Tanh", "tanh">, Nn_Case<"Sigmoid",
    "sigmoid">, Nn_Case<"HardSigmoid", "hard_sigmoid">, Nn_Case<"Softmax", "softmax">,
    Nn_Case<"Elu", "elu">, Nn_Case<"Selu", "selu">, Nn_Case<"Softplus", "softplus">, Nn_Case<"Softsign",
    "softsign">, Nn_Case<"Silu", "silu">, Nn_Case<"Gelu", "gelu">, Nn_Case<"Exponential",
    "exponential">, Nn_Case<"LeakyRelu", "leaky_relu">, Nn_Case<"Relu6", "relu6">, Nn_Case<"Mish",
    "mish">, Nn_Case<"LogSoftmax", "log_softmax">]>;
def Nn_ActivationAttr : Nn_EnumAttr<Nn_Activation, "activation">;

def Nn_MergeMode : Nn_Enum<"MergeMode", "how two directions are joined", [
    Nn_Case<"Concat", "concat">, Nn_Case<"Sum", "sum">, Nn_Case<"Ave", "ave">, Nn_Case<"Mul", "mul">,
    Nn_Case<"None", "none">]>;
def Nn_MergeModeAttr : Nn_EnumAttr<Nn_MergeMode, "merge_mode">;

def Nn_Role : Nn_Enum<"Role", "what an argument or result of a training function is", [
    Nn_Case<"Input", "input">, Nn_Case<"Target", "target">, Nn_Case<"SampleWeight",
    "sample_weight">, Nn_Case<"Parameter", "parameter">, Nn_Case<"Slot", "slot">, Nn_Case<"Hyper",
    "hyper">, Nn_Case<"Seed", "seed">, Nn_Case<"Step", "step">, Nn_Case<"Output", "output">,
    Nn_Case<"Loss", "loss">, Nn_Case<"MetricTotal", "metric_total">, Nn_Case<"MetricCount",
    "metric_count">, Nn_Case<"Gradient", "gradient">, Nn_Case<"GradientScale",
    "gradient_scale">]>;
def Nn_RoleAttr : Nn_EnumAttr<Nn_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // BELFRY_NN_DIALECT_TD
