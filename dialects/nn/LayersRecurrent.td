//===- LayersRecurrent.td - layers with a time loop -------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_LAYERS_RECURRENT_TD
#define BELFRY_NN_LAYERS_RECURRENT_TD

include "dialects/nn/Layers.td"

/// What the recurrent layers share. Input (B, T, F), optional mask (B, T);
/// output (B, T, U) with `return_sequences`, else (B, U); then the last states
/// with `return_state`. A masked step leaves the states; its output is the
/// previous output (zeros before the first valid step), or zero with
/// `zero_output_for_mask`. With `go_backwards` steps run from the last to the
/// first and outputs stand in the order in which they were computed. `dropout`
/// and `recurrent_dropout` act in training, with one mask a call for all steps;
/// `stream` draws the input's masks, `stream + 1` the state's. Where
/// `recurrent_dropout` is not 0 every gate has masks of its own.
///
/// `unroll` is Keras's argument. It changes what TensorFlow computes in one case
/// (keras/src/backend/tensorflow/rnn.py): with `go_backwards`,
/// `zero_output_for_mask` and `return_sequences` the outputs, which are in the
/// order of computation, are zeroed by the mask in its own, not reversed, order.
///
/// Constraints of all:
/// - the input is (B, T, F) with static T ≥ 1 and F; the mask is (B, T)
/// - kernel (F, G·U), recurrent_kernel (U, G·U), the bias as the layer says
/// - no initial state, or as many as the layer has, each (B, U)
/// - the result is (B, T, U) with `return_sequences`, else (B, U); the states
///   are there exactly with `return_state`, each (B, U)
/// - element types agree
/// - `dropout` and `recurrent_dropout` are between 0 and 1
class Nn_RecurrentOp<string mnemonic> : Nn_LayerOp<mnemonic, [AttrSizedOperandSegments]> {
  dag commonOperands = (ins Nn_FloatTensor:$input, Optional<Nn_BoolTensor>:$mask,
      Nn_FloatTensor:$kernel, Nn_FloatTensor:$recurrent_kernel, Optional<Nn_FloatTensor>:$bias,
      Variadic<Nn_FloatTensor>:$initial_state);
  dag commonAttributes = (ins
      DefaultValuedAttr<Nn_ActivationAttr, "::belfry::nn::Activation::Tanh">:$activation,
      UnitAttr:$return_sequences, UnitAttr:$return_state, UnitAttr:$go_backwards,
      UnitAttr:$zero_output_for_mask, UnitAttr:$unroll,
      DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<F64Attr, "0.0">:$recurrent_dropout,
      DefaultValuedAttr<I32Attr, "0">:$stream);
  let results = (outs Nn_FloatTensor:$result, Variadic<Nn_FloatTensor>:$states);
  let assemblyFormat = [{
    $input (`mask` $mask^)? `weights` `(` $kernel `,` $recurrent_kernel (`,` $bias^)? `)`
    (`initial_state` `(` $initial_state^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Nn_LstmOp : Nn_RecurrentOp<"lstm"> {
  let summary = "Keras's LSTM";
  let description = [{
    Gate blocks i, f, c, o. kernel (F, 4U), recurrent_kernel (U, 4U), bias (4U).
    States are h and c.

    Constraints:
    - the constraints of all recurrent layers, with 4 gates, 2 states and
      a bias of (4U)

    ```mlir
    %y = nn.lstm %x mask %m weights(%k, %r, %b) {return_sequences}
       : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<16xf32>) -> tensor<?x9x4xf32>
    ```
  }];
  let arguments = !con(commonOperands, commonAttributes, (ins
      DefaultValuedAttr<Nn_ActivationAttr, "::belfry::nn::Activation::Sigmoid">:$recurrent_activation));
  let hasVerifier = 1;
}

def Nn_GruOp : Nn_RecurrentOp<"gru"> {
  let summary = "Keras's GRU";
  let description = [{
    Gate blocks z, r, h. kernel (F, 3U), recurrent_kernel (U, 3U), bias (2, 3U)
    with `reset_after`, else (3U). The state is h.

    Constraints:
    - the constraints of all recurrent layers, with 3 gates, 1 state and a
      bias of (2, 3U) or (3U)

    ```mlir
    %y = nn.gru %x weights(%k, %r, %b) {reset_after, return_sequences}
       : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<2x12xf32>) -> tensor<?x9x4xf32>
    ```
  }];
  let arguments = !con(commonOperands, commonAttributes, (ins
      DefaultValuedAttr<Nn_ActivationAttr, "::belfry::nn::Activation::Sigmoid">:$recurrent_activation,
      UnitAttr:$reset_after));
  let hasVerifier = 1;
}

def Nn_SimpleRnnOp : Nn_RecurrentOp<"simple_rnn"> {
  let summary = "Keras's SimpleRNN";
  let description = [{
    kernel (F, U), recurrent_kernel (U, U), bias (U). The state is h.

    Constraints:
    - the constraints of all recurrent layers, with 1 gate, 1 state and a
      bias of (U)

    ```mlir
    %y = nn.simple_rnn %x weights(%k, %r, %b)
       : (tensor<?x9x3xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = !con(commonOperands, commonAttributes);
  let hasVerifier = 1;
}

def Nn_BidirectionalOp : Nn_LayerOp<"bidirectional"> {
  let summary = "joins the outputs of a forward and a backward recurrent layer";
  let description = [{
    The backward output comes from a layer with `go_backwards`, in the order of
    its computation; with `return_sequences` it is flipped along time first.
    Then concat (forward first, last axis), sum, ave (÷ 2) or mul. Keras's merge
    mode `None` has two outputs: the importer flips the second with nn.reverse.

    Constraints:
    - both outputs have one type, of rank 3 with `return_sequences`, else
      of rank 2
    - the merge mode is not `none`
    - the result has the type that follows

    ```mlir
    %y = nn.bidirectional concat(%f, %b) {return_sequences}
       : tensor<?x9x4xf32>, tensor<?x9x4xf32> -> tensor<?x9x8xf32>
    ```
  }];
  let arguments = (ins Nn_MergeModeAttr:$merge_mode, Nn_FloatTensor:$forward, Nn_FloatTensor:$backward,
                       UnitAttr:$return_sequences);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    custom<BareEnum>($merge_mode) `(` $forward `,` $backward `)` attr-dict
    `:` type($forward) `,` type($backward) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_TimeDistributedOp : Nn_LayerOp<"time_distributed", [SingleBlock]> {
  let summary = "applies layers to every time step";
  let description = [{
    Input (B, T, …). The body sees one time step as rows of a batch: its
    argument is (?, …) with B·T rows, and it yields (?, …). The result is (B, T, …).
    The body may use values from outside, such as parameters.

    Constraints:
    - the input's rank is 2 or more, and T static
    - the body has one argument, (B·T, …) for an input (B, T, …), and ends
      with nn.layer_yield
    - the yielded value is (B·T, …), the result (B, T, …) of it

    ```mlir
    %y = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x2xf32> {
    ^bb0(%step: tensor<?x4xf32>):
      %d = nn.dense %step, %k : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
      nn.layer_yield %d : tensor<?x2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result) $body";
  let hasVerifier = 1;
}

def Nn_LayerYieldOp : Op<Nn_Dialect, "layer_yield", [Pure, Terminator,
    ParentOneOf<["::belfry::nn::TimeDistributedOp"]>]> {
  let summary = "ends a body of layers";
  let description = [{ The value of the body. }];
  let arguments = (ins Nn_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // BELFRY_NN_LAYERS_RECURRENT_TD
