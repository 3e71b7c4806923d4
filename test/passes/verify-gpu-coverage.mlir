// RUN: belfry-opt %s --split-input-file --verify-gpu-coverage | FileCheck %s

// The module stays as it is.

// CHECK-LABEL: func.func @train
// CHECK-NOT: placement
// CHECK: nn.dot
// CHECK: nn.scan
// CHECK-NOT: placement
func.func @train(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) -> tensor<?xf32> {
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %t = nn.transpose %y perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  %n = nn.dim_size %x dim = 0 : tensor<?x3xf32>
  %z = nn.reduce sum %t dims = [0] : tensor<4x?xf32> -> tensor<?xf32>
  %f, %o = nn.scan carry(%z) sequences(%t) {
  ^bb0(%h: tensor<?xf32>, %s: tensor<?xf32>):
    %a = nn.binary add %h, %s : tensor<?xf32>
    nn.yield carry(%a) outputs(%a) : tensor<?xf32> outputs tensor<?xf32>
  } : (tensor<?xf32>, tensor<4x?xf32>) -> (tensor<?xf32>, tensor<4x?xf32>)
  return %f : tensor<?xf32>
}

// -----

// Phases: a product, and a sequence with two ops in it.

// CHECK-LABEL: func.func private @f_p0
// CHECK: linalg.matmul
// CHECK-NOT: gpu.
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<4x4xf32> {belfry.buffer = 0 : i64}, %c: memref<4x4xf32> {belfry.buffer = 1 : i64}, %s: memref<f32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %v = memref.load %s[] : memref<f32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%v : f32) outs(%a : memref<4x4xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%a : memref<4x4xf32>) outs(%s : memref<f32>) {
    ^bb0(%x: f32, %y: f32):
      %e = arith.addf %y, %x : f32
      linalg.yield %e : f32
    }
  }
  return
}
