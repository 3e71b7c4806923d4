// RUN: belfry-opt %s --widen-narrow-floats | FileCheck %s
// The meaning is the same to the bit, for the interpreter that keeps the law by itself.
// RUN: belfry-opt %s --interpret='function=bits batch=7' -o /dev/null > %t.before
// RUN: belfry-opt %s --widen-narrow-floats --interpret='function=bits batch=7' -o /dev/null > %t.after
// RUN: diff %t.before %t.after

// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf16>, %[[Y:.*]]: tensor<?x4xf16>
// CHECK: %[[X32:.*]] = nn.convert %[[X]] : tensor<?x4xf16> -> tensor<?x4xf32>
// CHECK: %[[Y32:.*]] = nn.convert %[[Y]] : tensor<?x4xf16> -> tensor<?x4xf32>
// CHECK: %[[SUM:.*]] = nn.binary add %[[X32]], %[[Y32]] : tensor<?x4xf32>
// CHECK: %[[SUM16:.*]] = nn.convert %[[SUM]] : tensor<?x4xf32> -> tensor<?x4xf16>
// Each op rounds: nothing goes on in f32.
// CHECK: %[[AGAIN:.*]] = nn.convert %[[SUM16]] : tensor<?x4xf16> -> tensor<?x4xf32>
// CHECK: nn.unary tanh %[[AGAIN]] : tensor<?x4xf32>
// CHECK: nn.compare lt %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: nn.select %{{.*}}, %{{.*}}, %[[X]] : tensor<?x4xf16>
func.func @elementwise(%x: tensor<?x4xf16>, %y: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = nn.binary add %x, %y : tensor<?x4xf16>
  %1 = nn.unary tanh %0 : tensor<?x4xf16>
  %2 = nn.compare lt %1, %x : tensor<?x4xf16>
  %3 = nn.select %2, %1, %x : tensor<?x4xf16>
  return %3 : tensor<?x4xf16>
}

// CHECK-LABEL: func.func @conversions
// CHECK: nn.convert %{{.*}} : tensor<4xi64> -> tensor<4xf32>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xf32> -> tensor<4xi8>
// CHECK-NEXT: nn.iota dim = 0 -> tensor<4xf32>
// CHECK-NEXT: nn.convert %{{.*}} : tensor<4xf32> -> tensor<4xbf16>
func.func @conversions(%x: tensor<4xi64>) -> (tensor<4xi8>, tensor<4xbf16>) {
  %0 = nn.convert %x : tensor<4xi64> -> tensor<4xbf16>
  %1 = nn.convert %0 : tensor<4xbf16> -> tensor<4xf16>
  %2 = nn.convert %1 : tensor<4xf16> -> tensor<4xi8>
  %3 = nn.iota dim = 0 -> tensor<4xbf16>
  return %2, %3 : tensor<4xi8>, tensor<4xbf16>
}

// Weights that all steps read are widened once, the carried state at each step.
// CHECK-LABEL: func.func @scan
// CHECK: %[[W:.*]] = nn.convert %{{.*}} : tensor<4x4xbf16> -> tensor<4x4xf32>
// CHECK: nn.scan carry(%{{.*}}) sequences(%{{.*}}) closed(%[[W]], %{{.*}})
// CHECK: ^bb0(%[[H:.*]]: tensor<?x4xbf16>, %{{.*}}: tensor<?x4xbf16>, %[[INNER:.*]]: tensor<4x4xf32>, %{{.*}}: tensor<4x4xbf16>):
// CHECK-NEXT: %[[H32:.*]] = nn.convert %[[H]]
// CHECK-NEXT: nn.dot %[[H32]], %[[INNER]]
func.func @scan(%h: tensor<?x4xbf16>, %x: tensor<5x?x4xbf16>, %w: tensor<4x4xbf16>, %v: tensor<4x4xbf16>)
    -> (tensor<?x4xbf16>, tensor<5x4x4xbf16>) {
  %f, %o = nn.scan carry(%h) sequences(%x) closed(%w, %v) {
  ^bb0(%a: tensor<?x4xbf16>, %b: tensor<?x4xbf16>, %c: tensor<4x4xbf16>, %d: tensor<4x4xbf16>):
    %0 = nn.dot %a, %c contract = [1] * [0] : tensor<?x4xbf16>, tensor<4x4xbf16> -> tensor<?x4xbf16>
    %1 = nn.binary add %0, %b : tensor<?x4xbf16>
    nn.yield carry(%1) outputs(%d) : tensor<?x4xbf16> outputs tensor<4x4xbf16>
  } : (tensor<?x4xbf16>, tensor<5x?x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>) -> (tensor<?x4xbf16>, tensor<5x4x4xbf16>)
  return %f, %o : tensor<?x4xbf16>, tensor<5x4x4xbf16>
}

// What there is nothing to do about stays.
// CHECK-LABEL: func.func @moves
// CHECK-NOT: nn.convert
func.func @moves(%x: tensor<?x4xf16>, %i: tensor<?xi32>, %t: tensor<9x4xf16>, %z: tensor<f16>) -> tensor<8x?xf16> {
  %0 = nn.gather %t, %i batch_dims = 0 : tensor<9x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %1 = nn.concat %0, %x dim = 1 : tensor<?x4xf16>, tensor<?x4xf16> -> tensor<?x8xf16>
  %2 = nn.transpose %1 perm = [1, 0] : tensor<?x8xf16> -> tensor<8x?xf16>
  return %2 : tensor<8x?xf16>
}

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<?x6xf16>, %k: tensor<6x5xf16>, %b: tensor<?x6xbf16>, %ids: tensor<?xi32>)
    -> (tensor<?x5xf16>, tensor<6xf16>, tensor<6xbf16>, tensor<?xi32>, tensor<4x6xbf16>, tensor<?x6xi64>) {
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x6xf16>, tensor<6x5xf16> -> tensor<?x5xf16>
  %1 = nn.unary sigmoid %0 : tensor<?x5xf16>
  %2 = nn.binary mul %1, %0 : tensor<?x5xf16>
  %3 = nn.reduce sum %x dims = [0] : tensor<?x6xf16> -> tensor<6xf16>
  %4 = nn.reduce max %b dims = [0] : tensor<?x6xbf16> -> tensor<6xbf16>
  %5 = nn.argmax %b dim = 1 : tensor<?x6xbf16> -> tensor<?xi32>
  %z = nn.constant dense<1.0> : tensor<4x6xbf16>
  %6 = nn.scatter_add %z, %ids, %b batch_dims = 0 : tensor<4x6xbf16>, tensor<?xi32>, tensor<?x6xbf16>
  %c = nn.convert %b : tensor<?x6xbf16> -> tensor<?x6xf16>
  %7 = nn.binary div %c, %x : tensor<?x6xf16>
  %8 = nn.convert %7 : tensor<?x6xf16> -> tensor<?x6xi64>
  return %2, %3, %4, %5, %6, %8 : tensor<?x5xf16>, tensor<6xf16>, tensor<6xbf16>, tensor<?xi32>, tensor<4x6xbf16>, tensor<?x6xi64>
}
