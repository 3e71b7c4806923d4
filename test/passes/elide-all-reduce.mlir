// RUN: belfry-opt %s --elide-all-reduce | FileCheck %s

// The gradients of a shared parameter are added, then reduced, once.
// CHECK-LABEL: func.func @shared
// CHECK: %[[A:.*]] = nn.reduce sum
// CHECK-NEXT: %[[B:.*]] = nn.reduce sum
// CHECK-NEXT: %[[C:.*]] = nn.binary add %[[A]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = tower.all_reduce sum %[[C]]
// CHECK-NEXT: tower.yield %[[R]]
func.func @shared(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %a = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %ar = tower.all_reduce sum %a : tensor<3xf32>
    %b = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %br = tower.all_reduce sum %b : tensor<3xf32>
    %c = nn.binary add %ar, %br : tensor<3xf32>
    tower.yield %c concat = [-1] : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// The product of two sums is no sum: both are reduced.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-2: tower.all_reduce sum
// CHECK: nn.binary mul
func.func @product(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %a = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %ar = tower.all_reduce sum %a : tensor<3xf32>
    %b = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %br = tower.all_reduce sum %b : tensor<3xf32>
    %c = nn.binary mul %ar, %br : tensor<3xf32>
    tower.yield %c concat = [-1] : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// A sum of a sum goes over the wire after it is made smaller.
// CHECK-LABEL: func.func @smaller
// CHECK: tower.all_reduce sum %{{.*}} : tensor<f32>
func.func @smaller(%x: tensor<?x3xf32>) -> tensor<f32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %a = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %ar = tower.all_reduce sum %a : tensor<3xf32>
    %c = nn.reduce sum %ar dims = [0] : tensor<3xf32> -> tensor<f32>
    tower.yield %c concat = [-1] : tensor<f32>
  }
  return %r : tensor<f32>
}

// The rows of the batch are known to every tower: five for each where five
// steps were flattened.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x5x3xf32>
// CHECK-NOT: tower.all_reduce
// CHECK: %[[N:.*]] = nn.dim_size %[[X]] dim = 0
// CHECK: %[[FIVE:.*]] = nn.constant dense<5>
// CHECK: %[[M:.*]] = nn.binary mul %[[N]], %[[FIVE]]
// CHECK: tower.yield %[[M]]
func.func @rows(%x: tensor<?x5x3xf32>) -> tensor<i32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<i32> {
    %xi = tower.slice %x dim = 0 : tensor<?x5x3xf32>
    %f = nn.reshape %xi : tensor<?x5x3xf32> -> tensor<?x3xf32>
    %n = nn.dim_size %f dim = 0 : tensor<?x3xf32>
    %a = tower.all_reduce sum %n : tensor<i32>
    tower.yield %a concat = [-1] : tensor<i32>
  }
  return %r : tensor<i32>
}

// Where rows are dropped, they are not.
// CHECK-LABEL: func.func @dropped
// CHECK: tower.all_reduce sum
func.func @dropped(%x: tensor<?x3xf32>) -> tensor<i32> {
  %r = tower.replicate towers = 2 slicing = drop_remainder -> tensor<i32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %n = nn.dim_size %xi dim = 0 : tensor<?x3xf32>
    %a = tower.all_reduce sum %n : tensor<i32>
    tower.yield %a concat = [-1] : tensor<i32>
  }
  return %r : tensor<i32>
}

// Equal and unused all-reduces go.
// CHECK-LABEL: func.func @equal
// CHECK-COUNT-1: tower.all_reduce
// CHECK-NOT: tower.all_reduce
// CHECK: return
func.func @equal(%x: tensor<?x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<3xf32>, tensor<3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %a = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %1 = tower.all_reduce sum %a : tensor<3xf32>
    %2 = tower.all_reduce sum %a : tensor<3xf32>
    %3 = tower.all_reduce max %a : tensor<3xf32>
    tower.yield %1, %2 concat = [-1, -1] : tensor<3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}
