//===- CoreScan.td - the loop over time ------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_CORE_SCAN_TD
#define BELFRY_NN_CORE_SCAN_TD

include "dialects/nn/CoreElementwise.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Nn_ScanOp : Nn_CoreOp<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
    IsolatedFromAbove, SingleBlock]> {
  let summary = "a loop over the leading dimension, with carried values";
  let description = [{
    The body runs once for each index t of the (static) leading dimension of
    the sequences, upwards, or downwards with `reverse`. Its arguments are the
    carried values, element t of each sequence, and the closed values. It
    yields the next carried values, then the outputs of the step. Results are
    the last carried values, then the stacked outputs, output t at index t
    whatever the direction.

    `mask` is tensor<TxRxi1>: where it is false for step t and row r, row r of
    the carried values keeps its value and row r of the outputs is zero. With a
    mask, every carried value and output of a step has the rows as its leading
    dimension. Without a sequence, `length` gives the number of steps.

    Constraints:
    - sequences have rank 1 or more and one static leading extent;
      `length` is there, and not negative, exactly without them
    - the body's arguments have the types of the carried values, of one
      step's elements of the sequences, and of the closed values
    - the body ends with nn.yield, which yields a value for each carried
      one and each output
    - carried types are equal at entry, yield and result; outputs are the
      yielded type with the number of steps in front
    - `mask` has the shape (steps, rows), and rows is then the leading
      extent of every carried value and yielded output
    - no layer and no training op stands in the body

    ```mlir
    %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r) mask(%m) {
    ^bb0(%h_in: tensor<?x4xf32>, %x: tensor<?x4xf32>, %w: tensor<4x4xf32>):
      %z = nn.dot %h_in, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
      %s = nn.binary add %x, %z : tensor<?x4xf32>
      %y = nn.unary tanh %s : tensor<?x4xf32>
      nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
    } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<4x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inits, Variadic<Nn_Tensor>:$sequences,
                       Variadic<Nn_Tensor>:$closed, Optional<Nn_BoolTensor>:$mask,
                       UnitAttr:$reverse, OptionalAttr<I64Attr>:$length);
  let results = (outs Variadic<Nn_Tensor>:$finals, Variadic<Nn_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The number of steps.
    int64_t getSteps();
    /// The body's arguments, by part.
    ::mlir::Block::BlockArgListType getCarriedArgs();
    ::mlir::Block::BlockArgListType getSequenceArgs();
    ::mlir::Block::BlockArgListType getClosedArgs();
    ::belfry::nn::YieldOp getYield();
  }];
  let builders = [
    // Creates the op with an empty body block that has its arguments. Output
    // step types are those that the body will yield.
    OpBuilder<(ins "::mlir::ValueRange":$inits, "::mlir::ValueRange":$sequences,
                   "::mlir::ValueRange":$closed, "::mlir::Value":$mask, "bool":$reverse,
                   "int64_t":$steps, "::mlir::TypeRange":$outputStepTypes)>
  ];
  let hasRegionVerifier = 1;
}

def Nn_YieldOp : Op<Nn_Dialect, "yield", [Pure, Terminator, AttrSizedOperandSegments,
    ParentOneOf<["::belfry::nn::ScanOp"]>]> {
  let summary = "ends a body of nn.scan";
  let description = [{ The next carried values and the outputs of the step. }];
  let arguments = (ins Variadic<Nn_Tensor>:$carry, Variadic<Nn_Tensor>:$outputs);
  let assemblyFormat = [{
    (`carry` `(` $carry^ `)`)? (`outputs` `(` $outputs^ `)`)? attr-dict
    (`:` type($carry)^)? (`outputs` type($outputs)^)?
  }];
}

// Made after differentiation and distribution, so that neither is asked of them.
class Nn_StepsOp<string mnemonic> : Op<Nn_Dialect, mnemonic, [Pure]>;

def Nn_PackStepsOp : Nn_StepsOp<"pack_steps"> {
  let summary = "the rows of a sequence that a mask selects, one after the other";
  let description = [{
    Row r of step t stands in the result where `mask[t, r]` is true, in the
    order of t, then r: the result has as many rows as the mask selects.

    `--pack-masked-steps` creates it, `--lower-nn-to-linalg` removes it. That
    keeps room for all rows, since no extent depends on a mask otherwise, and
    knows the number in ops by row, products and sums that contract the rows,
    and nn.unpack_steps with the same mask: these only may read it.

    Constraints:
    - `mask` has the shape (steps, rows), with static steps and dynamic
      rows, which lead the sequence too
    - the result is the sequence with one dynamic dimension for the two

    ```mlir
    %p = nn.pack_steps %x mask %m : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_BoolTensor:$mask);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $operand `mask` $mask attr-dict `:` type($operand) `,` type($mask) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_UnpackStepsOp : Nn_StepsOp<"unpack_steps"> {
  let summary = "a sequence of the rows that nn.pack_steps has put together";
  let description = [{
    Rows that the mask does not select are zero.

    Constraints:
    - `mask` has the shape (steps, rows), with static steps and dynamic
      rows, which lead the result too
    - the operand is the result with one dynamic dimension for the two

    ```mlir
    %x = nn.unpack_steps %p mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_BoolTensor:$mask);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $operand `mask` $mask attr-dict `:` type($operand) `,` type($mask) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BELFRY_NN_CORE_SCAN_TD
