// RUN: belfry-opt %s --expand-scan-mask | FileCheck %s

// The mask is a sequence; carried rows keep, outputs are zero where it is false.

// CHECK-LABEL: func.func @masked
// CHECK: nn.scan carry(%{{.*}}) sequences(%{{.*}}, %[[MASK:.*]]) {
// CHECK: ^bb0(%[[H:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32>, %[[M:.*]]: tensor<?xi1>):
// CHECK: %[[Y:.*]] = nn.binary add
// CHECK: %[[KEEP:.*]] = nn.broadcast %[[M]] dims = [0]
// CHECK: %[[NEXT:.*]] = nn.select %[[KEEP]], %[[Y]], %[[H]]
// CHECK: %[[ZERO:.*]] = nn.constant dense<0.0
// CHECK: %[[ZEROS:.*]] = nn.broadcast %[[ZERO]] dims = [] like %[[Y]]
// CHECK: %[[OUT:.*]] = nn.select %{{.*}}, %[[Y]], %[[ZEROS]]
// CHECK: nn.yield carry(%[[NEXT]]) outputs(%[[OUT]])
func.func @masked(%h: tensor<?x4xf32>, %x: tensor<5x?x4xf32>, %m: tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>) {
  %f, %o = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  return %f, %o : tensor<?x4xf32>, tensor<5x?x4xf32>
}
