//===- NnTypes.td - the tensors of a program --------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_TYPES_TD
#define BELFRY_NN_TYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

def Nn_HasOneDynamicDim : CPred<
    "::llvm::count_if(::llvm::cast<::mlir::ShapedType>($_self).getShape(),"
    " [](int64_t d) { return ::mlir::ShapedType::isDynamic(d); }) <= 1">;

class Nn_TensorOf<list<Type> elements, string what>
    : Type<And<[RankedTensorOf<elements>.predicate, Nn_HasOneDynamicDim]>,
           "ranked tensor of " # what # " with at most one dynamic dimension",
           "::mlir::RankedTensorType">;

// What an op takes and gives is said by these alone: verifiers ask for kinds
// of an op that fit fewer types, nothing else lists types.
def Nn_Tensor : Nn_TensorOf<[I1, I8, I32, I64, F16, BF16, F32, F64],
    "i1, i8, i32, i64, f16, bf16, f32 or f64">;
def Nn_FloatTensor : Nn_TensorOf<[F16, BF16, F32, F64],
    "f16, bf16, f32 or f64">;
def Nn_NumberTensor : Nn_TensorOf<[I8, I32, I64, F16, BF16, F32, F64],
    "i8, i32, i64, f16, bf16, f32 or f64">;
/// Random words and numbers, whose bits are a contract.
def Nn_DrawnTensor : Nn_TensorOf<[I32, F32, F64], "i32, f32 or f64">;
def Nn_IndexTensor : Nn_TensorOf<[I32], "i32">;
def Nn_BoolTensor : Nn_TensorOf<[I1], "i1">;
def Nn_SeedTensor : Type<And<[Nn_IndexTensor.predicate,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == ::llvm::ArrayRef<int64_t>{2}">]>,
    "tensor<2xi32>", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({2}, $_builder.getI32Type())">;
def Nn_ScalarI32 : Type<And<[Nn_IndexTensor.predicate,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == 0">]>,
    "tensor<i32>", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;

#endif // BELFRY_NN_TYPES_TD
