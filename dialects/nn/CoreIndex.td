//===- CoreIndex.td - gather, scatter, indices, random numbers ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_CORE_INDEX_TD
#define BELFRY_NN_CORE_INDEX_TD

include "dialects/nn/CoreElementwise.td"

def Nn_GatherOp : Nn_CoreOp<"gather", [InferTypeOpAdaptor]> {
  let summary = "takes slices of a table by index";
  let description = [{
    The table has shape (b…, N, r…) and the ids (b…, i…), with `batch_dims`
    leading dimensions b that run together; the result is (b…, i…, r…). An id
    outside of [0, N) takes the nearest slice; the runtime refuses such inputs
    before a step.

    Constraints:
    - `batch_dims` is at least 0, below the table's rank and at most the
      ids'
    - batch extents agree
    - the result has the shape that follows

    ```mlir
    %y = nn.gather %table, %ids batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32> -> tensor<?x5x16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$table, Nn_IndexTensor:$ids, I64Attr:$batch_dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $table `,` $ids `batch_dims` `=` $batch_dims attr-dict
    `:` type($table) `,` type($ids) `->` type($result)
  }];
}

def Nn_ScatterAddOp : Nn_CoreOp<"scatter_add", [Nn_ArithmeticTrait, AllTypesMatch<["init", "result"]>]> {
  let summary = "adds slices to a table by index";
  let description = [{
    The dual of nn.gather: the slice of `updates` for each id is added to the
    slice of the table `init` that nn.gather would take. Where an id stands
    several times, the slices are added in the order of the ids.

    Constraints:
    - `batch_dims` is as for nn.gather
    - batch extents agree
    - init, updates and result have one element type; `updates` has the
      shape that nn.gather of `init` would give

    ```mlir
    %t = nn.scatter_add %init, %ids, %u batch_dims = 0
       : tensor<1000x16xf32>, tensor<?x5xi32>, tensor<?x5x16xf32>
    ```
  }];
  let arguments = (ins Nn_NumberTensor:$init, Nn_IndexTensor:$ids, Nn_NumberTensor:$updates,
                       I64Attr:$batch_dims);
  let results = (outs Nn_NumberTensor:$result);
  let assemblyFormat = [{
    $init `,` $ids `,` $updates `batch_dims` `=` $batch_dims attr-dict
    `:` type($init) `,` type($ids) `,` type($updates)
  }];
  let hasVerifier = 1;
}

def Nn_IotaOp : Nn_CoreOp<"iota"> {
  let summary = "indices along a dimension";
  let description = [{
    Every element is its index along `dim`, converted as nn.convert converts an
    i32. A dynamic dimension has the extent
    of the one dynamic dimension of `like`; it is not `dim`.

    Constraints:
    - `dim` is within the rank, and static
    - `like` is there exactly where the result has a dynamic dimension,
      and has one too

    ```mlir
    %i = nn.iota dim = 1 like %x : tensor<?x4xf32> -> tensor<?x4xi32>
    ```
  }];
  let arguments = (ins Optional<Nn_Tensor>:$like, I64Attr:$dim);
  let results = (outs Nn_NumberTensor:$result);
  let assemblyFormat = [{
    `dim` `=` $dim (`like` $like^ `:` type($like))? attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nn_DimSizeOp : Nn_CoreOp<"dim_size"> {
  let summary = "the extent of a dimension, as an i32 scalar";
  let description = [{
    Of the dynamic dimension of a sharded value it is a partial sum.

    Constraints:
    - `dim` is within the rank

    ```mlir
    %n = nn.dim_size %x dim = 0 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, I64Attr:$dim);
  let results = (outs Nn_ScalarI32:$result);
  let assemblyFormat = "$operand `dim` `=` $dim attr-dict `:` type($operand)";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$dim)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_RandomOp : Nn_CoreOp<"random", [AttrSizedOperandSegments]> {
  let summary = "counter-based random numbers";
  let description = [{
    Philox 4x32-10, keyed by `seed`, with the counter (element block, global
    row, `step`, `stream`); docs/architecture.md, "Random numbers", is the
    contract. The leading dimension of the result is its rows. `row_offset` is
    what is added to the row's index: --make-parallel puts the tower's first
    row there. `bits` gives i32; the others floats. Two ops never share a
    stream, and equal ops are not merged.

    Constraints:
    - `bits` gives i32, the other kinds floats
    - the result's rank is at least 1, and no dimension but the first is
      dynamic
    - `like` is there exactly where the result has a dynamic dimension,
      and has one too

    ```mlir
    %u = nn.random uniform seed %seed step %step stream = 7 like %x : tensor<?x4xf32>
       -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_RandomKindAttr:$kind, Nn_SeedTensor:$seed, Nn_ScalarI32:$step,
                       Optional<Nn_ScalarI32>:$row_offset, Optional<Nn_Tensor>:$like, I32Attr:$stream);
  let results = (outs Nn_DrawnTensor:$result);
  let assemblyFormat = [{
    custom<BareEnum>($kind) `seed` $seed `step` $step (`row_offset` $row_offset^)?
    `stream` `=` $stream (`like` $like^ `:` type($like))? attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BELFRY_NN_CORE_INDEX_TD
