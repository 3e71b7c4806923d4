// RUN: belfry-opt %s --make-parallel=towers=4 | FileCheck %s
// RUN: belfry-opt %s --make-parallel='towers=4 slicing=drop-remainder' | FileCheck %s --check-prefix=DROP
// RUN: belfry-opt %s --make-parallel='towers=4 slicing=last-takes-rest' | FileCheck %s --check-prefix=LAST
// RUN: belfry-opt %s --make-parallel='towers=4 slicing=strict' | FileCheck %s --check-prefix=STRICT
// DROP: tower.replicate towers = 4 slicing = drop_remainder
// LAST: tower.replicate towers = 4 slicing = last_takes_rest
// STRICT: tower.replicate towers = 4 slicing = strict

// CHECK-LABEL: func.func @predict
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x3xf32>
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK: %[[Y:.*]] = tower.replicate towers = 4 slicing = balanced -> tensor<?x4xf32> {
// CHECK:   %[[XI:.*]] = tower.slice %[[X]] dim = 0
// CHECK:   %[[YI:.*]] = nn.dot %[[XI]], %[[K]]
// CHECK:   tower.yield %[[YI]] concat = [0]
// CHECK: return %[[Y]]
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}, %k: tensor<3x4xf32> {nn.role = #nn.role<parameter>})
    -> (tensor<?x4xf32> {nn.role = #nn.role<output>}) {
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A function without roles is none of a model's.
// CHECK-LABEL: func.func @other
// CHECK-NOT: tower.replicate
// CHECK: return
func.func @other(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}

// Random numbers count rows from the tower's first. Where five rows stand for one
// of the batch, so does the offset; what is no part of the batch is left alone.
// CHECK-LABEL: func.func @random
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x5x3xf32>
// CHECK: %[[O:.*]] = tower.row_offset %[[X]]
// CHECK: nn.random uniform {{.*}} row_offset %[[O]] stream = 1
// CHECK: %[[O2:.*]] = tower.row_offset %[[X]]
// CHECK: %[[FIVE:.*]] = nn.constant dense<5>
// CHECK: %[[O5:.*]] = nn.binary mul %[[O2]], %[[FIVE]]
// CHECK: nn.random uniform {{.*}} row_offset %[[O5]] stream = 2
// CHECK: nn.random uniform seed %{{[a-z0-9]+}} step %{{[a-z0-9]+}} stream = 3 ->
func.func @random(%x: tensor<?x5x3xf32> {nn.role = #nn.role<input>}, %seed: tensor<2xi32>, %step: tensor<i32>)
    -> (tensor<?x5x3xf32> {nn.role = #nn.role<output>}, tensor<?x3xf32> {nn.role = #nn.role<output>}, tensor<3xf32>) {
  %a = nn.random uniform seed %seed step %step stream = 1 like %x : tensor<?x5x3xf32> -> tensor<?x5x3xf32>
  %f = nn.reshape %x : tensor<?x5x3xf32> -> tensor<?x3xf32>
  %b = nn.random uniform seed %seed step %step stream = 2 like %f : tensor<?x3xf32> -> tensor<?x3xf32>
  %c = nn.random uniform seed %seed step %step stream = 3 -> tensor<3xf32>
  return %a, %b, %c : tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<3xf32>
}
