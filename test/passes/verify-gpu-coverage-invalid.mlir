// RUN: belfry-opt %s --split-input-file --verify-diagnostics --verify-gpu-coverage
// RUN: split-file %s %t
// RUN: not belfry-opt %t/removed.mlir --verify-gpu-coverage='disable=dot,scan' 2>&1 | FileCheck %t/removed.mlir
// RUN: not belfry-opt %t/removed.mlir --place='device=gpu disable=dot,scan' 2>&1 | FileCheck %t/removed.mlir
// RUN: not belfry-opt %t/phase.mlir --verify-gpu-coverage=disable=reduce 2>&1 | FileCheck %t/phase.mlir
// RUN: not belfry-opt %t/phase.mlir --outline-gpu-kernels=disable=reduce 2>&1 | FileCheck %t/phase.mlir
// RUN: not belfry-opt %t/phase.mlir --verify-gpu-coverage=disable=dots 2>&1 | FileCheck %t/phase.mlir --check-prefix=UNKNOWN
// RUN: not belfry-opt %t/phase.mlir --outline-gpu-kernels=disable=dots 2>&1 | FileCheck %t/phase.mlir --check-prefix=UNKNOWN
// RUN: not belfry-opt %t/removed.mlir --nn-place='device=gpu disable=dots' 2>&1 | FileCheck %t/phase.mlir --check-prefix=UNKNOWN

// What no family takes: packed rows are for the host; nothing is made of a scatter over towers.
// expected-error@+1 {{2 ops of 2 kinds have no kernel for GPUs:}}
module {
  func.func @predict(%x: tensor<4x?x3xf32>, %m: tensor<4x?xi1>) -> tensor<?x3xf32> {
    %r = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
      // expected-error@+1 {{'nn.pack_steps' of f32,i1 has no kernel for GPUs: --pack-masked-steps makes it, which is for the host alone; 1 op; types with a kernel: none; what to do: build for the target 'host'}}
      %p = nn.pack_steps %x mask %m : tensor<4x?x3xf32>, tensor<4x?xi1> -> tensor<?x3xf32>
      // expected-error@+1 {{'tower.reduce_scatter' of f32 has no kernel for GPUs: no family of kernels takes it; 1 op; types with a kernel: none}}
      %y = tower.reduce_scatter sum %p dim = 0 : tensor<?x3xf32>
      tower.yield %y concat = [0] : tensor<?x3xf32>
    }
    return %r : tensor<?x3xf32>
  }
}

// -----

// Everything is found before any kernel is made: arithmetic that would be a call, numbers of a type that kernels do not compute with, arrays of one that
// a family does not take, structures that no kernel has. Equal ones are counted.
// expected-error@+1 {{7 ops of 6 kinds have no kernel for GPUs:}}
module {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<4xf32> {belfry.buffer = 1 : i64},
      %s: memref<f32> {belfry.buffer = 2 : i64}, %w: memref<4xi48> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      // expected-error@+1 {{'math.atan2' of f32 has no kernel for GPUs: a GPU has no instructions for it, and the lowering writes none out; 2 ops;}}
      %e = math.atan2 %a, %a : f32
      %f = math.atan2 %e, %a : f32
      // expected-error@+1 {{'arith.extf' of f128 has no kernel for GPUs: kernels do not compute with numbers of this type; 1 op; types with a kernel: i1, i8, i16, i32, i64, f16, bf16, f32, f64; what to do: convert}}
      %h = arith.extf %f : f32 to f128
      linalg.yield %f : f32
    }
    // expected-error@+1 {{'linalg.generic (elements)' of i48 has no kernel}}
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%w : memref<4xi48>) {
    ^bb0(%a: i48):
      linalg.yield %a : i48
    }
    // expected-error@+1 {{'memref.copy (one-block)' of f32 has no kernel for GPUs: no family of kernels takes it;}}
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    // expected-error@+1 {{'scf.for (one-block)' has no kernel for GPUs: a sequence of ops hands no values on but through memory;}}
    %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z) -> f32 {
      %v = memref.load %x[%i] : memref<4xf32>
      memref.store %v, %s[] : memref<f32>
      scf.yield %v : f32
    }
    // expected-error@+1 {{'linalg.generic (reduction)' of f32 has no kernel for GPUs: it reduces by an op without a neutral element;}}
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<4xf32>) outs(%s : memref<f32>) {
    ^bb0(%a: f32, %b: f32):
      %e = arith.divf %b, %a : f32
      linalg.yield %e : f32
    }
    return
  }
}

