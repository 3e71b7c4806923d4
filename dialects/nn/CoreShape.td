//===- CoreShape.td - broadcast, reduce, data movement --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_CORE_SHAPE_TD
#define BELFRY_NN_CORE_SHAPE_TD

include "dialects/nn/CoreElementwise.td"

def Nn_BroadcastOp : Nn_CoreOp<"broadcast"> {
  let summary = "repeats a tensor along new dimensions";
  let description = [{
    Dimension k of the operand becomes dimension `dims[k]` of the result, with
    the same extent; the other dimensions are new. Where the result has a
    dynamic dimension that is new, its extent is that of the one dynamic
    dimension of the shape operand `like`, of which only the shape is read.

    Constraints:
    - `dims` has an entry an operand dimension, strictly increasing,
      within the result's rank
    - extents and element types agree
    - `like` is there exactly where a new dimension is dynamic, and has a
      dynamic dimension

    ```mlir
    %b = nn.broadcast %bias dims = [1] like %x : tensor<4xf32>, tensor<?x3xf32> -> tensor<?x4xf32>
    %c = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Optional<Nn_Tensor>:$like, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $operand `dims` `=` $dims (`like` $like^)? attr-dict `:` type($operand)
    (`,` type($like)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ReduceOp : Nn_CoreOp<"reduce", [Nn_ArithmeticTrait, InferTypeOpAdaptor]> {
  let summary = "a reduction over dimensions, which disappear";
  let description = [{
    `sum`, `max`, `min` of numbers; `and`, `or` of i1. Of no elements they are
    0, the least value (−∞), the largest (+∞), true and false. `max` and `min`
    propagate NaN.

    Constraints:
    - `dims` is strictly increasing and within the rank
    - the kind fits the element type: `sum`, `max` and `min` take numbers,
      `and` and `or` take i1
    - the result is the operand without these dimensions

    ```mlir
    %s = nn.reduce sum %x dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Nn_ReduceKindAttr:$kind, Nn_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    custom<BareEnum>($kind) $operand `dims` `=` $dims attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ArgMaxOp : Nn_CoreOp<"argmax", [Nn_ArithmeticTrait, InferTypeOpAdaptor]> {
  let summary = "the lowest index of the largest element along a dimension";
  let description = [{
    A NaN counts as larger than every number. The dimension is static and not
    empty, and disappears.

    Constraints:
    - `dim` is within the rank
    - that dimension is static and not empty
    - the result is the operand without it, of i32

    ```mlir
    %i = nn.argmax %x dim = 1 : tensor<?x4xf32> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins Nn_NumberTensor:$operand, I64Attr:$dim);
  let results = (outs Nn_IndexTensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Nn_TransposeOp : Nn_CoreOp<"transpose", [InferTypeOpAdaptor]> {
  let summary = "a permutation of dimensions";
  let description = [{
    Dimension k of the result is dimension `perm[k]` of the operand.

    Constraints:
    - `perm` names each dimension once
    - the result is the operand so permuted

    ```mlir
    %y = nn.transpose %x perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$perm);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand `perm` `=` $perm attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
}

def Nn_ReshapeOp : Nn_CoreOp<"reshape"> {
  let summary = "the same elements, in row-major order, under another shape";
  let description = [{
    With a dynamic dimension on one side there is one on the other, whose
    extent follows from the number of elements: the operand's dynamic extent
    times the product of its static extents is a multiple of the product of the
    result's. Keras's Reshape layer is this op.

    Constraints:
    - element types agree
    - both sides have a dynamic dimension, or neither
    - static shapes have equally many elements; with a dynamic dimension
      the product of the static extents of one side is a multiple of the
      other side's, and not zero

    ```mlir
    %y = nn.reshape %x : tensor<?x5x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_SliceOp : Nn_CoreOp<"slice", [InferTypeOpAdaptor]> {
  let summary = "a strided part of a tensor";
  let description = [{
    Element i of dimension k of the result is element `start[k] + i·stride[k]`
    of the operand, below `limit[k]`. A dynamic dimension is taken whole: start
    0, limit −1, stride 1.

    Constraints:
    - `start`, `limit` and `stride` have an entry a dimension
    - 0 ≤ start ≤ limit ≤ extent and stride ≥ 1; a dynamic dimension is
      taken whole
    - the result has the extents that follow

    ```mlir
    %y = nn.slice %x start = [0, 2] limit = [-1, 6] stride = [1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$start,
                       DenseI64ArrayAttr:$limit, DenseI64ArrayAttr:$stride);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $operand `start` `=` $start `limit` `=` $limit `stride` `=` $stride attr-dict
    `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Nn_PadOp : Nn_CoreOp<"pad", [InferTypeOpAdaptor]> {
  let summary = "surrounds and spaces a tensor with a value";
  let description = [{
    `low[k]` and `high[k]` elements before and after, `interior[k]` between
    neighbours of dimension k (none at an empty dimension), all filled with the
    scalar `value`. A dynamic dimension is not padded.

    Constraints:
    - `low`, `high` and `interior` have an entry a dimension, none of them
      negative, zeros at a dynamic dimension
    - `value` is a scalar of the operand's element type
    - the result has the extents that follow

    ```mlir
    %y = nn.pad %x, %v low = [0, 1] high = [0, 2] interior = [0, 0]
       : tensor<?x4xf32> -> tensor<?x7xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_Tensor:$value, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Nn_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ReverseOp : Nn_CoreOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "reverses the order along dimensions";
  let description = [{
    Constraints:
    - operand and result have one type
    - `dims` names dimensions within the rank, each at most once

    ```mlir
    %y = nn.reverse %x dims = [1] : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ConcatOp : Nn_CoreOp<"concat", [InferTypeOpAdaptor]> {
  let summary = "joins tensors along a static dimension";
  let description = [{
    All other extents and the element types agree.

    Constraints:
    - there is an operand
    - `dim` is within the rank and static
    - ranks, element types and all other extents agree
    - the result has the sum of the extents along `dim`

    ```mlir
    %y = nn.concat %a, %b dim = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operands `dim` `=` $dim attr-dict `:` type($operands) `->` type($result)";
  let hasFolder = 1;
}

#endif // BELFRY_NN_CORE_SHAPE_TD
