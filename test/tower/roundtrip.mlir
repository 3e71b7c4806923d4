// RUN: belfry-opt %s | FileCheck %s

// CHECK-LABEL: func.func @replicated
func.func @replicated(%x: tensor<?x4xf32>, %w: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32>, tensor<4xf32> {
  %y, %s = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32>, tensor<4xf32> {
    // CHECK: %[[XI:.*]] = tower.slice %{{.*}} dim = 0 : tensor<?x4xf32>
    %xi = tower.slice %x dim = 0 : tensor<?x4xf32>
    // CHECK: tower.index : tensor<i32>
    %t = tower.index : tensor<i32>
    // CHECK: tower.row_offset %{{.*}} : tensor<?x4xf32>
    %o = tower.row_offset %x : tensor<?x4xf32>
    %p = nn.reduce sum %xi dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    // CHECK: tower.all_reduce sum %{{.*}} : tensor<4xf32>
    %r = tower.all_reduce sum %p : tensor<4xf32>
    // CHECK: %[[W:.*]] = tower.all_gather %[[XI]] dim = 0 : tensor<?x4xf32>
    %g = tower.all_gather %xi dim = 0 : tensor<?x4xf32>
    // CHECK: tower.reduce_scatter sum %[[W]] dim = 0 : tensor<?x4xf32>
    %q = tower.reduce_scatter sum %g dim = 0 : tensor<?x4xf32>
    // CHECK: tower.yield %{{.*}}, %{{.*}} concat = [0, -1] : tensor<?x4xf32>, tensor<4xf32>
    tower.yield %q, %r concat = [0, -1] : tensor<?x4xf32>, tensor<4xf32>
  }
  // CHECK: tower.replicate towers = 2 slicing = strict {
  // CHECK: tower.yield concat = []
  tower.replicate towers = 2 slicing = strict {
    tower.yield concat = []
  }
  return %y, %s : tensor<?x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) -> tensor<?x4xf32> {
  // CHECK: tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32> {
  %y = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32> {
    // CHECK: tower.slice %{{.*}} dim = 0 : tensor<?x3xf32>
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %yi = nn.dot %xi, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
    // CHECK: tower.yield %{{.*}} concat = [0] : tensor<?x4xf32>
    tower.yield %yi concat = [0] : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}

// A collective in a loop of as many steps on every tower.
// CHECK-LABEL: func.func @in_scan
func.func @in_scan(%s: tensor<4xf32>) {
  tower.replicate towers = 4 slicing = balanced {
    %f = nn.scan carry(%s) length = 3 {
    ^bb0(%c: tensor<4xf32>):
      // CHECK: tower.all_reduce max
      %r = tower.all_reduce max %c : tensor<4xf32>
      nn.yield carry(%r) : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    tower.yield concat = []
  }
  return
}

// CHECK-LABEL: func.func @unrolled
func.func @unrolled(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: tower.slice %{{.*}} dim = 0 tower = 0 of 2 {slicing = #tower<slicing balanced>} : tensor<?x4xf32>
  %x0 = tower.slice %x dim = 0 tower = 0 of 2 {slicing = #tower<slicing balanced>} : tensor<?x4xf32>
  %x1 = tower.slice %x dim = 0 tower = 1 of 2 {slicing = #tower<slicing balanced>} : tensor<?x4xf32>
  // CHECK: tower.index tower = 1 of 2 : tensor<i32>
  %t = tower.index tower = 1 of 2 : tensor<i32>
  // CHECK: tower.row_offset %{{.*}} tower = 1 of 2 : tensor<?x4xf32>
  %o = tower.row_offset %x tower = 1 of 2 : tensor<?x4xf32>
  %p0 = nn.reduce sum %x0 dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
  %p1 = nn.reduce sum %x1 dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
  // CHECK: %{{.*}}:2 = tower.all_reduce sum %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
  %r:2 = tower.all_reduce sum %p0, %p1 : tensor<4xf32>, tensor<4xf32>
  // CHECK: tower.concat %{{.*}}, %{{.*}} dim = 0 : tensor<?x4xf32>
  %y = tower.concat %x0, %x1 dim = 0 : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK: #tower.device<gpu : 0>
func.func private @device() attributes {tower.device = #tower.device<gpu : 0>}
