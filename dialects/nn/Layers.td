//===- Layers.td - Keras's layers without a time loop ----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks are values: a layer that makes one has it as a result, a layer that
// reads one as an operand. A layer that only passes a mask on (Dense, Dropout)
// does not mention it: the importer uses the same value after it.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_LAYERS_TD
#define BELFRY_NN_LAYERS_TD

include "dialects/nn/CoreElementwise.td"
include "dialects/nn/NnInterfaces.td"

class Nn_LayerOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<LayerOpInterface>], traits)>;

def Nn_DenseOp : Nn_LayerOp<"dense"> {
  let summary = "activation(x · kernel + bias) over the last dimension";
  let description = [{
    Constraints:
    - the input's rank is 2 or more, its last dimension static; the kernel
      is (that, units), the bias (units)
    - the result is the input with `units` as last extent
    - element types agree

    ```mlir
    %y = nn.dense %x, %k bias %b activation = relu
       : tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$kernel, Optional<Nn_FloatTensor>:$bias,
                       DefaultValuedAttr<Nn_ActivationAttr, "::belfry::nn::Activation::Linear">:$activation);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $kernel (`bias` $bias^)? (`activation` `=` custom<BareEnum>($activation)^)? attr-dict
    `:` type($input) `,` type($kernel) (`,` type($bias)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_ActivationOp : Nn_LayerOp<"activation", [SameOperandsAndResultType]> {
  let summary = "an activation function as a layer";
  let description = [{
    `alpha` is the slope of leaky_relu (default 0.2), the factor of elu
    (default 1), the slope of relu below `threshold`; `max_value` and `threshold` are
    those of Keras's ReLU. `gelu` is exact unless `approximate`. softmax and
    log_softmax run over the dimension `axis` (default: the last).

    Constraints:
    - `alpha` belongs to relu, leaky_relu and elu, `max_value` and
      `threshold` to relu, `approximate` to gelu, `axis` to softmax and
      log_softmax
    - `axis` is within the rank
    - `max_value` is not negative, and all numbers are finite (Limits.h)

    ```mlir
    %y = nn.activation softmax %x : tensor<?x9xf32>
    ```
  }];
  let arguments = (ins Nn_ActivationAttr:$kind, Nn_FloatTensor:$input, OptionalAttr<F64Attr>:$alpha,
                       OptionalAttr<F64Attr>:$max_value, OptionalAttr<F64Attr>:$threshold,
                       UnitAttr:$approximate, OptionalAttr<I64Attr>:$axis);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "custom<BareEnum>($kind) $input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nn_DropoutOp : Nn_LayerOp<"dropout", [SameOperandsAndResultType]> {
  let summary = "zeroes a share of the elements in training";
  let description = [{
    Kept elements are scaled by 1/(1 − rate). An element is kept where its
    uniform number, from the stream, is at least `rate`. `noise_shape` has an
    entry a dimension: −1 for the full extent, 1 to share one number along it.

    Constraints:
    - `rate` is between 0 and 1
    - `noise_shape` has an entry a dimension: −1, 1 or the static extent

    ```mlir
    %y = nn.dropout %x {rate = 0.2, stream = 3 : i32} : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, F64Attr:$rate, I32Attr:$stream,
                       OptionalAttr<DenseI64ArrayAttr>:$noise_shape);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nn_MaskingOp : Nn_LayerOp<"masking"> {
  let summary = "masks steps whose features all equal a value";
  let description = [{
    The mask is true where any feature differs from `mask_value` (in the input's
    own precision); masked steps of the output are zero.

    Constraints:
    - the input's rank is 2 or more
    - the result has the input's type, the mask its leading dimensions

    ```mlir
    %y, %mask = nn.masking %x {mask_value = -5.0} : tensor<?x9x3xf32> -> tensor<?x9x3xf32>, tensor<?x9xi1>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, F64Attr:$mask_value);
  let results = (outs Nn_FloatTensor:$result, Nn_BoolTensor:$mask);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result) `,` type($mask)";
  let hasVerifier = 1;
}

def Nn_EmbeddingOp : Nn_LayerOp<"embedding"> {
  let summary = "rows of a table by id";
  let description = [{
    With `mask_zero` there is a second result: true where the id is not 0.

    Constraints:
    - the table is (N, D), static
    - the result is the ids' shape with D behind, of the table's element
      type
    - the mask is there exactly with `mask_zero`, and has the ids' shape

    ```mlir
    %y, %mask = nn.embedding %ids, %table {mask_zero}
              : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?x5xi1>
    ```
  }];
  let arguments = (ins Nn_IndexTensor:$ids, Nn_FloatTensor:$table, UnitAttr:$mask_zero);
  let results = (outs Nn_FloatTensor:$result, Optional<Nn_BoolTensor>:$mask);
  let assemblyFormat = [{
    $ids `,` $table attr-dict `:` type($ids) `,` type($table) `->` type($result) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Nn_FlattenOp : Nn_LayerOp<"flatten"> {
  let summary = "all dimensions but the batch's in one";
  let description = [{
    Constraints:
    - all dimensions but the first are static
    - the result is (batch, product of the others), of the input's element
      type

    ```mlir
    %y = nn.flatten %x : tensor<?x3x4xf32> -> tensor<?x12xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Nn_RepeatVectorOp : Nn_LayerOp<"repeat_vector"> {
  let summary = "(B, F) repeated to (B, n, F)";
  let description = [{
    Constraints:
    - the input is (B, F), the result (B, n, F) with a static n of at
      least 1, of one element type

    ```mlir
    %y = nn.repeat_vector %x : tensor<?x4xf32> -> tensor<?x7x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Nn_ConcatenateOp : Nn_LayerOp<"concatenate"> {
  let summary = "joins tensors along an axis that is not the batch's";
  let description = [{
    Constraints:
    - `axis` is at least 1; otherwise the constraints of nn.concat

    ```mlir
    %y = nn.concatenate %a, %b axis = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$inputs `axis` `=` $axis attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
}

def Nn_AddOp : Nn_LayerOp<"add"> {
  let summary = "the sum of two or more tensors, which broadcast as Keras's merge layers do";
  let description = [{
    Shapes align at the batch and from the last dimension on; missing
    dimensions stand after the batch's, and extents of 1 repeat.

    Constraints:
    - there are two inputs or more, of one element type
    - extents agree or are 1 (never the batch's)
    - the result has the joint shape

    ```mlir
    %y = nn.add %a, %b : tensor<?x3x4xf32>, tensor<?x4xf32> -> tensor<?x3x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_NumberTensor>:$inputs);
  let results = (outs Nn_NumberTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
}

#endif // BELFRY_NN_LAYERS_TD
