// RUN: belfry-opt %s --simplify-scans | FileCheck %s

// The sum with a bias moves into the loop; of two equal outputs one stays; one
// that nobody reads goes.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: tensor<5x?x4xf32>, %[[BIAS:.*]]: tensor<4xf32>,
// CHECK-NOT: nn.binary
// CHECK: %{{.*}}, %[[OUT:.*]] = nn.scan carry(%{{.*}}) sequences(%[[X]]) closed(%[[BIAS]]) {
// CHECK: ^bb0(%{{.*}}: tensor<?x4xf32>, %[[STEP:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK: %[[BB:.*]] = nn.broadcast %[[B]] dims = [1] like %[[STEP]]
// CHECK: nn.binary add %[[STEP]], %[[BB]]
// CHECK: return %{{.*}}, %[[OUT]], %[[OUT]]
func.func @loop(%x: tensor<5x?x4xf32>, %b: tensor<4xf32>, %h: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>) {
  %bb = nn.broadcast %b dims = [2] like %x : tensor<4xf32>, tensor<5x?x4xf32> -> tensor<5x?x4xf32>
  %s = nn.binary add %x, %bb : tensor<5x?x4xf32>
  %f, %o, %p, %q = nn.scan carry(%h) sequences(%s) {
  ^bb0(%a: tensor<?x4xf32>, %c: tensor<?x4xf32>):
    %y = nn.binary mul %a, %c : tensor<?x4xf32>
    %z = nn.unary exp %y : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y, %z, %y) : tensor<?x4xf32> outputs tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>)
  return %f, %o, %q : tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>
}
