//===- CoreLinear.td - products and convolutions --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_CORE_LINEAR_TD
#define BELFRY_NN_CORE_LINEAR_TD

include "dialects/nn/CoreElementwise.td"

def Nn_DotOp : Nn_CoreOp<"dot", [Nn_ArithmeticTrait, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "a batched contraction";
  let description = [{
    Dimensions `lhs_batch[i]` and `rhs_batch[i]` run together and come first in
    the result; `lhs_contract[i]` and `rhs_contract[i]` are summed over; then
    come the other dimensions of the left side, then those of the right.
    Products of `f16` or `bf16` are exact in `f32`, in which they are added; a
    result of `f32` is that sum, which is not rounded to 16 bits.

    Constraints:
    - the lists of a pair have one length; no dimension stands twice in a
      side's lists, all are within its rank
    - extents and element types agree; the result's elements are of that type,
      or `f32` where it is `f16` or `bf16`
    - the result has at most one dynamic dimension, and the shape that
      follows

    ```mlir
    %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
    %z = nn.dot %a, %b batch = [0] * [0] contract = [2] * [1]
       : tensor<?x5x3xf32>, tensor<?x3x4xf32> -> tensor<?x5x4xf32>
    %w = nn.dot %h, %l contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x4xbf16> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_NumberTensor:$lhs, Nn_NumberTensor:$rhs,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$lhs_batch,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$rhs_batch,
      DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Nn_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`batch` `=` $lhs_batch^ `*` $rhs_batch)?
    `contract` `=` $lhs_contract `*` $rhs_contract attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Nn_Conv2DOp : Nn_CoreOp<"conv2d", [Nn_ArithmeticTrait]> {
  let summary = "a two-dimensional convolution (cross-correlation), NHWC";
  let description = [{
    Input (N, H, W, C), kernel (KH, KW, C, F), result (N, OH, OW, F).
    `padding` is [top, bottom, left, right]; zeros stand there.
    OH = ⌊(H + top + bottom − dilation·(KH − 1) − 1)/stride⌋ + 1.

    Constraints:
    - all ranks are 4 and element types agree; all extents but N's are
      static
    - `strides` and `dilations` have two entries of at least 1, `padding`
      four of at least 0
    - channels agree, and the kernel fits into the padded input
    - the result has the shape that follows

    ```mlir
    %y = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
       : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $kernel `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    attr-dict `:` type($input) `,` type($kernel) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_Conv2DInputGradOp : Nn_CoreOp<"conv2d_input_grad", [Nn_ArithmeticTrait]> {
  let summary = "the gradient of nn.conv2d for its input";
  let description = [{
    From the gradient of the result and the kernel; attributes are those of the
    convolution.

    Constraints:
    - the constraints of nn.conv2d hold for the result as input, the
      kernel, and the gradient as result

    ```mlir
    %dx = nn.conv2d_input_grad %dy, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
        : tensor<?x8x8x16xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x1xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$grad, Nn_FloatTensor:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $grad `,` $kernel `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    attr-dict `:` type($grad) `,` type($kernel) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_Conv2DKernelGradOp : Nn_CoreOp<"conv2d_kernel_grad", [Nn_ArithmeticTrait]> {
  let summary = "the gradient of nn.conv2d for its kernel";
  let description = [{
    From the input and the gradient of the result; attributes are those of the
    convolution.

    Constraints:
    - the constraints of nn.conv2d hold for the input, the result as
      kernel, and the gradient as result

    ```mlir
    %dk = nn.conv2d_kernel_grad %x, %dy strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
        : tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32> -> tensor<3x3x1x16xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$grad, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$padding);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $grad `strides` `=` $strides `dilations` `=` $dilations `padding` `=` $padding
    attr-dict `:` type($input) `,` type($grad) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BELFRY_NN_CORE_LINEAR_TD
