// RUN: belfry-opt %s --expand-remainder | FileCheck %s

// Integers of 64 bits are divided, 40 bits of the quotient a round.
// CHECK-LABEL: func.func @single
// CHECK: %[[FIRST:[^ ]*]] = arith.remui %{{.*}}, %[[BY:[^ ]*]] : i64
// CHECK: %[[STEP:.*]] = arith.constant 40 : index
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] iter_args(%[[OLD:[^ ]*]] = %[[FIRST]]) -> (i64) {
// CHECK: %[[UP:.*]] = arith.shli %[[OLD]], %{{.*}} : i64
// CHECK: %[[NEW:.*]] = arith.remui %[[UP]], %[[BY]] : i64
// CHECK: scf.yield %[[NEW]] : i64
// CHECK: math.ctlz %{{.*}} : i32
// CHECK-NOT: remf
func.func @single(%x: f32, %y: f32) -> f32 {
  %r = arith.remf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @double
// CHECK-DAG: arith.constant 11 : index
// CHECK: math.ctlz %{{.*}} : i64
// CHECK-NOT: remf
func.func @double(%x: f64, %y: f64) -> f64 {
  %r = arith.remf %x, %y : f64
  return %r : f64
}

// Narrow formats in f32, whose remainder is theirs.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: scf.for
// CHECK: %[[H:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: return %[[H]]
func.func @half(%x: f16, %y: f16) -> f16 {
  %r = arith.remf %x, %y : f16
  return %r : f16
}

// CHECK-LABEL: func.func @vectors
// CHECK: arith.remf %{{.*}} : vector<4xf32>
func.func @vectors(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %r = arith.remf %x, %y : vector<4xf32>
  return %r : vector<4xf32>
}
