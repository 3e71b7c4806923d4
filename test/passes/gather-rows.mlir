// RUN: belfry-opt %s --gather-rows | FileCheck %s
// RUN: belfry-opt %s --gather-rows --check-against-single='towers=1,2,3,8 batch=1,5,7' -o %t.mlir | FileCheck %s --check-prefix=SAME
// SAME: dense result 0 {{ *}}0
// SAME-NOT: beyond

// Operands are gathered where they are made, each once; of what the caller
// hands over the whole is there.
// CHECK-LABEL: func.func @dense
// CHECK-SAME: %[[X:.*]]: tensor<?x128xf32>
// CHECK: %[[XI:.*]] = tower.slice %[[X]]
// CHECK-NEXT: %[[H:.*]] = nn.unary tanh %[[XI]]
// CHECK-NEXT: %[[HA:.*]] = tower.all_gather %[[H]] dim = 0 : tensor<?x128xf32>
// CHECK-NEXT: %[[G:.*]] = nn.unary exp %[[H]]
// CHECK-NEXT: %[[GA:.*]] = tower.all_gather %[[G]] dim = 0 : tensor<?x128xf32>
// CHECK-NEXT: %[[A:.*]] = nn.dot %[[X]], %[[GA]] contract = [0] * [0] : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<128x128xf32>
// CHECK-NEXT: %[[B:.*]] = nn.dot %[[HA]], %[[GA]] contract = [0] * [0]
// CHECK-NOT: all_reduce
// CHECK: tower.yield %[[A]], %[[B]]
func.func @dense(%x: tensor<?x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<128x128xf32>, tensor<128x128xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x128xf32>
    %h = nn.unary tanh %xi : tensor<?x128xf32>
    %g = nn.unary exp %h : tensor<?x128xf32>
    %a = nn.dot %xi, %g contract = [0] * [0] : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<128x128xf32>
    %ar = tower.all_reduce sum %a : tensor<128x128xf32>
    %b = nn.dot %h, %g contract = [0] * [0] : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<128x128xf32>
    %br = tower.all_reduce sum %b : tensor<128x128xf32>
    tower.yield %ar, %br concat = [-1, -1] : tensor<128x128xf32>, tensor<128x128xf32>
  }
  return %r#0, %r#1 : tensor<128x128xf32>, tensor<128x128xf32>
}

// Left alone: small gradients, those of sequences (ten rows for one of the
// batch), a largest element, a product that the tower reads itself, and one
// that contracts something else.
// CHECK-LABEL: func.func @others
// CHECK-NOT: all_gather
func.func @others(%x: tensor<?x10x128xf32>, %y: tensor<?x127xf32>, %z: tensor<?x129xf32>) -> (tensor<127x128xf32>, tensor<128x128xf32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<127x128xf32>, tensor<128x128xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x10x128xf32>
    %yi = tower.slice %y dim = 0 : tensor<?x127xf32>
    %m = nn.reduce max %xi dims = [1] : tensor<?x10x128xf32> -> tensor<?x128xf32>
    // CHECK: tower.all_reduce sum {{.*}} : tensor<127x128xf32>
    %small = nn.dot %yi, %m contract = [0] * [0] : tensor<?x127xf32>, tensor<?x128xf32> -> tensor<127x128xf32>
    %a = tower.all_reduce sum %small : tensor<127x128xf32>
    // CHECK: tower.all_reduce sum {{.*}} : tensor<128x128xf32>
    %f = nn.reshape %xi : tensor<?x10x128xf32> -> tensor<?x128xf32>
    %sequence = nn.dot %f, %f contract = [0] * [0] : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<128x128xf32>
    %b = tower.all_reduce sum %sequence : tensor<128x128xf32>
    // CHECK: tower.all_reduce max {{.*}} : tensor<129x127xf32>
    %p = tower.slice %z dim = 0 : tensor<?x129xf32>
    %largest = nn.dot %p, %yi contract = [0] * [0] : tensor<?x129xf32>, tensor<?x127xf32> -> tensor<129x127xf32>
    %c = tower.all_reduce max %largest : tensor<129x127xf32>
    // CHECK: tower.all_reduce sum {{.*}} : tensor<129x127xf32>
    %used = nn.dot %p, %yi contract = [0] * [0] : tensor<?x129xf32>, tensor<?x127xf32> -> tensor<129x127xf32>
    %d = tower.all_reduce sum %used : tensor<129x127xf32>
    %e = nn.binary add %d, %used : tensor<129x127xf32>
    // CHECK-NOT: all_gather
    // CHECK: tower.yield
    tower.yield %a, %b concat = [-1, -1] : tensor<127x128xf32>, tensor<128x128xf32>
  }
  return %r#0, %r#1 : tensor<127x128xf32>, tensor<128x128xf32>
}

// Where towers leave rows out, the argument has too many.
// CHECK-LABEL: func.func @dropped
// CHECK: %[[XI:.*]] = tower.slice
// CHECK: %[[A:.*]] = tower.all_gather %[[XI]] dim = 0
// CHECK-NEXT: nn.dot %[[A]], %[[A]] contract = [0] * [0]
// CHECK-NOT: all_reduce
func.func @dropped(%x: tensor<?x128xf32>) -> tensor<128x128xf32> {
  %r = tower.replicate towers = 2 slicing = drop_remainder -> tensor<128x128xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x128xf32>
    %a = nn.dot %xi, %xi contract = [0] * [0] : tensor<?x128xf32>, tensor<?x128xf32> -> tensor<128x128xf32>
    %ar = tower.all_reduce sum %a : tensor<128x128xf32>
    tower.yield %ar concat = [-1] : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}
