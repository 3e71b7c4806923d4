//===- lowering/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_LOWERING_TD
#define BELFRY_PASSES_LOWERING_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"expand-math"> {
  let summary = "Write transcendental functions out in arith ops, to the same bits on every target";
  let description = [{
    Replaces `math.exp`, `exp2`, `expm1`, `log`, `log1p`, `tanh`, `erf`, `sin`, `cos`, `rsqrt` and `powf`, and the logistic
    function written as `1 / (1 + exp(-x))`, on f16, bf16, f32 and f64 and on vectors of them by straight-line arith ops:
    no branches, no calls, no tables in memory, no fast-math flags, fused only at a `math.fma`. The error is at most 2 units
    of the last place in f32 over all arguments and 4 in f64; infinities, NaN, signed zeros and subnormals are as IEEE 754 has them.
    Ops on tensors stay: expand after tiling.

    A transcendental op that is left on scalars or vectors is an error, since it would become a call of the target's library.

    ```mlir
    %0 = math.log1p %x : f32
    // becomes an exponent, a polynomial in fused multiply-adds and selects for the ends of the range
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def WidenNarrowFloats : Pass<"widen-narrow-floats"> {
  let summary = "computes with f16 and bf16 in f32";
  let description = [{
    An op that computes with elements of f16 or bf16 becomes the op on f32, its
    operands converted without error, its result rounded to nearest even
    (docs/dtypes.md). Conversions between one of the two and another type go
    through f32. Ops that move elements stay as they are. A value that every
    step of an `nn.scan` widens is widened before it.

    Run before --insert-all-reduce, sums over towers are of f32 and rounded once.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [
    Statistic<"numWidened", "widened", "Number of ops that compute in f32 now">
  ];
}

def NarrowProducts : Pass<"narrow-products"> {
  let summary = "lets products read f16 and bf16 as they are";
  let description = [{
    An `nn.dot` of f32 whose operands are both widened from f16, or both from
    bf16, reads what was widened. Its result stays f32: the products are the
    same numbers, and so is their sum. For GPUs, whose kernels widen what they
    load, or multiply it by tensor cores. After widen-narrow-floats.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "Number of products that read 16 bits now">
  ];
}

def ExpandRemainder : Pass<"expand-remainder"> {
  let summary = "writes remainders of floats out as integer arithmetic";
  let description = [{
    Replaces `arith.remf` on f16, bf16, f32 and f64 by a division of the integers
    that the bits hold, in a loop with a round for each 40 bits (f64: 11) by which
    the exponents differ. It is exact, as the C library's `fmod` is, which is what
    the op would call; a GPU has no such function. NaN is the positive quiet
    one. Ops on vectors and tensors stay. Before convert-scf-to-cf.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Number of remainders written out">];
}

def ExpandScanMask : Pass<"expand-scan-mask"> {
  let summary = "writes the row masks of nn.scan out as selects";
  let description = [{
    A masked `nn.scan` becomes one without a mask: the mask is one more
    sequence, carried values keep where it is false, outputs are zero there.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "Number of masked scans">];
}

def PackMaskedSteps : Pass<"pack-masked-steps", "::mlir::ModuleOp"> {
  let summary = "computes the rows of masked loops that the mask selects, and no others";
  let description = [{
    Sequences and outputs of a masked `nn.scan` go through `nn.pack_steps` and
    `nn.unpack_steps`, which then move apart: products before and after the loop
    have only the selected rows, weight gradients are sums over them. What
    follows the last loop and is read where the mask selects only, as a masked
    loss reads it, is computed for the selected rows likewise. The lowering of
    the loop reads and writes packed rows. A loop whose body mixes rows stays
    as it is.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [
    Statistic<"numPacked", "packed", "Number of loops on packed rows">,
    Statistic<"numMissed", "missed", "Number of masked loops left as they are">,
    Statistic<"numIgnored", "ignored", "Number of ops after a loop on packed rows">
  ];
}

def RecomputeValues : Pass<"recompute-values", "::mlir::ModuleOp"> {
  let summary = "makes values again that are cheap, rather than keep them";
  let description = [{
    In the phases: outputs of an `nn.scan` that one other loop reads are made
    again in its body, and elementwise values and random numbers that live where
    most is live are made again for the readers after that, where all that they
    are made of lives until then anyway.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [
    Statistic<"numSequences", "sequences", "Number of sequences that loops make themselves">,
    Statistic<"numValues", "values", "Number of values that are made again">
  ];
}

def SimplifyScans : Pass<"simplify-scans"> {
  let summary = "drops outputs of nn.scan, and moves what only makes a sequence into it";
  let description = [{
    Outputs that nobody reads, or that are another output again, go. An
    elementwise op whose only reader is the loop, and whose other operands are
    the same at every step, moves into the body.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::belfry::nn::NnDialect"];
  let statistics = [
    Statistic<"numDropped", "dropped", "Number of outputs dropped">,
    Statistic<"numSunk", "sunk", "Number of ops moved into a body">,
    Statistic<"numReordered", "reordered", "Number of sums that begin with a product">
  ];
}

def PrepareFusion : Pass<"prepare-fusion"> {
  let summary = "brings elementwise ops to one shape, so that they can share a loop";
  let description = [{
    A sum of values padded with zeros to disjoint ranges becomes an `nn.concat`;
    an elementwise op that only slices read is done on the slices; one on a
    concatenation, with other operands that do not vary along it, on the parts.
  }];
  let dependentDialects = ["::belfry::nn::NnDialect"];
}

def LowerNnToLinalg : Pass<"lower-nn-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lowers core ops to linalg and scf on buffers";
  let description = [{
    Each phase function becomes one on memrefs. Elementwise ops that use each
    other become one linalg.generic; views (slices, transposes, broadcasts,
    reshapes) cost nothing; products are linalg.matmul on strided memrefs;
    nn.scan is scf.for. Values are written where they are wanted: into results,
    parts of concatenations, steps of stacked outputs, carried buffers and
    parameters. What needs a buffer of its own is a memref.alloc.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
      "::mlir::func::FuncDialect"];
}

def PlanBuffers : Pass<"plan-buffers", "::mlir::ModuleOp"> {
  let summary = "turns allocations into rows of the buffer table";
  let description = [{
    Each `memref.alloc` of a phase becomes an argument and a row of kind
    `scratch` with its size and lifetime; rows of kind `cross` get theirs. The
    runtime's planner places them. An extent that is not a multiple of the rows
    is an error.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
      "Optimisations to leave out, by name (docs/optimizations.md)">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numScratch", "scratch", "Number of scratch buffers">];
}

#endif // BELFRY_PASSES_LOWERING_TD