// -----

// One kind is one line.
module {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xf32> {belfry.buffer = 0 : i64}, %c: i1) attributes {belfry.function = "g"} {
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{'scf.if (iterations)' of f32 has no kernel for GPUs: only a loop is a kernel by its mark; 2 ops}}
    scf.if %c {
      linalg.fill ins(%z : f32) outs(%x : memref<4xf32>)
    } {belfry.kernel, belfry.independent = 4 : i64}
    scf.if %c {
      linalg.fill ins(%z : f32) outs(%x : memref<4xf32>)
    } {belfry.kernel, belfry.independent = 4 : i64}
    return
  }
}

// -----

//--- removed.mlir
// One line for all layers, one for each kind; other dtypes are other kinds.
// CHECK: error: 8 ops of 3 kinds have no kernel for GPUs:
// CHECK: error: 'nn.dot' of f32 has no kernel for GPUs: the family 'dot' is taken out; 6 ops of layers 'a', 'b', 'c', 'd' and 1 more; types with a kernel: none; what to do: leave out '--disable kernel-dot'
// CHECK: error: 'nn.dot' of f64 has no kernel for GPUs: the family 'dot' is taken out; 1 op; types
// CHECK: error: 'nn.scan' of f64 has no kernel for GPUs: the family 'scan' is taken out; 1 op of layer 'e'; types
// CHECK-NOT: error:
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}, %k: tensor<3x3xf32> {nn.role = #nn.role<parameter>}, %w: tensor<3x3xf64> {nn.role = #nn.role<parameter>})
    -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  %a = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("a")
  %b = nn.dot %a, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("b")
  %c = nn.dot %b, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("c")
  %d = nn.dot %c, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("d")
  %e = nn.dot %d, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("e")
  %f = nn.dot %e, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32> loc("a")
  %g = nn.dot %w, %w contract = [1] * [0] : tensor<3x3xf64>, tensor<3x3xf64> -> tensor<3x3xf64>
  %h = nn.reduce sum %g dims = [0] : tensor<3x3xf64> -> tensor<3xf64>
  %l, %o = nn.scan carry(%h) sequences(%g) {
  ^bb0(%p: tensor<3xf64>, %s: tensor<3xf64>):
    %q = nn.binary add %p, %s : tensor<3xf64>
    nn.yield carry(%q) outputs(%q) : tensor<3xf64> outputs tensor<3xf64>
  } : (tensor<3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>) loc("e")
  return %f : tensor<?x3xf32>
}

//--- phase.mlir
// A part of a sequence is found as well.
// CHECK-NOT: kinds have
// CHECK: error: 'linalg.generic (reduction)' of f32 has no kernel for GPUs: the family 'reduce' is taken out; 2 ops; types with a kernel: none; what to do: leave out '--disable kernel-reduce'
// UNKNOWN: error: 'disable': unknown family of kernels 'dots'; known are elementwise, transpose, reduce, dot, scan, loop, collective
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<4xf32> {belfry.buffer = 0 : i64}, %s: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<4xf32>) outs(%s : memref<f32>) {
  ^bb0(%x: f32, %y: f32):
    %e = arith.addf %y, %x : f32
    linalg.yield %e : f32
  }
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<4xf32>) outs(%s : memref<f32>) {
    ^bb0(%x: f32, %y: f32):
      %e = arith.addf %y, %x : f32
      linalg.yield %e : f32
    }
  }
  return
}
