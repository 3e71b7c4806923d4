// RUN: belfry-opt %s --unroll-towers --mlir-print-debuginfo | FileCheck %s
// RUN: belfry-opt %s --unroll-towers=towers=1 | FileCheck %s --check-prefix=ONE

// Two towers: a slice each, one all-reduce, outputs joined.
// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x3xf32>
// CHECK: %[[A:.*]] = tower.slice %[[X]] dim = 0 tower = 0 of 2
// CHECK: %[[B:.*]] = tower.slice %[[X]] dim = 0 tower = 1 of 2
// CHECK: %[[SA:.*]] = nn.reduce sum %[[A]] dims = [0] {tower = "tower_0"}
// CHECK: %[[SB:.*]] = nn.reduce sum %[[B]] dims = [0] {tower = "tower_1"}
// CHECK: %[[R:.*]]:2 = tower.all_reduce sum %[[SA]], %[[SB]]
// CHECK: %[[Y:.*]] = tower.concat %[[A]], %[[B]] dim = 0
// CHECK: return %[[Y]], %[[R]]#0
// CHECK: "tower_0"

// One tower: no slice, no concat.
// ONE-LABEL: func.func @f
// ONE-NOT: tower.slice
// ONE-NOT: tower.concat
// ONE: return
func.func @f(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32>, tensor<3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %a = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %1 = tower.all_reduce sum %a : tensor<3xf32>
    tower.yield %xi, %1 concat = [0, -1] : tensor<?x3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<3xf32>
}
