//===- TowerOps.td - ops of the tower dialect ------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dialects/tower/TowerDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tower_Op<string mnemonic, list<Trait> traits = []> : Op<Tower_Dialect, mnemonic, traits>;

def Tower_ReplicateOp : Tower_Op<"replicate", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "runs its region once a tower";
  let description = [{
    The region sees values from outside: whole values are the same in every
    tower; `tower.slice` takes a tower's rows. `towers` is the default number of
    towers, which the driver of the program may replace. `slicing` says how rows are cut
    (balanced: B mod N towers get one row more than the others; a tower may get none).
    `tower.yield` says of each result whether the towers' values are joined along a
    dimension (`concat`) or are the same in every tower (−1).

    Constraints:
    - `towers` is at least 1
    - the region has no arguments, ends with tower.yield and holds no
      other tower.replicate
    - results have the yielded types

    ```mlir
    %y = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32> {
      %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
      …
      tower.yield %yi concat = [0] : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$towers, Tower_SlicingAttr:$slicing);
  let results = (outs Variadic<Nn_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `towers` `=` $towers `slicing` `=` custom<BareEnum>($slicing) attr-dict-with-keyword
    (`->` type($outputs)^)? $body
  }];
  let hasVerifier = 1;
}

def Tower_YieldOp : Tower_Op<"yield", [Pure, Terminator, HasParent<"::belfry::tower::ReplicateOp">]> {
  let summary = "ends the region of tower.replicate";
  let description = [{
    `concat` has an entry a value: the dimension along which the towers' values
    are joined in tower order, or −1 for a value that every tower has.

    Constraints:
    - `concat` has an entry a value: −1, or a dimension of the value that
      is dynamic
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$values, DenseI64ArrayAttr:$concat);
  let assemblyFormat = "($values^)? `concat` `=` $concat attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def Tower_SliceOp : Tower_Op<"slice", [Pure, SameOperandsAndResultType]> {
  let summary = "this tower's block of a whole value";
  let description = [{
    Along `dim`, the value's dynamic dimension. In an unrolled program `index`
    and `of` name the tower.

    ```
      whole value        tower 0   tower 1
      +-------------+    +----+
      | rows 0..4   | →  | 0..2 |  +----+
      |             |    +----+    | 3..4 |
      +-------------+              +----+
    ```

    Constraints:
    - operand and result have one type; `dim` is within its rank, and
      dynamic
    - inside of tower.replicate the operand comes from outside of it, or was
      gathered inside: it is no slice; elsewhere `index` and `of` name the tower
    - 0 ≤ index < of
  }];
  let arguments = (ins Nn_Tensor:$operand, I64Attr:$dim, OptionalAttr<I64Attr>:$index, OptionalAttr<I64Attr>:$of,
                       OptionalAttr<Tower_SlicingAttr>:$slicing);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim (`tower` `=` $index^ `of` $of)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tower_ConcatOp : Tower_Op<"concat", [Pure, SameOperandsAndResultType]> {
  let summary = "joins towers' values along a dimension, in tower order";
  let description = [{
    In unrolled programs; in a replicated one tower.yield joins.

    Constraints:
    - there is an operand; all types are equal; `dim` is within the rank,
      and dynamic
    - it stands outside of tower.replicate

    ```mlir
    %y = tower.concat %y0, %y1 dim = 0 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operands `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tower_AllReduceOp : Tower_Op<"all_reduce", [AllTypesMatch<["operands", "results"]>]> {
  let summary = "combines a value over all towers; every tower gets the result";
  let description = [{
    In a replicated program it has one operand and one result. In an unrolled
    one it has an operand and a result a tower. A sum follows the fixed binary tree over
    the tower index (docs/architecture.md). `sum` is of numbers; `max` and `min`
    also of i1, where they are or and and.

    ```
      tower 0   tower 1            tower 0   tower 1
      +-----+   +-----+    sum     +-----+   +-----+
      |  a  |   |  b  |    →       | a+b |   | a+b |
      +-----+   +-----+            +-----+   +-----+
    ```

    Constraints:
    - inside of tower.replicate it has one operand, elsewhere one or more,
      of one type
    - `sum` takes numbers
    - it stands under no control flow that may differ by tower: nothing
      but nn.scan is between it and the region or function
  }];
  let arguments = (ins Tower_ReduceKindAttr:$kind, Variadic<Nn_Tensor>:$operands);
  let results = (outs Variadic<Nn_Tensor>:$results);
  let assemblyFormat = "custom<BareEnum>($kind) $operands attr-dict `:` type($operands)";
  let hasVerifier = 1;
}

def Tower_AllGatherOp : Tower_Op<"all_gather", [SameOperandsAndResultType]> {
  let summary = "joins the towers' blocks of a dimension; every tower gets the whole";
  let description = [{
    Along `dim`, a dynamic dimension, in tower order.

    Constraints:
    - it stands inside of tower.replicate
    - operand and result have one type; `dim` is within its rank, and
      dynamic
    - the control flow is as for tower.all_reduce

    ```mlir
    %w = tower.all_gather %x dim = 0 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tower_ReduceScatterOp : Tower_Op<"reduce_scatter", [SameOperandsAndResultType]> {
  let summary = "combines a value over all towers; each tower keeps its block of a dimension";
  let description = [{
    The dual of tower.all_gather: `dim` is a dynamic dimension, whose whole
    extent every tower holds.

    Constraints:
    - it stands inside of tower.replicate
    - operand and result have one type; `dim` is within its rank, and
      dynamic
    - `sum` takes numbers
    - the control flow is as for tower.all_reduce

    ```mlir
    %g = tower.reduce_scatter sum %x dim = 0 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Tower_ReduceKindAttr:$kind, Nn_Tensor:$operand, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "custom<BareEnum>($kind) $operand `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class Tower_ScalarOp<string mnemonic, string what> : Tower_Op<mnemonic, [Pure]> {
  let summary = what;
  let description = "An i32 scalar: " # what # [{.

    Constraints:
    - inside of tower.replicate no tower is named; elsewhere `index` and `of`
      name it
    - 0 ≤ index < of

    ```mlir
    %t = tower.}] # mnemonic # [{ : tensor<i32>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$index, OptionalAttr<I64Attr>:$of);
  let results = (outs Nn_ScalarI32:$result);
  let assemblyFormat = "(`tower` `=` $index^ `of` $of)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Tower_IndexOp : Tower_ScalarOp<"index", "the number of this tower, from 0">;
def Tower_RowOffsetOp : Tower_Op<"row_offset", [Pure]> {
  let summary = "the first row of this tower in the global batch";
  let description = [{
    `of_value` is a whole value from outside of the region, sliced along its
    dynamic dimension: the offset is in units of that dimension.

    Constraints:
    - the value has a dynamic dimension
    - inside of tower.replicate the value comes from outside of it;
      elsewhere `index` and `of` name the tower
    - 0 ≤ index < of

    ```mlir
    %o = tower.row_offset %x : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$of_value, OptionalAttr<I64Attr>:$index, OptionalAttr<I64Attr>:$of,
                       OptionalAttr<Tower_SlicingAttr>:$slicing);
  let results = (outs Nn_ScalarI32:$result);
  let assemblyFormat = "$of_value (`tower` `=` $index^ `of` $of)? attr-dict `:` type($of_value)";
  let hasVerifier = 1;
}

