// RUN: belfry-opt %s --nn-place | FileCheck %s
// RUN: belfry-opt %s --nn-place=device=gpu | FileCheck %s --check-prefix=GPU

// Every core op and every collective has a placement, in the bodies of scans too.

// On a GPU kernels are families of the registry; what only moves elements is read in place on both.
// GPU: nn.dot {{.*}}{tower.placement = #tower.placement<asked = gpu, given = gpu, kernel = "dot", reason = "products of matrices and convolutions, in tiles">
// GPU: nn.transpose {{.*}} kernel = "view"
// GPU: nn.constant {{.*}} kernel = "constant"
// GPU: nn.reduce sum {{.*}} kernel = "reduce"
// GPU: nn.scan {{.*}} kernel = "scan"
// GPU: nn.binary add {{.*}} kernel = "elementwise"
// GPU: nn.reduce sum {{.*}} kernel = "reduce"
// GPU: tower.all_reduce sum {{.*}} kernel = "tree_all_reduce"

// CHECK-LABEL: func.func @train
// CHECK: tower.slice
// CHECK-NOT: placement
// CHECK: nn.dot {{.*}}{tower.placement = #tower.placement<asked = cpu, given = cpu, kernel = "gemm_f32", reason = "matrix product, the runtime's library">
// CHECK: nn.transpose {{.*}} kernel = "view"
// CHECK: nn.scan
// CHECK: nn.binary add {{.*}} kernel = "elementwise"
// CHECK: nn.reduce sum {{.*}} kernel = "reduction"
// CHECK: tower.all_reduce sum {{.*}} kernel = "tree_all_reduce"
func.func @train(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}, %k: tensor<3x4xf32> {nn.role = #nn.role<parameter>})
    -> (tensor<f32> {nn.role = #nn.role<loss>}) {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %y = nn.dot %xi, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
    %t = nn.transpose %y perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
    %c = nn.constant dense<0.0> : tensor<f32>
    %z = nn.reduce sum %t dims = [0] : tensor<4x?xf32> -> tensor<?xf32>
    %f, %o = nn.scan carry(%z) sequences(%t) {
    ^bb0(%h: tensor<?xf32>, %s: tensor<?xf32>):
      %n = nn.binary add %h, %s : tensor<?xf32>
      nn.yield carry(%n) outputs(%n) : tensor<?xf32> outputs tensor<?xf32>
    } : (tensor<?xf32>, tensor<4x?xf32>) -> (tensor<?xf32>, tensor<4x?xf32>)
    %l = nn.reduce sum %f dims = [0] : tensor<?xf32> -> tensor<f32>
    %a = tower.all_reduce sum %l : tensor<f32>
    tower.yield %a concat = [-1] : tensor<f32>
  }
  return %r : tensor<f32>
}
